package rowset

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dig-cli/dig/internal/cell/celltest"
)

func TestProfile(t *testing.T) {
	fields := []celltest.Field{{"i", "bigint"}, {"d", "decimal(38,10)"}, {"s", "varchar"}, {"u", ""}, {"m", ""},
		{"f", "double"}, {"n", "varchar"}}
	var rows [][]*string
	for i := range 10_000 {
		row := []*string{celltest.Text(fmt.Sprint(i - 5000)), celltest.Text(fmt.Sprintf("%d.%d", i%3, i%2*5)),
			celltest.Text(fmt.Sprintf("v%d", i%10)), celltest.Text(fmt.Sprint(i % 100)),
			celltest.Text(fmt.Sprint(i % 5)), celltest.Text([]string{"1.5E3", "NaN", "-0.5"}[i%3]), nil}
		if i%4 == 0 {
			row[2] = nil
		}
		if i%10 == 1 {
			row[2] = celltest.Text("")
		}
		if i == 9000 {
			row[4] = celltest.Text("änd")
		}
		rows = append(rows, row)
	}
	got := map[string]map[string]any{}
	p, read, err := Profile(celltest.Result(t, fields, rows), nil, nil)
	if err != nil || read != int64(len(rows)) {
		t.Fatal(read, err)
	}
	dec := json.NewDecoder(strings.NewReader(ndjson(t, p)))
	for dec.More() {
		var m map[string]any
		if err := dec.Decode(&m); err != nil {
			t.Fatal(err)
		}
		got[m["column"].(string)] = m
	}
	for col, want := range map[string]map[string]any{
		"i": {"type": "bigint", "nulls": 0.0, "min": "-5000", "max": "4999", "estimated": true, "longest": 5.0},
		"d": {"distinct": 6.0, "estimated": false, "min": "0.0", "max": "2.5"},
		"s": {"nulls": 2500.0, "null_percent": 25.0, "empty": 1000.0, "min": "", "max": "v9", "distinct": 10.0},
		"u": {"type": nil, "min": "0", "max": "99", "distinct": 100.0},
		"m": {"min": "0", "max": "änd", "distinct": 6.0, "longest": 3.0},
		"f": {"min": "-0.5", "max": "1.5E3", "distinct": 3.0},
		"n": {"nulls": 10000.0, "distinct": 0.0, "min": nil, "max": nil},
	} {
		for k, v := range want {
			if got[col][k] != v {
				t.Errorf("%s of %s is %v, want %v", k, col, got[col][k], v)
			}
		}
	}
	if n := got["i"]["distinct"].(float64); math.Abs(n-10_000) > 300 {
		t.Errorf("%v distinct values of 10,000", n)
	}
	if _, _, err := Profile(celltest.CutShort(t), nil, nil); err == nil {
		t.Error("a cut result was profiled")
	}
}

func TestDistinctEstimate(t *testing.T) {
	for _, n := range []int{0, 1, 4096, 4097, 20_000, 40_000, 80_000, 300_000} {
		var d distinct
		for i := range 2 * n {
			d.add(fmt.Appendf(nil, "value %d", i%n))
		}
		got, exact := d.count()
		if exact != (n <= exactValues) || math.Abs(float64(got)-float64(n)) > 0.03*float64(n) || exact &&
			got != int64(n) {
			t.Errorf("%d values: %d (exact %t)", n, got, exact)
		}
	}
}
