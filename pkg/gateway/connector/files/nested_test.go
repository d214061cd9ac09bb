//go:build cgo

package files

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/parquet-go/parquet-go"
)

func parsed(t *testing.T, s string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

// Nested values written by DuckDB read as DuckDB itself shows them as JSON.
func TestNestedAgainstDuckDB(t *testing.T) {
	dir := t.TempDir()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	path := filepath.Join(dir, "n.parquet")
	const source = `SELECT i AS id,
	CASE WHEN i % 7 <> 0 THEN list_transform(range(i % 5), x -> CASE WHEN x % 3 <> 1 THEN x + i END) END AS ints,
	CASE WHEN i % 11 <> 0 THEN {'a': i, 'b': {'c': 'text "' || i || '"' || chr(10), 'd': CASE WHEN i % 2 = 0 THEN [i / 4] END}} END AS s,
	list_transform(range(i % 4), x -> list_transform(range(x), y -> 'é' || y)) AS lists,
	list_transform(range(i % 3), x -> {'k': x, 'tags': list_transform(range(x), y -> CASE WHEN y > 0 THEN y END), 'none': NULL::INTEGER}) AS groups,
	CASE WHEN i % 5 <> 0 THEN map_from_entries(list_transform(range(i % 4), x -> {'k': 'k' || x, 'v': CASE WHEN x <> 2 THEN [x] END})) END AS m,
	map_from_entries([{'k': i, 'v': TRUE}]) AS numbered,
	[DATE '2024-02-29', NULL] AS days, [TIMESTAMP '2024-02-29 12:34:56.789'] AS moments, [uuid '00000000-0000-0000-0000-00000000000f'] AS ids
	FROM range(10000) t(i)`
	if _, err := db.Exec("COPY (" + source + ") TO '" + path + "' (FORMAT parquet, ROW_GROUP_SIZE 3000)"); err != nil {
		t.Fatal(err)
	}
	names := []string{"ints", "s", "lists", "groups", "m", "numbered", "days", "moments", "ids"}
	got, err := readAll(t, dir, "n", append([]string{"id"}, names...)...)
	if err != nil || len(got) != 10000 {
		t.Fatal(len(got), err)
	}
	var list []string
	for _, n := range names {
		list = append(list, "to_json("+n+")::VARCHAR")
	}
	rows, err := db.Query("SELECT id, " + strings.Join(list, ", ") + " FROM '" + path + "' ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for n := 0; rows.Next(); n++ {
		var id int64
		want := make([]sql.NullString, len(names))
		into := []any{&id}
		for i := range want {
			into = append(into, &want[i])
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		if got[n][0] != id {
			t.Fatalf("row %d has id %v", n, got[n][0])
		}
		for i, w := range want {
			if !w.Valid || w.String == "null" {
				if got[n][i+1] != nil {
					t.Fatalf("row %d, %s: %v, want NULL", n, names[i], got[n][i+1])
				}
				continue
			}
			if s, ok := got[n][i+1].(string); !ok || !reflect.DeepEqual(parsed(t, s), parsed(t, w.String)) {
				t.Fatalf("row %d, %s: %v, want %s", n, names[i], got[n][i+1], w.String)
			}
		}
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
}

// Files of other writers: lists without the group between, decimals, bytes, and a limit in the middle.
func TestNestedForms(t *testing.T) {
	type inner struct {
		N *float64 `parquet:"n,optional"`
		B []byte   `parquet:"b"`
	}
	type row struct {
		ID    int64            `parquet:"id"`
		Plain []int32          `parquet:"plain"`
		List  []string         `parquet:"list,list"`
		In    []inner          `parquet:"in"`
		Map   map[string]int64 `parquet:"map"`
		One   inner            `parquet:"one"`
	}
	var pq bytes.Buffer
	w := parquet.NewGenericWriter[row](&pq, parquet.MaxRowsPerRowGroup(2))
	half := 0.5
	in := []row{
		{1, []int32{1, 2}, []string{"a", ""}, []inner{{&half, []byte{0, 255}}, {nil, nil}}, map[string]int64{"k": 7},
			inner{nil, []byte("x")}},
		{ID: 2}, {3, []int32{-3}, []string{"<&>"}, nil, nil, inner{&half, nil}},
	}
	if _, err := w.Write(in); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "n.parquet"), pq.Bytes())
	got, err := readAll(t, dir, "n", "id", "plain", "list", "in", "map", "one")
	want := [][]any{
		{int64(1), `[1,2]`, `["a",""]`, `[{"n":0.5,"b":"AP8="},{"n":null,"b":""}]`, `{"k":7}`, `{"n":null,"b":"eA=="}`},
		{int64(2), `[]`, `[]`, `[]`, `{}`, `{"n":null,"b":""}`},
		{int64(3), `[-3]`, `["<&>"]`, `[]`, `{}`, `{"n":0.5,"b":""}`},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if got, err := readAll(t, dir, "n", "plain"); err != nil || fmt.Sprint(got) != "[[[1,2]] [[]] [[-3]]]" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestNestedRefusals(t *testing.T) {
	dir := t.TempDir()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("COPY (SELECT 1 AS id, ['nan'::DOUBLE] AS c) TO '" + filepath.Join(dir, "n.parquet") +
		"'"); err != nil {
		t.Fatal(err)
	}
	if rows, err := readAll(t, dir, "n", "c"); err == nil || !strings.Contains(err.Error(),
		`column "c": a nested value is NaN`) {
		t.Errorf("%v, %v", rows, err)
	}
	if rows, err := readAll(t, dir, "n", "id"); err != nil || len(rows) != 1 {
		t.Errorf("%v, %v", rows, err)
	}
}
