package functions

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed descriptions.txt
var descriptionText string

var descriptions = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(descriptionText) {
		if key, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " = "); ok && key[0] != '#' {
			m[key] = text
		}
	}
	return m
})

// Description is Trino's description of the function, "" if it has none.
func (f *Function) Description() string {
	args := make([]string, len(f.Args))
	for i, a := range f.Args {
		args[i] = a.String()
	}
	if text, ok := descriptions()[f.Name+"("+strings.Join(args, ", ")+")"]; ok {
		return text
	}
	return descriptions()[f.Name]
}
