package connector

import "testing"

func TestJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"b": 1,  "a": [1.50, null]}`: `{"a":[1.5,null],"b":1}`,
		`{"b": 1, "b": 2}`:             `{"b":2}`,
		`12345678901234567890123`:      `12345678901234567890123`,
		` "é" `:                        `"é"`,
		`"\ud83d"`:                     `"\ud83d"`, // half of a pair: as it is
		`NaN`:                          `NaN`,
	} {
		if got := string(JSON([]byte(text))); got != want {
			t.Errorf("%s is read as %s, want %s", text, got, want)
		}
	}
	for typ, want := range map[string]string{"timestamp(3) with time zone": "timestamp with time zone",
		"decimal(10,2)": "decimal", "varchar(5)": "varchar", "date": "date"} {
		if got := BaseType(typ); got != want {
			t.Errorf("%s is %q, want %q", typ, got, want)
		}
	}
}
