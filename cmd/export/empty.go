package export

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/internal/rowset"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
)

// exported is the SQL name of the source of an export.
func exported(ctx context.Context, cl *api.Client, project string, src exportSource) (sql, name string, err error) {
	if src.query != "" {
		v, err := cl.Queries.Get(ctx, project, src.query)
		schema := api.SchemaQuery
		if v.QueryType == "MATERIALIZED" {
			schema = api.SchemaMtQuery
		}
		return sqltext.Quote(api.InternalCatalogName, schema, v.Name), v.Name, err
	}
	c, err := cl.Catalogs.Get(ctx, project, src.catalog)
	return sqltext.Quote(c.Name, src.schema, src.table), src.table, err
}

// saveEmpty writes the file that the hosted zones do not produce for an export without rows [L]: a header, in CSV. ok
// is false if there are rows, so that the export failed for another reason.
func saveEmpty(ctx context.Context, e *cli.Env, cl *api.Client, project string, src exportSource, r api.ExportRequest,
	path string) (ok bool, err error) {
	from, name, err := exported(ctx, cl, project, src)
	if err != nil {
		return false, err
	}
	read := func(sql string) (doc struct {
		Columns []struct {
			Name string `json:"columnName"`
		} `json:"columns"`
		Data []json.RawMessage `json:"data"`
	}, err error) {
		res, err := cl.Queries.Execute(ctx, project, api.ExecuteByStatement{Statement: sql},
			api.ExecuteOptions{Format: api.Compact})
		if err != nil {
			return doc, err
		}
		defer res.Close()
		return doc, json.NewDecoder(res.Body).Decode(&doc)
	}
	doc, err := read("SELECT * FROM " + from + " LIMIT 1")
	if err != nil || len(doc.Data) > 0 {
		return false, err
	}
	names := r.Columns
	if len(names) == 0 {
		for _, c := range doc.Columns {
			system := r.IncludeSystemColumns != nil && !*r.IncludeSystemColumns && rowset.SystemColumn(c.Name)
			if !system && !strings.HasPrefix(c.Name, "_q_") && !strings.HasPrefix(c.Name, "_cache_") {
				names = append(names, c.Name)
			}
		}
	}
	suffix, text := ".jsonl", ""
	if r.Format != "JSONL" {
		suffix, text = ".csv", csvHead(names, r.CSVOptions)
	}
	if r.Compression == "GZIP" {
		suffix += ".gz"
	}
	if path == "-" {
		return true, writeMaybeZipped(e.OnScreen(), text, r.Compression)
	}
	if st, err := os.Stat(e.Abs(path)); strings.HasSuffix(path, "/") || err == nil && st.IsDir() {
		if err := os.MkdirAll(e.Abs(path), 0o777); err != nil {
			return true, err
		}
		path = filepath.Join(path, name+suffix)
	}
	f, err := output.Create(e.Abs(path))
	if err != nil {
		return true, err
	}
	if err := writeMaybeZipped(f, text, r.Compression); err != nil {
		_ = f.Abort()
		return true, err
	}
	fmt.Fprintf(e.Err, "there are no rows, for which this zone creates no file: saved %s with only the header\n", path)
	return true, f.Commit()
}

// csvHead is the first line of a CSV file.
func csvHead(names []string, o *api.ExportCSVOptions) string {
	delimiter, quote, end := ",", `"`, "\n"
	if o != nil {
		if o.IncludeHeader != nil && !*o.IncludeHeader {
			return ""
		}
		plain := strings.NewReplacer(`\t`, "\t", `\r`, "\r", `\n`, "\n")
		for _, s := range []struct {
			from string
			into *string
		}{{o.Delimiter, &delimiter}, {o.QuoteChar, &quote}, {o.RecordSeparator, &end}} {
			if s.from != "" {
				*s.into = plain.Replace(s.from)
			}
		}
	}
	fields := make([]string, len(names))
	for i, n := range names {
		if fields[i] = n; strings.ContainsAny(n, delimiter+quote+"\r\n") {
			fields[i] = quote + strings.ReplaceAll(n, quote, quote+quote) + quote
		}
	}
	return strings.Join(fields, delimiter) + end
}

func writeMaybeZipped(w io.Writer, text, compression string) error {
	if compression != "GZIP" {
		_, err := io.WriteString(w, text)
		return err
	}
	z := gzip.NewWriter(w)
	if _, err := io.WriteString(z, text); err != nil {
		return err
	}
	return z.Close()
}
