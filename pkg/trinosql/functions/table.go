package functions

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed table.txt
var text string

// Kind is the kind of a function.
type Kind byte

// The kinds of functions.
const (
	Scalar    Kind = 'S'
	Aggregate Kind = 'A'
	Window    Kind = 'W'
	Operator  Kind = 'O'
)

// Function is one signature of a function.
type Function struct {
	Kind     Kind
	Name     string
	Aliases  []string // other names of the function
	Args     []*Sig
	Nullable []bool // which arguments may be NULL without making the result NULL
	Variadic bool   // the last argument is variadic
	Result   *Sig
	// ResultNullable is set when the result may be NULL although no argument is.
	ResultNullable                       bool
	TypeVars                             []TypeVar
	LongVars                             []LongVar
	Hidden, Nondeterministic, Deprecated bool
	// Plugin is the plugin of Trino that has the function: geospatial, ml, teradata or "".
	Plugin string
	// Key identifies the signature: regexp_replace(varchar(x), joniregexp, varchar(y)).
	Key string
}

// TypeVar is a type variable and its constraints.
type TypeVar struct {
	Name                  string // in lower case
	Comparable, Orderable bool
	Row                   bool // any row
	CastableTo            *Sig
	CastableFrom          *Sig
	text                  string
}

// LongVar is a numeric variable that is computed from others.
type LongVar struct {
	Name, Expr string
}

type table struct {
	all    []*Function
	byName map[string][]*Function
}

var loaded = sync.OnceValue(func() *table {
	t := &table{byName: map[string][]*Function{}}
	for n, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		f, err := parseLine(line)
		if err != nil {
			panic(fmt.Sprintf("table.txt:%d: %v", n+1, err))
		}
		t.all = append(t.all, f)
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			if f.Kind == Operator {
				name = "$" + name
			}
			t.byName[name] = append(t.byName[name], f)
		}
	}
	return t
})

// All are all signatures, operators included, sorted by kind and name.
func All() []*Function { return loaded().all }

// Named are the signatures of a function, whose name is in lower case; nil if it does not exist.
func Named(name string) []*Function {
	if strings.HasPrefix(name, "$") {
		return nil
	}
	return loaded().byName[name]
}

// IsKind reports whether a name is that of a function of a kind. All signatures of a name are of one kind.
func IsKind(name string, k Kind) bool {
	fs := Named(name)
	return len(fs) > 0 && fs[0].Kind == k
}

func parseLine(line string) (*Function, error) {
	f := &Function{Kind: Kind(line[0])}
	line, flags, _ := strings.Cut(line, " #")
	for _, flag := range strings.Split(flags, " #") {
		switch flag {
		case "hidden":
			f.Hidden = true
		case "nondeterministic":
			f.Nondeterministic = true
		case "deprecated":
			f.Deprecated = true
		case "geospatial", "ml", "teradata":
			f.Plugin = flag
		case "":
		default:
			return nil, fmt.Errorf("unknown flag %q", flag)
		}
	}
	head, rules, _ := strings.Cut(line[2:], " | ")
	if err := f.rules(rules); err != nil {
		return nil, err
	}
	open := strings.IndexByte(head, '(')
	names := strings.Split(head[:open], "|")
	f.Name, f.Aliases = names[0], names[1:]
	args, rest, err := cutArgs(head[open+1:])
	if err != nil {
		return nil, err
	}
	f.Key = f.Name + "(" + strings.Join(args, ", ") + ")"
	for _, a := range args {
		a, f.Variadic = strings.CutSuffix(a, "...")
		a, null := strings.CutSuffix(a, "?")
		s, err := parseSig(a, f.TypeVars)
		if err != nil {
			return nil, err
		}
		f.Args, f.Nullable = append(f.Args, s), append(f.Nullable, null)
	}
	rest = strings.TrimPrefix(rest, " ")
	rest, f.ResultNullable = strings.CutSuffix(rest, "?")
	if f.Kind == Operator && f.Name == "CAST" {
		f.Key += " " + rest
	}
	f.Result, err = parseSig(rest, f.TypeVars)
	return f, err
}

// cutArgs splits "a, f(b, c)) rest" at the commas outside of parentheses and after the closing parenthesis.
func cutArgs(s string) (args []string, rest string, err error) {
	depth, from := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				if i > from {
					args = append(args, strings.TrimSpace(s[from:i]))
				}
				return args, s[i+1:], nil
			}
		case ',':
			if depth == 0 {
				args = append(args, strings.TrimSpace(s[from:i]))
				from = i + 1
			}
		}
	}
	return nil, "", fmt.Errorf("no ) in %q", s)
}

func (f *Function) rules(text string) error {
	if text == "" {
		return nil
	}
	type cast struct {
		v        int
		to, from string
	}
	var casts []cast
	for _, r := range strings.Split(text, "; ") {
		if name, expr, ok := strings.Cut(r, " = "); ok {
			f.LongVars = append(f.LongVars, LongVar{strings.ToLower(name), expr})
			continue
		}
		name, rest, _ := strings.Cut(r, ":")
		v := TypeVar{Name: strings.ToLower(name), text: r}
		c := cast{v: len(f.TypeVars)}
		for _, what := range strings.Split(rest, ":") {
			switch {
			case what == "":
			case what == "comparable":
				v.Comparable = true
			case what == "orderable":
				v.Orderable = true
			case strings.HasSuffix(what, "<*>"):
				v.Row = true
			case strings.HasPrefix(what, "castableTo("):
				c.to = what[len("castableTo(") : len(what)-1]
			case strings.HasPrefix(what, "castableFrom("):
				c.from = what[len("castableFrom(") : len(what)-1]
			default:
				return fmt.Errorf("unknown rule %q", r)
			}
		}
		f.TypeVars = append(f.TypeVars, v)
		casts = append(casts, c)
	}
	var err error
	for _, c := range casts {
		if c.to != "" && err == nil {
			f.TypeVars[c.v].CastableTo, err = parseSig(c.to, f.TypeVars)
		}
		if c.from != "" && err == nil {
			f.TypeVars[c.v].CastableFrom, err = parseSig(c.from, f.TypeVars)
		}
	}
	return err
}

// generic reports whether there are variables in the signature.
func (f *Function) generic() bool {
	if len(f.TypeVars) > 0 || len(f.LongVars) > 0 {
		return true
	}
	for _, a := range f.Args {
		if a.fixed == nil {
			return true
		}
	}
	return f.Result.fixed == nil
}

// expected is the signature with the given name, as shown in an error.
func (f *Function) expected(name string) string {
	var b strings.Builder
	b.WriteString(name)
	b.WriteByte('(')
	for i, a := range f.Args {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(a.text)
	}
	b.WriteByte(')')
	for i, v := range f.TypeVars {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte(' ')
		b.WriteString(v.text)
	}
	return b.String()
}
