package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/output"
)

// copyTable imports a file into a table, or writes a table or the rows of a query to a file, as psql does.
func (s *shell) copyTable(ctx context.Context, args []string) error {
	usage := exitcode.Usagef(`\copy TABLE FROM FILE, or \copy TABLE|(QUERY) TO FILE`)
	from := slices.IndexFunc(args, func(a string) bool { return strings.EqualFold(a, "from") })
	to := slices.IndexFunc(args, func(a string) bool { return strings.EqualFold(a, "to") })
	if strings.HasPrefix(strings.Join(args, ""), "(") { // the words of the query are not those of the command
		from, to = -1, lastWord(args, "to")
	}
	at := max(from, to)
	if at < 1 || at+1 >= len(args) || from > 0 && to > 0 {
		return usage
	}
	file, err := unquoted(args[at+1:at+2], false)
	if err != nil {
		return err
	}
	var flags []string // of table import
	for _, option := range args[at+2:] {
		if from > 0 && strings.HasPrefix(option, "--") {
			flags = append(flags, option)
		} else if !slices.Contains([]string{"with", "csv", "header", "format", "true"},
			strings.ToLower(strings.Trim(option, "(),;"))) {
			return exitcode.Usagef(`\copy: %s is not supported`, option).
				WithHint("the extension of the file is the format; flags of `dig table import` follow a file to read")
		}
	}
	what := strings.Join(args[:at], " ")
	if slices.Contains([]string{"stdin", "stdout", "pstdin", "pstdout", "program"}, strings.ToLower(args[at+1])) {
		return exitcode.Usagef(`\copy takes a file, not %s`, args[at+1])
	}
	if to > 0 {
		sql := "SELECT * FROM " + what
		if inner, ok := strings.CutPrefix(what, "("); ok {
			sql = strings.TrimSuffix(strings.TrimSpace(inner), ")")
		}
		return s.toFile(ctx, sql, file[0])
	}
	if len(args[:at]) > 1 || strings.Contains(what, "(") {
		return exitcode.Usagef(`\copy: a list of columns is not supported`).
			WithHint("`dig table import --map` assigns the fields of a file to columns")
	}
	name, err := unquoted(args[:1], false)
	if err != nil {
		return err
	}
	parts := strings.Split(name[0], ".")
	command := append([]string{"table", "import", parts[len(parts)-1], s.e.Abs(file[0])}, append(s.flags(),
		flags...)...)
	if code := s.e.Again(ctx, command); code != 0 {
		return &exitcode.Failure{Exit: code, Code: "import", Msg: `\copy: the import failed`}
	}
	if s.fill != nil {
		s.fill(0)
	}
	return nil
}

func lastWord(args []string, word string) int {
	for i := len(args) - 1; i >= 0; i-- {
		if strings.EqualFold(args[i], word) {
			return i
		}
	}
	return -1
}

// toFile runs a statement once with its result in a file.
func (s *shell) toFile(ctx context.Context, sql, path string) error {
	format, err := cli.FormOfPath(path)
	if err != nil {
		return err
	}
	if err := output.CheckFile(s.e.Abs(path)); err != nil {
		return exitcode.Usagef("%v", err)
	}
	defer func(out string, format output.Format, append bool) {
		s.out, s.format, s.appends = out, format, append
	}(s.out, s.format, s.appends)
	s.out, s.format, s.appends = path, format, false
	return s.performIn(ctx, sql)
}

// output chooses the file of results: it is emptied, and each result is appended.
func (s *shell) output(_ context.Context, args []string) error {
	switch len(args) {
	case 0:
		s.out = ""
		return nil
	case 1:
	default:
		return exitcode.Usagef(`\o takes one file, not %d`, len(args))
	}
	path := s.e.Abs(args[0])
	if err := output.CheckFile(path); err != nil {
		return exitcode.Usagef(`\o: %v`, err)
	}
	format, err := cli.FormOfPath(args[0])
	if err != nil {
		return err
	}
	s.out, s.format, s.appends = args[0], format, false
	switch {
	case strings.Contains(s.out, "{n}"):
	case format == output.XLSX || format == output.Parquet:
		fmt.Fprintf(s.e.Err, "each result replaces %s, because %s holds one; with {n} in the name, each gets its own "+
			"file\n", s.out, format)
	default:
		f, err := os.Create(path)
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			s.out = ""
			return exitcode.Usagef(`\o: %v`, err)
		}
		s.appends, s.appended = true, false
	}
	return nil
}

// appending gives a statement a file of its own, whose content is appended to the file of results by add.
func (s *shell) appending(st *Statement) (add func() error, remove func(), err error) {
	if !s.appends || st.Out == "" {
		return func() error { return nil }, func() {}, nil
	}
	dir, remove, err := tempfile.MkdirTemp("dig-result-")
	if err != nil {
		return nil, nil, err
	}
	own := filepath.Join(dir, "result"+filepath.Ext(st.Out))
	target := s.e.Abs(st.Out)
	st.Out = own
	return func() error { return s.appendFile(target, own) }, remove, nil
}

func (s *shell) appendFile(target, own string) (err error) {
	from, err := os.Open(own)
	if errors.Is(err, os.ErrNotExist) {
		return nil // the statement has no rows to show
	}
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(target, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	between := map[output.Format]string{output.JSON: "", output.NDJSON: "", output.HTML: "", output.YAML: "---\n"}
	if separator, ok := between[s.format]; s.appended {
		if !ok {
			separator = "\n"
		}
		if _, err := to.WriteString(separator); err != nil {
			return err
		}
	}
	s.appended = true
	_, err = io.Copy(to, from)
	return err
}
