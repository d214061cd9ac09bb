package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// splitPath splits a path in a document: "data.items", or as a JSON pointer "/data/items" if names contain points.
func splitPath(p string) []string {
	switch {
	case p == "":
		return nil
	case strings.HasPrefix(p, "/"):
		parts := strings.Split(p[1:], "/")
		for i := range parts {
			parts[i] = strings.ReplaceAll(strings.ReplaceAll(parts[i], "~1", "/"), "~0", "~")
		}
		return parts
	}
	return strings.Split(p, ".")
}

func pointerEscape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// page is the information in a document besides its rows.
type page struct {
	rows  int64
	next  string // the cursor or the next address, "" on the last page
	more  *bool
	total *int64
}

// walker reads one document from start to end, keeping one row at a time.
type walker struct {
	dec   *json.Decoder
	t     *table
	paths map[string][]string // rows, next, more, total
	found bool
	page  page
	yield func(json.RawMessage) error
}

// errStop ends a scan early.
var errStop = errors.New("enough rows")

// parsePage parses a document and yields the raw text of each row.
func parsePage(in io.Reader, t *table, yield func(json.RawMessage) error) (page, error) {
	w := &walker{dec: json.NewDecoder(in), t: t, yield: yield, paths: map[string][]string{"rows": splitPath(t.Rows)}}
	for what, p := range map[string]string{"next": t.Paging.Next, "more": t.Paging.More, "total": t.Paging.Total} {
		if p != "" {
			w.paths[what] = splitPath(p)
		}
	}
	err := w.value(nil)
	if err == nil {
		if _, end := w.dec.Token(); end != io.EOF {
			err = errors.New("the response has data after its document")
		}
	}
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		err = fmt.Errorf("the response is not JSON: %w", err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the response ends in the middle of its document")
	case err == nil && !w.found:
		err = fmt.Errorf("the response has no member %q, where the rows should be", t.Rows)
	}
	return w.page, err
}

func (w *walker) value(at []string) error {
	if slices.Equal(at, w.paths["rows"]) {
		return w.rows()
	}
	descend := false
	for what, p := range w.paths {
		if what != "rows" && slices.Equal(at, p) {
			return w.fact(what)
		}
		descend = descend || len(at) < len(p) && slices.Equal(at, p[:len(at)])
	}
	if !descend {
		var skipped json.RawMessage
		return w.dec.Decode(&skipped)
	}
	t, err := w.dec.Token()
	if err != nil {
		return err
	}
	switch t {
	case json.Delim('{'):
		for w.dec.More() {
			key, err := w.dec.Token()
			if err != nil {
				return err
			}
			if err := w.value(append(slices.Clip(at), key.(string))); err != nil {
				return err
			}
		}
		_, err = w.dec.Token()
	case json.Delim('['):
		for w.dec.More() {
			var skipped json.RawMessage
			if err := w.dec.Decode(&skipped); err != nil {
				return err
			}
		}
		_, err = w.dec.Token()
	}
	return err
}

func (w *walker) rows() error {
	if w.found {
		return fmt.Errorf("the response has the member %q twice", w.t.Rows)
	}
	w.found = true
	where := "the response"
	if w.t.Rows != "" {
		where = fmt.Sprintf("the member %q of the response", w.t.Rows)
	}
	if w.t.Single {
		var raw json.RawMessage
		if err := w.dec.Decode(&raw); err != nil || string(raw) == "null" {
			return err
		}
		w.page.rows++
		return w.yield(raw)
	}
	t, err := w.dec.Token()
	if err != nil || t == nil { // null: no rows
		return err
	}
	if t != json.Delim('[') {
		return fmt.Errorf("%s is not a list of rows", where)
	}
	for w.dec.More() {
		var raw json.RawMessage
		if err := w.dec.Decode(&raw); err != nil {
			return err
		}
		w.page.rows++
		if err := w.yield(raw); err != nil {
			return err
		}
	}
	_, err = w.dec.Token()
	return err
}

// fact reads the paging information of the document.
func (w *walker) fact(what string) error {
	var raw json.RawMessage
	if err := w.dec.Decode(&raw); err != nil {
		return err
	}
	s := string(raw)
	switch {
	case s == "null":
	case what == "next":
		switch {
		case raw[0] == '"':
			if err := json.Unmarshal(raw, &w.page.next); err != nil {
				return err
			}
			if w.page.next == "0" && w.t.Paging.Type == "cursor" {
				w.page.next = ""
			}
		case raw[0] == '{' || raw[0] == '[' || s == "true":
			return fmt.Errorf("the member %q of the response is neither a string nor a number", w.t.Paging.Next)
		case s != "false" && s != "0": // a number that follows no page
			w.page.next = s
		}
	case what == "more":
		if s != "true" && s != "false" {
			return fmt.Errorf("the member %q of the response is neither true nor false", w.t.Paging.More)
		}
		more := s == "true"
		w.page.more = &more
	case what == "total":
		n, err := strconv.ParseInt(strings.Trim(s, `"`), 10, 64)
		if err != nil {
			return fmt.Errorf("the member %q of the response is not an integer", w.t.Paging.Total)
		}
		w.page.total = &n
	}
	return nil
}

// row is one object with the raw texts of its members.
type row struct {
	keys    []string
	members map[string]json.RawMessage
}

// parseRow splits an object that is known to be valid JSON: a decoder for each row would take several times as long.
func parseRow(raw json.RawMessage) (row, error) {
	if !utf8.Valid(raw) {
		return row{}, errors.New("a row is not valid UTF-8")
	}
	at := blanks(raw, 0)
	if at == len(raw) || raw[at] != '{' {
		return row{}, errors.New("a row is not an object")
	}
	out := row{members: map[string]json.RawMessage{}}
	for at = blanks(raw, at+1); raw[at] != '}'; at = blanks(raw, at) {
		if raw[at] == ',' {
			at = blanks(raw, at+1)
		}
		end := valueEnd(raw, at)
		name := string(raw[at+1 : end-1])
		if strings.IndexByte(name, '\\') >= 0 {
			if err := json.Unmarshal(raw[at:end], &name); err != nil {
				return row{}, err
			}
		}
		at = blanks(raw, blanks(raw, end)+1) // skip the colon
		end = valueEnd(raw, at)
		if _, twice := out.members[name]; twice {
			return row{}, fmt.Errorf("a row has the member %q twice", name)
		}
		out.members[name] = raw[at:end:end]
		out.keys = append(out.keys, name)
		at = end
	}
	return out, nil
}

func blanks(b []byte, at int) int {
	for at < len(b) && (b[at] == ' ' || b[at] == '\n' || b[at] == '\t' || b[at] == '\r') {
		at++
	}
	return at
}

// valueEnd returns the end of the value at a position of a JSON text.
func valueEnd(b []byte, at int) int {
	depth := 0
	for ; at < len(b); at++ {
		switch b[at] {
		case '"':
			for at++; b[at] != '"'; at++ {
				if b[at] == '\\' {
					at++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default: // a number or a literal, or the separator between members of a list or an object
			if depth == 0 {
				for at < len(b) && strings.IndexByte(" \n\t\r,]}", b[at]) < 0 {
					at++
				}
				return at
			}
		}
		if depth == 0 {
			return at + 1
		}
	}
	return at
}

// at finds a value in a row, nil if there is none.
func (r row) at(path []string) (json.RawMessage, error) {
	v := r.members[path[0]]
	for _, name := range path[1:] {
		if v == nil || v[0] != '{' {
			if v == nil || string(v) == "null" {
				return nil, nil
			}
			return nil, fmt.Errorf("the value above %q is not an object", name)
		}
		inner, err := parseRow(v)
		if err != nil {
			return nil, err
		}
		v = inner.members[name]
	}
	return v, nil
}
