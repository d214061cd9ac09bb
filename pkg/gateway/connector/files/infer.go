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
)

// guess narrows the type of a column value by value. Only types that lose nothing are taken: a column with one value that does
// not fit is text.
type guess struct {
	Seen                         bool
	Nullable                     bool
	Text, JSON                   bool // a value that is only a text, a value that is an object or a list
	Whole, Dec, Flag, Date, When int
	Values                       int
	IntDigits, Scale             int
}

func (g *guess) add(s []byte) {
	g.Seen = true
	g.Values++
	if g.Text { // whatever follows
		return
	}
	switch digits, scale := number(s); {
	case digits > 0 && scale == 0:
		if _, err := strconv.ParseInt(string(s), 10, 64); err != nil {
			g.Text = true
			return
		}
		g.Whole++
		g.IntDigits = max(g.IntDigits, digits)
	case digits > 0:
		g.Dec++
		g.IntDigits, g.Scale = max(g.IntDigits, digits), max(g.Scale, scale)
	case string(s) == "true" || string(s) == "false":
		g.Flag++
	case isDate(s):
		g.Date++
	case isMoment(s):
		g.When++
	default:
		g.Text = true
	}
}

// number measures a number that loses nothing as a bigint or a decimal: its digits before and after the point. digits is 0 for
// what is none: a leading zero or plus would be lost, as would the sign of -0.
func number(s []byte) (digits, scale int) {
	negative := len(s) > 0 && s[0] == '-'
	if negative {
		s = s[1:]
	}
	for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	if digits == 0 || digits > 1 && s[0] == '0' {
		return 0, 0
	}
	if digits == len(s) {
		if digits > 19 || negative && s[0] == '0' {
			return 0, 0
		}
		return digits, 0
	}
	frac := s[digits+1:]
	if s[digits] != '.' || len(frac) == 0 {
		return 0, 0
	}
	for _, c := range frac {
		if c < '0' || c > '9' {
			return 0, 0
		}
	}
	return digits, len(frac)
}

func isDate(s []byte) bool {
	if len(s) != len(time.DateOnly) || s[4] != '-' {
		return false
	}
	_, err := time.Parse(time.DateOnly, string(s))
	return err == nil
}

func isMoment(s []byte) bool {
	if len(s) < len("2006-01-02 3:04:05") || s[4] != '-' || s[10] != ' ' && s[10] != 'T' {
		return false
	}
	_, ok := moment(string(s))
	return ok
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
	case g.JSON && g.Values == 0:
		return "json"
	case g.Text || g.JSON || g.Values == 0:
		return "varchar"
	case g.Whole == g.Values:
		return "bigint"
	case g.Whole+g.Dec == g.Values && g.IntDigits+g.Scale <= 38:
		return fmt.Sprintf("decimal(%d,%d)", max(g.IntDigits+g.Scale, 1), g.Scale)
	case g.Flag == g.Values:
		return "boolean"
	case g.Date == g.Values:
		return "date"
	case g.When == g.Values:
		return "timestamp"
	}
	return "varchar"
}

// describe reads a whole file and finds out its columns, what can be said of their types, and how many rows it has.
func (f *folder) describe(ctx context.Context, r *place, t file, d *described) error {
	if t.form == formParquet {
		return f.describeParquet(r, t, d)
	}
	recs, err := r.records(t, *d)
	if err != nil {
		return err
	}
	defer recs.Close()
	names := recs.header()
	guesses := make([]guess, len(names))
	index := newObject(nil)
	for ; ; d.rows++ {
		if err := ctx.Err(); d.rows%1024 == 0 && err != nil {
			return err
		}
		rec, err := recs.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		for i, s := range rec.fields {
			if s == nil {
				guesses[i].Nullable = true
			} else {
				guesses[i].add([]byte(*s))
			}
		}
		if err := index.record(rec); err != nil {
			return err
		}
		for i, m := range rec.members {
			at := index.at[i]
			if at == len(names) {
				names, guesses = append(names, string(m.name)), append(guesses, guess{Nullable: d.rows > 0}) //nolint:makezero // one for each name of the header, and more
			}
			guesses[at].member(m)
		}
	}
	lower := make(map[string]bool, len(names))
	for i, name := range names {
		if name == "" {
			return fmt.Errorf("column %d has no name", i+1)
		}
		if lower[strings.ToLower(name)] {
			return fmt.Errorf("two columns are named %q, letter case aside", name)
		}
		lower[strings.ToLower(name)] = true
		if t.form == formJSON && index.times[i] < d.rows { // a record lacks it
			guesses[i].Nullable = true
		}
		d.cols = append(d.cols, column{engine.ColumnInfo{Name: name, Type: guesses[i].typ(), Nullable: guesses[i].Nullable || !guesses[i].Seen}, i})
	}
	d.guesses = guesses
	return nil
}

// member adds a value of a JSON object. A text stays a text, also when it looks like a number.
func (g *guess) member(m jsonMember) {
	switch m.kind {
	case 0:
		g.Nullable = true
		return
	case 's':
		if g.Text || isMoment(m.value) || isDate(m.value) {
			g.add(m.value)
		} else {
			g.Seen, g.Text = true, true
			g.Values++
		}
		return
	case 'j':
		g.Seen, g.JSON = true, true
		return
	}
	g.add(m.value)
}

// cellOf gives the value of a record's field for a column, in the form of engine.Batches.
func cellOf(fields []*string, c column) (any, error) {
	if c.at >= len(fields) || fields[c.at] == nil {
		return nil, nil
	}
	return valueOf(*fields[c.at], c)
}

func valueOf(s string, c column) (any, error) {
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
