package jobs

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestTurns: scheduled runs are bounded in all and for each project, and projects alternate, however many of one are
// due.
func TestTurns(t *testing.T) {
	s := New(time.Now, slog.New(slog.DiscardHandler), Files(t.TempDir(), false))
	defer s.Close()
	due := []string{"a1", "a2", "a3", "a4", "a5", "a6", "a7", "b1", "c1", "c2", "d1", "e1"}
	project := func(x string) string { return x[:1] }
	if got := InTurn(s, due, project); fmt.Sprint(got[:5]) != "[a1 b1 c1 d1 e1]" || len(got) != len(due) {
		t.Errorf("in order %v", got)
	}
	var ends []func()
	var ran []string
	round := func() {
		for _, x := range InTurn(s, due, project) {
			if end, ok := s.Turn(JobMaterialized, project(x)); ok {
				ends, ran = append(ends, end), append(ran, x)
				due = slices.DeleteFunc(due, func(d string) bool { return d == x })
			}
		}
	}
	round()
	if len(ran) != turnsAtOnce || strings.Join(ran, " ") != "a1 b1 c1 d1 e1 a2 c2 a3" {
		t.Errorf("at once %v", ran)
	}
	if _, ok := s.Turn(JobCache, "a"); !ok {
		t.Error("the runs of one kind keep out those of another")
	}
	ends[0]()
	ends[0]()
	<-s.turns.ended
	due = append(due, "f1")
	round()
	if last := ran[len(ran)-1]; last != "f1" {
		t.Errorf("after one has ended, %s has the turn of a project that had none", last)
	}
	for _, end := range ends {
		end()
	}
	due = []string{"a1", "a2", "a3", "a4", "a5", "a6"}
	ran = nil
	if round(); len(ran) != turnsOfOne {
		t.Errorf("of one project run %v", ran)
	}
}
