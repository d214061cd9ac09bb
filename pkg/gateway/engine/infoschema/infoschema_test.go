package infoschema

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/narrow"
	"github.com/dig-cli/dig/pkg/trinosql/witness"
)

func project() []engine.TableName {
	return All([]engine.TableName{{Catalog: "peaka", Schema: "table"}, {Catalog: "peaka", Schema: "bitable"},
		{Catalog: "peaka", Schema: "mtquery"}, {Catalog: "pg", Schema: "public", Table: "b"},
		{Catalog: "pg", Schema: "public",
			Table: "a"}, {Catalog: "pg", Schema: "public", Table: "a"},
		{Catalog: "peaka", Schema: "query", Table: "q"}})
}

func equals(column, value string) []narrow.Condition {
	return []narrow.Condition{{Column: column, Op: "=", Values: []narrow.Constant{{Kind: narrow.Text, Text: value}}}}
}

func TestRows(t *testing.T) {
	for _, c := range []struct {
		got  any
		want string
	}{
		{Schemata(Wanted(project(), "", nil)), "[[peaka bitable] [peaka information_schema] [peaka mtquery] [peaka " +
			"query] [peaka table] [pg information_schema] [pg public]]"},
		{Tables(Wanted(project(), "", equals("TABLE_SCHEMA", "query"))), "[[peaka query q VIEW]]"},
		{Tables(Wanted(project(), "pg", nil)), "[[pg information_schema columns VIEW] [pg information_schema " +
			"schemata VIEW] [pg information_schema tables VIEW] [pg public a BASE TABLE] [pg public b BASE TABLE]]"},
		{Tables(Wanted(project(), "pg", equals("table_name", "b"))), "[[pg public b BASE TABLE]]"},
		// left to the engine
		{Tables(Wanted(project(), "pg", equals("table_type", "VIEW"))[3:]),
			"[[pg public a BASE TABLE] [pg public b BASE TABLE]]"},
		{ColumnsOf(engine.TableName{Catalog: "pg", Schema: "public", Table: "a"},
			[]engine.ColumnInfo{{Name: "x", Type: "bigint"}, {Name: "y", Type: "varchar", Nullable: true}}),
			"[[pg public a x 1 <nil> NO bigint] [pg public a y 2 <nil> YES varchar]]"},
		{Catalogs("pg", Columns["tables"], nil), "[pg]"},
		{Catalogs("", Columns["tables"], equals("table_catalog", "pg")), "[pg]"},
		{Catalogs("", Columns["schemata"], equals("table_catalog", "pg")), "[]"},
	} {
		if got := fmt.Sprint(c.got); got != c.want {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
	}
}

func TestShow(t *testing.T) {
	for _, c := range []struct {
		what, catalog, schema, want string
		kind                        engine.Kind
	}{
		{"Catalog", "", "", "peaka pg", ""},
		{"Schema", "pg", "", "information_schema public", ""},
		{"Schema", "nosuch", "", "", engine.KindUnknownCatalog},
		{"Table", "pg", "public", "a b", ""},
		{"Table", "peaka", "table", "", ""},
		{"Table", "pg", "nosuch", "", engine.KindUnknownSchema},
	} {
		names, err := Show(c.what, engine.TableName{Catalog: c.catalog, Schema: c.schema}, project())
		var e *engine.Error
		if got := strings.Join(names, " "); got != c.want || errors.As(err, &e) != (c.kind != "") || e != nil &&
			e.Kind != c.kind {
			t.Errorf("%s of %s.%s: %s, %v", c.what, c.catalog, c.schema, got, err)
		}
	}
}

func TestScan(t *testing.T) {
	r := &Rows{Cols: Columns["schemata"], Data: [][]any{{"a", "b"}}}
	b, err := r.Scan(context.Background(), engine.ScanRequest{Columns: []string{"schema_name", "catalog_name"}})
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := b.Next(context.Background()); err != nil || !slices.Equal(rows[0], []any{"b", "a"}) {
		t.Errorf("%v, %v", rows, err)
	}
	if _, err := r.Scan(context.Background(), engine.ScanRequest{Columns: []string{"nosuch"}}); err == nil {
		t.Error("a column that is not there is read")
	}
}

// TestSystemColumns compares the columns of the tables of the catalog system with those of Trino.
func TestSystemColumns(t *testing.T) {
	_, answers, err := witness.Answers("../../../trinosql/witness/testdata/system")
	if err != nil || len(answers) < 20 {
		t.Fatal(len(answers), err)
	}
	for text, a := range answers {
		parts := strings.Split(strings.TrimPrefix(text, "SELECT * FROM "), ".")
		cols, err := Described(engine.TableName{Catalog: parts[0], Schema: parts[1], Table: parts[2]})
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		var have [][2]string
		for _, c := range cols {
			have = append(have, [2]string{c.Name, c.Type})
		}
		if !slices.Equal(have, a.Columns) {
			t.Errorf("%s\n\twe say    %v\n\tTrino says %v", text, have, a.Columns)
		}
	}
}
