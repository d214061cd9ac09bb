package browse

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/clipperhouse/displaywidth"
)

func sample() *Table {
	t := &Table{Columns: []Column{{"id", "bigint", true}, {"name", "varchar", false}, {"note", "varchar", false},
		{"long", "varchar", false}}}
	for i := range 100 {
		t.Rows = append(t.Rows, []Value{{fmt.Sprint((i * 37) % 100), false}, {fmt.Sprintf("name %d", i), false},
			{"", i%2 == 0}, {strings.Repeat("漢字 ", 60), false}})
	}
	return t
}

func press(m *model, keys ...string) {
	special := map[string]rune{"enter": tea.KeyEnter, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft,
		"right": tea.KeyRight, "pgdown": tea.KeyPgDown, "esc": tea.KeyEscape, "end": tea.KeyEnd}
	for _, k := range keys {
		if c, ok := special[k]; ok {
			m.Update(tea.KeyPressMsg{Code: c})
			continue
		}
		for _, r := range k {
			m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
}

// TestBrowse moves, searches and sorts; it compares the current cell, and checks that the screen is never wider or
// higher than the terminal.
func TestBrowse(t *testing.T) {
	for _, tt := range []struct{ keys, want string }{
		{"", "0"},
		{"down", "37"},
		{"down right", "name 1"},
		{"end", "63"},
		{"up", "0"},
		{"/ name|77 enter", "name 77"},
		{"/ NAME|5 enter n", "name 50"},
		{"/ nosuch enter", "0"},
		{"down s", "0"},
		{"s end", "99"},
		{"s s", "99"},
		{"pgdown", "77"},
		{"$", "long"},
	} {
		for _, size := range [][2]int{{80, 24}, {200, 50}, {20, 5}} {
			m := newModel(sample())
			m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			for _, k := range strings.Fields(tt.keys) {
				press(m, strings.ReplaceAll(k, "|", " "))
			}
			got := m.t.Rows[m.order[m.row]][m.col].Text
			if tt.want == "long" {
				got = m.t.Columns[m.col].Name
			}
			if got != tt.want && (tt.keys != "pgdown" || size[1] == 24) {
				t.Errorf("%v %q: %s, want %s", size, tt.keys, got, tt.want)
			}
			lines := strings.Split(m.draw(), "\n")
			if len(lines) != size[1] {
				t.Errorf("%v %q: %d lines", size, tt.keys, len(lines))
			}
			for _, l := range lines {
				if w := (displaywidth.Options{ControlSequences: true}).String(l); w > size[0] {
					t.Errorf("%v %q: a line of %d cells: %q", size, tt.keys, w, l)
				}
			}
		}
	}
}

// TestFull shows one value in full, and returns.
func TestFull(t *testing.T) {
	m := newModel(sample())
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	press(m, "$", "enter")
	if all := strings.Join(m.full, ""); strings.Count(all, "漢字") != 60 || !strings.Contains(m.draw(),
		"long (varchar), row 1") {
		t.Errorf("%s", m.draw())
	}
	press(m, "esc")
	if m.showing {
		t.Error("Escape does not go back")
	}
}

// TestNothing browses results without rows and without columns.
func TestNothing(t *testing.T) {
	for _, tb := range []*Table{{}, {Columns: []Column{{"a", "", false}}}} {
		m := newModel(tb)
		press(m, "down", "right", "s", "s", "enter", "/", "x", "enter", "n", "end", "pgdown", "?")
		m.draw()
	}
}

// TestKeysFit: the keys that ? lists fit a terminal of 80 columns.
func TestKeysFit(t *testing.T) {
	m := newModel(sample())
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	press(m, "?")
	if !strings.Contains(m.draw(), "q leave") {
		t.Errorf("%s", m.draw())
	}
}
