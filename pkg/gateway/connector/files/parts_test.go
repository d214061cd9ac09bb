package files

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// tree writes files into a new folder, making the folders between.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, path, []byte(data))
	}
	return dir
}

// parquetOf writes rows as one Parquet file.
func parquetOf[T any](t *testing.T, rows ...T) string {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b)
	if _, err := w.Write(rows); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return b.String()
}

// scanned reads columns of a table under conditions.
func scanned(t *testing.T, dir, schema, table string, req engine.ScanRequest) (cols string, rows []string, err error) {
	t.Helper()
	s, err := connect(t, dir).Table(context.Background(), schema, table)
	if err != nil {
		return "", nil, err
	}
	infos, err := s.Columns(context.Background())
	for _, c := range infos {
		cols += fmt.Sprintf(" %s:%s:%v", c.Name, c.Type, c.Nullable)
	}
	if err != nil {
		return "", nil, err
	}
	if req.Columns == nil {
		for _, c := range infos {
			req.Columns = append(req.Columns, c.Name)
		}
	}
	b, err := s.Scan(context.Background(), req)
	if err != nil {
		return "", nil, err
	}
	defer b.Close()
	for {
		some, err := b.Next(context.Background())
		if err == io.EOF {
			return strings.TrimSpace(cols), rows, nil
		}
		if err != nil {
			return "", nil, err
		}
		for _, r := range some {
			text := ""
			for _, v := range r {
				if d, ok := v.(time.Time); ok {
					v = d.Format(time.DateOnly)
				}
				text += fmt.Sprintf(" %v", v)
			}
			rows = append(rows, strings.TrimSpace(text))
		}
	}
}

func TestFoldersOfParts(t *testing.T) {
	type v1 struct {
		ID int64 `parquet:"id"`
	}
	type v2 struct {
		ID   int64  `parquet:"id"`
		Note string `parquet:"note"`
	}
	all := engine.ScanRequest{Limit: -1}
	sales := map[string]string{
		"sales/year=2023/month=01/a.csv":                         "id,total\n1,5\n2,\n",
		"sales/year=2024/month=02/b.csv":                         "total,id\n1.25,3\n",
		"sales/year=2024/month=__HIVE_DEFAULT_PARTITION__/c.csv": "id,total\n4,7\n",
		"sales/_SUCCESS":                                         "",
		"sales/year=2024/.hidden.csv":                            "x\n1\n",
		"shop/logs/day=2024-02-29/p=a%2Fb/x.ndjson":              "{\"n\": 1}\n",
		"shop/logs/day=2024-03-01/p=c/y.ndjson":                  "{\"n\": \"x\", \"m\": true}\n{\"n\": 2}\n",
		"lake/v=1/a.parquet":                                     parquetOf(t, v1{1}, v1{2}),
		"lake/v=2/b.parquet":                                     parquetOf(t, v2{3, "three"}),
	}
	dir := tree(t, sales)
	for _, c := range []struct {
		name, schema, table string
		req                 engine.ScanRequest
		cols                string
		rows                string
	}{
		{"types of all files together", rootSchema, "sales", all,
			"id:bigint:false total:decimal(3,2):true year:bigint:false month:varchar:true",
			"[1 5.00 2023 01][2 <nil> 2023 01][3 1.25 2024 02][4 7.00 2024 <nil>]"},
		{"json in a schema", "shop", "logs", all, "n:varchar:false m:boolean:true day:date:false p:varchar:false",
			"[1 <nil> 2024-02-29 a/b][x true 2024-03-01 c][2 <nil> 2024-03-01 c]"},
		{"a column that came later", rootSchema, "lake", all, "id:bigint:false note:varchar:true v:bigint:false",
			"[1 <nil> 1][2 <nil> 1][3 three 2]"},
		{"few columns, turned", rootSchema, "sales", engine.ScanRequest{Columns: []string{"year", "id"}, Limit: -1}, "",
			"[2023 1][2023 2][2024 3][2024 4]"},
		{"none", rootSchema, "lake", engine.ScanRequest{Columns: []string{}, Limit: -1}, "", "[][][]"},
		{"a limit over files", rootSchema, "sales", engine.ScanRequest{Columns: []string{"id"}, Limit: 3},
			"", "[1][2][3]"},
	} {
		cols, rows, err := scanned(t, dir, c.schema, c.table, c.req)
		got := ""
		for _, r := range rows {
			got += "[" + r + "]"
		}
		if err != nil || c.cols != "" && cols != c.cols || got != c.rows {
			t.Errorf("%s: %s %s, %v", c.name, cols, got, err)
		}
	}
	schemas, err := connect(t, dir).Schemas(context.Background())
	if fmt.Sprint(schemas) != "[files shop]" || err != nil {
		t.Errorf("schemas %v, %v", schemas, err)
	}
	tables, err := connect(t, dir).Tables(context.Background(), rootSchema)
	if fmt.Sprint(tables) != "[{lake false} {sales false}]" || err != nil {
		t.Errorf("tables %v, %v", tables, err)
	}
}

// Files whose folders rule them out are not opened: here they could not be.
func TestFoldersThatDoNotFit(t *testing.T) {
	dir := tree(t, map[string]string{
		"t/day=2024-01-01/k=a/x.csv":                          "id\n1\n",
		"t/day=2024-01-02/k=b/x.csv":                          "id\n2\n",
		"t/day=2024-01-03/k=__HIVE_DEFAULT_PARTITION__/x.csv": "id\n3\n",
	})
	day := func(d int) any { return time.Date(2024, 1, d, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		filters []engine.Filter
		want    string
	}{
		{[]engine.Filter{{Column: "day", Op: "=", Values: []any{day(2)}}}, "[2]"},
		{[]engine.Filter{{Column: "day", Op: "<>", Values: []any{day(2)}}}, "[1 3]"},
		{[]engine.Filter{{Column: "day", Op: ">=", Values: []any{day(2)}}}, "[2 3]"},
		{[]engine.Filter{{Column: "day", Op: "<", Values: []any{day(2)}}}, "[1]"},
		{[]engine.Filter{{Column: "k", Op: "in", Values: []any{"b", "c"}}}, "[2]"},
		{[]engine.Filter{{Column: "k", Op: "not in", Values: []any{"b"}}}, "[1 2]"}, // left to the engine, but for NULL
		{[]engine.Filter{{Column: "k", Op: "like", Values: []any{"b%"}}}, "[1 2]"},
		{[]engine.Filter{{Column: "k", Op: "is null"}}, "[3]"},
		{[]engine.Filter{{Column: "k", Op: "is not null"}}, "[1 2]"},
		{[]engine.Filter{{Column: "k", Op: "<=", Values: []any{"a"}}, {Column: "day", Op: ">", Values: []any{day(1)}}},
			"[]"},
		{[]engine.Filter{{Column: "id", Op: "=", Values: []any{int64(9)}}}, "[1 2 3]"}, // not of a folder
		{[]engine.Filter{{Column: "k", Op: "=", Values: []any{int64(9)}}}, "[1 2]"},    // of another kind
	} {
		_, rows, err := scanned(t, dir, rootSchema, "t", engine.ScanRequest{Columns: []string{"id"},
			Filters: c.filters, Limit: 1})
		if fmt.Sprint(rows) != c.want || err != nil {
			t.Errorf("%v: %v, %v", c.filters, rows, err)
		}
	}
	s, err := connect(t, dir).Table(context.Background(), rootSchema, "t")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "t/day=2024-01-01/k=a/x.csv")); err != nil {
		t.Fatal(err)
	}
	for want, d := range map[string]int{"": 2, "t/day=2024-01-01/k=a/x.csv": 1} {
		b, err := s.Scan(context.Background(), engine.ScanRequest{Columns: []string{"id"},
			Filters: []engine.Filter{{Column: "day", Op: "=", Values: []any{day(d)}}}, Limit: -1})
		if err == nil {
			_, err = b.Next(context.Background())
			_ = b.Close()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("day %d: %v", d, err)
		}
	}
}

func TestPartsThatDoNotGoTogether(t *testing.T) {
	type a struct {
		ID int64 `parquet:"id"`
	}
	type b struct {
		ID string `parquet:"id"`
	}
	for want, files := range map[string]map[string]string{
		`folder t/c=2 has the key "c", others of its level have "a"`: {"t/a=1/x.csv": "id\n",
			"t/c=2/x.csv": "id\n"},
		`folder t/other is not named key=value like its siblings`: {"t/a=1/x.csv": "id\n",
			"t/other/x.csv": "id\n"},
		`file t/a=1/x.csv is above the folders with the key "b"`: {"t/a=1/x.csv": "id\n",
			"t/a=2/b=1/x.csv": "id\n"},
		`files t/a=1/x.csv and t/a=2/x.parquet have different formats`: {"t/a=1/x.csv": "id\n",
			"t/a=2/x.parquet": parquetOf(t, a{1})},
		`column "id" is bigint in file t/a=1/x.parquet and varchar in t/a=2/x.parquet`: {"t/a=1/x.parquet": parquetOf(t,
			a{1}), "t/a=2/x.parquet": parquetOf(t, b{"x"})},
		`column "id" of file t/a=1/x.csv is "ID" in t/a=2/x.csv`: {"t/a=1/x.csv": "id\n",
			"t/a=2/x.csv": "ID\n"},
		`folder t/a=1/A=2 repeats the key "A"`: {"t/a=1/A=2/x.csv": "id\n"},
		`file t/a=2/x.csv.bz2: it is packed with bzip2, which is not read: unpack it, or pack it with gzip or zstd`: {
			"t/a=1/x.csv": "id\n", "t/a=2/x.csv.bz2": "BZh91AY&SY"},
		`folder t has no files to read`: {"t/a=1/x.txt": "id\n"},
		`folder t has a transaction log (_delta_log), which is not supported`: {"t/a=1/x.csv": "id\n",
			"t/_delta_log/0.json": "{}"},
	} {
		_, _, err := scanned(t, tree(t, files), rootSchema, "t", engine.ScanRequest{Limit: -1})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	// A folder with a file of its own stays a schema.
	dir := tree(t, map[string]string{"t/a=1/x.csv": "id\n", "t/own.csv": "id\n1\n"})
	if _, rows, err := scanned(t, dir, "t", "own", engine.ScanRequest{Limit: -1}); err != nil ||
		fmt.Sprint(rows) != "[1]" {
		t.Errorf("%v, %v", rows, err)
	}
	// The name of the folder counts where a file has the column too.
	dir = tree(t, map[string]string{"t/a=1/x.csv": "A,id\n9,5\n"})
	if cols, rows, err := scanned(t, dir, rootSchema, "t", engine.ScanRequest{Limit: -1}); err != nil ||
		fmt.Sprint(cols, rows) != "id:bigint:false a:bigint:false[5 1]" {
		t.Errorf("%s %v, %v", cols, rows, err)
	}
}
