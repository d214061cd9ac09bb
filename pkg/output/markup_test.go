package output

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/dig-cli/dig/internal/cell/celltest"
	"golang.org/x/net/html"
)

// visible is what markup may make of a text: controls that it cannot carry become signs.
func visible(s string, keep string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case strings.ContainsRune(keep, r):
			b.WriteRune(r)
		case r < ' ':
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteString("␡")
		case r >= 0x80 && r < 0xa0:
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func TestHTMLReadBack(t *testing.T) {
	rows := celltest.Corpus()
	root, err := html.Parse(strings.NewReader(render(t, celltest.CorpusFields, rows, Options{Format: HTML, Raw: true})))
	if err != nil {
		t.Fatal(err)
	}
	var got [][]*string
	for n := range root.Descendants() {
		switch {
		case n.Data == "tr" && n.Type == html.ElementNode:
			got = append(got, nil)
		case n.Data == "td" && n.Type == html.ElementNode:
			var b strings.Builder
			for c := range n.Descendants() {
				if c.Type != html.TextNode {
					t.Fatalf("element %s within a cell", c.Data)
				}
				b.WriteString(c.Data)
			}
			value := celltest.Text(b.String())
			for _, a := range n.Attr {
				if a.Val == "null" {
					value = nil
				}
			}
			got[len(got)-1] = append(got[len(got)-1], value)
		}
	}
	got = got[1:]
	if len(got) != len(rows) {
		t.Fatalf("%d rows of %d", len(got), len(rows))
	}
	for i, want := range rows {
		for j, w := range want {
			if w != nil {
				w = celltest.Text(visible(*w, "\t\n\r"))
			}
			if !celltest.Same(got[i][j], w) {
				t.Errorf("row %d, column %d: got %s, want %s", i, j, celltest.Show(got[i][j]), celltest.Show(w))
			}
		}
	}
}

func TestMarkdownReadBack(t *testing.T) {
	rows := celltest.Corpus()
	lines := strings.Split(strings.TrimSuffix(render(t, celltest.CorpusFields, rows, Options{Format: Markdown,
		Raw: true, Null: "<null>"}), "\n"), "\n")
	if len(lines) != len(rows)+2 {
		t.Fatalf("%d lines for %d rows", len(lines), len(rows))
	}
	bar := regexp.MustCompile(`(^|[^\\])((?:\\\\)*)\|`)
	escaped := regexp.MustCompile("\\\\([\\\\|`*\\[\\]~_])")
	entities := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
	for i, want := range rows {
		cells := strings.Split(bar.ReplaceAllString(bar.ReplaceAllString(lines[i+2], "$1$2\x00"), "$1$2\x00"), "\x00")
		if len(cells) != len(want)+2 {
			t.Fatalf("%d cells in %q", len(cells), lines[i+2])
		}
		for j, w := range want {
			got := strings.TrimSuffix(strings.TrimPrefix(cells[j+1], " "), " ")
			got = strings.ReplaceAll(got, "<br>", "\n")
			if strings.ContainsAny(got, "<") {
				t.Errorf("a tag in %q", got)
			}
			got = entities.Replace(escaped.ReplaceAllString(got, "$1"))
			value := "<null>"
			if w != nil {
				value = visible(strings.ReplaceAll(*w, "\r\n", "\n"), "\n")
			}
			if got != value {
				t.Errorf("row %d, column %d: got %q, want %q", i, j, got, value)
			}
		}
	}
	if head := lines[0] + lines[1]; !strings.Contains(head, "| txt | big |") || !strings.Contains(head,
		"| --- | ---: | ---: |") {
		t.Errorf("head %s", head)
	}
}
