package cli

import (
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
)

// TestSettledAfter walks the states that hosted gateways were seen to serve around a refresh.
func TestSettledAfter(t *testing.T) {
	status := func(state string, start string) api.MaterializedQueryStatus {
		s := api.MaterializedQueryStatus{Status: state}
		if start != "" {
			s.LastExecutionStartTime, s.LastUpdateTime = &start, &start
		}
		return s
	}
	before := func(s api.MaterializedQueryStatus) *api.MaterializedQueryStatus { return &s }
	for _, c := range []struct {
		name   string
		before *api.MaterializedQueryStatus
		now    api.MaterializedQueryStatus
		ended  bool
	}{
		{"never ran reads COMPLETED", nil, status("COMPLETED", ""), false},
		{"first run begins", nil, status("RUNNING", "t1"), false},
		{"first run is over", nil, status("COMPLETED", "t1"), true},
		{"refresh asked for, the old state is served", before(status("COMPLETED", "t1")), status("COMPLETED", "t1"),
			false},
		{"the old failure is served", before(status("FAILED", "t1")), status("FAILED", "t1"), false},
		{"the new run goes on", before(status("COMPLETED", "t1")), status("RUNNING", "t2"), false},
		{"the new run is over", before(status("COMPLETED", "t1")), status("COMPLETED", "t2"), true},
		{"refresh of one that never ran", before(status("COMPLETED", "")), status("COMPLETED", ""), false},
		{"and its run is over", before(status("COMPLETED", "")), status("FAILED", "t1"), true},
		{"canceled, as spelt here", before(status("RUNNING", "t1")), status("CANCELED", "t2"), true},
		{"canceled, as spelt elsewhere", before(status("RUNNING", "t1")), status("CANCELLED", "t2"), true},
		{"a state nobody knows", before(status("COMPLETED", "t1")), status("QUEUED", "t2"), false},
	} {
		if got := settledAfter(c.before, c.now); got != c.ended {
			t.Errorf("%s: ended is %v", c.name, got)
		}
	}
	for state, exit := range map[string]int{"COMPLETED": exitcode.OK, "FAILED": exitcode.Job, "CANCELED": exitcode.Job,
		"Cancelled": exitcode.Job} {
		got := exitcode.OK
		if f, ok := EndOf("q", status(state, "t1")).(*exitcode.Failure); ok {
			got = f.Exit
		}
		if got != exit {
			t.Errorf("%s exits %d, want %d", state, got, exit)
		}
	}
	if s := StateWords(status("COMPLETED", "")); s != "never materialized" {
		t.Errorf("a query that never ran is called %q", s)
	}
}
