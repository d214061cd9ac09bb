package cell

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"
)

func TestFloatForms(t *testing.T) {
	for in, want := range map[string][2]string{ // text formats, JSON
		"1.254740786E7":       {"12547407.86", "12547407.86"},
		"1.0E10":              {"10000000000.0", "10000000000"},
		"1.5E-5":              {"0.000015", "0.000015"},
		"-0.0":                {"-0.0", "-0.0"},
		"0.0":                 {"0.0", "0"},
		"-1.5E-5":             {"-0.000015", "-0.000015"},
		"1.0E-7":              {"0.0000001", "1e-7"},
		"4.9E-324":            {"4.9E-324", "5e-324"},
		"1.0E21":              {"1.0E21", "1e+21"},
		"123.456":             {"123.456", "123.456"},
		"100.0":               {"100.0", "100"},
		"0.30000000000000004": {"0.30000000000000004", "0.30000000000000004"},
		"NaN":                 {"NaN", `"NaN"`},
		"Infinity":            {"Infinity", `"Infinity"`},
	} {
		c, _ := json.Marshal(in)
		got, err := AppendReadable(nil, c, ClassDouble)
		if err != nil || string(got) != want[0] {
			t.Errorf("%s as text: %s, want %s", in, got, want[0])
		}
		if got, err = AppendJSON(nil, c, ClassDouble, true); err != nil || string(got) != want[1] {
			t.Errorf("%s as json: %s, want %s", in, got, want[1])
		}
		if f, err := strconv.ParseFloat(in, 64); err == nil {
			if back, err := strconv.ParseFloat(want[0], 64); err != nil || back != f && !math.IsNaN(f) {
				t.Errorf("%s became %v", in, back)
			}
		}
	}
}

func TestUniqueKeys(t *testing.T) {
	got := uniqueKeys([]string{"a", "a", "a_2", "b", "a", "", ""})
	want := []string{"a", "a_3", "a_2", "b", "a_4", "", "_2"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
