package intake

import (
	"strings"
	"testing"

	"github.com/dig-cli/dig/internal/rowfile/infer"
)

// TestChoose checks that the chosen type is the one that a person would choose if it represents every value, else
// varchar with a reason.
func TestChoose(t *testing.T) {
	for _, c := range []struct{ values, want, reason string }{
		{"", Varchar, "no values"},
		{"1 -22 0", Bigint, ""}, {"9223372036854775807 -9223372036854775808", Bigint, ""},
		{"9223372036854775808", Varchar, "would not come back unchanged"}, {"-9223372036854775809",
			Varchar, "would not"},
		{"1 007", Varchar, `1 of 2 values are not bigint, first "007" in line 2`}, {"007 08", Varchar, "would not"},
		{"+5", Varchar, "would not"}, {"-0", Varchar, ""}, {"-0.0", Varchar, "would not"}, {"1.5 -0.00", Varchar,
			"are not decimal"}, {"-0.01", Decimal, ""},
		{"1,234", Varchar, "would not"}, {"1 2,5", Varchar, `first "2,5" in line 2`},
		{"1.10 1.2", Decimal, ""}, {"1 2.5 -.5", Decimal, ""}, {"1.", Varchar, ""}, {"1_000", Varchar, ""},
		{"0x10", Varchar, ""},
		{"1.2345678901", Decimal, ""}, {"1 1.23456789012", Varchar, "more than 10 decimal places"},
		{strings.Repeat("9", 29) + ".5", Varchar, "28 digits"},
		{"1e400", Varchar, ""}, {"1.5e400", Varchar, ""}, {"12e5", Varchar, ""}, {"1e-05 1.5E7 2e+06", Decimal, ""},
		{"1.5e-12", Varchar, "decimal places"},
		{"true false", Boolean, ""}, {"TRUE FALSE", Boolean, ""}, {"True FALSE", Varchar, "more than one way"},
		{"true 1", Varchar, ""}, {"yes no", Varchar, ""}, {"t f", Varchar, ""},
		{"2024-02-29", Date, ""}, {"2023-02-29", Varchar, ""}, {"2024-2-9", Varchar, ""}, {"2024-02-29 29.02.2024",
			Varchar, "are not date"}, {"20240229", Bigint, ""}, {"0000-01-01", Varchar, ""},
		{"2024-02-29T01:02:03.5 2024-02-29T01:02:03", Timestamp, ""}, {"2024-02-29T01:02:03Z", Timestamp,
			"in UTC, stored without the Z"}, {"2024-02-29T01:02", Timestamp, ""},
		{"2024-02-29T01:02:03Z 2024-02-29T01:02:03", Varchar, "more than one form"},
		{"2024-02-29T01:02 2024-02-29T01:02:03", Varchar, "more than one form"},
		{"2024-02-29T01:02:03 2024-02-29", Varchar, "without a time"}, {"2024-02-29T01:02:03+01:00", Varchar, ""},
		{"2024-02-29T24:00:00", Varchar, ""}, {"2024-02-29T01:02:03.1234567", Varchar, ""},
		{"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", UUID, ""}, {"fa0eebc9-9c0b-4ef8-bb6d-6bb9bd380a11", UUID, ""},
		{"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", Varchar, ""}, {"a0eebc999c0b4ef8bb6d6bb9bd380a11", Varchar, ""},
		{"1 2 NA NA", Varchar, "2 of 4 values are not bigint"}, {"NaN 1.5", Varchar, "are not decimal"},
		{"a b", Varchar, ""}, {"\u0663", Varchar, ""},
	} {
		col := &infer.Column{First: &infer.Samples{}}
		for i, v := range strings.Fields(c.values) {
			col.Add(infer.Value{Text: []byte(v), Kind: infer.Field}, int64(i+1))
		}
		got := choose(col, "line", false)
		if got.Type != c.want || !strings.Contains(got.Reason, c.reason) || c.reason == "" && c.want != Varchar &&
			got.Reason != "" {
			t.Errorf("%q: %+v, want %s, %q", c.values, got, c.want, c.reason)
		}
	}
	col := &infer.Column{First: &infer.Samples{}}
	for i, v := range []string{"1", " 2", "2 ", ""} {
		col.Add(infer.Value{Text: []byte(v), Kind: infer.Field}, int64(i+1))
	}
	if got := choose(col, "line", false); got.Type != Varchar || !strings.Contains(got.Reason, "2 of 3") {
		t.Errorf("%+v", got)
	}
	col = &infer.Column{First: &infer.Samples{}}
	col.Add(infer.Value{Text: []byte("1"), Kind: infer.Field}, 1)
	col.Add(infer.Value{Text: []byte("NA"), Kind: infer.Field}, 2)
	if got := choose(col, "line", false); got.Null != "NA" || got.Other != Bigint {
		t.Errorf("%+v", got)
	}
}
