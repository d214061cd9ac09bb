package states

import "testing"

func TestTransitions(t *testing.T) {
	for state, want := range map[string]bool{Completed: true, Failed: false, Cancelled: false} {
		if current, err := End(state); err != nil || current != want {
			t.Errorf("%s: %v, %v", state, current, err)
		}
	}
	for _, state := range []string{Running, "", "completed"} {
		if _, err := End(state); err == nil {
			t.Errorf("a refresh ends as %q", state)
		}
	}
	for _, starting := range []string{Full, Incremental} {
		for _, running := range []string{Full, Incremental} {
			if got := Replaces(starting, running); got != (starting == Full && running == Incremental) {
				t.Errorf("%s replaces %s: %v", starting, running, got)
			}
		}
	}
}
