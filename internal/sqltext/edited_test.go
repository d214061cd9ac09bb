package sqltext

import (
	"fmt"
	"strings"
	"testing"
)

// TestEdits replaces the names in a statement, and finds the places of the new text in the old one.
func TestEdits(t *testing.T) {
	text := "select ą, x\nfrom _ l join people p"
	at := strings.Index(text, "_")
	people := strings.Index(text, "people")
	changed := NewText(text).Edit(Words(people, people+6, "gateway.t1.people"), Words(at, at+1, `"last"."result"."_"`))
	if want := "select ą, x\nfrom \"last\".\"result\".\"_\" l join gateway.t1.people p"; changed.String() != want {
		t.Fatalf("%s, want %s", changed, want)
	}
	for _, tt := range []struct{ line, col, wantLine, wantCol int }{
		{1, 8, 1, 8}, {1, 11, 1, 11}, {2, 1, 2, 1}, {2, 6, 2, 6}, {2, 20, 2, 6}, {2, 26, 2, 8}, {2, 33, 2, 15},
		{2, 40, 2, 15}, {2, 51, 2, 22}, {9, 1, 9, 1},
	} {
		if l, c := changed.Position(tt.line, tt.col); l != tt.wantLine || c != tt.wantCol {
			t.Errorf("%d:%d is %d:%d, want %d:%d", tt.line, tt.col, l, c, tt.wantLine, tt.wantCol)
		}
	}
}

// TestMoved: copies keep their places through later edits, and words stand for the place where they are written.
func TestMoved(t *testing.T) {
	text := NewText("from tä\nselect a")
	moved := text.Edit(Edit{With: []EditPart{{From: 9, To: 17}, {Words: " "}}}, Edit{From: 8, To: 17})
	if moved.String() != "select a from tä" {
		t.Fatal(moved)
	}
	again := moved.Edit(Words(7, 8, "CAST(a AS int)"), Words(17, 17, " x"))
	if again.String() != "select CAST(a AS int) from tä x" {
		t.Fatal(again)
	}
	for col, want := range map[int]string{1: "2:1", 8: "2:8", 15: "2:8", 23: "1:1", 28: "1:6", 29: "1:7", 30: "1:8"} {
		if line, col2 := again.Position(1, col); fmt.Sprintf("%d:%d", line, col2) != want {
			t.Errorf("column %d is %d:%d, want %s", col, line, col2, want)
		}
	}
	if part := again.Compose(28, EditPart{Words: "TABLE "}, EditPart{From: 27, To: 30}); part.String() != "TABLE tä" {
		t.Error(part)
	}
}
