package files

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

func TestForms(t *testing.T) {
	for name, c := range map[string]struct {
		data string
		want string // the columns and rows
	}{
		"semicolons.csv": {"id;price\n1;2,50\n", "[id price] [[1 2,50]]"},
		"tabs.csv":       {"id\tname\n1\ta,b\n", "[id name] [[1 a,b]]"},
		"both.csv":       {"id,\"a;b\"\n1,x;y\n", "[id a;b] [[1 x;y]]"},
		"quoted.csv":     {"\"id,x\";b\n1;2\n", "[id,x b] [[1 2]]"},
		"windows.csv":    {"\xef\xbb\xbfid,t\r\n1,\"a\r\nb\"\r\n\r\n2,c\r\n", "[id t] [[1 a\r\nb] [2 c]]"},
		"nulls.csv":      {"id\n\\N\n\"\\N\"\n", `[id] [[<nil>] [\N]]`},
		"column.csv":     {"\n\nid\n1\n\n2\n\n\"\"\n", "[id] [[1] [<nil>] [2] [<nil>] [<nil>]]"},
		"blank.csv":      {"\nid,name\n\n1,a\n\n", "[id name] [[1 a]]"},
		"header.csv":     {"id,name", "[id name] []"},
		"wide.csv":       {"\xff\xfei\x00d\x00\n\x001\x00\n\x00", "[id] [[1]]"},
		"mac.csv":        {"id,name\r1,a\r2,b\r", "[id name] [[1 a] [2 b]]"},
		"bars.csv":       {"id|name\n1|a,b\n", "[id name] [[1 a,b]]"},
		"twice.csv":      {",a,A,a\n1,2,3,4\n", "[column_1 a A_2 a_3] [[1 2 3 4]]"},
		"empty.csv":      {"n,t\n\"\",\"\"\n1,\n", "[n t] [[<nil> ] [1 <nil>]]"},
		"packed.csv":     {string(packed(t, "id\n1\n")), "[id] [[1]]"},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, name), []byte(c.data))
		table, err := connect(t, dir).Table(context.Background(), rootSchema, strings.TrimSuffix(name, ".csv"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		infos, _ := table.Columns(context.Background())
		var names []string
		for _, i := range infos {
			names = append(names, i.Name)
		}
		rows, err := readAll(t, dir, strings.TrimSuffix(name, ".csv"), names...)
		if got := fmt.Sprint(names, " ", rows); err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
	for name, data := range map[string]string{
		"latin.csv": "id,name\n1,D\xfcss\n", "open.csv": "id\n\"a\n", "after.csv": "id\n\"a\"b\n",
		"inside.csv": "id\na\"b\n",
		"after.json": `[{"a":1}] {"a":2}`, "bytes.json": "[{\"a\":\"\xff\"}]", "half.json": `[{"a":"\ud800"}]`,
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, name), []byte(data))
		_, err := connect(t, dir).Table(context.Background(), rootSchema, strings.SplitN(name, ".", 2)[0])
		if err == nil || !strings.Contains(err.Error(), "file "+name+": ") {
			t.Errorf("%s: %v", name, err)
		}
		t.Log(err)
	}
}

// A file that is other than it was when it was described fails the reading, at its beginning or at its end.
func TestChangedFiles(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	path := filepath.Join(dir, "t.csv")
	write(t, path, []byte("a,b\nx,y\n"))
	f := connect(t, dir)
	table, err := f.Table(ctx, rootSchema, "t")
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, []byte("b,a\ny,x\nz,z\n"))
	if _, err := table.Scan(ctx, engine.ScanRequest{Columns: []string{"a"}, Limit: -1}); err == nil ||
		!strings.Contains(err.Error(), "file t.csv: the file has changed") {
		t.Errorf("before: %v", err)
	}
	write(t, path, []byte("a,b\n"+strings.Repeat("x,y\n", 300_000)))
	if table, err = f.Table(ctx, rootSchema, "t"); err != nil {
		t.Fatal(err)
	}
	b, err := table.Scan(ctx, engine.ScanRequest{Columns: []string{"a"}, Limit: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err = b.Next(ctx); err != nil {
		t.Fatal(err)
	}
	h, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(h, "late,row")
	h.Close()
	for err == nil {
		_, err = b.Next(ctx)
	}
	if !strings.Contains(err.Error(), "file t.csv: the file has changed") {
		t.Errorf("in the middle: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := table.Scan(ctx, engine.ScanRequest{Columns: []string{"a"}, Limit: -1}); err == nil ||
		!strings.Contains(err.Error(), "file t.csv: no such file") {
		t.Errorf("gone: %v", err)
	}
}
