package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Conditions on texts have the order of code points, whatever the encoding of the file.
func TestEncodings(t *testing.T) {
	texts := []string{"", "a", "Ā", "z", "é", "\uFB00", "\U0001F600", "\uFFFD", "aĀ"}
	for _, encoding := range []string{"UTF-8", "UTF-16le", "UTF-16be"} {
		path := filepath.Join(t.TempDir(), "t.db")
		db := fixture(t, path, "PRAGMA encoding = '"+encoding+"'", "CREATE TABLE t(c TEXT)")
		for _, s := range texts {
			if _, err := db.Exec("INSERT INTO t VALUES (?)", s); err != nil {
				t.Fatal(err)
			}
		}
		c := connect(t, connector.Credential{"path": path})
		tab, err := c.Table(context.Background(), "main", "t")
		if err != nil {
			t.Fatal(err)
		}
		holds := map[string]func(int) bool{"=": func(c int) bool { return c == 0 },
			"<>": func(c int) bool { return c != 0 }, "<": func(c int) bool { return c < 0 },
			"<=": func(c int) bool { return c <= 0 }, ">": func(c int) bool { return c > 0 },
			">=": func(c int) bool { return c >= 0 }}
		for op, holds := range holds {
			for _, v := range texts {
				b, err := tab.Scan(context.Background(), engine.ScanRequest{Columns: []string{"c"},
					Filters: []engine.Filter{{Column: "c", Op: op, Values: []any{v}}}, Limit: -1})
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for {
					rows, err := b.Next(context.Background())
					if errors.Is(err, io.EOF) {
						break
					}
					if err != nil {
						t.Fatal(err)
					}
					for _, r := range rows {
						got = append(got, r[0].(string))
					}
				}
				b.Close()
				for _, s := range texts {
					if holds(strings.Compare(s, v)) && !slices.Contains(got, s) {
						t.Errorf("%s: %q %s %q was left out", encoding, s, op, v)
					}
				}
			}
		}
	}
}

// A view that makes huge values is an error, and values that are large together come in several batches.
func TestLargeValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.db")
	fixture(t, path, "CREATE VIEW zeros AS SELECT zeroblob(1000000000) AS c",
		"CREATE VIEW digits AS SELECT hex(randomblob(400000000)) AS c",
		"CREATE VIEW many AS WITH RECURSIVE g(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM g WHERE n < 40) SELECT "+
			"CAST(hex(zeroblob(1000000)) AS TEXT) AS c FROM g")
	c := connect(t, connector.Credential{"path": path})
	for _, name := range []string{"zeros", "digits"} {
		if _, _, err := read(t, c, name); err == nil || !strings.Contains(err.Error(), "more than 256 MiB") {
			t.Errorf("%s: %v", name, err)
		}
	}
	tab, err := c.Table(context.Background(), "main", "many")
	if err != nil {
		t.Fatal(err)
	}
	b, err := tab.Scan(context.Background(), engine.ScanRequest{Columns: []string{"c"}, Limit: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	sizes := ""
	for {
		rows, err := b.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		sizes += fmt.Sprint(len(rows), " ")
	}
	if sizes != "9 9 9 9 4 " {
		t.Errorf("batches of %srows", sizes)
	}
}
