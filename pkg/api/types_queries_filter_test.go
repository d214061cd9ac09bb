package api

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestFilterJSON(t *testing.T) {
	col := FilterColumn{CatalogName: "c", SchemaName: "s", TableName: "t", ColumnName: "age"}
	const colJSON = `{"column":{"catalogName":"c","schemaName":"s","tableName":"t","columnName":"age"}}`
	cond := func(op string, v ...any) FilterNode {
		return FilterNode{Condition: &FilterCondition{Column: col, Op: op, Values: v}}
	}
	tests := []struct {
		group FilterGroup
		wire  string
	}{
		{FilterGroup{And: []FilterNode{cond("=", "x")}}, `{"and":[[` + colJSON + `,"=",["x"]]]}`},
		{FilterGroup{Or: []FilterNode{cond("between", json.Number("1"), json.Number("12345678901234567890.10"))}},
			`{"or":[[` + colJSON + `,"between",[1,12345678901234567890.10]]]}`},
		{FilterGroup{And: []FilterNode{cond("in", "a", nil, true),
			{Group: &FilterGroup{Or: []FilterNode{cond("like", "a%")}}}}},
			`{"and":[[` + colJSON + `,"in",["a",null,true]],{"or":[[` + colJSON + `,"like",["a%"]]]}]}`},
	}
	for _, tt := range tests {
		got, err := json.Marshal(tt.group)
		if err != nil || string(got) != tt.wire {
			t.Errorf("got %s, %v\nwant %s", got, err, tt.wire)
		}
		var back FilterGroup
		if err := json.Unmarshal([]byte(tt.wire), &back); err != nil || !reflect.DeepEqual(back, tt.group) {
			t.Errorf("%s: read back as %+v, %v", tt.wire, back, err)
		}
	}
	got, err := json.Marshal(cond("is null"))
	if want := `[` + colJSON + `,"is null",[]]`; err != nil || string(got) != want {
		t.Errorf("no values: %s, %v", got, err)
	}

	for _, bad := range []FilterNode{{}, {Condition: &FilterCondition{}, Group: &FilterGroup{}}} {
		if got, err := json.Marshal(bad); err == nil {
			t.Errorf("%+v written as %s", bad, got)
		}
	}
	for wire, want := range map[string]string{
		`{"and":["x"]}`:                         "not string",
		`{"and":[null]}`:                        "not \"null\"",
		`{"not":[]}`:                            "unknown field",
		`{"and":[{"xor":[]}]}`:                  "unknown field",
		`{"and":[[` + colJSON + `,"="]]}`:       "three elements",
		`{"and":[[` + colJSON + `,"=",[],1]]}`:  "three elements",
		`{"and":[[{},"=",[1]]]}`:                "no \"column\"",
		`{"and":[["age","=",[1]]]}`:             "column",
		`{"and":[[` + colJSON + `,null,[1]]]}`:  "operator",
		`{"and":[[` + colJSON + `,3,[1]]]}`:     "operator",
		`{"and":[[` + colJSON + `,"=",1]]}`:     "values",
		`{"and":[[{"column":{"x":1}},"=",[]]]}`: "unknown field",
	} {
		var g FilterGroup
		if err := json.Unmarshal([]byte(wire), &g); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", wire, err, want)
		}
	}
}
