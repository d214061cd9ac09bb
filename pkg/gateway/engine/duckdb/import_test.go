//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

func allTypes() []engine.ColumnDef {
	var defs []engine.ColumnDef
	for _, s := range []string{"VARCHAR", "BIGINT", "BOOLEAN", "DECIMAL", "TIMESTAMP", "TIME", "DATE", "UUID"} {
		defs = append(defs, engine.ColumnDef{Name: "c_" + strings.ToLower(s), Type: s})
	}
	return defs
}

func TestImportKeepsValuesExactly(t *testing.T) {
	p := tableProject(t, t.TempDir())
	tests := []struct{ typ, in, want string }{
		{"varchar", `plain`, "plain"},
		{"varchar", `  two  `, "  two  "},
		{"varchar", ``, "∅"},
		{"varchar", `""`, ""},
		{"varchar", `\N`, "∅"},
		{"varchar", `"\N"`, `\N`},
		{"varchar", `NULL`, "NULL"},
		{"varchar", `"a ""b"", c"`, `a "b", c`},
		{"varchar", `""""`, `"`},
		{"varchar", "\"l1\nl2\r\nl3\"", "l1\nl2\r\nl3"},
		{"varchar", `twelve bytes`, "twelve bytes"},
		{"varchar", `thirteen byte`, "thirteen byte"},
		{"varchar", `👩‍👩‍👧 ñ 日本`, "👩‍👩‍👧 ñ 日本"},
		{"bigint", `9223372036854775807`, "9223372036854775807"},
		{"bigint", `-9223372036854775808`, "-9223372036854775808"},
		{"bigint", ` +007 `, "7"},
		{"bigint", `"5"`, "5"},
		{"bigint", `9223372036854775808`, `value "9223372036854775808" is out of range for type bigint`},
		{"bigint", `99999999999999999999999999`, `value "99999999999999999999999999" is out of range for type bigint`},
		{"bigint", `1.0`, `invalid input syntax for type bigint: "1.0"`},
		{"bigint", `1e3`, `invalid input syntax for type bigint: "1e3"`},
		{"bigint", `0x10`, `invalid input syntax for type bigint: "0x10"`},
		{"bigint", `1_000`, `invalid input syntax for type bigint: "1_000"`},
		{"bigint", `""`, `invalid input syntax for type bigint: ""`},
		{"bigint", ` `, `invalid input syntax for type bigint: " "`},
		{"bigint", `-`, `invalid input syntax for type bigint: "-"`},
		{"boolean", `t`, "true"}, {"boolean", `TRUE`, "true"}, {"boolean", `Yes`, "true"}, {"boolean", `on`, "true"},
		{"boolean", `1`, "true"},
		{"boolean", `f`, "false"}, {"boolean", `fals`, "false"}, {"boolean", `n`, "false"}, {"boolean", `of`, "false"},
		{"boolean", ` 0 `, "false"},
		{"boolean", `o`, `invalid input syntax for type boolean: "o"`},
		{"boolean", `truee`, `invalid input syntax for type boolean: "truee"`},
		{"boolean", `2`, `invalid input syntax for type boolean: "2"`},
		{"boolean", `01`, `invalid input syntax for type boolean: "01"`},
		{"decimal", `12.5`, "12.5000000000"},
		{"decimal", `-0.0000000001`, "-0.0000000001"},
		{"decimal", `.5`, "0.5000000000"},
		{"decimal", `5.`, "5.0000000000"},
		{"decimal", `1.5e3`, "1500.0000000000"},
		{"decimal", `1E-10`, "0.0000000001"},
		{"decimal", `1.00000000000000`, "1.0000000000"},
		{"decimal", `0e999`, "0.0000000000"},
		{"decimal", `9999999999999999999999999999.9999999999`, "9999999999999999999999999999.9999999999"},
		{"decimal", `-9999999999999999999999999999.9999999999`, "-9999999999999999999999999999.9999999999"},
		{"decimal", `10000000000000000000000000000`,
			`value "10000000000000000000000000000" is out of range for type numeric`},
		{"decimal", `1e400`, `value "1e400" is out of range for type numeric`},
		{"decimal", `0.00000000001`,
			`value "0.00000000001" has more than 10 decimal places, which type numeric cannot keep`},
		{"decimal", `1e-11`, `value "1e-11" has more than 10 decimal places, which type numeric cannot keep`},
		{"decimal", `NaN`, `invalid input syntax for type numeric: "NaN"`},
		{"decimal", `1,5`, "two fields"},
		{"decimal", `"1,5"`, `invalid input syntax for type numeric: "1,5"`},
		{"decimal", `1e`, `invalid input syntax for type numeric: "1e"`},
		{"decimal", `1e 5`, `invalid input syntax for type numeric: "1e 5"`},
		{"decimal", `.`, `invalid input syntax for type numeric: "."`},
		{"timestamp", `2024-02-29 23:59:59.123456`, "2024-02-29 23:59:59.123456"},
		{"timestamp", `2024-02-29T23:59`, "2024-02-29 23:59:00"},
		{"timestamp", `1900-03-01`, "1900-03-01 00:00:00"},
		{"timestamp", `1969-12-31T23:59:59.9Z`, "1969-12-31 23:59:59.9"},
		{"timestamp", `2024-01-01 00:00:00+00:00`, "2024-01-01 00:00:00"},
		{"timestamp", `2024-01-01 00:00:00.1234560`, "2024-01-01 00:00:00.123456"},
		{"timestamp", `2024-01-01 00:00:00+02`,
			`value "2024-01-01 00:00:00+02" has an offset from UTC, which type timestamp cannot keep`},
		{"timestamp", `2024-01-01 00:00:00.1234567`,
			`value "2024-01-01 00:00:00.1234567" has more than 6 decimal places, which type timestamp cannot keep`},
		{"timestamp", `2024-01-01 24:00:00`, `date/time field value out of range: "2024-01-01 24:00:00"`},
		{"timestamp", `2023-02-29 00:00`, `date/time field value out of range: "2023-02-29 00:00"`},
		{"timestamp", `now`, `invalid input syntax for type timestamp: "now"`},
		{"timestamp", `2024-01-01 1:00`, `invalid input syntax for type timestamp: "2024-01-01 1:00"`},
		{"timestamp", `2024-01-01 01:00:000`, `invalid input syntax for type timestamp: "2024-01-01 01:00:000"`},
		{"time", `00:00`, "00:00:00"},
		{"time", `23:59:59.999999`, "23:59:59.999999"},
		{"time", `24:00`, `date/time field value out of range: "24:00"`},
		{"time", `10:00Z`, `value "10:00Z" has an offset from UTC, which type time cannot keep`},
		{"time", `10`, `invalid input syntax for type time: "10"`},
		{"date", `2000-02-29`, "2000-02-29"},
		{"date", `0001-01-01`, "0001-01-01"},
		{"date", `9999-12-31`, "9999-12-31"},
		{"date", `1900-02-29`, `date/time field value out of range: "1900-02-29"`},
		{"date", `2024-13-01`, `date/time field value out of range: "2024-13-01"`},
		{"date", `0000-01-01`, `date/time field value out of range: "0000-01-01"`},
		{"date", `31.12.2024`, `invalid input syntax for type date: "31.12.2024"`},
		{"date", `2024-1-5`, `invalid input syntax for type date: "2024-1-5"`},
		{"date", `2024-01-01 00:00`, `invalid input syntax for type date: "2024-01-01 00:00"`},
		{"uuid", `A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11`, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
		{"uuid", `{00000000000000000000000000000000}`, "00000000-0000-0000-0000-000000000000"},
		{"uuid", `ffffffff-ffff-ffff-ffff-ffffffffffff`, "ffffffff-ffff-ffff-ffff-ffffffffffff"},
		{"uuid", `a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1`,
			`invalid input syntax for type uuid: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1"`},
		{"uuid", `a0e-ebc999c0b4ef8bb6d6bb9bd380a11`,
			`invalid input syntax for type uuid: "a0e-ebc999c0b4ef8bb6d6bb9bd380a11"`},
	}
	for _, typ := range allTypes() {
		typ.Name = "v"
		makeTable(t, p, engine.SchemaTable, typ.Type, typ)
	}
	for _, tt := range tests {
		_, err := importText(t, p, engine.SchemaTable, tt.typ, "v\n"+tt.in+"\n")
		var ie *engine.ImportError
		switch {
		case errors.As(err, &ie):
			if tt.want == "two fields" && strings.Contains(ie.Cells[0].Reason, "2 fields") {
				continue
			}
			if len(ie.Cells) != 1 || ie.Cells[0].Reason != tt.want || ie.Cells[0].Line != 2 ||
				ie.Cells[0].Column != "v" {
				t.Errorf("%s %q: %+v, want %q", tt.typ, tt.in, ie, tt.want)
			}
		case err != nil:
			t.Errorf("%s %q: %v", tt.typ, tt.in, err)
		default:
			got := rowsOf(t, p, `SELECT v FROM "~data"."table".`+tt.typ+` ORDER BY _id DESC LIMIT 1`)
			if got[0] != tt.want {
				t.Errorf("%s %q: %q, want %q", tt.typ, tt.in, got[0], tt.want)
			}
		}
	}
}

func TestImportForms(t *testing.T) {
	p := tableProject(t, t.TempDir())
	tests := []struct {
		name, text string
		want       []string // rows, or one text that begins with "error: "
	}{
		{"empty", "", nil},
		{"only a mark", "\ufeff", nil},
		{"only a header", "a,b", nil},
		{"mark, CRLF, no last line end", "\ufeffa,b\r\n1,x\r\n2,y", []string{"1|x", "2|y"}},
		{"order by name", "b,a\nx,1\n", []string{"1|x"}},
		{"more columns than mapped", "a,z,b\n1,zz,x\n", []string{"1|x"}},
		{"blank lines", "a,b\n\n1,x\n\r\n\n2,y\n\n", []string{"1|x", "2|y"}},
		{"marks of NULL", "a,b\n1,\\N\n", []string{`1|\N`}},
		{"empty cells", "a,b\n,\n,\"\"\n", []string{"∅|∅", "∅|"}},
		{"line end in quotes", "a,b\n1,\"x\ny\"\n2,z\n", []string{"1|x\ny", "2|z"}},
		{"too few", "a,b\n1,\"x\ny\"\n2\n3,z\n",
			[]string{"error: line 4: the record has 1 fields, the first one has 2"}},
		{"too many", "a,b\n1,x,\n", []string{"error: line 2: the record has 3 fields, the first one has 2"}},
		{"bare quote", "a,b\n1,x\"y\n", []string{`error: line 2: a quote within the unquoted field "x"`}},
		{"text after quote", "a,b\n1,\"x\" \n", []string{`error: line 2: text after the closing quote of field "x"`}},
		{"open quote", "a,b\n1,x\n2,\"x\n\n",
			[]string{"error: line 3: a quoted field is not closed at the end of the document"}},
		{"lone CR", "a,b\n1,x\r2,y\n", []string{"error: line 2: a carriage return without a line feed outside quotes"}},
		{"not UTF-8", "a,b\n1,x\n2,\"\n\xff\"\n",
			[]string{`error: line 3, column "b": invalid byte sequence for encoding "UTF8"`}},
		{"not UTF-8 elsewhere", "a,b,c\n1,x,\xe4\n",
			[]string{`error: line 2, column "c": invalid byte sequence for encoding "UTF8"`}},
		{"NUL", "a,b\n1,x\x00y\n", []string{"1|x\x00y"}},
		{"lines after quotes", "a,b\n1,\"x\n\n\n\"\nq,y\n",
			[]string{`error: line 6, column "a": invalid input syntax for type bigint: "q"`}},
	}
	for i, tt := range tests {
		name := fmt.Sprintf("t%d", i)
		makeTable(t, p, engine.SchemaTable, name, engine.ColumnDef{Name: "a", Type: "bigint"},
			engine.ColumnDef{Name: "b", Type: "varchar"})
		for _, window := range []int{1, 3, 1 << 20} {
			m := engine.Import{Header: true, Mappings: []api.ImportMapping{{Name: "a", CSVColumnName: "a"},
				{Name: "b", CSVColumnName: "b"}}}
			n, err := p.ImportCSV(t.Context(), engine.SchemaTable, name, &dribble{tt.text, window}, m)
			if err != nil {
				if len(tt.want) != 1 || "error: "+err.Error() != tt.want[0] {
					t.Errorf("%s: %v", tt.name, err)
				}
				if n, _ := p.RowCount(t.Context(), engine.SchemaTable, name); n != 0 {
					t.Errorf("%s left %d rows", tt.name, n)
				}
				continue
			}
			got := rowsOf(t, p, `SELECT a, b FROM "~data"."table".`+name+` ORDER BY _id DESC LIMIT `+
				strconv.FormatInt(n.Rows, 10))
			if int(n.Rows) != len(tt.want) {
				t.Errorf("%s: %v rows", tt.name, n)
			}
			for k := range got {
				if got[k] != tt.want[len(got)-1-k] {
					t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
				}
			}
		}
	}
}

// dribble hands a text out in small pieces.
type dribble struct {
	text string
	size int
}

func (d *dribble) Read(p []byte) (int, error) {
	if d.text == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), d.size)], d.text)
	d.text = d.text[n:]
	return n, nil
}

func TestMappingIsCheckedBeforeRows(t *testing.T) {
	p := tableProject(t, t.TempDir())
	makeTable(t, p, engine.SchemaTable, "t", engine.ColumnDef{Name: "amount", Type: "bigint",
		DisplayName: ptr("Shown")},
		engine.ColumnDef{Name: "name", Type: "varchar"})
	byName := func(name, csv string) api.ImportMapping { return api.ImportMapping{Name: name, CSVColumnName: csv} }
	at := func(name string, i int64) api.ImportMapping { return api.ImportMapping{Name: name, CSVColumnIndex: &i} }
	tests := []struct {
		header bool
		maps   []api.ImportMapping
		text   string
		want   string // of the message, empty when it must succeed
	}{
		{true, []api.ImportMapping{byName("AMOUNT", "Amount")}, "Amount,Name\n1,x\n", ""},
		{false, []api.ImportMapping{at("amount", 1), at("text", 0)}, "x,1\ny,2\n", ""},
		{true, []api.ImportMapping{at("amount", 0)}, "x\n1\n", ""},
		{true, nil, "x\n", "maps no column"},
		{true, []api.ImportMapping{byName("amount", "amuont")}, "Amount,Name\n",
			`the document has no column "amuont"; did you mean "Amount"?`},
		{true, []api.ImportMapping{byName("amount", "zzz")}, "Amount,Name\n", `it has "Amount", "Name"`},
		{true, []api.ImportMapping{byName("amonut", "Amount")}, "Amount\n",
			`table "t" has no column "amonut"; did you mean "amount"?`},
		{true, []api.ImportMapping{byName("Shown", "Amount")}, "Amount\n", `has no column "Shown"`},
		{true, []api.ImportMapping{byName("_id", "Amount")}, "Amount\n", `"_id" is filled by the system`},
		{true, []api.ImportMapping{byName("amount", "A"), byName("Amount", "B")}, "A,B\n", `"amount" is mapped twice`},
		{true, []api.ImportMapping{{Name: "amount"}}, "A\n", "neither csvColumnName nor csvColumnIndex"},
		{true, []api.ImportMapping{{Name: "amount", CSVColumnName: "A", CSVColumnIndex: ptr[int64](0)}}, "A\n",
			"both csvColumnName and csvColumnIndex"},
		{false, []api.ImportMapping{byName("amount", "A")}, "1\n", "containsHeader is false"},
		{true, []api.ImportMapping{at("amount", 2)}, "A,B\n1,2\n",
			"csvColumnIndex 2 is out of range: the document has 2 columns"},
		{false, []api.ImportMapping{at("amount", 1<<40)}, "1,2\n", "out of range"},
		{true, []api.ImportMapping{at("amount", -1)}, "A\n", "csvColumnIndex -1"},
		{true, []api.ImportMapping{byName("amount", "A")}, "A,A\n1,2\n", `names column "A" twice`},
		{true, []api.ImportMapping{byName("", "A")}, "A\n", "mapping 1 names no column"},
	}
	for _, tt := range tests {
		before, _ := p.RowCount(t.Context(), engine.SchemaTable, "t")
		_, err := p.ImportCSV(t.Context(), engine.SchemaTable, "t", strings.NewReader(tt.text),
			engine.Import{Mappings: tt.maps, Header: tt.header})
		if tt.want == "" {
			if err != nil {
				t.Errorf("%+v: %v", tt.maps, err)
			}
			continue
		}
		var ie *engine.ImportError
		if !errors.As(err, &ie) || !strings.Contains(ie.Message, tt.want) {
			t.Errorf("%+v: %v, want %q", tt.maps, err, tt.want)
		}
		if after, _ := p.RowCount(t.Context(), engine.SchemaTable, "t"); after != before {
			t.Errorf("%+v: %d rows came in", tt.maps, after-before)
		}
	}
	if _, err := p.ImportCSV(t.Context(), engine.SchemaTable, "nope", strings.NewReader("a\n"),
		engine.Import{}); kindOf(err) != engine.KindUnknownTable {
		t.Errorf("an unknown table: %v", err)
	}
	m := engine.Import{Mappings: []api.ImportMapping{at("amount", 0)}, MaxBytes: 10}
	if _, err := p.ImportCSV(t.Context(), engine.SchemaTable, "t", strings.NewReader("1\n2\n3\n4\n5\n6\n"),
		m); kindOf(err) != engine.KindLimit {
		t.Errorf("too large: %v", err)
	}
	broken := io.MultiReader(strings.NewReader("1\n2\n"), &failing{})
	if _, err := p.ImportCSV(t.Context(), engine.SchemaTable, "t", broken,
		engine.Import{Mappings: m.Mappings}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a cut document: %v", err)
	}
	left, err := os.ReadDir(p.files.Dir + "/tmp")
	if err != nil && !errors.Is(err, os.ErrNotExist) || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestConcurrentImportsAllSucceed(t *testing.T) {
	p := tableProject(t, t.TempDir())
	makeTable(t, p, engine.SchemaTable, "a", allTypes()...)
	makeTable(t, p, engine.SchemaTable, "b", engine.ColumnDef{Name: "c_bigint", Type: "bigint", Unique: ptr(true)})
	const workers, rows = 8, 3000
	var wg sync.WaitGroup
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var b strings.Builder
			b.WriteString("c_bigint\n")
			for i := range rows {
				fmt.Fprintln(&b, w*rows+i)
			}
			table := []string{"a", "b"}[w%2]
			if n, err := importText(t, p, engine.SchemaTable, table, b.String()); err != nil || n != rows {
				t.Errorf("%d, %v", n, err)
			}
			if _, err := p.AddColumns(t.Context(), engine.SchemaTable, "a",
				[]engine.ColumnDef{{Name: fmt.Sprintf("w%d", w), Type: "date"}}); err != nil {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
	const total = workers * rows
	got := one(t, p,
		`SELECT CAST(count(DISTINCT _id) AS VARCHAR) || ' ' || CAST(count(*) AS VARCHAR) || ' ' || CAST(min(length(CAST(_id AS VARCHAR))) AS VARCHAR)
		FROM (SELECT _id FROM "~data"."table".a UNION ALL SELECT _id FROM "~data"."table".b)`)
	if got != fmt.Sprintf("%d %d 19", total, total) {
		t.Errorf("distinct ids, rows, length: %s", got)
	}
}

func TestRowIDsNeverComeBack(t *testing.T) {
	dir := t.TempDir()
	p := tableProject(t, dir)
	top := func() int64 {
		n, err := strconv.ParseInt(one(t, p, `SELECT max(_id) FROM "~data"."table".t`), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	var rows strings.Builder
	rows.WriteString("text\n")
	for range 20000 { // some 20 ms worth of ids, so that the clock is behind afterwards
		rows.WriteString("x\n")
	}
	var last int64
	for round := range 3 {
		makeTable(t, p, engine.SchemaTable, "t")
		for range 2 {
			mustImport(t, p, "t", rows.String())
			if n := top(); n <= last {
				t.Fatalf("round %d: %d after %d", round, n, last)
			} else {
				last = n
			}
		}
		if n := one(t, p, `SELECT count(DISTINCT _id) FROM "~data"."table".t`); n != "40000" {
			t.Errorf("%s distinct ids", n)
		}
		if err := p.DropTable(t.Context(), engine.SchemaTable, "t"); err != nil {
			t.Fatal(err)
		}
		if round == 1 {
			if err := p.files.Close(); err != nil {
				t.Fatal(err)
			}
			p = tableProject(t, dir)
		}
	}
}

func TestImportEndsWithItsContext(t *testing.T) {
	p := tableProject(t, t.TempDir())
	makeTable(t, p, engine.SchemaTable, "t", engine.ColumnDef{Name: "a", Type: "bigint"})
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	go func() {
		for i := 0; ; i++ {
			if i == 1000 {
				cancel()
			}
			if _, err := fmt.Fprintf(out, "%d\n", i); err != nil {
				return
			}
		}
	}()
	_, err := p.ImportCSV(ctx, engine.SchemaTable, "t", in,
		engine.Import{Mappings: []api.ImportMapping{{Name: "a", CSVColumnIndex: ptr[int64](0)}}})
	_ = in.Close()
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	mustImport(t, p, "t", "a\n1\n")
}
