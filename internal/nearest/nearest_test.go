package nearest

import (
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	for _, tt := range []struct{ word, candidates, want string }{
		{"js", "table json csv", "json"},
		{"tabel", "table json csv", "table"},
		{"amonut", "id Amount", "Amount"},
		{"bigitn", "VARCHAR BIGINT", "BIGINT"},
		{"base_url", "zone base-url", "base-url"},
		{"Customer Id", "customer customer_id", "customer_id"},
		{"amount_eur", "id amount", "amount"},
		{"straße", "strasse stra\u00dfe2", "stra\u00dfe2"},
		{"xy", "us eu", ""},
		{"uk", "us eu", "us"},
		{"credentails", "credential", "credential"},
		{"organisation", "org organization", "organization"},
		{"wholly", "different", ""},
		{"", "a b", ""},
		{"--", "a b", ""},
		{"a", "", ""},
	} {
		if got := Of(tt.word, strings.Fields(tt.candidates)); got != tt.want {
			t.Errorf("%q of %q: %q, want %q", tt.word, tt.candidates, got, tt.want)
		}
	}
}
