// Package browse shows the rows of a result on the whole screen of a terminal, with scrolling, searching, sorting, and
// a view of one value.
package browse

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/clipperhouse/displaywidth"
	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/term"
)

// Column is a column of a result.
type Column struct {
	Name, Type string
	Number     bool
}

// Value is a cell.
type Value struct {
	Text string
	Null bool
}

// Table is a result in memory.
type Table struct {
	Columns []Column
	Rows    [][]Value
	Note    string // shown next to the position, such as that there are more rows
}

// Options configure the browser.
type Options struct {
	In, Out *os.File
	Env     []string
	Color   bool
}

// Run shows a table until the user leaves, and restores the terminal.
func Run(ctx context.Context, t *Table, o Options) error {
	profile := colorprofile.ANSI256
	if !o.Color {
		profile = colorprofile.ASCII
	}
	_, err := tea.NewProgram(newModel(t), tea.WithContext(ctx), tea.WithInput(o.In), tea.WithOutput(o.Out),
		tea.WithEnvironment(o.Env),
		tea.WithColorProfile(profile), tea.WithoutSignalHandler()).Run()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

const (
	widest  = 40 // maximum width of a column in cells; Enter shows a value in full
	headers = 2
)

// model is the state of the browser.
type model struct {
	t             *Table
	order         []int // row indices as displayed
	widths        []int
	width, height int
	top, row      int // first row on the screen, and the current one, as indices in order
	left, col     int
	sorted        int // the sort column; -1 for none
	descending    bool
	asking        bool // entering the words of a search
	words         string
	said          string // message in place of the keys, until the next key
	full          []string
	fullAt        int
	showing       bool // showing one value in full
}

func newModel(t *Table) *model {
	m := &model{t: t, width: 80, height: 24, sorted: -1, order: make([]int, len(t.Rows)),
		widths: make([]int, len(t.Columns))}
	for i := range m.order {
		m.order[i] = i
	}
	for i, c := range t.Columns {
		m.widths[i] = displaywidth.String(shown(c.Name)) + 2 // the sort marker
		for _, r := range t.Rows[:min(len(t.Rows), 2000)] {
			m.widths[i] = max(m.widths[i], displaywidth.String(text(r[i])))
		}
		m.widths[i] = min(m.widths[i], widest)
	}
	return m
}

func shown(s string) string { return string(term.Sanitize(nil, s)) }

func text(v Value) string {
	if v.Null {
		return "NULL"
	}
	return shown(v.Text)
}

// Init implements tea.Model.
func (m *model) Init() tea.Cmd { return nil }

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.PasteMsg:
		if m.asking {
			m.words += shown(msg.Content)
		}
	case tea.KeyPressMsg:
		m.said = ""
		switch name := msg.Keystroke(); {
		case m.asking:
			m.ask(name, msg.Text)
		case name == "ctrl+c", name == "q" && !m.showing:
			return m, tea.Quit
		case m.showing:
			m.scroll(name)
		case name == "esc":
			return m, tea.Quit
		default:
			m.key(name)
		}
	}
	m.follow()
	return m, nil
}

func (m *model) page() int { return max(m.height-headers-1, 1) }

func (m *model) key(name string) {
	switch name {
	case "up", "k":
		m.row--
	case "down", "j":
		m.row++
	case "left", "h", "shift+tab":
		m.col--
	case "right", "l", "tab":
		m.col++
	case "pgup", "b", "ctrl+b":
		m.row -= m.page()
	case "pgdown", "space", "f", "ctrl+f":
		m.row += m.page()
	case "home", "g", "ctrl+home":
		m.row = 0
	case "end", "G", "shift+g", "ctrl+end":
		m.row = len(m.order) - 1
	case "0", "^", "ctrl+a":
		m.col = 0
	case "$", "ctrl+e":
		m.col = len(m.t.Columns) - 1
	case "s":
		m.sort()
	case "/", "ctrl+r":
		m.asking, m.words = true, ""
	case "n":
		m.find(1)
	case "N", "shift+n":
		m.find(-1)
	case "enter":
		m.open()
	case "?":
		m.said = "arrows PgUp PgDn g G 0 $ move · / n N search · s sort · Enter value · q leave"
	}
}

// follow scrolls the current cell into view.
func (m *model) follow() {
	m.row = max(min(m.row, len(m.order)-1), 0)
	m.col = max(min(m.col, len(m.t.Columns)-1), 0)
	m.top = max(min(m.top, m.row), m.row-m.page()+1)
	m.left = min(m.left, m.col)
	for m.left < m.col && !slices.Contains(m.visible(), m.col) {
		m.left++
	}
}

// visible lists the columns that fit the screen entirely; at least one.
func (m *model) visible() []int {
	var out []int
	used := 0
	for i := m.left; i < len(m.widths); i++ {
		if used += m.widths[i] + 3; used-1 > m.width && len(out) > 0 {
			break
		}
		out = append(out, i)
	}
	return out
}

// sort sorts the rows by the current column: ascending, then descending, then in the original order.
func (m *model) sort() {
	if len(m.t.Columns) == 0 {
		return
	}
	switch {
	case m.sorted != m.col:
		m.sorted, m.descending = m.col, false
	case !m.descending:
		m.descending = true
	default:
		m.sorted, m.descending = -1, false
	}
	slices.Sort(m.order)
	if m.sorted >= 0 {
		keys := make([][]byte, len(m.t.Rows))
		number := m.t.Columns[m.sorted].Number
		for i, r := range m.t.Rows {
			if v := r[m.sorted]; !v.Null {
				keys[i] = []byte(v.Text)
				if number && cell.ValidNumber(keys[i]) {
					keys[i] = cell.AppendNumberKey(nil, keys[i])
				}
			}
		}
		slices.SortStableFunc(m.order, func(a, b int) int {
			va, vb := m.t.Rows[a][m.sorted], m.t.Rows[b][m.sorted]
			if va.Null || vb.Null { // last in both directions
				return cmp.Compare(rank(va), rank(vb))
			}
			c := bytes.Compare(keys[a], keys[b])
			if m.descending {
				c = -c
			}
			return c
		})
	}
	m.row = 0
}

func rank(v Value) int {
	if v.Null {
		return 1
	}
	return 0
}

// ask handles a key while the words of a search are entered.
func (m *model) ask(name, typed string) {
	switch name {
	case "enter":
		m.asking = false
		m.find(1)
	case "esc", "ctrl+c", "ctrl+g":
		m.asking = false
	case "backspace", "ctrl+h":
		r := []rune(m.words)
		m.words = string(r[:max(len(r)-1, 0)])
	default:
		m.words += typed
	}
}

// find goes to the next or previous cell that contains the words, ignoring case.
func (m *model) find(by int) {
	words := strings.ToLower(m.words)
	if words == "" || len(m.order) == 0 {
		return
	}
	columns := len(m.t.Columns)
	total := len(m.order) * columns
	for n, at := 1, m.row*columns+m.col; n <= total; n++ {
		at = (at + by + total) % total
		v := m.t.Rows[m.order[at/columns]][at%columns]
		if !v.Null && strings.Contains(strings.ToLower(v.Text), words) {
			m.row, m.col = at/columns, at%columns
			return
		}
	}
	m.said = "not found: " + m.words
}

// open shows the current value in full.
func (m *model) open() {
	if len(m.order) == 0 {
		return
	}
	v := m.t.Rows[m.order[m.row]][m.col]
	m.full, m.fullAt, m.showing = nil, 0, true
	body := v.Text
	if v.Null {
		body = "NULL"
	}
	for line := range strings.SplitSeq(body, "\n") {
		for line = shown(line); displaywidth.String(line) > m.width; {
			cut := displaywidth.TruncateString(line, m.width, "")
			m.full = append(m.full, cut)
			line = line[len(cut):]
		}
		m.full = append(m.full, line)
	}
}

// scroll handles a key while one value is shown.
func (m *model) scroll(name string) {
	switch name {
	case "up", "k":
		m.fullAt--
	case "down", "j":
		m.fullAt++
	case "pgup", "b":
		m.fullAt -= m.page()
	case "pgdown", "space":
		m.fullAt += m.page()
	case "home", "g":
		m.fullAt = 0
	case "end", "G", "shift+g":
		m.fullAt = len(m.full)
	case "esc", "q", "enter":
		m.showing = false
	}
	m.fullAt = max(min(m.fullAt, len(m.full)-m.page()), 0)
}
