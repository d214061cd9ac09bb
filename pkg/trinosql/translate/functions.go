package translate

import (
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync"

	"github.com/dig-cli/dig/pkg/trinosql/functions"
)

//go:embed functions_*.txt
var functionFiles embed.FS

// template is the translation of a function.
type template struct {
	agg    bool
	parts  []part
	wrap   []part // of an aggregate; nil if it has none
	rule   string // name of a rule in Go
	reason string // why it is not supported
}

// part is a part of a template: literal text, an argument or a type.
type part struct {
	text string
	arg  int    // from 1; 0 for none
	all  bool   // $*
	call bool   // $0
	typ  string // the variable in lower case, "r" for the result
}

// templates has the lines of the files by key.
var templates = sync.OnceValue(func() map[string]*template {
	m, err := readTemplates()
	if err != nil {
		panic(err) // a test reads the files
	}
	return m
})

// Has reports whether calls of a function can be translated. Some are rejected for their arguments nevertheless.
func Has(f *functions.Function) bool {
	t := templates()[f.Key]
	return t != nil && t.reason == ""
}

func readTemplates() (map[string]*template, error) {
	m := map[string]*template{}
	files, err := fs.Glob(functionFiles, "functions_*.txt")
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		data, err := functionFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		n := 0
		for line := range strings.Lines(string(data)) {
			n++
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '#' {
				continue
			}
			key, text, ok := strings.Cut(line, " = ")
			if !ok {
				return nil, fmt.Errorf("%s:%d: no ' = ' in %s", name, n, line)
			}
			if m[key] != nil {
				return nil, fmt.Errorf("%s:%d: %s occurs twice", name, n, key)
			}
			if m[key], err = parseTemplate(strings.ReplaceAll(text, `"~space"()`, quoteText(whitespace))); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, n, err)
			}
		}
	}
	return m, nil
}

// whitespace are the characters that Java treats as white space, and that trim removes.
const whitespace = "\t\n\v\f\r\x1c\x1d\x1e\x1f " +
	"\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u2028\u2029\u205f\u3000"

func parseTemplate(text string) (*template, error) {
	t := &template{}
	if reason, ok := strings.CutPrefix(text, "no: "); ok {
		t.reason = reason
		return t, nil
	}
	if rule, ok := strings.CutPrefix(text, "go "); ok {
		t.rule = rule
		return t, nil
	}
	var err error
	if call, ok := strings.CutPrefix(text, "agg "); ok {
		t.agg = true
		call, wrap, has := strings.Cut(call, " | ")
		if has {
			if t.wrap, err = parseParts(wrap); err != nil {
				return nil, err
			}
		}
		text = call
	}
	t.parts, err = parseParts(text)
	return t, err
}

func parseParts(text string) ([]part, error) {
	var parts []part
	for text != "" {
		plain, rest, ok := strings.Cut(text, "$")
		if plain != "" {
			parts = append(parts, part{text: plain})
		}
		if !ok {
			break
		}
		switch {
		case strings.HasPrefix(rest, "*"):
			parts, text = append(parts, part{all: true}), rest[1:]
		case strings.HasPrefix(rest, "{"):
			name, after, ok := strings.Cut(rest[1:], "}")
			if !ok {
				return nil, fmt.Errorf("no } in %s", text)
			}
			parts, text = append(parts, part{typ: strings.ToLower(name)}), after
		case rest != "" && rest[0] >= '0' && rest[0] <= '9':
			n, err := strconv.Atoi(rest[:1])
			if err != nil {
				return nil, err
			}
			parts, text = append(parts, part{arg: n, call: n == 0}), rest[1:]
		default:
			return nil, fmt.Errorf("$ without a number in %s", text)
		}
	}
	return parts, nil
}
