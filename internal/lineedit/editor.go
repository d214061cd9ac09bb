// Package lineedit reads multi-line statements from a terminal, with editing, history, completion and highlighting.
package lineedit

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/dig-cli/dig/internal/term"
)

// ErrInterrupted is returned when Ctrl-C ends the input.
var ErrInterrupted = errors.New("interrupted")

// ErrEOF is returned when Ctrl-D ends the input.
var ErrEOF = errors.New("end of input")

// Choice is a completion candidate.
type Choice struct{ Text, Kind, Detail string }

// History has the previous inputs, the oldest first.
type History interface {
	Len() int
	Entry(i int) string
}

// Options configure an editor. Functions may be nil.
type Options struct {
	In, Out *os.File
	// Quiet belongs to In: it buffers what is typed between two reads, and the first read starts it.
	Quiet *term.Quiet
	Env   []string
	Color bool
	// Complete returns the candidates for a position, and the beginning of the text that they replace.
	Complete func(text string, at int) (from int, list []Choice)
	// Highlight returns the coloured spans of a text, in order.
	Highlight func(text string) []Span
	// Done reports whether Enter ends the text instead of beginning a new line.
	Done    func(text string) bool
	History History
}

// Editor reads statements from a terminal, one after the other.
type Editor struct {
	o  Options
	in *input
}

// New returns an editor; it does not change the terminal.
func New(o Options) *Editor { return &Editor{o: o, in: &input{tty: o.In}} }

// After these, the input of the same text continues.
var (
	errSuspended = errors.New("suspended") // by Ctrl-Z
	errCleared   = errors.New("cleared")   // the screen, by Ctrl-L
)

// Read reads one text. It starts with the text begin and the cursor at its end. At return the terminal is restored,
// with the cursor on a new line.
func (e *Editor) Read(ctx context.Context, prompt, more, begin string) (string, error) {
	m := &model{e: e, prompt: prompt, more: more, width: 80, height: 24, place: -1}
	m.buf.text, m.buf.at = begin, len(begin)
	for {
		if err := e.read(ctx, m); err != nil {
			return "", err
		}
		switch m.err {
		case errSuspended:
			e.o.Quiet.Suspend()
		case errCleared: // not by the renderer, which clears when it draws next, and may draw the next text by then
			if _, err := e.o.Out.WriteString("\x1b[H\x1b[2J"); err != nil {
				return "", err
			}
		default:
			return m.buf.text, m.err
		}
		m.done, m.err, m.resting = false, nil, false
	}
}

// fps is how many times per second the renderer checks for changes. The default of bubbletea, 60, doubles the CPU time
// of an idle shell. With 30, typed text appears at most 17 ms later.
const fps = 30

// read runs the editor until the text, or a part of its input, ends.
func (e *Editor) read(ctx context.Context, m *model) error {
	e.o.Quiet.Begin()
	if err := e.in.open(m.buf.text); err != nil {
		return err
	}
	profile := colorprofile.ANSI256
	if !e.o.Color {
		profile = colorprofile.ASCII
	}
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(e.in), tea.WithOutput(output{e.o.Out}),
		tea.WithEnvironment(e.o.Env),
		tea.WithColorProfile(profile), tea.WithoutSignalHandler(), tea.WithFPS(fps))
	_, err := p.Run()
	e.in.release()
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// model is the state of the editor for one text.
type model struct {
	e             *Editor
	buf           buffer
	prompt, more  string
	width, height int
	done          bool
	err           error
	menu          menu
	find          *search
	place         int    // in the history; -1 for the new text
	draft         string // the new text while the history is shown
	drawn         tea.View
	cost          time.Duration // of drawing the last view
	resting       bool          // the view is not drawn again before drawMsg
}

// drawMsg ends the rest after a view that took long to draw.
type drawMsg struct{}

// slowDraw is the time for a view from which keys that follow quickly are drawn together: a text of 40,000 characters
// that arrives key by key would be drawn 40,000 times.
const slowDraw = time.Millisecond

func (m *model) Init() tea.Cmd { return nil }

func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.PasteMsg:
		m.menu.close()
		m.accept()
		m.buf.insert(cleaned(msg.Content), false)
	case tea.KeyPressMsg:
		m.key(msg)
		if m.done {
			m.e.in.end()
			return m, tea.Quit
		}
		if gates(msg) {
			m.e.in.handled()
		}
		if m.cost > slowDraw && !m.resting {
			m.resting = true
			return m, tea.Tick(4*m.cost, func(time.Time) tea.Msg { return drawMsg{} })
		}
	case drawMsg:
		m.resting = false
	}
	return m, nil
}

// gates reports whether a key may end the text.
func gates(msg tea.KeyPressMsg) bool {
	return msg.Code == tea.KeyEnter || msg.Code == tea.KeyKpEnter || msg.Mod.Contains(tea.ModCtrl) &&
		strings.ContainsRune("cdjlmz", msg.Code)
}

// finish ends the input.
func (m *model) finish(err error) {
	m.menu.close()
	m.done, m.err = true, err
}

func (m *model) key(msg tea.KeyPressMsg) {
	name := msg.Keystroke()
	if m.find != nil && m.searching(name, msg.Text) {
		return
	}
	if m.menu.open {
		if m.choosing(name) {
			return
		}
	}
	switch name {
	case "ctrl+c":
		m.buf.at = len(m.buf.text)
		m.finish(ErrInterrupted)
	case "ctrl+d":
		if m.buf.text == "" {
			m.finish(ErrEOF)
			return
		}
		m.buf.delete(m.buf.next(), false)
	case "ctrl+z":
		if canSuspend {
			m.buf.at = len(m.buf.text)
			m.finish(errSuspended)
		}
	case "enter", "ctrl+m", "ctrl+j", "kpenter":
		if m.e.o.Done == nil || m.e.o.Done(m.buf.text) {
			m.buf.at = len(m.buf.text)
			m.finish(nil)
			return
		}
		m.buf.insert("\n", false)
	case "alt+enter", "shift+enter", "ctrl+enter":
		m.buf.insert("\n", false)
	case "tab":
		m.complete()
	case "ctrl+r":
		m.find = &search{was: m.buf.text, at: m.buf.at, place: m.entries()}
	case "ctrl+l":
		m.finish(errCleared)
	case "up", "ctrl+p":
		if !m.buf.vertical(false) {
			m.recall(-1)
		}
	case "down", "ctrl+n":
		if !m.buf.vertical(true) {
			m.recall(1)
		}
	default:
		if !m.edit(name) && msg.Text != "" {
			m.buf.insert(cleaned(msg.Text), true)
		}
	}
}

// edit handles keys that move the cursor or change the text.
func (m *model) edit(name string) bool {
	b := &m.buf
	was := b.at
	switch name {
	case "left", "ctrl+b":
		b.at = b.prev()
	case "right", "ctrl+f":
		b.at = b.next()
	case "alt+left", "ctrl+left", "alt+b":
		b.at = b.wordBack()
	case "alt+right", "ctrl+right", "alt+f":
		b.at = b.wordForward()
	case "home", "ctrl+a":
		b.at = b.lineStart(b.at)
	case "end", "ctrl+e":
		b.at = b.lineEnd(b.at)
	case "alt+<", "ctrl+home", "pgup":
		b.at = 0
	case "alt+>", "ctrl+end", "pgdown":
		b.at = len(b.text)
	case "backspace", "ctrl+h":
		b.delete(b.prev(), false)
	case "delete":
		b.delete(b.next(), false)
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		b.delete(b.wordBack(), true)
	case "alt+d", "alt+delete", "ctrl+delete":
		b.delete(b.wordForward(), true)
	case "ctrl+u":
		b.delete(b.lineStart(b.at), true)
	case "ctrl+k":
		if end := b.lineEnd(b.at); end > b.at {
			b.delete(end, true)
		} else {
			b.delete(b.next(), true)
		}
	case "ctrl+y":
		b.insert(b.killed, false)
	case "ctrl+t":
		b.transpose()
	case "ctrl+_", "ctrl+/", "ctrl+shift+-":
		b.undo()
	default:
		return false
	}
	b.typing = b.typing && was == b.at
	return true
}

func (m *model) entries() int {
	if m.e.o.History == nil {
		return 0
	}
	return m.e.o.History.Len()
}

// recall shows the previous or next history entry.
func (m *model) recall(by int) {
	n := m.entries()
	place := m.place
	if place < 0 {
		place = n
		m.draft = m.buf.text
	}
	for place += by; place >= 0 && place < n && m.e.o.History.Entry(place) == m.buf.text; place += by {
	}
	switch {
	case place < 0:
		return
	case place >= n:
		if m.place >= 0 {
			m.place = -1
			m.buf.set(m.draft)
		}
	default:
		m.place = place
		m.buf.set(m.e.o.History.Entry(place))
	}
}

// View implements tea.Model. While typed keys are being passed on, as when a terminal pastes text as if it were typed,
// the previous view is kept.
func (m *model) View() tea.View {
	if m.done || !m.e.in.busy() && !m.resting {
		begun := time.Now()
		m.drawn = m.draw()
		m.cost = time.Since(begun)
	}
	return m.drawn
}

func (m *model) draw() tea.View {
	if m.find != nil {
		return m.findView()
	}
	var spans []Span
	if m.e.o.Highlight != nil && m.e.o.Color {
		spans = m.e.o.Highlight(m.buf.text)
	}
	text, at, prompt := m.buf.text, m.buf.at, m.prompt
	if from, to := m.buf.near(m.height); from > 0 || to < len(text) {
		spans = within(spans, from, to)
		if text, at = text[from:to], at-from; from > 0 {
			prompt = m.more
		}
	}
	rows, x, y := layout(text, at, prompt, m.more, m.width, spans, m.e.o.Color)
	if m.done {
		if m.err == ErrInterrupted {
			rows[len(rows)-1] += "^C"
		}
		rows = append(rows, "")
		x, y = 0, len(rows)-1
	} else {
		rows = append(rows, m.menu.rows(m.width, m.height/3, m.e.o.Color)...)
	}
	rows, y = window(rows, y, m.height)
	v := tea.NewView(strings.Join(rows, "\n"))
	v.Cursor = tea.NewCursor(x, y)
	return v
}

// within returns the spans between two positions, relative to the first.
func within(spans []Span, from, to int) []Span {
	var out []Span
	for _, s := range spans {
		if s.To > from && s.From < to {
			out = append(out, Span{max(s.From, from) - from, min(s.To, to) - from, s.Style})
		}
	}
	return out
}

// window returns the rows around one of them that fit a height.
func window(rows []string, at, height int) ([]string, int) {
	if height <= 0 || len(rows) <= height {
		return rows, at
	}
	from := min(max(at-height+1, 0), len(rows)-height)
	return slices.Clone(rows[from : from+height]), at - from
}
