package query

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/spf13/pflag"
)

// sqlInput is one --sql, -f or argument of `sql`.
type sqlInput struct {
	flag  string // "" for an argument
	value string
	after int // how many arguments are before the flag
}

// inputFlag collects the values of several flags in the order in which they were given.
type inputFlag struct {
	name string
	fs   *pflag.FlagSet // its arguments so far are those before the flag
	to   *[]sqlInput
}

func (f inputFlag) Set(s string) error {
	*f.to = append(*f.to, sqlInput{flag: f.name, value: s, after: f.fs.NArg()})
	return nil
}
func (f inputFlag) Type() string   { return "string" }
func (f inputFlag) String() string { return "" }

// Append, Replace and GetSlice implement pflag.SliceValue, by which others see that the flag may be repeated.
func (f inputFlag) Append(s string) error { return f.Set(s) }

func (f inputFlag) Replace(list []string) error {
	*f.to = slices.DeleteFunc(*f.to, func(in sqlInput) bool { return in.flag == f.name })
	for _, s := range list {
		if err := f.Set(s); err != nil {
			return err
		}
	}
	return nil
}

func (f inputFlag) GetSlice() []string {
	var list []string
	for _, in := range *f.to {
		if in.flag == f.name {
			list = append(list, in.value)
		}
	}
	return list
}

var _ pflag.SliceValue = inputFlag{}

// inOrder merges arguments and flags in the order in which they were given.
func inOrder(flags []sqlInput, args []string) []sqlInput {
	var out []sqlInput
	n := 0
	before := func(end int) {
		for ; n < end; n++ {
			out = append(out, sqlInput{value: args[n]})
		}
	}
	for _, in := range flags {
		before(min(in.after, len(args)))
		out = append(out, in)
	}
	before(len(args))
	return out
}

// given is a statement or a saved query to run.
type given struct {
	placedPart
	saved string // the name of a query; the rest is empty then
	data  string // the file whose rows are selected
	file  string // of statements, by a name that may be that of a saved query too
}

// read reads the texts of the inputs.
func (f *sqlFlags) read(e *cli.Env) ([]given, error) {
	var list []given
	stdin := 0
	for _, in := range f.inputs {
		if in.value == "-" && in.flag != "--sql" {
			stdin++
		}
	}
	if stdin > 1 {
		return nil, exitcode.Usagef("standard input can be read only once")
	}
	how, err := f.how.Options()
	if err != nil {
		return nil, err
	}
	data := func(in sqlInput) bool { return f.kindOf(e, in) == "data" }
	if how.Given() && !slices.ContainsFunc(f.inputs, data) {
		return nil, exitcode.Usagef("%s is for an argument that is a file of rows", how.First()).
			WithHint("a statement has it behind the file: FROM 'x.csv' WITH (...)")
	}
	for _, in := range f.inputs {
		name, text := in.flag, in.value
		kind := f.kindOf(e, in)
		switch kind {
		case "query":
			list = append(list, given{saved: in.value})
			continue
		case "data":
			if !strings.ContainsAny(in.value, "*?") {
				if _, err := os.Stat(e.Abs(in.value)); err != nil {
					return nil, e.Unread("FILE", in.value, err)
				}
			}
			text = strings.TrimSpace("SELECT * FROM " + sqltext.Literal(in.value) + " " + how.Text())
		case "file":
			raw, err := e.ReadText(cmp.Or(in.flag, "FILE"), in.value)
			if err != nil {
				return nil, err
			}
			name, text = in.value, string(raw)
			if name == "-" {
				name = "stdin"
			}
		}
		name = cmp.Or(name, "the statement")
		parts := split([]sqlText{{name, text, true}})
		if len(parts) == 0 {
			return nil, exitcode.Usagef("%s: there is no statement", name)
		}
		for _, p := range parts {
			if len(parts) == 1 {
				p.where = name
			}
			g := given{placedPart: p}
			switch {
			case kind == "data":
				g.data = in.value
			case kind == "file" && in.flag == "" && in.value != "-" && !strings.ContainsAny(in.value, "/\\") &&
				!strings.HasSuffix(in.value, ".sql"):
				g.file = in.value
			}
			list = append(list, g)
		}
	}
	return list, nil
}

// kindOf determines whether an input is "sql", a "file" of statements, one with "data", or a saved "query".
func (f *sqlFlags) kindOf(e *cli.Env, in sqlInput) string {
	switch s := in.value; {
	case in.flag == "" && isFile(e.Abs(s)) && isForeign(s):
		return "data" // the error says what it is packed with
	case in.flag == "--sql":
		return "sql"
	case in.flag == "-f" || s == "-":
		return "file"
	case isFile(e.Abs(s)) && in.flag == "" && (rowfile.Ending(s) != "" || f.how.Given() != "" &&
		!strings.HasSuffix(s, ".sql")):
		return "data"
		// a pattern of names, or a path of a file that does not exist
	case in.flag == "" && strings.ContainsAny(s, "*?/"+string(filepath.Separator)) && !strings.ContainsAny(s,
		" \t\r\n;()'") && rowfile.Ending(s) != "":
		return "data"
	case isFile(e.Abs(s)) || strings.HasSuffix(s, ".sql") && !strings.ContainsAny(s, "\n;("):
		return "file"
	case s != "" && !strings.ContainsAny(s, " \t\r\n;()*'"):
		return "query"
	}
	return "sql"
}

func isForeign(path string) bool {
	_, ok := rowfile.CutForeign(path)
	return ok
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
