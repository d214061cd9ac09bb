package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// nowhere is a vector that takes everything that has the form of its type.
type nowhere struct{}

func (nowhere) Null(int)                 {}
func (nowhere) Int(int, int64) error     { return nil }
func (nowhere) Float(int, float64) error { return nil }
func (nowhere) Bytes(int, []byte) error  { return nil }

// oddValues are values at the end of large files, by their column: those that change its type, and others.
var oddValues = []struct{ column, values string }{
	{"big", "0|-1|-0|007|1.0|9223372036854775807|9223372036854775808|-9223372036854775808|1234567890123456789|x|" +
		"+1|1e5|| 1"},
	{"dec", "1|0.5|-0.25|-0.00|.5|1.234|123456.5|99999999999999999999999999999999999999.5|1e-3|x|0012.5|5."},
	{"wide", "1|1.5|0.000000000000000000000000000001|1234567890123456789012345678.5|-0.0|1.5e3"},
	{"double", "1|2.5|-0.0|1e400|1.5E-300|0.1234567890123456789|9007199254740993|12345678901234567890|x|1e5"},
	{"flag", "true|True|FALSE|0|yes"},
	{"day", "2024-02-29|2023-02-29|0000-01-01|9999-12-31|2024-02-29 00:00:00|20240229"},
	{"at", "2024-02-29 01:02:03|2024-02-29T01:02:03|2024-02-29 01:02|2024-02-29 01:02:03.5|2024-02-29 01:02:03Z|" +
		"2024-02-29"},
	{"id", "00000000-0000-4000-8000-000000000000|00000000-0000-4000-8000-00000000000G|" +
		"ABCDEF00-0000-4000-8000-000000000000|1"},
	{"text", "1|2024-02-29|true||é|\"\""},
	{"none", "1|x|true|\"\"||2024-02-29"},
}

const (
	oddHeader = "big,dec,wide,double,flag,day,at,id,text,none\n"
	oddRow    = "%d,%d.%02d,%d.000000000000000000001,%d.5e3,true,2024-01-%02d,2024-01-01 00:00:%02d," +
		"00000000-0000-4000-8000-%012d,text %d,\n"
)

// TestGuess compares the columns by the beginning of large files with those by all rows: a guess that is not refused is
// right, and a right one is not refused.
func TestGuess(t *testing.T) {
	var base strings.Builder
	base.WriteString(oddHeader)
	for i := range 4_500 {
		fmt.Fprintf(&base, oddRow, i, i%1000, i%100, i%7, i%9, i%28+1, i%60, i, i)
	}
	dir := t.TempDir()
	names := strings.Split(strings.TrimSpace(oddHeader), ",")
	files := 0
	for _, odd := range oddValues {
		for _, v := range strings.Split(odd.values, "|") {
			row := make([]string, len(names))
			for i, name := range names {
				if name == odd.column {
					row[i] = v
				}
			}
			path := filepath.Join(dir, "a.csv")
			write(t, path, []byte(base.String()+strings.Join(row, ",")+"\n"))
			guessing(t, odd.column+" "+v, path, names)
			guessing(t, odd.column+" alone "+v, path, []string{odd.column})
			files++
		}
	}
	for name, tail := range map[string]string{"ragged": "1,2\n", "utf8": "1,1.5,,,,,,,\xff,\n",
		"nul": "1,1.5,,,,,,,\x00,\n", "open": "1,1.5,,,,,,,\"x,\n", "return": "1,1.5,,,,\r,,,x,\n", "blank": "\n\n\n",
		"last": "1,1.5,,,,,,,x,"} {
		path := filepath.Join(dir, "a.csv")
		write(t, path, []byte(base.String()+tail))
		guessing(t, name, path, names)
	}
	for name, tail := range map[string]string{"plain": `{"a":1,"b":"x"}`, "member": `{"a":1,"c":2}`,
		"type": `{"a":1.5}`, "few": `{}`, "text": `{"a":"1"}`, "nested": `{"a":1,"b":{"c":[1]}}`,
		"twice": `{"a":1,"a":2}`, "cut": `{"a":1`, "number": `7`, "half": `{"b":"\ud800"}`} {
		path := filepath.Join(dir, "a.ndjson")
		write(t, path, []byte(strings.Repeat(`{"a":1,"b":"some text of a record"}`+"\n", 20_000)+tail+"\n"))
		guessing(t, "json "+name, path, []string{"a", "b"})
		guessing(t, "json alone "+name, path, []string{"b"})
	}
	if files < 50 {
		t.Fatal("too few cases")
	}
}

// guessing scans columns of a file as they are guessed, by two threads.
func guessing(t *testing.T, name, path string, columns []string) {
	t.Helper()
	ctx := t.Context()
	f := newFolder("", connector.Reach{})
	f.sample = 100 << 10
	src, err := named(ctx, f, []string{path})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	table := src.(*tableOf)
	if !table.as.guessed {
		t.Fatalf("%s: nothing is guessed", name)
	}
	guess, certain, err := table.Guess(ctx)
	if err != nil || certain {
		t.Fatal(certain, err)
	}
	b, err := table.Scan(ctx, engine.ScanRequest{Columns: columns, Limit: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	ends := make(chan error)
	for range 2 {
		go func() { ends <- fillAll(ctx, b.(engine.Divided).Part(), len(columns)) }()
	}
	scanErr := errors.Join(<-ends, <-ends)
	verified := table.verified(columns)
	settled := table.Settle(ctx, columns)
	var cols []engine.ColumnInfo
	// it is too small to guess by the usual sample
	sure, err := Named(ctx, connector.Reach{}, []string{path}, rowfile.Options{})
	if err == nil {
		cols, err = sure.Columns(ctx)
	}
	right := err == nil && sameOf(columns, guess, cols)
	if (scanErr == nil && settled == nil) && !right {
		t.Errorf("%s: %v is accepted, want %v, %v", name, guess, cols, err)
	}
	if right && len(guess) == len(cols) && (scanErr != nil || !verified) {
		t.Errorf("%s: it is right, and refused: %v", name, scanErr)
	}
	if verified && scanErr != nil {
		t.Errorf("%s: verified in spite of %v", name, scanErr)
	}
}

func fillAll(ctx context.Context, part engine.Filler, n int) error {
	to := make([]engine.Vector, n)
	for i := range to {
		to[i] = nowhere{}
	}
	for {
		if _, err := part.Fill(ctx, to, 2048); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// sameOf compares the types of some columns.
func sameOf(names []string, a, b []engine.ColumnInfo) bool {
	types := map[string]string{}
	for _, c := range a {
		types[c.Name] = c.Type
	}
	n := 0
	for _, c := range b {
		for _, name := range names {
			if c.Name == name {
				if n++; types[name] != c.Type {
					return false
				}
			}
		}
	}
	return n == len(names)
}
