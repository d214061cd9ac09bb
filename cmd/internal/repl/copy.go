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
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/output"
)

// copyTable imports a file into a table, or writes a table or the rows of a query to a file, as psql does.
func (s *shell) copyTable(ctx context.Context, args []string) error {
	from, to := -1, -1
	query := strings.HasPrefix(strings.Join(args, ""), "(") // its words are not those of the command
	for i, arg := range args {
		switch {
		case strings.EqualFold(arg, "from") && from < 0 && !query:
			from = i
		case strings.EqualFold(arg, "to") && (to < 0 || query):
			to = i
		}
	}
	at := max(from, to)
	if at < 1 || at+1 >= len(args) || from > 0 && to > 0 {
		return exitcode.Usagef(`\copy TABLE FROM FILE, or \copy TABLE|(QUERY) TO FILE`)
	}
	rest, err := unquoted(args[at+1:], false)
	if err != nil {
		return err
	}
	file := rest[0]
	var flags []string // of table import
	for i, option := range rest[1:] {
		if from > 0 && strings.HasPrefix(option, "--") { // those behind it may be values
			flags = rest[1+i:]
			break
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
		return s.toFile(file, func() error { return s.performIn(ctx, sql) })
	}
	if len(args[:at]) > 1 || strings.Contains(what, "(") {
		return exitcode.Usagef(`\copy: a list of columns is not supported`).
			WithHint("`dig table import --map` assigns the fields of a file to columns")
	}
	name, err := resolve.NameParts(what)
	if err != nil {
		return err
	}
	schema, table := name[:len(name)-1], name[len(name)-1]
	if !slices.Equal(schema, []string{"peaka", "table"}[2-len(schema):]) {
		return exitcode.Usagef(`\copy: %s is not an internal table`, what).
			WithHint("rows are imported into those of peaka.table")
	}
	command := slices.Concat([]string{"table", "import"}, s.flags(), flags, []string{"--", table, s.e.Abs(file)})
	if code := s.e.Again(ctx, command); code != 0 {
		return &exitcode.Failure{Exit: code, Code: "import", Msg: `\copy: the import failed`}
	}
	if s.fill != nil {
		s.fill(0)
	}
	return nil
}

// toFile has run write its results to a file.
func (s *shell) toFile(path string, run func() error) error {
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
	return run()
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

// deliver runs a statement. If results are appended to a file, it has one of its own, whose content is appended.
func (s *shell) deliver(st Statement, run func(Statement) error) error {
	if !s.appends || st.Out == "" {
		return run(st)
	}
	dir, remove, err := tempfile.MkdirTemp("dig-result-")
	if err != nil {
		return err
	}
	defer remove()
	target := s.e.Abs(st.Out)
	st.Out = filepath.Join(dir, "result"+filepath.Ext(target))
	if err := run(st); err != nil {
		return err
	}
	return s.appendFile(target, st.Out)
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
