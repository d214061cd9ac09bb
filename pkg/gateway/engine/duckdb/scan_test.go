//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/sql"
)

// oneSource is a catalog whose every name stands for one source.
type oneSource struct {
	sql.Own
	src engine.Scanner
}

func (o oneSource) Lookup(context.Context, engine.TableName) (sql.Source, error) {
	return sql.Source{Scan: o.src}, nil
}

// heldRows is a source with rows of texts; a nil one is NULL. It remembers what was asked of it.
type heldRows struct {
	cols  []engine.ColumnInfo
	rows  [][]any
	fills bool // writes into the engine's columns itself

	mu    sync.Mutex // threads of the engine begin scans
	asked []engine.ScanRequest
}

func (h *heldRows) Columns(context.Context) ([]engine.ColumnInfo, error) { return h.cols, nil }

func (h *heldRows) note(req engine.ScanRequest) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, req)
}

// requests are those so far.
func (h *heldRows) requests() []engine.ScanRequest {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.asked)
}

func (h *heldRows) Scan(_ context.Context, req engine.ScanRequest) (engine.Batches, error) {
	h.note(req)
	b := &heldBatches{rows: h.rows}
	for _, name := range req.Columns {
		for i, c := range h.cols {
			if c.Name == name {
				b.cols = append(b.cols, i)
			}
		}
	}
	if h.fills {
		return heldFiller{b}, nil
	}
	return b, nil
}

type heldBatches struct {
	rows [][]any
	cols []int
}

func (b *heldBatches) Next(context.Context) ([][]any, error) {
	if len(b.rows) == 0 {
		return nil, io.EOF
	}
	n := min(len(b.rows), 3000) // not the size of a chunk
	out := make([][]any, n)
	for r := range out {
		for _, c := range b.cols {
			out[r] = append(out[r], b.rows[r][c])
		}
	}
	b.rows = b.rows[n:]
	return out, nil
}

func (*heldBatches) Close() error { return nil }

type heldFiller struct{ *heldBatches }

func (b heldFiller) Fill(_ context.Context, cols []engine.Vector, n int) (int, error) {
	n = min(n, len(b.rows), 700)
	if n == 0 {
		return 0, io.EOF
	}
	for r, row := range b.rows[:n] {
		for i, c := range b.cols {
			if row[c] == nil {
				cols[i].Null(r)
			} else if err := cols[i].Bytes(r, []byte(row[c].(string))); err != nil {
				return 0, err
			}
		}
	}
	b.rows = b.rows[n:]
	return n, nil
}

// Texts of all lengths and decimals of all widths come out as they went in, by both ways into the engine.
func TestScanKeepsValues(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	rnd := rand.New(rand.NewPCG(1, 2))
	h := &heldRows{cols: []engine.ColumnInfo{{Name: "t", Type: "varchar"}, {Name: "d4", Type: "decimal(4,2)"},
		{Name: "d9", Type: "decimal(9,0)"},
		{Name: "d18", Type: "decimal(18,18)"}, {Name: "d38", Type: "decimal(38,10)"}, {Name: "n", Type: "bigint"},
		{Name: "u", Type: "uuid"}}}
	decimal := func(width, scale int) string {
		n := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(1+rnd.IntN(width))), nil)
		s := n.Sub(n, big.NewInt(rnd.Int64N(9)+1)).String()
		if len(s) <= scale {
			s = strings.Repeat("0", scale+1-len(s)) + s
		}
		if scale > 0 {
			s = s[:len(s)-scale] + "." + s[len(s)-scale:]
		}
		if rnd.IntN(2) == 0 && strings.Trim(s, "0.") != "" {
			s = "-" + s
		}
		return s
	}
	lengths := []int{0, 1, 11, 12, 13, 14, 100, 1000}
	var want []string
	for i := range 5000 {
		n := lengths[i%len(lengths)]
		switch i {
		case 77, 78, 2500:
			n = (256 << 10) - 1
		case 79, 4000:
			n = (256 << 10) + 5
		}
		row := []any{strings.Repeat("ä☃x", n/6) + strings.Repeat(string(rune('a'+i%26)), n%6), decimal(4, 2),
			decimal(9, 0), decimal(18, 18), decimal(38, 10), fmt.Sprint(rnd.Int64() - rnd.Int64()),
			fmt.Sprintf("a0eebc99-9c0b-4ef8-bb6d-%012x", i)}
		if i%7 == 3 {
			row[i%len(row)] = nil
		}
		h.rows = append(h.rows, row)
		var cells []string
		for _, v := range row {
			if v == nil {
				v = "null"
			}
			cells = append(cells, v.(string))
		}
		want = append(want, strings.Join(cells, "|"))
	}
	for _, fills := range []bool{false, true} {
		h.fills = fills
		got, err := rows(t, p, sql.Query{SQL: `SELECT * FROM c.s.t`, Catalogs: oneSource{src: h}})
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(got, "\n")
		if len(lines) != len(want) {
			t.Fatalf("fills %v: %d rows, want %d", fills, len(lines), len(want))
		}
		for i, line := range lines {
			if line != want[i] {
				t.Fatalf("fills %v, row %d:\n got %.200s\nwant %.200s", fills, i, line, want[i])
			}
		}
		if n, err := rows(t, p, sql.Query{SQL: `SELECT count(*) FROM c.s.t`,
			Catalogs: oneSource{src: h}}); err != nil || n != "5000" {
			t.Errorf("fills %v: count %s, %v", fills, n, err)
		}
		asked := h.requests()
		if cols := asked[len(asked)-1].Columns; len(cols) > 1 {
			t.Errorf("counting asks for the columns %v", cols)
		}
	}
}

// What does not fit a column is an error by both ways, never another value.
func TestScanRefusesMisfits(t *testing.T) {
	p := testProject(t, testEngine(t, t.TempDir()), "prjA")
	for _, c := range []struct{ typ, value string }{
		{"decimal(4,2)", "100"}, {"decimal(4,2)", "1.234"}, {"decimal(4,2)", "NaN"}, {"decimal(4,2)", ""},
		{"decimal(4,2)", "."}, {"decimal(4,2)", "-"},
		{"decimal(38,0)", "100000000000000000000000000000000000000"}, {"decimal(38,38)", "1"}, {"tinyint", "128"},
		{"smallint", "-32769"}, {"integer", "2147483648"},
		{"bigint", "9223372036854775808"}, {"bigint", "1.5"}, {"boolean", "maybe"}, {"uuid", "a0eebc99"},
		{"date", "2024-02-30"}, {"varchar", "\xff"}, {"json", "\"\xff\""},
	} {
		for _, fills := range []bool{false, true} {
			h := &heldRows{cols: []engine.ColumnInfo{{Name: "v", Type: c.typ}}, rows: [][]any{{c.value}}, fills: fills}
			if got, err := rows(t, p, sql.Query{SQL: `SELECT * FROM c.s.t`, Catalogs: oneSource{src: h}}); err == nil {
				t.Errorf("%s takes %q as %q", c.typ, c.value, got)
			}
		}
	}
}
