package output

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
)

// steering is what must not reach a terminal: C0 but for line feed and tab, DEL, C1 and the marks of direction.
var steering = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]")

var ownColours = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestNothingSteersTheTerminal(t *testing.T) {
	const evil = "a\x1b]0;title\x07\x1b[2J\x00\x7f\u009b31m\u202eb\rc\nd"
	name, err := json.Marshal("n\x1b[2J\u009b\u202e")
	if err != nil {
		t.Fatal(err)
	}
	value, err := json.Marshal(evil)
	if err != nil {
		t.Fatal(err)
	}
	result := `{"columns":[{"columnName":` + string(name) + `,"dataType":"varchar"}],"data":[[` + string(value) +
		`],[` + string(value) + `]]}`
	doc := `[{"` + strings.Trim(string(name), `"`) + `":` + string(value) + `}]`
	for _, colour := range []bool{false, true} {
		for _, o := range []Options{{}, {Vertical: true}, {Format: JSON}, {Format: NDJSON}, {Format: CSV},
			{Format: TSV}, {Format: YAML}, {Format: Markdown}, {Format: HTML},
			{JQ: ".. | strings"}, {Format: NDJSON, JQ: ".. | strings"}, {JQ: "."}} {
			o.Terminal, o.Color, o.Width = true, colour, 60
			for what, write := range map[string]func(w io.Writer) error{
				"rows": func(w io.Writer) error {
					_, err := WriteRows(w, api.NewRows(io.NopCloser(strings.NewReader(result)), api.Compact), o)
					return err
				},
				"document": func(w io.Writer) error { return WriteDoc(w, json.RawMessage(doc), o) },
			} {
				var out bytes.Buffer
				if err := write(&out); err != nil {
					t.Fatalf("%s %+v: %v", what, o, err)
				}
				text := out.String()
				if colour {
					text = ownColours.ReplaceAllString(text, "")
				}
				if bad := steering.FindString(text); bad != "" {
					t.Errorf("%s, -o %s, jq %q, colour %t: %q in %q", what, o.Format, o.JQ, colour, bad, text)
				}
				if !strings.Contains(text, "]0;title") {
					t.Errorf("%s, -o %s, jq %q: the value is not there: %q", what, o.Format, o.JQ, text)
				}
			}
		}
	}
}
