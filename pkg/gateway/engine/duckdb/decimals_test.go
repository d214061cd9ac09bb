//go:build cgo

package duckdb

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// TestDecimalsOfEachWidth stores the largest and the smallest value of decimals of each physical width.
func TestDecimalsOfEachWidth(t *testing.T) {
	p := tableProject(t, t.TempDir())
	for _, c := range []struct {
		typ, stored string
		fit         []string
		misfits     map[string]string
	}{
		{"DECIMAL(1,0)", "DECIMAL(1,0)", []string{"9", "-9", "0", "5.0"}, map[string]string{
			"10": `value "10" is out of range for type numeric(1,0)`}},
		{"decimal(1,1)", "DECIMAL(1,1)", []string{"0.9", "-0.9", "0.0"}, map[string]string{
			"1":    `value "1" is out of range for type numeric(1,1)`,
			"0.95": `value "0.95" has more than 1 decimal places, which type numeric(1,1) cannot keep`}},
		{"decimal(4,2)", "DECIMAL(4,2)", []string{"99.99", "-99.99", "1.5e1"}, map[string]string{
			"100": `value "100" is out of range for type numeric(4,2)`}},
		{"decimal(9,0)", "DECIMAL(9,0)", []string{"999999999", "-999999999"}, nil},
		{"decimal(15,2)", "DECIMAL(15,2)", []string{"9999999999999.99", "-0.01"}, map[string]string{
			"1.005": `value "1.005" has more than 2 decimal places, which type numeric(15,2) cannot keep`}},
		{"decimal(18,18)", "DECIMAL(18,18)", []string{"0.999999999999999999"}, nil},
		{"decimal(19,1)", "DECIMAL(19,1)", []string{"999999999999999999.9", "-999999999999999999.9"}, nil},
		{"decimal(38,0)", "DECIMAL(38,0)", []string{strings.Repeat("9", 38), "-" + strings.Repeat("9", 38)},
			map[string]string{"1" + strings.Repeat("0", 38): "out of range for type numeric(38,0)"}},
		{"decimal(38,38)", "DECIMAL(38,38)", []string{"0." + strings.Repeat("9", 38)}, nil},
		{"decimal(38, 10)", "DECIMAL(38,10)", []string{"0.0000000001"}, map[string]string{
			"1e-11": `value "1e-11" has more than 10 decimal places, which type numeric cannot keep`}},
	} {
		name := strings.NewReplacer("(", "_", ",", "_", ")", "", " ", "").Replace(c.typ)
		makeTable(t, p, engine.SchemaTable, name, engine.ColumnDef{Name: "n", Type: c.typ, DefaultValue: ptr("0")})
		for _, v := range c.fit {
			mustImport(t, p, name, "n\n"+v+"\n")
		}
		table := `FROM "~data"."table".` + name
		if typ := one(t, p, `SELECT typeof(n) `+table+` LIMIT 1`); typ != c.stored {
			t.Errorf("%s is stored as %s", c.typ, typ)
		}
		for _, v := range c.fit {
			if n := one(t, p, `SELECT count(*) `+table+` WHERE n = CAST('`+v+`' AS `+c.stored+`)`); n != "1" {
				t.Errorf("%s: %s rows of %s", c.typ, n, v)
			}
		}
		for v, want := range c.misfits {
			if _, err := importText(t, p, engine.SchemaTable, name, "n\n"+v+"\n"); err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%s: %s: %v", c.typ, v, err)
			}
		}
	}
}

// TestImportsWidenDecimals imports values that need more digits than columns have, as small and as large documents,
// into tables with and without an index.
func TestImportsWidenDecimals(t *testing.T) {
	p := tableProject(t, t.TempDir())
	for _, rows := range []int{1, 200_000} {
		for _, unique := range []bool{false, true} {
			name := fmt.Sprintf("t%d%v", rows, unique)
			makeTable(t, p, engine.SchemaTable, name, engine.ColumnDef{Name: "id", Type: "bigint", Unique: &unique},
				engine.ColumnDef{Name: "n", Type: "decimal(3,2)", Widens: ptr(true)},
				engine.ColumnDef{Name: "kept", Type: "decimal(3,2)"},
				engine.ColumnDef{Name: "d", Type: "decimal(2,1)", Widens: ptr(true), DefaultValue: ptr("1.5")})
			mustImport(t, p, name, "id,n,kept\n-1,1.25,1.25\n")
			var b strings.Builder
			b.WriteString("id,n,kept\n")
			for i := range rows {
				fmt.Fprintf(&b, "%d,0.5,\n", i)
			}
			fmt.Fprintf(&b, "%d,-1234.5,\n%d,0.1250,9.99\n", rows, rows+1)
			good := b.String()
			types := func() (out []string) {
				cols, err := p.Columns(t.Context(), engine.SchemaTable, name)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range cols {
					if !c.System {
						out = append(out, fmt.Sprint(c.Type, c.Widens))
					}
				}
				return out
			}
			narrow := []string{"bigintfalse", "decimal(3,2)true", "decimal(3,2)false", "decimal(2,1)true"}
			for tail, want := range map[string]string{
				"x,1,1\n":        "invalid input syntax for type bigint",
				"-5,\u00a05,1\n": "invalid input syntax for type numeric(3,2)",
				"-5,,10\n":       `value "10" is out of range for type numeric(3,2)`,
				"-5,1e40,1\n":    "out of range for type numeric(3,2)",
			} {
				if _, err := importText(t, p, engine.SchemaTable, name, good+tail); err == nil ||
					!strings.Contains(err.Error(), want) {
					t.Errorf("%s: %q: %v", name, tail, err)
				}
			}
			if unique {
				if _, err := importText(t, p, engine.SchemaTable, name, good+"-1,1,1\n"); kindOf(err) !=
					engine.KindValue && err == nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			if got := types(); !reflect.DeepEqual(got, narrow) {
				t.Errorf("%s: after refused imports %q", name, got)
			}
			if n := one(t, p, `SELECT count(*) FROM "~data"."table".`+name); n != "1" {
				t.Errorf("%s: %s rows after refused imports", name, n)
			}
			mustImport(t, p, name, good)
			if got, want := types(), []string{"bigintfalse", "decimal(7,3)true", "decimal(3,2)false",
				"decimal(2,1)true"}; !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %q", name, got)
			}
			got := one(t, p, `SELECT concat_ws(' ', count(*), count(DISTINCT _id), typeof(any_value(n)), min(n), `+
				`max(n), sum(n), max(kept), sum(d)) FROM "~data"."table".`+name)
			if want := fmt.Sprintf("%d %[1]d DECIMAL(7,3) -1234.500 1.250 %.3f 9.99 %.1f", rows+3,
				float64(rows)*0.5+1.25-1234.5+0.125, float64(rows+3)*1.5); got != want {
				t.Errorf("%s: %s, not %s", name, got, want)
			}
			mustImport(t, p, name, "id,n\n-2,1\n") // and again without a change
		}
	}
}

// TestDecimalsChangeTheirPrecision retypes a column of an earlier version and one that imports widen.
func TestDecimalsChangeTheirPrecision(t *testing.T) {
	p := tableProject(t, t.TempDir())
	makeTable(t, p, engine.SchemaTable, "t", engine.ColumnDef{Name: "n", Type: "decimal"},
		engine.ColumnDef{Name: "w", Type: "decimal(3,2)", Widens: ptr(true)})
	mustImport(t, p, "t", "n,w\n1234.50,1.25\n-0.25,\n")
	for _, c := range []struct{ column, typ, want string }{
		{"n", "decimal(6,2)", "decimal(6,2)false 1234.50 -0.25"},
		{"n", "decimal(5,2)", `value "1234.50" is out of range for type numeric(5,2)`},
		{"n", "decimal(6,1)", `value "-0.25" has more than 1 decimal places, which type numeric(6,1) cannot keep`},
		{"n", "decimal", "decimalfalse 1234.5000000000 -0.2500000000"},
		{"w", "decimal(3,2)", "decimal(3,2)true 1.25 ∅"},
		{"w", "decimal(9,3)", "decimal(9,3)false 1.250 ∅"},
		{"w", "decimal(39,3)", `data type "decimal(39,3)" is not allowed`},
	} {
		cols, err := p.UpdateColumn(t.Context(), engine.SchemaTable, "t", c.column, engine.ColumnDef{Type: c.typ})
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(cols[0].Type, cols[0].Widens, " ", strings.Join(rowsOf(t, p, `SELECT `+c.column+
				` FROM "~data"."table".t`), " "))
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s to %s: %s", c.column, c.typ, got)
		}
	}
}
