package browse

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/clipperhouse/displaywidth"
)

// View implements tea.Model.
func (m *model) View() tea.View {
	v := tea.NewView(m.draw())
	v.AltScreen = true
	return v
}

func (m *model) draw() string {
	if m.showing {
		c := m.t.Columns[m.col]
		head := fmt.Sprintf("%s (%s), row %d", shown(c.Name), cmp.Or(c.Type, "text"), m.row+1)
		lines := []string{"\x1b[1m" + fit(head, m.width, false) + "\x1b[m", ""}
		lines = append(lines, m.full[m.fullAt:min(m.fullAt+m.page(), len(m.full))]...)
		return strings.Join(m.bottom(lines, "arrows scroll · Esc goes back"), "\n")
	}
	visible := m.visible()
	var head, rule strings.Builder
	for n, i := range visible {
		name := shown(m.t.Columns[i].Name)
		if i == m.sorted {
			name += map[bool]string{false: " ↑", true: " ↓"}[m.descending]
		}
		if n > 0 {
			head.WriteString("│")
			rule.WriteString("┼")
		}
		head.WriteString(" " + fit(name, m.room(i), false) + " ")
		rule.WriteString(strings.Repeat("─", m.room(i)+2))
	}
	lines := []string{"\x1b[1m" + head.String() + "\x1b[m", rule.String()}
	for at := m.top; at < min(m.top+m.page(), len(m.order)); at++ {
		var b strings.Builder
		for n, i := range visible {
			if n > 0 {
				b.WriteString("│")
			}
			value := fit(text(m.t.Rows[m.order[at]][i]), m.room(i), m.t.Columns[i].Number)
			if at == m.row && i == m.col {
				b.WriteString("\x1b[7m " + value + " \x1b[m")
			} else {
				b.WriteString(" " + value + " ")
			}
		}
		lines = append(lines, b.String())
	}
	return strings.Join(m.bottom(lines, m.place(visible)), "\n")
}

// room is the width of a column on the screen.
func (m *model) room(i int) int { return max(min(m.widths[i], m.width-2), 1) }

func (m *model) place(visible []int) string {
	if len(m.t.Columns) == 0 || len(m.order) == 0 {
		return "no rows · q leaves"
	}
	c := m.t.Columns[m.col]
	out := fmt.Sprintf("row %d of %d, column %d of %d: %s %s", m.row+1, len(m.order), m.col+1, len(m.t.Columns),
		shown(c.Name), c.Type)
	if m.t.Note != "" {
		out += " " + m.t.Note
	}
	if len(visible) < len(m.t.Columns) {
		out += " ↔"
	}
	return out + " · ? keys"
}

// bottom fills the screen and appends the last line.
func (m *model) bottom(lines []string, last string) []string {
	for len(lines) < m.height-1 {
		lines = append(lines, "")
	}
	lines = lines[:max(m.height-1, 0)]
	switch {
	case m.asking:
		last = "search: " + m.words + "_"
	case m.said != "":
		last = m.said
	}
	return append(lines, "\x1b[2m"+fit(last, m.width, false)+"\x1b[m")
}

// fit pads or truncates a text to the width of a column.
func fit(s string, width int, right bool) string {
	if displaywidth.String(s) > width {
		s = displaywidth.TruncateString(s, width, "…")
	}
	pad := strings.Repeat(" ", max(width-displaywidth.String(s), 0))
	if right {
		return pad + s
	}
	return s + pad
}
