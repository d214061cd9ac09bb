package output

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dustin/go-humanize"
)

// Field is a member of a reply as shown to people: in a table, and in a list that is written to a pipe.
type Field struct {
	// dotted; a+b joins two names with a dot, a|b is the first that has a value, and a.*.b takes b of each element of
	// an array
	Path    string
	Heading string // "" is Path
	As      Form
	Only    Visibility // where it is shown
	Key     bool       // other commands take the value as an argument: it is not truncated on a narrow terminal
}

// Form is the format of a field's value for people.
type Form int

// The forms of fields. If the destination is not a terminal, AsTime and AsBytes leave values unchanged.
const (
	AsSent     Form = iota
	AsTime          // a time, or milliseconds since 1970, as the time elapsed since then
	AsBytes         // a number of bytes
	AsDuration      // milliseconds
	AsCount         // the number of elements of an array
)

// Visibility is where a field is shown.
type Visibility int

// Where fields are shown.
const (
	Everywhere Visibility = iota
	InLists
	InRecords
)

func (f *Field) heading() string {
	if f.Heading != "" {
		return f.Heading
	}
	return f.Path
}

// fieldsFor returns the fields to show of a list or a record; nil if the options select others.
func (o Options) fieldsFor(list bool) []Field {
	if o.format() != Table || len(o.Columns) > 0 {
		return nil
	}
	var some []Field
	for _, f := range o.Fields {
		if f.Only == Everywhere || list == (f.Only == InLists) {
			some = append(some, f)
		}
	}
	return some
}

// withFields converts a document to objects with the headings of the fields as keys. A record has only the fields with
// a value; left counts its members that are not shown. out is nil for a document of another kind.
func withFields(doc []byte, list bool, fields []Field, o Options) (out []byte, left int, err error) {
	rows := []json.RawMessage{doc}
	if list {
		if rows, err = elements(doc); err != nil {
			return nil, 0, err
		}
	}
	for n, row := range rows {
		if len(row) == 0 || row[0] != '{' {
			return nil, 0, nil
		}
		var line []byte
		for i := range fields {
			value := fields[i].value(row, !list, o)
			if value == nil && !list {
				continue
			}
			if value == nil {
				value = []byte("null")
			}
			key, err := api.Marshal(fields[i].heading())
			if err != nil {
				return nil, 0, err
			}
			line = append(append(append(append(line, ','), key...), ':'), value...)
		}
		if len(line) == 0 {
			return nil, 0, nil
		}
		line[0] = '{'
		if n > 0 {
			out = append(out, ',')
		}
		out = append(append(out, line...), '}')
	}
	if list {
		return append(append([]byte{'['}, out...), ']'), 0, nil
	}
	left, err = notShown(doc, fields)
	return out, left, err
}

// notShown counts the members with a value that no field shows.
func notShown(doc []byte, fields []Field) (left int, err error) {
	ms, err := members(doc)
	for _, m := range ms {
		shown := string(m.value) == "null"
		for i := range fields {
			for part := range strings.FieldsFuncSeq(fields[i].Path, func(r rune) bool { return r == '+' || r == '|' }) {
				shown = shown || part == m.key || strings.HasPrefix(part, m.key+".")
			}
		}
		if !shown {
			left++
		}
	}
	return left, err
}

// value returns the value of a field as JSON, nil if the row has none. A record shows both forms of a time.
func (f *Field) value(row []byte, record bool, o Options) []byte {
	if strings.Contains(f.Path, "|") {
		for path := range strings.SplitSeq(f.Path, "|") {
			one := *f
			one.Path = path
			if v := one.value(row, record, o); v != nil {
				return v
			}
		}
		return nil
	}
	if strings.Contains(f.Path, "+") {
		var parts []string
		for path := range strings.SplitSeq(f.Path, "+") {
			if v, ok := lookup(row, path); ok && plainText(v) != "" {
				parts = append(parts, plainText(v))
			}
		}
		if parts == nil {
			return nil
		}
		return cell.Text(strings.Join(parts, "."))
	}
	if array, rest, each := strings.Cut(f.Path, ".*."); each {
		return eachOf(row, array, rest, record)
	}
	v, ok := lookup(row, f.Path)
	v = bytes.TrimSpace(v)
	if !ok || len(v) == 0 || string(v) == "null" {
		return nil
	}
	switch f.As {
	case AsTime:
		if at, ok := instant(v); ok && o.Terminal {
			text := ago(at, o.now())
			if record {
				text += " (" + plainText(v) + ")"
			}
			return cell.Text(text)
		}
	case AsBytes:
		if n, err := strconv.ParseUint(string(v), 10, 64); err == nil && o.Terminal {
			return cell.Text(humanize.IBytes(n))
		}
	case AsDuration:
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return cell.Text((time.Duration(n) * time.Millisecond).String())
		}
	case AsCount:
		if items, err := elements(v); err == nil {
			return strconv.AppendInt(nil, int64(len(items)), 10)
		}
	}
	if v[0] == '[' {
		return words(v)
	}
	return v
}

// eachOf joins a member of the elements of an array: in a record, one per line.
func eachOf(row []byte, array, member string, record bool) []byte {
	v, _ := lookup(row, array)
	items, err := elements(v)
	if err != nil {
		return nil
	}
	var texts []string
	for _, item := range items {
		if v, ok := lookup(item, member); ok {
			texts = append(texts, plainText(v))
		}
	}
	switch {
	case texts == nil:
		return nil
	case record:
		return cell.Text(strings.Join(texts, "\n"))
	}
	return cell.Text(strings.Join(texts, ", "))
}

// words joins the scalar values of an array.
func words(v []byte) []byte {
	items, err := elements(v)
	if err != nil || len(items) == 0 {
		return nil
	}
	texts := make([]string, len(items))
	for i, item := range items {
		if nested(bytes.TrimSpace(item)) {
			return v
		}
		texts[i] = plainText(item)
	}
	return cell.Text(strings.Join(texts, ", "))
}

// plainText is the text of a JSON string, or the JSON of another value; "" for null.
func plainText(v []byte) (s string) {
	if string(v) == "null" || json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}

// instant parses a time in a reply.
func instant(v []byte) (time.Time, bool) {
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return time.UnixMilli(n), n > 0
	}
	at, err := time.Parse(time.RFC3339, plainText(v))
	return at, err == nil
}

// ago is a time relative to now.
func ago(at, now time.Time) string {
	if d := now.Sub(at); d > -time.Second && d < time.Second {
		return "now"
	}
	return humanize.RelTime(at, now, "ago", "from now")
}

func (o Options) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}
