package files

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// TestJSONWindows reads records around the sizes of the buffers.
func TestJSONWindows(t *testing.T) {
	dir := t.TempDir()
	for _, size := range []int{4080, 4096, 8190, 262_140, 262_150, 524_300, 1_500_000} {
		for form, wrap := range map[string][3]string{"list": {"[\n", ",\n", "\n]"}, "lines": {"", "\n", "\n"}} {
			var objects []string
			for i := range 5 {
				objects = append(objects, fmt.Sprintf(`{"n":%d,"s":%q,"k":[%d]}`, i, strings.Repeat("x", size+i), i))
			}
			name := fmt.Sprintf("%s%d", form, size)
			write(t, filepath.Join(dir, name+".json"), []byte(wrap[0]+strings.Join(objects, wrap[1])+wrap[2]))
			rows, err := readAll(t, dir, name, "n", "s")
			if err != nil || len(rows) != 5 || rows[4][0] != int64(4) || len(rows[4][1].(string)) != size+4 {
				t.Errorf("%s: %d rows, %v", name, len(rows), err)
			}
		}
	}
}

// looked is how often a folder was looked at by names since the last call.
func looked(c connector.Connector) int64 { return c.(*folder).looks.Swap(0) }

// TestLooks counts the calls of the system that name a file: to find one table among many takes no more of them than
// among few.
func TestLooks(t *testing.T) {
	cost := map[int]int64{}
	for _, n := range []int{10, 1000} {
		dir := t.TempDir()
		for i := range n {
			write(t, filepath.Join(dir, fmt.Sprintf("t%d.csv", i)), []byte("a\n1\n"))
		}
		if err := os.Chtimes(dir, time.Time{}, time.Now().Add(-time.Hour)); err != nil { // settled
			t.Fatal(err)
		}
		time.Sleep(60 * time.Millisecond) // the change of its times, too
		c := connect(t, dir)
		if tables, err := c.Tables(t.Context(), rootSchema); err != nil || len(tables) != n {
			t.Fatal(len(tables), err)
		}
		if l := looked(c); l > 10 {
			t.Errorf("%d looks to list %d tables", l, n)
		}
		for i := range 10 {
			if _, err := c.Table(t.Context(), rootSchema, fmt.Sprintf("T%d", i)); err != nil {
				t.Fatal(err)
			}
		}
		cost[n] = looked(c)
		c.Close()
	}
	if cost[10] > 80 || cost[1000] > cost[10]+4 {
		t.Errorf("looks for ten tables: %v", cost)
	}
}

// TestChangesAreSeen: what is known of a folder is never older than the folder.
func TestChangesAreSeen(t *testing.T) {
	dir := t.TempDir()
	c := connect(t, dir)
	names := func() string {
		t.Helper()
		tables, err := c.Tables(t.Context(), rootSchema)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(tables)
	}
	for i := range 200 {
		name := fmt.Sprintf("t%d", i)
		_ = names()
		write(t, filepath.Join(dir, name+".csv"), []byte("a\n1\n"))
		if s, err := c.Table(t.Context(), rootSchema, name); err != nil {
			t.Fatal(name, err)
		} else if cols, _ := s.Columns(t.Context()); cols[0].Type != "bigint" {
			t.Fatal(cols)
		}
		write(t, filepath.Join(dir, name+".csv"), []byte("a\nx\n"))
		if s, err := c.Table(t.Context(), rootSchema, name); err != nil {
			t.Fatal(name, err)
		} else if cols, _ := s.Columns(t.Context()); cols[0].Type != "varchar" {
			t.Fatalf("%s: the first text is remembered: %v", name, cols)
		}
		if err := os.Remove(filepath.Join(dir, name+".csv")); err != nil {
			t.Fatal(err)
		}
		if got := names(); strings.Contains(got, name+" ") {
			t.Fatalf("%s is gone, and listed in %s", name, got)
		}
	}
}

// TestNotes: another process does not read a large file to learn its types, and reads one that has changed.
func TestNotes(t *testing.T) {
	dir, notes := t.TempDir(), connector.NewNotes(t.TempDir())
	path := filepath.Join(dir, "big.ndjson")
	var text strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&text, `{"id":%d,"name":"n%d"}`+"\n", i, i)
	}
	write(t, path, []byte(text.String()))
	time.Sleep(60 * time.Millisecond) // until it is settled
	count := func() (rows int, types string, looks int64) {
		t.Helper()
		conn, err := Type().Open(connector.Credential{"path": dir}, connector.Reach{Notes: notes})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		s, err := conn.Table(t.Context(), rootSchema, "big")
		if err != nil {
			t.Fatal(err)
		}
		looks = looked(conn)
		cols, _ := s.Columns(t.Context())
		for _, c := range cols {
			types += c.Name + " " + c.Type + ";"
		}
		b, err := s.Scan(t.Context(), engine.ScanRequest{Limit: -1})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		for {
			r, err := b.Next(context.Background())
			if err != nil {
				return rows, types, looks
			}
			rows += len(r)
		}
	}
	rows, types, first := count()
	again, typesAgain, second := count()
	if rows != 20_000 || again != rows || types != "id bigint;name varchar;" || typesAgain != types || second >= first {
		t.Errorf("%d %s with %d looks, then %d %s with %d", rows, types, first, again, typesAgain, second)
	}
	write(t, path, []byte(text.String()+`{"id":"x","name":null}`+"\n"))
	if rows, types, _ := count(); rows != 20_001 || types != "id varchar;name varchar;" {
		t.Errorf("after a change: %d %s", rows, types)
	}
}
