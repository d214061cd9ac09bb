//go:build cgo && linux

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// inParts counts the parts of a document that were begun.
type inParts struct {
	csv.Document
	begun *atomic.Int64
	at    func(part int, row int64) // is called before a row is read
}

func (d inParts) Parts(rows int64) []csv.Part {
	parts := d.Document.Parts(rows)
	for i, p := range parts {
		parts[i].Source = countedPart{p.Source, d, i}
	}
	return parts
}

type countedPart struct {
	csv.Source
	of inParts
	n  int
}

func (p countedPart) Records(ctx context.Context) (csv.Records, error) {
	p.of.begun.Add(1)
	r, err := p.Source.Records(ctx)
	return &countedRecords{Records: r, of: p}, err
}

type countedRecords struct {
	csv.Records
	of  countedPart
	row int64
}

func (r *countedRecords) Read() error {
	if r.row++; r.of.of.at != nil {
		r.of.of.at(r.of.n, r.row)
	}
	return r.Records.Read()
}

// largeText writes a file of rows that is read in parts. odd adds text before a row.
func largeText(t *testing.T, name string, rows int, odd map[int]string) string {
	t.Helper()
	var b strings.Builder
	line := "%d,name %d,%d.25,\n"
	switch {
	case strings.HasSuffix(name, ".ndjson"):
		line = `{"id": %d, "name": "name %d", "price": %d.25, "none": null}` + "\n"
	case strings.HasPrefix(name, "wide"):
		b.WriteString("\xef\xbb\xbfid;name;price;none\r\n")
		line = "%d;\"na;me \"\"\n%d\";%d.25;\r\n"
	default:
		b.WriteString("id,name,price,none\n")
	}
	for i := range rows {
		b.WriteString(odd[i])
		fmt.Fprintf(&b, line, i, i%1000, i%777)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestImportInParts imports texts by several threads and by their records: rows, their order and errors are equal.
func TestImportInParts(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("skipped: DuckDB has one thread on one processor")
	}
	const rows = 380_000 // some row groups of a table for each of two threads
	blank := map[int]string{1: "\n", 200_000: "\n\n", 370_000: "\n"}
	for _, tt := range []struct {
		name, file, typ string // of the column price, "" for what the values say
		odd             map[int]string
		counted         bool // without the types of the values
	}{
		{"counted", "comma.csv", "", blank, true},
		{"objects", "objects.ndjson", "", blank, false},
		{"widened", "wide.csv", "decimal(5,2)", map[int]string{200_001: "7;x;1234567.125;\n"}, false},
		{"bad values", "bad.csv", "bigint", nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := window(t, t.TempDir())
			path := largeText(t, tt.file, rows, tt.odd)
			doc, defs, maps := learned(t, path)
			defer doc.Close()
			if tt.counted {
				doc = openedFile(t, path)
				defer doc.Close()
				err := doc.Learn(t.Context(), false)
				if err != nil || doc.Rows != rows || doc.Blank != wantBlank(tt.odd) {
					t.Fatalf("%d rows, %d blank lines: %v", doc.Rows, doc.Blank, err)
				}
			}
			if tt.typ != "" {
				defs[2].Type = tt.typ
			}
			var begun atomic.Int64
			want := imported(t, p, recordsOf{doc}, defs, maps)
			got := imported(t, p, inParts{Document: doc, begun: &begun, at: func(n int, row int64) {
				for wait := 0; n == 0 && row == 1 && begun.Load() < 2; wait++ {
					if time.Sleep(time.Millisecond); wait == 60_000 {
						t.Error("no second thread has begun to read")
						break
					}
				}
			}}, defs, maps)
			if got != want {
				t.Errorf("in parts\n%.300s\nby its records\n%.300s", got, want)
			}
			fails := tt.typ == "bigint"
			if strings.HasPrefix(want, "error") != fails || begun.Load() < 1 || !fails && begun.Load() < 2 {
				t.Errorf("%d parts were begun: %.300s", begun.Load(), want)
			}
		})
	}
}

// TestPartsEnd ends imports while one thread waits for another: they return, and store nothing.
func TestPartsEnd(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("skipped: DuckDB has one thread on one processor")
	}
	p := window(t, t.TempDir())
	doc, defs, maps := learned(t, largeText(t, "x.csv", 380_000, nil))
	defer doc.Close()
	makeTable(t, p, engine.SchemaTable, "x", defs...)
	for _, part := range []int{0, 1, 3} {
		ctx, cancel := context.WithCancel(t.Context())
		var begun atomic.Int64
		ended := inParts{Document: doc, begun: &begun, at: func(n int, row int64) {
			if n == part && row == 1000 {
				cancel()
			}
		}}
		_, err := p.ImportCSV(ctx, engine.SchemaTable, "x", nil, engine.Import{Mappings: maps, Document: ended,
			Header: true})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("ended in part %d: %v", part, err)
		}
		if n := one(t, p, `SELECT count(*) FROM "~data"."table".x`); n != "0" || begun.Load() == 0 {
			t.Errorf("ended in part %d: %s rows are stored, %d parts were begun", part, n, begun.Load())
		}
	}
}

// wantBlank is the number of blank lines.
func wantBlank(odd map[int]string) (n int64) {
	for _, s := range odd {
		n += int64(len(s))
	}
	return n
}
