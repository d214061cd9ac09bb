package output

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// TestPlainDecimals: the usual forms are converted as package big does.
func TestPlainDecimals(t *testing.T) {
	texts := []string{"0", "-0", "0.0", "-0.00", "1", "-1", "00012.50", ".5", "5.", "-", "", "1..2", "1.2.3", "+1",
		"1e3", " 1",
		"18446744073709551615", "18446744073709551616", "-18446744073709551616", "9223372036854775808",
		"99999999999999999999999999999999999999", "-99999999999999999999999999999999999999",
		"340282366920938463463374607431768211455", "340282366920938463463374607431768211456",
		"9999999999999999999999999999.9999999999", "12345678901234567890123456789.0123456789", "0.00000000001"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var b strings.Builder
		for range r.IntN(30) {
			fmt.Fprint(&b, r.IntN(10))
		}
		if r.IntN(3) > 0 {
			fmt.Fprintf(&b, ".%d", r.IntN(1_000_000))
		}
		texts = append(texts, b.String(), "-"+b.String())
	}
	plain := 0
	for _, text := range texts {
		for _, scale := range []int{0, 2, 10, 38} {
			n, negative, ok := plainDecimal([]byte(text), scale)
			if !ok {
				continue
			}
			plain++
			if negative {
				n = n.negated()
			}
			want, err := unscale([]byte(text), scale)
			if err != nil || n != int128Of(want) {
				// beyond the sign bit only the caller's limit rejects a value
				if err == nil && want.BitLen() > 127 {
					continue
				}
				t.Errorf("%s, scale %d: %v, want %v, %v", text, scale, n, want, err)
			}
		}
	}
	if plain < 1000 {
		t.Errorf("only %d are converted", plain)
	}
	ten := big.NewInt(10)
	for _, c := range []struct {
		typ, text string
		ok        bool
	}{{"decimal(9,2)", "9999999.99", true}, {"decimal(9,2)", "10000000.00", false}, {"decimal(9,2)", "1.234", false},
		{"decimal(9,2)", "-1.230", true}, {"decimal(18,0)", "999999999999999999", true},
		{"decimal(18,0)", "1000000000000000000", false}, {"decimal(38,0)", strings.Repeat("9", 38), true},
		{"decimal(38,0)", new(big.Int).Exp(ten, big.NewInt(38), nil).String(), false},
		{"decimal(38,10)", "-" + strings.Repeat("9", 28) + ".5", true}} {
		if _, err := codecOf(c.typ).encode([]byte(c.text), make([]byte, 16)); (err == nil) != c.ok {
			t.Errorf("%s as %s: %v", c.text, c.typ, err)
		}
	}
}

// TestFarTimes checks years of more than four digits and before year 1.
func TestFarTimes(t *testing.T) {
	for _, c := range []struct {
		typ, text string
		want      int64
		ok        bool
	}{
		{"date", "+15659-07-15", 5_000_000, true}, {"date", "-0221-09-04", -800_000, true},
		{"date", "0000-01-01", -719_528, true}, {"date", "+5881580-07-11", math.MaxInt32, true},
		{"date", "+5881580-07-12", 0, false}, {"date", "+15659-02-30", 0, false}, {"date", "+659-01-01", 0, false},
		{"date", "+15600-02-29", 4_978_314, true}, {"date", "+15700-02-29", 0, false}, {"date", "-", 0, false},
		{"timestamp(6)", "+15659-07-15 00:00:00.000001", 432_000_000_000_000_001, true},
		{"timestamp(6)", "-0566-11-26 01:46:40", -80_000_000_000_000_000, true},
		{"timestamp(6)", "+294247-01-10 04:00:53.5", 9_223_372_036_853_500_000, true},
		{"timestamp(6)", "+294248-01-01 00:00:00", 0, false}, {"timestamp(9)", "+2263-01-01 00:00:00", 0, false},
		{"timestamp(6) with time zone", "+15659-07-15 02:00:00.000001 Europe/Warsaw", 432_000_000_000_000_001, true},
		{"timestamp(6) with time zone", "+15659-07-15 03:00:00+03:00", 432_000_000_000_000_000, true},
	} {
		v, err := codecOf(c.typ).encode([]byte(c.text), nil)
		got := int64(v.Int32())
		if c.typ != "date" {
			got = v.Int64()
		}
		if (err == nil) != c.ok || c.ok && got != c.want {
			t.Errorf("%s as %s: %d, %v", c.text, c.typ, got, err)
		}
	}
}

// TestPlainTimes: the usual forms are converted as package time does, and others are left to it.
func TestPlainTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	texts := []string{"2024-02-29", "2023-02-29", "1900-02-29", "2000-02-29", "0000-01-01", "0001-01-01", "9999-12-31",
		"1969-12-31", "1970-01-01", "2024-04-31", "2024-13-01", "2024-00-10", "2024-01-00", "2024-1-01", "24-01-01", ""}
	for range 2000 {
		texts = append(texts, fmt.Sprintf("%04d-%02d-%02d", r.IntN(10_000), r.IntN(14), r.IntN(33)))
	}
	for _, text := range texts {
		at, err := time.Parse("2006-01-02", text)
		days, ok := plainDay([]byte(text))
		if ok != (err == nil) || ok && days != at.Unix()/86400 {
			t.Errorf("%s: %d, %v; want %v, %v", text, days, ok, at, err)
		}
		for _, clock := range []string{" 00:00:00", " 23:59:59.999999", " 12:34:56.7", " 12:34:56.120", " 24:00:00",
			" 12:60:00",
			" 12:34:60", " 12:34:56.", " 12:34:56.1234567", "T12:34:56", " 1:02:03", " 12:34:56 UTC",
			" 12:34", " -1:00:00"} {
			at, err := time.Parse("2006-01-02 15:04:05.999999999", text+clock)
			us, ok := plainMicros([]byte(text + clock))
			if ok && (err != nil || us != at.UnixMicro()) {
				t.Errorf("%s%s: %d; want %v, %v", text, clock, us, at, err)
			}
			if !ok && err == nil && len(clock) <= 16 && len(clock) >= 9 && clock[0] == ' ' &&
				at.Nanosecond()%1000 == 0 && !strings.HasSuffix(clock, ".") {
				t.Errorf("%s%s is not converted", text, clock)
			}
		}
	}
}
