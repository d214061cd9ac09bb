package sqltext

import (
	"testing"
)

func TestOfQuery(t *testing.T) {
	for in, want := range map[string]string{"sampleQuery": "samplequery", "Daily Sales": "daily_sales",
		"a-b_c.d": "a_b_c_d", " Ümlaut 日本 ": "ümlaut_日本", "2024": "2024", `x"y`: "x_y"} {
		if got := OfQuery(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
