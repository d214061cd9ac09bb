package cells

import (
	"math/big"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
)

// TestParse: what fits comes back as the one text of its value, and what does not is refused in the words of Postgres.
func TestParse(t *testing.T) {
	for _, c := range []struct{ typ, text, want string }{
		{"bigint", " -9223372036854775808 ", "-9223372036854775808"},
		{"bigint", "9223372036854775808", `value "9223372036854775808" is out of range for type bigint`},
		{"bigint", "1.0", `invalid input syntax for type bigint: "1.0"`},
		{"boolean", "Y", "true"},
		{"boolean", "o", `invalid input syntax for type boolean: "o"`},
		{"decimal", "-.5e1", "-5.0000000000"},
		{"decimal", "1e-11", `value "1e-11" has more than 10 decimal places, which type numeric cannot keep`},
		{"date", "2024-02-29", "2024-02-29"},
		{"date", "2023-02-29", `date/time field value out of range: "2023-02-29"`},
		{"time", "23:59:58.5", "23:59:58.5"},
		{"time", "23:59+01", `value "23:59+01" has an offset from UTC, which type time cannot keep`},
		{"timestamp", "2024-02-29T12:00Z", "2024-02-29 12:00:00"},
		{"timestamp", "1969-12-31 23:59:59.999999", "1969-12-31 23:59:59.999999"},
		{"uuid", "{A0EEBC99-9C0B4EF8-BB6D6BB9BD380A11}", "a0eebc999c0b4ef8bb6d6bb9bd380a11"},
		{"varchar", "a\xffb", `invalid byte sequence for encoding "UTF8"`},
	} {
		v, reason := Parse(c.typ, c.text)
		if got := v.Text(c.typ); reason == "" && got != c.want || reason != "" && reason != c.want {
			t.Errorf("%s %q: %s%s, want %s", c.typ, c.text, got, reason, c.want)
		}
	}
}

// FuzzDecimal compares with exact rational numbers: what is accepted is kept exactly, and what is refused could not be
// kept.
func FuzzDecimal(f *testing.F) {
	for _, s := range []string{"0", "-1.5", "1e10", ".5e-3", "9999999999999999999999999999.9999999999",
		"1.00000000001", " 7 "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsAny(s, "xXpPbBoO_/") { // forms of big.Rat alone
			return
		}
		if i := strings.IndexAny(s, "eE"); i >= 0 && len(s)-i > 5 {
			return // big.Rat would compute for very long
		}
		r, ok := new(big.Rat).SetString(string(trim([]byte(s))))
		for _, typ := range []string{"decimal", "decimal(1,1)", "decimal(15,2)", "decimal(38,0)", "decimal(38,38)"} {
			v, fault := ParserOf(typ)([]byte(s))
			if fault == None {
				back, _ := new(big.Rat).SetString(v.Text(typ))
				if !ok || back.Cmp(r) != 0 {
					t.Fatalf("%q became %s as %s", s, v.Text(typ), typ)
				}
			}
			if !ok || fault == None {
				continue
			}
			precision, scale, _ := api.DecimalOf(typ)
			power := func(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }
			scaled := new(big.Rat).Mul(r, new(big.Rat).SetInt(power(scale)))
			if scaled.IsInt() && new(big.Int).Abs(scaled.Num()).Cmp(power(precision)) < 0 {
				t.Fatalf("%q was refused with fault %d as %s", s, fault, typ)
			}
		}
	})
}
