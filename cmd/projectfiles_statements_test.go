package cmd

import (
	"strings"
	"testing"
)

// TestPlanOnHostedZone: a hosted zone may have functions that Trino lacks, so that an unknown one is noted there; an
// unknown column is a fault everywhere.
func TestPlanOnHostedZone(t *testing.T) {
	f := newFront(t, "us", "hosted")
	f.ok("table", "create", "sales", "--column", "day:date")
	f.file("p/dig.yaml", "version: 1\n")
	f.file("p/queries/own.sql", "SELECT shop_rate(day) AS r FROM sales")
	f.file("p/queries/props.sql", "SELECT current_user_props('team') AS team FROM sales")
	if errs := f.want(1, "plan", "p"); !strings.Contains(errs,
		"note: queries/own.sql:1:8: Function 'shop_rate' not registered") || strings.Contains(errs, "props") {
		t.Error(errs)
	}
	f.file("p/queries/own.sql", "SELECT dya FROM sales WHERE _created_time > current_timestamp")
	if errs := f.want(2, "plan", "p"); !strings.Contains(errs,
		"queries/own.sql:1:8: Column 'dya' cannot be resolved; did you mean day?") {
		t.Error(errs)
	}
}
