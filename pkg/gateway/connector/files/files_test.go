package files

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/connector/contract"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

func connect(t *testing.T, dir string) connector.Connector {
	t.Helper()
	c, err := Type().Check(connector.Credential{"path": dir})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := Type().Open(c, connector.Reach{})
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func packed(t *testing.T, text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestContract(t *testing.T) {
	var csv, nd strings.Builder
	csv.WriteString("id,name,amount\n")
	for id := 1; id <= contract.Rows; id++ {
		name, member := fmt.Sprintf("name %d", id), fmt.Sprintf(`"name %d"`, id)
		if id%10 == 0 {
			name, member = "", "null"
		}
		amount := fmt.Sprintf("%d.%02d", id/4, id%4*25)
		fmt.Fprintf(&csv, "%d,%s,%s\n", id, name, amount)
		fmt.Fprintf(&nd, "{\"id\":%d,\"name\":%s,\"amount\":%s}\n", id, member, amount)
	}
	list := "[" + strings.ReplaceAll(strings.TrimSpace(nd.String()), "\n", ",\n") + "]"
	type row struct {
		ID     int64   `parquet:"id"`
		Name   *string `parquet:"name,optional"`
		Amount int64   `parquet:"amount,decimal(2:18)"`
	}
	var pq bytes.Buffer
	w := parquet.NewGenericWriter[row](&pq, parquet.MaxRowsPerRowGroup(700))
	for id := int64(1); id <= contract.Rows; id++ {
		r := row{ID: id, Amount: id * 25}
		if id%10 != 0 {
			name := fmt.Sprintf("name %d", id)
			r.Name = &name
		}
		if _, err := w.Write([]row{r}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"items.csv": []byte(csv.String()), "items.csv.gz": packed(t,
		csv.String()), "items.ndjson": []byte(nd.String()),
		"items.json": []byte(list), "items.jsonl.gz": packed(t, nd.String()),
		"items.tsv": []byte(strings.ReplaceAll(csv.String(), ",", "\t")), "items.parquet": pq.Bytes()} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, name), data)
			contract.Run(t, contract.Fixture{Good: connect(t, dir), Bad: connect(t, filepath.Join(dir, "gone")),
				Schema: rootSchema})
		})
	}
}

// Types must lose nothing: a column that cannot be a number for one value is text for all.
func TestTypes(t *testing.T) {
	for _, c := range []struct {
		name, data, want string
		rows             [][]any
	}{
		{"zip.csv", "a\n007\n12\n", "varchar", [][]any{{"007"}, {"12"}}},
		{"plus.csv", "a\n+1\n", "varchar", [][]any{{"+1"}}},
		{"big.csv", "a\n9223372036854775807\n9223372036854775808\n", "varchar", [][]any{{"9223372036854775807"},
			{"9223372036854775808"}}},
		{"late.csv", "a\n1\n2\nx\n", "varchar", [][]any{{"1"}, {"2"}, {"x"}}},
		{"dec.csv", "a\n1\n-0.25\n", "decimal(3,2)", [][]any{{"1.00"}, {"-0.25"}}},
		{"exp.csv", "a\n1e3\n", "varchar", [][]any{{"1e3"}}},
		{"double.csv", "a\n1e-05\n2.5E7\n0.1\n3\n", "double", [][]any{{1e-05}, {2.5e7}, {0.1}, {3.0}}},
		{"exact.csv", "a\n1.5e-05\n0.12345678901234567891\n", "varchar",
			[][]any{{"1.5e-05"}, {"0.12345678901234567891"}}},
		{"point.csv", "a\n.5\n-.25\n", "decimal(3,2)", [][]any{{"0.5"}, {"-0.25"}}},
		{"uuid.csv", "a\na0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11\n", "uuid",
			[][]any{{"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}}},
		{"bool3.csv", "a\nTRUE\nFALSE\n", "boolean", [][]any{{true}, {false}}},
		{"utc.csv", "a\n2024-02-29T01:02Z\n", "timestamp", [][]any{{time.Date(2024, 2, 29, 1, 2, 0, 0, time.UTC)}}},
		{"forms.csv", "a\n2024-02-29T01:02:03\n2024-02-29 01:02:03\n", "varchar", [][]any{{"2024-02-29T01:02:03"},
			{"2024-02-29 01:02:03"}}},
		{"bool.csv", "a\ntrue\nfalse\n", "boolean", [][]any{{true}, {false}}},
		{"bool2.csv", "a\ntrue\nTRUE\n", "varchar", [][]any{{"true"}, {"TRUE"}}},
		{"leap.csv", "a\n2023-02-29\n", "varchar", [][]any{{"2023-02-29"}}},
		{"quoted.csv", "a,b\n\"x\ny\",\"\"\"q\"\"\"\n", "varchar", [][]any{{"x\ny"}}},
		{"bom.csv", "\xef\xbb\xbfa\nx\n", "varchar", [][]any{{"x"}}},
		{"text.json", `[{"a":"1"},{"a":"2"}]`, "varchar", [][]any{{"1"}, {"2"}}},
		{"mixed.json", `{"a":1}{"a":"x"}{"a":[1]}{}`, "varchar", [][]any{{"1"}, {"x"}, {"[1]"}, {nil}}},
		{"nested.json", `{"a":{"b":1}}{"a":null}`, "json", [][]any{{`{"b":1}`}, {nil}}},
		{"pi.json", `{"a":3.141592653589793238462643383}`, "decimal(28,27)",
			[][]any{{"3.141592653589793238462643383"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, c.name), []byte(c.data))
			table, err := connect(t, dir).Table(context.Background(), rootSchema, strings.SplitN(c.name, ".", 2)[0])
			if err != nil {
				t.Fatal(err)
			}
			cols, _ := table.Columns(context.Background())
			if cols[0].Type != c.want {
				t.Errorf("type %s, want %s", cols[0].Type, c.want)
			}
			b, err := table.Scan(context.Background(), engine.ScanRequest{Columns: []string{"a"}, Limit: -1})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			if rows, err := b.Next(context.Background()); err != nil || !reflect.DeepEqual(rows, c.rows) {
				t.Errorf("rows %v, %v; want %v", rows, err, c.rows)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	for name, data := range map[string]string{"ragged.csv": "a,b\n1\n", "empty.csv": "", "cut.json": `[{"a":1}`,
		"scalar.json": `[1]`, "dup.json": `{"a":1,"a":2}`, "bad.parquet": "PAR1nothing"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, name), []byte(data))
			if _, err := connect(t, dir).Table(context.Background(), rootSchema, strings.SplitN(name, ".",
				2)[0]); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("error %v does not name the file", err)
			}
		})
	}
}

func TestNothingOutsideTheFolder(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, "secret.csv"), []byte("a\n1\n"))
	write(t, filepath.Join(dir, "mine.csv"), []byte("a\n1\n"))
	for link, target := range map[string]string{"link.csv": filepath.Join(outside, "secret.csv"), "up": outside,
		"rel.csv": "../" + filepath.Base(outside) + "/secret.csv", "inside.csv": "mine.csv"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	c := connect(t, dir)
	tables, err := c.Tables(context.Background(), rootSchema)
	if err != nil || !reflect.DeepEqual(tables, []connector.Table{{Name: "inside"}, {Name: "mine"}}) {
		t.Errorf("tables %v, %v", tables, err)
	}
	for _, schema := range []string{"up", "..", "../" + filepath.Base(outside), outside} {
		if _, err := c.Table(context.Background(), schema, "secret"); err == nil {
			t.Errorf("schema %s is open", schema)
		}
	}
}
