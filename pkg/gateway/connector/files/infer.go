package files

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/late"
)

var (
	wholeForm   = late.Regexp(`^(0|-?[1-9][0-9]{0,18})$`) // a leading zero or plus would be lost in a number
	decimalForm = late.Regexp(`^-?(0|[1-9][0-9]*)\.([0-9]+)$`)
)

// guess narrows the type of a column value by value. Only types that lose nothing are taken: a column with one value that does
// not fit is text.
type guess struct {
	seen                         bool
	nullable                     bool
	text, json                   bool // a value that is only a text, a value that is an object or a list
	whole, dec, flag, date, when int
	values                       int
	intDigits, scale             int
}

func (g *guess) add(s string) {
	g.seen = true
	g.values++
	switch {
	case wholeForm().MatchString(s):
		if _, err := strconv.ParseInt(s, 10, 64); err != nil {
			g.text = true
			return
		}
		g.whole++
		g.intDigits = max(g.intDigits, len(strings.TrimPrefix(s, "-")))
	case decimalForm().MatchString(s):
		whole, frac, _ := strings.Cut(strings.TrimPrefix(s, "-"), ".")
		g.dec++
		g.intDigits, g.scale = max(g.intDigits, len(whole)), max(g.scale, len(frac))
	case s == "true" || s == "false":
		g.flag++
	default:
		if _, err := time.Parse(time.DateOnly, s); err == nil {
			g.date++
		} else if _, ok := moment(s); ok {
			g.when++
		} else {
			g.text = true
		}
	}
}

// moment reads a timestamp without a zone, to the microsecond.
func moment(s string) (time.Time, bool) {
	for _, l := range []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05"} {
		if t, err := time.Parse(l, s); err == nil && t.Nanosecond()%1000 == 0 {
			return t, true
		}
	}
	return time.Time{}, false
}

func (g *guess) typ() string {
	switch {
	case g.json && g.values == 0:
		return "json"
	case g.text || g.json || g.values == 0:
		return "varchar"
	case g.whole == g.values:
		return "bigint"
	case g.whole+g.dec == g.values && g.intDigits+g.scale <= 38:
		return fmt.Sprintf("decimal(%d,%d)", max(g.intDigits+g.scale, 1), g.scale)
	case g.flag == g.values:
		return "boolean"
	case g.date == g.values:
		return "date"
	case g.when == g.values:
		return "timestamp"
	}
	return "varchar"
}

func (f *folder) describe(ctx context.Context, t file, d described) ([]column, []guess, error) {
	if t.form == formParquet {
		cols, err := f.describeParquet(t, d)
		return cols, nil, err
	}
	recs, err := f.records(t, d)
	if err != nil {
		return nil, nil, err
	}
	defer recs.Close()
	names := recs.header()
	guesses := make([]guess, len(names))
	index := map[string]int{}
	for n := 1; ; n++ {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		rec, err := recs.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		for i, s := range rec.fields {
			if s == nil {
				guesses[i].nullable = true
			} else {
				guesses[i].add(*s)
			}
		}
		for _, key := range rec.keys {
			i, ok := index[key]
			if !ok {
				i = len(names)
				index[key] = i
				names, guesses = append(names, key), append(guesses, guess{nullable: n > 1}) //nolint:makezero // one for each name of the header, and more
			}
			guesses[i].member(rec.object[key])
		}
		if rec.object != nil {
			for name, i := range index {
				if _, ok := rec.object[name]; !ok {
					guesses[i].nullable = true
				}
			}
		}
	}
	cols := make([]column, len(names))
	lower := map[string]bool{}
	for i, name := range names {
		if name == "" {
			return nil, nil, fmt.Errorf("column %d has no name", i+1)
		}
		if lower[strings.ToLower(name)] {
			return nil, nil, fmt.Errorf("two columns are named %q, letter case aside", name)
		}
		lower[strings.ToLower(name)] = true
		cols[i] = column{engine.ColumnInfo{Name: name, Type: guesses[i].typ(), Nullable: guesses[i].nullable || !guesses[i].seen}, i}
	}
	return cols, guesses, nil
}

// member adds a value of a JSON object. A text stays a text, also when it looks like a number.
func (g *guess) member(m jsonMember) {
	switch m.kind {
	case 0:
		g.nullable = true
		return
	case 's':
		if _, ok := moment(m.text); ok {
			g.add(m.text)
		} else if _, err := time.Parse(time.DateOnly, m.text); err == nil {
			g.add(m.text)
		} else {
			g.seen, g.text = true, true
			g.values++
		}
		return
	case 'j':
		g.seen, g.json = true, true
		return
	}
	g.add(string(m.raw))
}

// cellOf gives the value of a record for a column, in the form of engine.Batches.
func cellOf(rec record, c column) (any, error) {
	var s string
	if rec.object != nil {
		m, ok := rec.object[c.Name]
		switch {
		case !ok || m.kind == 0:
			return nil, nil
		case m.kind == 's':
			s = m.text
		default:
			s = string(m.raw)
		}
	} else {
		if c.at >= len(rec.fields) || rec.fields[c.at] == nil {
			return nil, nil
		}
		s = *rec.fields[c.at]
	}
	switch c.Type {
	case "bigint":
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return nil, changed(s, c)
		}
		return n, nil
	case "boolean":
		if s != "true" && s != "false" {
			return nil, changed(s, c)
		}
		return s == "true", nil
	case "date":
		t, err := time.Parse(time.DateOnly, s)
		if err != nil {
			return nil, changed(s, c)
		}
		return t, nil
	case "timestamp":
		t, ok := moment(s)
		if !ok {
			return nil, changed(s, c)
		}
		return t, nil
	case "json":
		if !json.Valid([]byte(s)) {
			return nil, changed(s, c)
		}
	}
	return strings.Clone(s), nil
}

func changed(s string, c column) error {
	return fmt.Errorf("%q is no %s; the file has changed while it was read", s, c.Type)
}
