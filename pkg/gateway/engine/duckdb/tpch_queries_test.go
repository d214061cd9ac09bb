//go:build cgo

package duckdb

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// tpchColumns are the columns of TPC-H with the types that an import gives them.
const tpchColumns = `lineitem l orderkey bigint partkey bigint suppkey bigint linenumber bigint quantity decimal(15,2)
	extendedprice decimal(15,2) discount decimal(15,2) tax decimal(15,2) returnflag varchar linestatus
	varchar shipdate date commitdate date receiptdate date shipinstruct varchar shipmode varchar comment
	varchar;
orders o orderkey bigint custkey bigint orderstatus varchar totalprice decimal(15,2) orderdate date
	orderpriority varchar clerk varchar shippriority bigint comment varchar;
customer c custkey bigint name varchar address varchar nationkey bigint phone varchar acctbal
	decimal(15,2) mktsegment varchar comment varchar;
part p partkey bigint name varchar mfgr varchar brand varchar type varchar size bigint container varchar
	retailprice decimal(15,2) comment varchar;
partsupp ps partkey bigint suppkey bigint availqty bigint supplycost decimal(15,2) comment varchar;
supplier s suppkey bigint name varchar address varchar nationkey bigint phone varchar acctbal
	decimal(15,2) comment varchar;
nation n nationkey bigint name varchar regionkey bigint comment varchar;
region r regionkey bigint name varchar comment varchar`

// TestTPCHQueries runs the queries of TPC-H over imported tables of the smallest size, and compares with what DuckDB
// answers to the same text over the same rows. testdata/bench/tpch does it at full size.
func TestTPCHQueries(t *testing.T) {
	statements := []string{`CREATE SCHEMA d.native`}
	defined := map[string][]engine.ColumnDef{}
	for _, line := range strings.Split(tpchColumns, ";") {
		f := strings.Fields(line)
		table, prefix := f[0], f[1]+"_"
		var list []string
		for i := 2; i < len(f); i += 2 {
			defined[table] = append(defined[table], engine.ColumnDef{Name: prefix + f[i], Type: f[i+1]})
			list = append(list, fmt.Sprintf("CAST(%q AS %s) AS %s", f[i], f[i+1], prefix+f[i]))
		}
		statements = append(statements, `CREATE TABLE d.native.`+table+` AS SELECT `+strings.Join(list, ", ")+
			` FROM read_parquet(`+sqltext.Literal(filepath.Join(witnessDir, "tpch", table+".parquet"))+`)`)
	}
	p := preparedProject(t, statements)
	c, err := p.files.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for table, defs := range defined {
		makeTable(t, p, engine.SchemaTable, table, defs...)
		var text strings.Builder
		for i, d := range defs {
			if i > 0 {
				text.WriteByte(',')
			}
			text.WriteString(d.Name)
		}
		text.WriteByte('\n')
		if err := c.Query(t.Context(), `SELECT CAST(COLUMNS(*) AS VARCHAR) FROM "~data".native.`+table, nil,
			func(v []*string) error {
				for i, cell := range v {
					if i > 0 {
						text.WriteByte(',')
					}
					text.WriteString(`"` + strings.ReplaceAll(*cell, `"`, `""`) + `"`)
				}
				text.WriteByte('\n')
				return nil
			}); err != nil {
			t.Fatal(err)
		}
		mustImport(t, p, table, text.String())
	}
	files, err := filepath.Glob("testdata/tpch/q*.sql")
	if err != nil || len(files) != 22 {
		t.Fatalf("%d statements: %v", len(files), err)
	}
	if _, err := c.Exec(t.Context(), `USE "~data".native`); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := rows(t, p, sql.Query{SQL: string(text)})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		var want [][]string
		if err := c.Query(t.Context(), `SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (`+string(text)+`)`, nil,
			func(v []*string) error {
				row := make([]string, len(v))
				for i, cell := range v {
					if row[i] = "null"; cell != nil {
						row[i] = *cell
					}
				}
				want = append(want, row)
				return nil
			}); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		got := strings.Split(answer, "\n")
		if answer == "" {
			got = nil
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d rows, not %d", file, len(got), len(want))
			continue
		}
		for i := range got {
			cells := strings.Split(got[i], "|")
			for k := range cells {
				if len(cells) != len(want[i]) || !sameNumber(cells[k], want[i][k]) {
					t.Errorf("%s, row %d: %q, not %q", file, i, cells, want[i])
					break
				}
			}
		}
	}
}

// sameNumber compares texts; where DuckDB has a double, such as a mean of decimals, it must be the decimal of Trino
// after rounding.
func sameNumber(got, want string) bool {
	x, err1 := strconv.ParseFloat(got, 64)
	y, err2 := strconv.ParseFloat(want, 64)
	_, places, _ := strings.Cut(got, ".")
	_, theirs, _ := strings.Cut(want, ".")
	const exact = 17 // characters of a number that a double has
	switch {
	case got == want:
		return true
	case err1 != nil || err2 != nil:
		return false
	case len(theirs) <= len(places):
		return x == y && len(want) <= exact
	}
	return math.Abs(x-y) <= 0.5*math.Pow10(-len(places))+1e-12*math.Abs(y)
}
