package schema

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
)

type inner struct {
	At   string         `json:"at"`
	Free map[string]any `json:"free"`
}

type row struct {
	ID    string `json:"id"`
	In    inner  `json:"in"`
	Maybe *int   `json:"maybe,omitempty"`
}

func TestResults(t *testing.T) {
	const ack = `{"$ref":"#/$defs/Acknowledged"}`
	for _, c := range []struct {
		of     reflect.Type
		schema string // without definitions
		fields string
		list   bool
		known  string // further fields that it may have
		not    string
	}{
		{reflect.TypeFor[row](), `{"$ref":"#/$defs/row"}`, "id in in.at in.free maybe", false, "in.free.x IN",
			"x free"},
		{reflect.TypeFor[[]row](), `{"items":{"$ref":"#/$defs/row"},"type":"array"}`, "id in in.at in.free maybe", true,
			"",
			"x"},
		{reflect.TypeFor[Acknowledged](), ack, "message ok", false, "", "id"},
		{reflect.TypeFor[Answer](), `{"anyOf":[` + ack + `,{"type":"object"}]}`, "message ok", false, "", "id"},
		{reflect.TypeFor[Either[row, Either[inner, Acknowledged]]](),
			`{"anyOf":[{"$ref":"#/$defs/row"},{"$ref":"#/$defs/inner"},` + ack + `]}`,
			"at free id in in.at in.free maybe message ok", false, "", "x"},
		{reflect.TypeFor[Shown[inner, row]](), `{"$ref":"#/$defs/inner"}`, "at free id in in.at in.free maybe", false,
			"",
			"x"},
		{reflect.TypeFor[[]string](), `{"items":{"type":"string"},"type":"array"}`, "value", true, "", "id"},
		{reflect.TypeFor[any](), `{}`, "", false, "anything", ""},
		{reflect.TypeFor[[]map[string]any](), `{"items":{"additionalProperties":{},"type":"object"},"type":"array"}`,
			"",
			true, "anything", ""},
		{reflect.TypeFor[Either[QueryResult, []map[string]any]](), `{"anyOf":[{"$ref":"#/$defs/QueryResult"},` +
			`{"items":{"additionalProperties":{},"type":"object"},"type":"array"}]}`, "", true, "anything", ""},
		{reflect.TypeFor[api.SupportedDrivers](), `{"$ref":"#/$defs/SupportedDrivers"}`, "JDBC SQL_ALCHEMY", false, "",
			"id"},
	} {
		doc := Of(c.of)
		delete(doc, "$defs")
		if got, err := json.Marshal(doc); err != nil || string(got) != c.schema {
			t.Errorf("%v: schema %s, %v; want %s", c.of, got, err, c.schema)
		}
		f := FieldsOf(c.of)
		if got := strings.Join(f.Names, " "); got != c.fields || f.List != c.list {
			t.Errorf("%v: fields %q, list %v; want %q", c.of, got, f.List, c.fields)
		}
		for _, name := range append(strings.Fields(c.known), f.Names...) {
			if !f.Has(name) {
				t.Errorf("%v has no field %s", c.of, name)
			}
		}
		for _, name := range strings.Fields(c.not) {
			if f.Has(name) {
				t.Errorf("%v has a field %s", c.of, name)
			}
		}
	}
	if Of(reflect.TypeFor[Text]()) != nil {
		t.Error("a text has a JSON schema")
	}
}
