package supervise

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

func TestLedger(t *testing.T) {
	l, now := newLedger(), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	one := func(project, sql string) offence {
		return offence{"took it all", []engine.Running{{Project: project, Statement: sql}}}
	}
	refused := func(project, sql string, want bool) {
		t.Helper()
		if err := l.admit(project, sql, now); (err != nil) != want {
			t.Errorf("%s at %s: %v, want refused: %v", sql, now, err, want)
		}
	}
	l.add(one("p", "bad"), now)
	if err := l.admit("p", "bad", now); err == nil || !strings.Contains(err.Error(),
		"because it took it all; it is rejected until 2026-01-02T03:05:05Z") {
		t.Errorf("%v", err)
	}
	refused("p", "good", false)
	refused("q", "bad", false)
	now = now.Add(-24 * time.Hour) // the clock was put back
	refused("p", "bad", false)
	now = now.Add(24*time.Hour + time.Minute)
	refused("p", "bad", false)
	l.add(one("p", "bad"), now) // again: twice as long
	now = now.Add(90 * time.Second)
	refused("p", "bad", true)
	refused("p", "good", false)
	l.add(one("p", "another"), now) // the third of the project
	refused("p", "good", true)
	refused("q", "good", false)
	now = now.Add(projectWait)
	refused("p", "good", false)

	// Of two that ran, each is to blame in part: refused when it happens again.
	both := offence{"took it all", []engine.Running{{Project: "r", Statement: "a"}, {Project: "s", Statement: "b"}}}
	l.add(both, now)
	refused("r", "a", false)
	l.add(one("r", "a"), now)
	refused("r", "a", true)
	refused("s", "b", false)

	// Parts add up to a whole, however many they are.
	for n := 3; n <= 40; n++ {
		many := offence{Why: "took it all"}
		for i := range n {
			many.Running = append(many.Running, engine.Running{Project: fmt.Sprint("q", n), Statement: fmt.Sprint(i)})
		}
		for range n {
			l.add(many, now)
		}
		if b := l.Statements[fingerprint(fmt.Sprint("q", n), "0")]; b.ofStatement() != firstWait {
			t.Errorf("%d times one of %d: %v", n, n, b)
		}
		if b := l.Projects[fmt.Sprint("q", n)]; b.ofProject() == 0 {
			t.Errorf("%d ends of a project: %v", n, b)
		}
	}
	l.Statements, l.Projects = map[string]blame{}, map[string]blame{}

	for range 100 {
		l.add(one("p", "bad"), now)
	}
	now = now.Add(longestWait)
	refused("p", "bad", false)
	now = now.Add(2 * longestWait)
	l.add(one("q", "x"), now)
	if len(l.Statements) != 1 || len(l.Projects) != 1 {
		t.Errorf("nothing is forgotten: %v", l)
	}
}
