package lineedit

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/clipperhouse/displaywidth"
)

// typed is a model after some keys: names in <> such as <ctrl+w>, and letters.
func typed(o Options, keys string) *model {
	m := &model{e: &Editor{o: o, in: &input{done: make(chan struct{})}}, width: 40, height: 20, place: -1,
		prompt: "> ", more: "- "}
	m.e.in.from = ended0{}
	for keys != "" {
		if keys[0] == '<' {
			name, rest, _ := strings.Cut(keys[1:], ">")
			keys = rest
			m.Update(keyOf(name))
			continue
		}
		r := []rune(keys)[0]
		keys = keys[len(string(r)):]
		m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	return m
}

// ended0 is a reading that ends at once.
type ended0 struct{}

func (ended0) Read([]byte) (int, error) { return 0, nil }
func (ended0) Cancel() bool             { return true }
func (ended0) Close() error             { return nil }

func keyOf(name string) tea.KeyPressMsg {
	var k tea.KeyPressMsg
	parts := strings.Split(name, "+")
	for _, p := range parts[:len(parts)-1] {
		k.Mod |= map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift}[p]
	}
	last := parts[len(parts)-1]
	k.Code = map[string]rune{"enter": tea.KeyEnter, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft,
		"right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd,
		"tab": tea.KeyTab, "esc": tea.KeyEscape, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete}[last]
	if k.Code == 0 {
		k.Code = []rune(last)[0]
	}
	return k
}

// entries is a history in memory.
type entries []string

func (h entries) Len() int           { return len(h) }
func (h entries) Entry(i int) string { return h[i] }

func semicolon(s string) bool { return s == "" || strings.HasSuffix(s, ";") }

// TestKeys types, and compares the text with | at the cursor.
func TestKeys(t *testing.T) {
	past := entries{"select 1;", "select a,\n  b\nfrom t;", "select 3;"}
	words := func(text string, at int) (int, []Choice) {
		from := strings.LastIndexAny(text[:at], " \n") + 1
		var out []Choice
		for _, w := range []string{"customers", "customer_orders", "people"} {
			if strings.HasPrefix(w, text[from:at]) {
				out = append(out, Choice{Text: w})
			}
		}
		return from, out
	}
	for _, tt := range []struct{ keys, want string }{
		{"abc", "abc|"},
		{"abc<left><left>X", "aX|bc"},
		{"żółć<left><backspace>", "żó|ć"},
		{"e\u0301x<left><left>a", "a|e\u0301x"},
		{"👩‍👩‍👧<backspace>", "|"},
		{"select 1<enter>+ 2<up>X", "selX|ect 1\n+ 2"},
		{"select 1<enter>+<down><home>X", "select 1\nX|+"},
		{"a bc_d<ctrl+w>", "a |"},
		{"a bc d<ctrl+w><ctrl+w><ctrl+y>", "a bc |"},
		{"a bc<home><alt+d>", "| bc"},
		{"a bc<left><ctrl+k>", "a b|"},
		{"a<enter>b<up><end><ctrl+k>", "a|b"},
		{"a bc<left><ctrl+u>", "|c"},
		{"ab<ctrl+t>", "ba|"},
		{"a b<alt+left>X", "a X|b"},
		{"ab c<ctrl+w><ctrl+_>", "ab c|"},
		{"abc<ctrl+_>", "|"},
		{"abc<home><ctrl+d>", "|bc"},
		{"<up>", "select 3;|"},
		{"<up><up>", "select a,\n  b\nfrom t;|"},
		{"<up><up><up><up><up>", "select 1;|"},
		{"x<up><down>", "x|"},
		{"<ctrl+r>1", "select 1;|"},
		{"<ctrl+r>sel<ctrl+r>", "select a,\n  b\nfrom t;|"},
		{"<ctrl+r>zzz<esc>", "|"},
		{"x<ctrl+r>FROM<enter>y", "select a,\n  b\nfrom t;y|"},
		{"from pe<tab>", "from people|"},
		{"from cu<tab>", "from customer|"},
		{"from cu<tab><tab>;", "from customers;|"},
		{"from cu<tab><tab><tab> x", "from customer_orders x|"},
		{"from cu<tab><tab><esc>", "from customer|"},
		{"from cu<tab><shift+tab><enter>!", "from customer_orders!|"},
		{"a;<alt+enter>b", "a;\nb|"},
		{"x<tab>y", "xy|"},
	} {
		m := typed(Options{Done: semicolon, History: past, Complete: words}, tt.keys)
		if got := m.buf.text[:m.buf.at] + "|" + m.buf.text[m.buf.at:]; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.keys, got, tt.want)
		}
		m.View()
	}
	for keys, want := range map[string]error{"a;<enter>": nil, "a<ctrl+c>": ErrInterrupted, "<ctrl+d>": ErrEOF} {
		if m := typed(Options{Done: semicolon}, keys); !m.done || m.err != want {
			t.Errorf("%s: done %v, %v", keys, m.done, m.err)
		}
	}
}

// TestPaste keeps what is pasted: tabs, and line feeds in any form.
func TestPaste(t *testing.T) {
	m := typed(Options{Done: semicolon}, "x")
	m.Update(tea.PasteMsg{Content: "select '\ta'\r\n, 2;\rb\xff"})
	if want := "xselect '\ta'\n, 2;\nb\uFFFD"; m.buf.text != want {
		t.Errorf("%q, want %q", m.buf.text, want)
	}
	long := strings.Repeat("select 1\n", 20_000)
	m = typed(Options{Done: semicolon}, "")
	m.Update(tea.PasteMsg{Content: long})
	if m.buf.text != long {
		t.Errorf("%d bytes of %d", len(m.buf.text), len(long))
	}
}

// TestLayout wraps at the width, and finds the cell of the cursor.
func TestLayout(t *testing.T) {
	for _, tt := range []struct {
		text  string
		at    int
		want  string
		x, y  int
		style []Span
	}{
		{"ab", 1, "> ab", 3, 0, nil},
		{"ab\ncd", 4, "> ab|- cd", 3, 1, nil},
		{"1234567890", 10, "> 12345678|90", 2, 1, nil},
		{"12345678", 8, "> 12345678|", 0, 1, nil},
		{"12345678", 7, "> 12345678|", 9, 0, nil},
		{"漢字漢字漢", 12, "> 漢字漢字|漢", 0, 1, nil},
		{"1漢字漢字", 13, "> 1漢字漢|字", 2, 1, nil},
		{"a\tb", 2, ">     ab"[:2] + "a    b", 7, 0, nil},
		{"a\x1b[2Jb", 6, "> a␛[2Jb", 8, 0, nil},
		{"ab c", 4, "> \x1b[1mab\x1b[m c", 6, 0, []Span{{0, 2, "1"}}},
		{"abcdefghij", 0, "> \x1b[1mabcdefgh\x1b[m|\x1b[1mij\x1b[m", 2, 0, []Span{{0, 10, "1"}}},
	} {
		rows, x, y := layout(tt.text, tt.at, "> ", "- ", 10, tt.style, true)
		if got := strings.Join(rows, "|"); got != tt.want || x != tt.x || y != tt.y {
			t.Errorf("%q: %q %d,%d, want %q %d,%d", tt.text, got, x, y, tt.want, tt.x, tt.y)
		}
		for _, r := range rows {
			if w := (displaywidth.Options{ControlSequences: true}).String(r); w > 10 {
				t.Errorf("%q: a row of %d cells", tt.text, w)
			}
		}
	}
}

// TestWindow shows the rows around the cursor when there are more than fit.
func TestWindow(t *testing.T) {
	var rows []string
	for i := range 10 {
		rows = append(rows, fmt.Sprint(i))
	}
	for at, want := range map[int]string{0: "0123 0", 3: "0123 3", 4: "1234 3", 9: "6789 3"} {
		got, y := window(rows, at, 4)
		if s := fmt.Sprintf("%s %d", strings.Join(got, ""), y); s != want {
			t.Errorf("%d: %s, want %s", at, s, want)
		}
	}
}

// TestGates checks that input is passed on up to each key that may end a statement, and no further until that is
// handled.
func TestGates(t *testing.T) {
	in := &input{wake: make(chan struct{}, 1)}
	for _, tt := range []struct {
		typed string
		want  []string
	}{
		{"ab\rcd\r", []string{"ab\r", "cd\r"}},
		{"\x1b[200~a\rb\x1b[201~c\rd", []string{"\x1b[200~a\rb\x1b[201~c\r", "d"}},
		{"x\x03y", []string{"x\x03", "y"}},
		{"\x1b[A", []string{"\x1b[A"}},
	} {
		in.pending = []byte(tt.typed)
		var got []string
		for len(in.pending) > 0 {
			n := in.next(len(in.pending))
			got = append(got, string(in.pending[:n]))
			in.pending = in.pending[n:]
		}
		if strings.Join(got, "|") != strings.Join(tt.want, "|") {
			t.Errorf("%q: %q, want %q", tt.typed, got, tt.want)
		}
	}
	in.pending = []byte("\x1b[20") // a marker split across two reads
	in.next(4)
	in.pending = []byte("0~a\rb")
	if n := in.next(5); n != 5 {
		t.Errorf("a pasted text was passed on in parts: %d", n)
	}
}
