package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestProfile(t *testing.T) {
	fields := []field{{"i", "bigint"}, {"d", "decimal(38,10)"}, {"s", "varchar"}, {"u", ""}, {"m", ""}, {"f", "double"}, {"n", "varchar"}}
	var rows [][]*string
	for i := range 10_000 {
		row := []*string{text(fmt.Sprint(i - 5000)), text(fmt.Sprintf("%d.%d", i%3, i%2*5)), text(fmt.Sprintf("v%d", i%10)), text(fmt.Sprint(i % 100)),
			text(fmt.Sprint(i % 5)), text([]string{"1.5E3", "NaN", "-0.5"}[i%3]), nil}
		if i%4 == 0 {
			row[2] = nil
		}
		if i%10 == 1 {
			row[2] = text("")
		}
		if i == 9000 {
			row[4] = text("änd")
		}
		rows = append(rows, row)
	}
	got := map[string]map[string]any{}
	var b bytes.Buffer
	if _, err := WriteProfile(&b, result(t, fields, rows), Options{Format: NDJSON}); err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(&b)
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
	if _, err := WriteProfile(&b, cutShort(t), Options{}); err == nil {
		t.Error("a cut result was profiled")
	}
	golden(t, "profile", func() string {
		var b bytes.Buffer
		if _, err := WriteProfile(&b, result(t, peopleFields, people(50)), Options{}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}())
}

func TestDistinctEstimate(t *testing.T) {
	for _, n := range []int{0, 1, 4096, 4097, 20_000, 40_000, 80_000, 300_000} {
		var d distinct
		for i := range 2 * n {
			d.add(fmt.Appendf(nil, "value %d", i%n))
		}
		got, exact := d.count()
		if exact != (n <= exactValues) || math.Abs(float64(got)-float64(n)) > 0.03*float64(n) || exact && got != int64(n) {
			t.Errorf("%d values: %d (exact %t)", n, got, exact)
		}
	}
}

func TestNumberKeyOrder(t *testing.T) {
	texts := []string{"0", "-0", "0.0", "1", "1.0", "1e0", "10e-1", "-1", "12", "120", "1.2", "0.12", "-12", "-120", "-1.2", "1e400", "-1e400", "1e-400",
		"9999999999999999999999999999.9999999999", "10000000000000000000000000000", "123", "1234", "-123", "-1234", "0.001", "1E+3"}
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		texts = append(texts, fmt.Sprintf("%.*f", r.IntN(6), (r.Float64()-0.5)*math.Pow10(r.IntN(12)-4)))
	}
	for _, a := range texts {
		for _, b := range texts {
			x, _ := new(big.Rat).SetString(a)
			y, _ := new(big.Rat).SetString(b)
			if got := bytes.Compare(appendNumberKey(nil, []byte(a)), appendNumberKey(nil, []byte(b))); got != x.Cmp(y) {
				t.Fatalf("%s and %s: %d, want %d", a, b, got, x.Cmp(y))
			}
		}
	}
}
