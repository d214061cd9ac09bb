package lineedit

import (
	"fmt"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

func plural(n int) string { return fmt.Sprintf("(%d candidates)", n) }

// search is an incremental search in the history.
type search struct {
	words  string
	was    string // the text before the search
	at     int
	place  int // of the entry that was found
	missed bool
}

// searching handles a key during a search; false ends the search and lets the editor handle it.
func (m *model) searching(name, text string) bool {
	f := m.find
	switch name {
	case "ctrl+r", "up":
		m.look(f.place - 1)
	case "backspace", "ctrl+h":
		_, n := utf8.DecodeLastRuneInString(f.words)
		f.words = f.words[:len(f.words)-n]
		m.look(m.entries() - 1)
	case "esc", "ctrl+g", "ctrl+c":
		m.buf.text, m.buf.at = f.was, f.at
		m.find = nil
	case "enter":
		m.find = nil
	default:
		if text == "" {
			m.find = nil
			return false
		}
		f.words += text
		m.look(min(f.place, m.entries()-1))
	}
	return true
}

// look finds the latest entry, at or before a position in the history, that contains the words, ignoring case.
func (m *model) look(place int) {
	f := m.find
	words := strings.ToLower(f.words)
	for i := place; i >= 0; i-- {
		entry := m.e.o.History.Entry(i)
		if n := strings.Index(strings.ToLower(entry), words); n >= 0 && entry != m.buf.text || n >= 0 && i == f.place {
			f.place, f.missed = i, false
			m.buf.set(entry)
			m.place = i
			return
		}
	}
	f.missed = true
}

func (m *model) findView() tea.View {
	var spans []Span
	if m.e.o.Highlight != nil && m.e.o.Color {
		spans = m.e.o.Highlight(m.buf.text)
	}
	rows, _, _ := layout(m.buf.text, -1, m.prompt, m.more, m.width, spans, m.e.o.Color)
	label := "search: "
	if m.find.missed {
		label = "not found: "
	}
	line, x, y := layout(m.find.words, len(m.find.words), label, "", m.width, nil, false)
	y += len(rows)
	rows = append(rows, line...)
	rows, y = window(rows, y, m.height)
	v := tea.NewView(strings.Join(rows, "\n"))
	v.Cursor = tea.NewCursor(x, y)
	return v
}
