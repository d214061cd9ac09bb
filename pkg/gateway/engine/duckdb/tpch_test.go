//go:build cgo

package duckdb

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/enginetest/answers"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

const witnessDir = "../../../trinosql/witness/testdata"

// tpchTypes are the columns whose types DuckDB's do not tell.
var tpchTypes = map[string]string{
	"nation": "name 25 comment 152", "region": "name 25 comment 152",
	"orders":   "orderstatus 1 orderpriority 15 clerk 15 comment 79",
	"customer": "name 25 address 40 phone 15 mktsegment 10 comment 117",
	"supplier": "name 25 address 40 phone 15 comment 101",
	"lineitem": "returnflag 1 linestatus 1 shipinstruct 25 shipmode 10 comment 44",
	"part":     "name 55 mfgr 25 brand 10 type 25 container 10 comment 23", "partsupp": "comment 199",
}

// tpchProject is a project whose statements see the tables of Trino's catalog tpch in the schema tiny, in which their
// names are completed.
func tpchProject(t *testing.T) (*project, sql.Catalogs) {
	t.Helper()
	statements := []string{`CREATE SCHEMA d.tpch`}
	for table, lengths := range tpchTypes {
		statements = append(statements, `CREATE TABLE d.tpch.`+table+` AS SELECT * FROM read_parquet(`+
			sqltext.Literal(filepath.Join(witnessDir, "tpch", table+".parquet"))+`)`)
		words := strings.Fields(lengths)
		for i := 0; i < len(words); i += 2 {
			statements = append(statements, `COMMENT ON COLUMN d.tpch.`+table+`.`+words[i]+` IS 'varchar(`+words[i+1]+
				`)'`)
		}
	}
	return preparedProject(t, statements), tpchCatalog{}
}

// preparedProject is a project whose data file is made by DuckDB itself, which has it attached as d.
func preparedProject(t *testing.T, statements []string) *project {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "tpch", "data.duckdb")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	var db bindings.Database
	var c bindings.Connection
	if bindings.Open("", &db) == bindings.StateError || bindings.Connect(db, &c) == bindings.StateError {
		t.Fatal("no DuckDB can be opened")
	}
	defer bindings.Close(&db)
	defer bindings.Disconnect(&c)
	all := append([]string{`ATTACH ` + sqltext.Literal(file) + ` AS d`}, statements...)
	for _, text := range append(all, `DETACH d`) {
		var res bindings.Result
		if bindings.Query(c, text, &res) == bindings.StateError {
			t.Fatalf("%s: %s", text, bindings.ResultError(&res))
		}
		bindings.DestroyResult(&res)
	}
	return testProject(t, testEngine(t, dir, withIDs), "tpch")
}

// tpchTables are the catalog and schema that complete the names of tables.
var tpchTables = engine.TableName{Catalog: "tpch", Schema: "tiny"}

type tpchCatalog struct{ sql.Own }

func (tpchCatalog) Lookup(_ context.Context, n engine.TableName) (sql.Source, error) {
	err := answers.Elsewhere(n)
	if err == nil && tpchTypes[n.Table] == "" {
		err = engine.UnknownTable(n)
	}
	return sql.Source{Base: &engine.TableName{Schema: "tpch", Table: n.Table}}, err
}

func (c tpchCatalog) List(ctx context.Context, catalogs []string) ([]engine.TableName, error) {
	all, err := c.Own.List(ctx, catalogs)
	for t := range tpchTypes {
		all = append(all, engine.TableName{Catalog: "tpch", Schema: "tiny", Table: t})
	}
	return all, err
}
