package lineedit

import (
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"github.com/dig-cli/dig/internal/term"
)

// menu shows completion candidates below the text.
type menu struct {
	open   bool
	list   []Choice
	from   int // the beginning of the text that they replace
	chosen int // -1 for none
	typed  string
}

func (c *menu) close() { *c = menu{} }

// complete inserts the common prefix of all candidates, and shows them if there are several.
func (m *model) complete() {
	if m.e.o.Complete == nil {
		return
	}
	from, list := m.e.o.Complete(m.buf.text, m.buf.at)
	switch len(list) {
	case 0:
		return
	case 1:
		m.buf.replace(from, list[0].Text)
		return
	}
	typed := m.buf.text[from:m.buf.at]
	if common := shared(list); len(common) > len(typed) && strings.EqualFold(common[:len(typed)], typed) {
		m.buf.replace(from, common)
		typed = common
	}
	m.menu = menu{open: true, list: list, from: from, chosen: -1, typed: typed}
}

// shared returns the longest common prefix of the candidates.
func shared(list []Choice) string {
	out := list[0].Text
	for _, c := range list[1:] {
		for !strings.HasPrefix(c.Text, out) {
			_, n := utf8.DecodeLastRuneInString(out)
			out = out[:len(out)-n]
		}
	}
	return out
}

// choosing handles a key while the menu is open; false lets the editor handle it.
func (m *model) choosing(name string) bool {
	c := &m.menu
	n := len(c.list)
	switch name {
	case "tab", "down":
		m.choose((c.chosen + 1) % n)
	case "shift+tab", "up":
		m.choose((max(c.chosen, 0) + n - 1) % n)
	case "enter":
		if c.chosen < 0 {
			c.close()
			return false
		}
		m.accept()
	case "esc", "ctrl+g":
		m.buf.replace(c.from, c.typed)
		c.close()
	default:
		m.accept()
		return false
	}
	return true
}

func (m *model) choose(i int) {
	m.menu.chosen = i
	m.buf.replace(m.menu.from, m.menu.list[i].Text)
}

func (m *model) accept() { m.menu.close() }

// rows draws the menu: a window of the candidates around the chosen one, with their details.
func (c *menu) rows(width, height int, color bool) []string {
	if !c.open {
		return nil
	}
	height = min(max(height, 3), 10)
	wide := 0
	for _, l := range c.list {
		wide = max(wide, displaywidth.String(l.Text))
	}
	wide = min(wide, max(width/2, 10))
	from := 0
	if c.chosen >= height {
		from = c.chosen - height + 1
	}
	var out []string
	for i := from; i < min(from+height, len(c.list)); i++ {
		l := c.list[i]
		mark := "  "
		if i == c.chosen {
			mark = "> "
		}
		name := displaywidth.TruncateString(string(term.Sanitize(nil, l.Text)), wide, "…")
		row := mark + name + strings.Repeat(" ", wide-displaywidth.String(name))
		if color && i == c.chosen {
			row = "\x1b[7m" + row + "\x1b[m"
		}
		info := l.Kind
		if l.Detail != "" {
			info += " " + l.Detail
		}
		if room := width - wide - 5; room > 8 {
			info = displaywidth.TruncateString(string(term.Sanitize(nil, info)), room, "…")
			if color {
				info = "\x1b[2m" + info + "\x1b[m"
			}
			row += "  " + info
		}
		out = append(out, row)
	}
	if more := len(c.list) - height; more > 0 {
		out = append(out, "  "+plural(len(c.list)))
	}
	return out
}
