package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// reference reads the rows and the next page of a document in one piece.
func reference(doc []byte) (rows []any, next string, ok bool) {
	var v struct {
		Data *struct{ Rows json.RawMessage } `json:"data"`
		Next any                             `json:"next"`
	}
	if !json.Valid(doc) || bytes.Count(doc, []byte(`"data"`)) != 1 || bytes.Count(doc, []byte(`"rows"`)) != 1 ||
		bytes.Count(doc, []byte(`"next"`)) > 1 || bytes.Contains(doc, []byte(`\`)) {
		return nil, "", false // names that are there twice, or written in another way, are another matter
	}
	low := strings.ToLower(string(doc))
	for _, name := range []string{`"data"`, `"rows"`, `"next"`} {
		if strings.Count(low, name) != bytes.Count(doc, []byte(name)) {
			return nil, "", false // the reference takes other letter cases too
		}
	}
	if json.Unmarshal(doc, &v) != nil || v.Data == nil || len(v.Data.Rows) == 0 || v.Data.Rows[0] != '[' {
		return nil, "", false
	}
	if v.Next != nil {
		if next, ok = v.Next.(string); !ok {
			return nil, "", false
		}
	}
	if next == "0" {
		next = ""
	}
	return rows, next, json.Unmarshal(v.Data.Rows, &rows) == nil
}

func FuzzPage(f *testing.F) {
	for _, s := range []string{`{"data":{"rows":[{"a":1},{"b":[1,{}]}],"x":2},"next":"abc"}`,
		`{"next":null,"skip":{"rows":1},"data":{"y":[[]],"rows":[]}}`, `{"data":{"rows":null}}`,
		`[{"data":{"rows":[1]}}]`, `{"data":[{"rows":[]}]}`,
		`{"data":{"rows":[1,2]}`, `{"data":{"rows":[1,2]}} x`, `{"data":{"rows":[1,2],"rows":[3]}}`,
		`{"data":"rows"}`, ``} {
		f.Add([]byte(s))
	}
	t := &table{Rows: "data.rows", Paging: paging{Type: "cursor", Next: "next"}}
	f.Fuzz(func(tt *testing.T, doc []byte) {
		var got []any
		p, err := parsePage(iotest.OneByteReader(bytes.NewReader(doc)), t, func(raw json.RawMessage) error {
			var v any
			if err := json.Unmarshal(raw, &v); err != nil {
				return err
			}
			got = append(got, v)
			return nil
		})
		if err == nil && !json.Valid(doc) {
			tt.Errorf("%q is no JSON and is taken", doc)
		}
		rows, next, ok := reference(doc)
		if ok && (err != nil || len(rows) != len(got) || len(rows) > 0 && !reflect.DeepEqual(rows, got) ||
			p.next != next || p.rows != int64(len(rows))) {
			tt.Errorf("%q: %v, %q, %v; want %v, %q", doc, got, p.next, err, rows, next)
		}
	})
}

// Cursors that follow no page end the paging.
func TestLastCursor(t *testing.T) {
	for doc, want := range map[string]string{`{"next":0}`: "", `{"next":"0"}`: "", `{"next":false}`: "",
		`{"next":null}`: "", `{"next":""}`: "", `{}`: "", `{"next":7}`: "7", `{"next":"a"}`: "a", `{"next":10}`: "10",
		`{"next":"00"}`: "00"} {
		p, err := parsePage(strings.NewReader(doc), &table{Rows: "rows", Single: false, Paging: paging{Type: "cursor",
			Next: "next"}}, func(json.RawMessage) error { return nil })
		if p.next != want {
			t.Errorf("%s: %q, want %q: %v", doc, p.next, want, err)
		}
	}
}

func TestNextLink(t *testing.T) {
	for header, want := range map[string]string{
		``: "", `<a>; rel="next"`: "a", `<a>; rel=next`: "a", `<a>; rel="prev", <b>; rel="next"`: "b",
		`<a?x=1,2>; title="x, <y>; rel=next"; rel="last", <c>;REL="Next"`: "c", `<a>; rel="first next"`: "a",
		`<a>`: "", `<a>; rel="nextish"`: "", `a; rel=next`: "", `<a>; title="\""; rel=next`: "a", `<a`: "",
	} {
		if got := nextLink([]string{header}); got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
	if got := nextLink([]string{`<a>; rel=prev`, `<b>; rel=next`}); got != "b" {
		t.Errorf("two headers: %q", got)
	}
}

// A document is read as it arrives: its rows are there before its end is.
func TestRowsBeforeTheEnd(t *testing.T) {
	in, out := io.Pipe()
	seen := make(chan int)
	go func() {
		for n := range 3 {
			fmt.Fprintf(out, "%c{\"n\":%d}", "[,,"[n], n)
			<-seen
		}
		fmt.Fprint(out, "]")
		out.Close()
	}()
	n := 0
	if _, err := parsePage(in, &table{}, func(json.RawMessage) error { n++; seen <- n; return nil }); err != nil ||
		n != 3 {
		t.Errorf("%d rows, %v", n, err)
	}
}
