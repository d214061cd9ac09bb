package infer

import (
	"encoding/json"
	"strings"
	"testing"
)

func fields(values ...string) (c Column) {
	for _, v := range values {
		c.Add(Value{Text: []byte(v), Kind: Field}, 0)
	}
	return c
}

func numbers(values ...string) (c Column) {
	for _, v := range values {
		c.AddNumber(v)
	}
	return c
}

func TestType(t *testing.T) {
	var nested, mixed, text, dates, null, wire Column
	nested.Add(Value{Text: []byte("[]"), Kind: Nested}, 0)
	nested.Add(Value{}, 0)
	mixed.Add(Value{Text: []byte("[]"), Kind: Nested}, 0)
	mixed.AddNumber("1")
	text.Add(Value{Text: []byte("12"), Kind: String}, 0)
	dates.Add(Value{Text: []byte("2024-02-29"), Kind: String}, 0)
	null.Add(Value{}, 0)
	wire.Add(Value{Text: []byte("1.0"), Kind: Float}, 0)
	wire.Add(Value{Text: []byte("1.5E300"), Kind: Float}, 0)
	some := fields("1", "2")
	some.Join(fields("3.25"))
	for _, c := range []struct {
		got  Column
		want string
	}{
		{Column{}, "varchar"}, {null, "varchar"}, {nested, "json"}, {mixed, "varchar"}, {text, "varchar"},
		{dates, "date"}, {wire, "double"}, {fields("", ""), "varchar"}, {fields("", "7"), "bigint"},
		{fields("1", "-22"), "bigint"}, {fields("1", "2.50"), "decimal(3,2)"}, {some, "decimal(3,2)"},
		{fields("007"), "varchar"}, {fields("-0"), "varchar"}, {fields("-0.0"), "double"}, {fields("1.5", "-0.00"),
			"double"}, {fields("-0.01"), "decimal(3,2)"}, {fields("1e3"), "varchar"},
		{fields("9223372036854775808"), "varchar"}, {fields("1", "x"), "varchar"}, {fields("true", "false"), "boolean"},
		{fields("true", "1"), "varchar"},
		{fields("2024-02-29", "2023-02-28"), "date"}, {fields("2023-02-29"), "varchar"},
		{fields("2024-02-29T01:02:03.000001"), "timestamp"},
		{fields("2024-02-29 01:02:03.0000001"), "varchar"}, {fields("2024-02-29", "2024-02-29 01:02:03"), "varchar"},
		{fields("1", strings.Repeat("1", 19)+"."+strings.Repeat("2", 20)), "varchar"},
		{numbers("1", "2"), "bigint"}, {numbers("1", "2.5e3"), "double"}, {numbers("9007199254740993", "0.5"),
			"varchar"}, {numbers("9007199254740993"), "bigint"},
		{numbers("9223372036854775808"), "varchar"}, {numbers("-0"), "double"}, {numbers("0.123456789012345678"),
			"varchar"}, {numbers("1e999"), "varchar"},
	} {
		if got := c.got.Type(); got != c.want {
			t.Errorf("%+v is %s, want %s", c.got, got, c.want)
		}
		raw, err := json.Marshal(c.got) // what is kept is all that is known
		var back Column
		if err != nil || json.Unmarshal(raw, &back) != nil || back != c.got {
			t.Errorf("%+v is kept as %s", c.got, raw)
		}
	}
}
