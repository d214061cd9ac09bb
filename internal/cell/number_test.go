package cell

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestNumberKeyOrder(t *testing.T) {
	texts := []string{"0", "-0", "0.0", "1", "1.0", "1e0", "10e-1", "-1", "12", "120", "1.2", "0.12", "-12", "-120",
		"-1.2", "1e400", "-1e400", "1e-400",
		"9999999999999999999999999999.9999999999", "10000000000000000000000000000", "123", "1234", "-123", "-1234",
		"0.001", "1E+3"}
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		texts = append(texts, fmt.Sprintf("%.*f", r.IntN(6), (r.Float64()-0.5)*math.Pow10(r.IntN(12)-4)))
	}
	for _, a := range texts {
		for _, b := range texts {
			x, _ := new(big.Rat).SetString(a)
			y, _ := new(big.Rat).SetString(b)
			if got := bytes.Compare(AppendNumberKey(nil, []byte(a)), AppendNumberKey(nil, []byte(b))); got != x.Cmp(y) {
				t.Fatalf("%s and %s: %d, want %d", a, b, got, x.Cmp(y))
			}
		}
	}
}
