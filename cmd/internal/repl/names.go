package repl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/rowset"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/internal/suggest"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/internal/term"
	"github.com/dig-cli/dig/pkg/api"
)

// bareSchemas contain the tables that can be named without a schema: internal tables and saved queries [L].
var bareSchemas = []string{"peaka.table", "peaka.query"}

// namesPath is the file with the names of a project's tables and columns.
func namesPath(e *cli.Env, project string) (string, error) {
	dir, p, err := e.CacheScope()
	if err != nil {
		return "", err
	}
	p.Project = project
	return filepath.Join(dir, "columns-"+p.Key()+".json"), nil
}

// readKnown reads the names that an earlier session has stored in a file, if any.
func readKnown(path string) *suggest.Known {
	var tables []suggest.Table
	if raw, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(raw, &tables) // an unreadable file only means fewer suggestions
	}
	return suggest.New(tables, bareSchemas...)
}

// The age at which names are read again, because other sessions create tables too. On a hosted zone this takes one
// statement per catalog.
const (
	namesFreshHere   = 30 * time.Second
	namesFreshHosted = 5 * time.Minute
	namesFreshMissed = 2 * time.Second // if Tab found nothing
)

// refresh reads the names in the background, unless a read is in progress or was completed within the duration since.
// Names that cannot be read are not offered.
func (s *shell) refresh(ctx context.Context, since time.Duration) {
	if was := s.namesRead.Load(); was != nil && time.Since(*was) < since || !s.reading.CompareAndSwap(false, true) {
		return
	}
	s.filling.Go(func() {
		defer s.reading.Store(false)
		_, _ = s.readNames(ctx, io.Discard)
		now := time.Now() // also after a failure, so that it is not repeated immediately
		s.namesRead.Store(&now)
	})
}

// namesFresh is the maximum age of the names while a statement is typed.
func (s *shell) namesFresh() time.Duration {
	if s.e.Run.Settings.Local() {
		return namesFreshHere
	}
	return namesFreshHosted
}

func (s *shell) refreshNames(ctx context.Context, _ []string) error {
	known, err := s.names(ctx)
	if err != nil {
		return err
	}
	n := 0
	for _, t := range known.Tables {
		n += len(t.Columns)
	}
	fmt.Fprintf(s.e.Err, "%d tables with %d columns\n", len(known.Tables), n)
	return nil
}

// names reads the names for a command.
func (s *shell) names(ctx context.Context) (*suggest.Known, error) { return s.readNames(ctx, s.e.Err) }

// readNames reads the names of all tables and columns from the gateway, and stores them for completion. It prints the
// catalogs that it could not read.
func (s *shell) readNames(ctx context.Context, notes io.Writer) (*suggest.Known, error) {
	catalogs, err := s.cl.Catalogs.List(ctx, s.project)
	if err != nil {
		return nil, err
	}
	var tables []suggest.Table
	var failed error
	seen := map[string]bool{}
	for _, c := range catalogs {
		if seen[c.Name] { // two catalogs are named peaka, and the statement reads both
			continue
		}
		seen[c.Name] = true
		of, err := s.namesOf(ctx, c)
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			failed = errors.Join(failed, err) // a source that is unreachable hides only its own names
			fmt.Fprintf(notes, "(the tables of catalog %s are missing: %s)\n", c.Name,
				term.Sanitize(nil, cli.Classify(ctx, err).Msg))
		}
		tables = append(tables, of...)
	}
	if tables == nil && failed != nil {
		return nil, failed
	}
	known := suggest.New(tables, bareSchemas...)
	s.known.Store(known)
	if path := s.namesPath; path != "" && !s.e.DryRun() {
		if raw, err := json.Marshal(tables); err == nil && os.MkdirAll(filepath.Dir(path), 0o700) == nil {
			_ = tempfile.WriteCache(path, raw) // without it the next session knows the names a moment later
		}
	}
	return known, nil
}

// namesOf reads the names of one catalog: from its information_schema, or from the lists of its tables.
func (s *shell) namesOf(ctx context.Context, c api.Catalog) ([]suggest.Table, error) {
	sql := "SELECT table_schema, table_name, column_name, data_type FROM " + sqltext.Quote(c.Name) +
		".information_schema.columns ORDER BY 1, 2, ordinal_position"
	res, err := s.cl.Queries.Execute(ctx, s.project, api.ExecuteByStatement{Statement: sql},
		api.ExecuteOptions{Format: api.Compact})
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return s.listed(ctx, c)
	}
	defer res.Close()
	var out []suggest.Table
	rows := res.Rows()
	for rows.Next() {
		cells := rows.Row()
		if len(cells) < 4 {
			return nil, errors.New("information_schema.columns has fewer columns than asked for")
		}
		var v [4]string
		for i := range v {
			if v[i], err = textOf(cells[i]); err != nil {
				return nil, err
			}
		}
		if n := len(out) - 1; n < 0 || out[n].Schema != v[0] || out[n].Name != v[1] {
			out = append(out, suggest.Table{Catalog: c.Name, Schema: v[0], Name: v[1]})
		}
		last := &out[len(out)-1]
		last.Columns = append(last.Columns, suggest.Column{Name: v[2], Type: v[3]})
	}
	for i := range out {
		systemLast(out[i].Columns)
	}
	return out, rows.Err()
}

// systemLast moves the columns that every internal table has behind the declared ones.
func systemLast(cols []suggest.Column) {
	if !rowset.Internal(cols, func(c suggest.Column) string { return c.Name }) {
		return
	}
	slices.SortStableFunc(cols, func(a, b suggest.Column) int {
		switch x, y := rowset.SystemColumn(a.Name), rowset.SystemColumn(b.Name); {
		case x == y:
			return 0
		case y:
			return -1
		}
		return 1
	})
}

func textOf(c api.Cell) (string, error) {
	if string(c) == "null" || len(c) == 0 {
		return "", nil
	}
	var s string
	err := json.Unmarshal(c, &s)
	return s, err
}

// listed reads the names of tables without their columns.
func (s *shell) listed(ctx context.Context, c api.Catalog) ([]suggest.Table, error) {
	schemas, err := s.cl.Catalogs.Schemas(ctx, s.project, c.ID)
	if err != nil {
		return nil, err
	}
	var out []suggest.Table
	for _, schema := range schemas {
		tables, err := s.cl.Catalogs.Tables(ctx, s.project, c.ID, schema.SchemaName)
		if err != nil {
			return out, err
		}
		for _, t := range tables {
			out = append(out, suggest.Table{Catalog: c.Name, Schema: t.SchemaName, Name: t.TableName})
		}
	}
	return out, nil
}

// columnsOf reads the columns of one table.
func (s *shell) columnsOf(ctx context.Context, t suggest.Table) ([]suggest.Column, error) {
	id, err := resolve.TableCatalogID(ctx, s.cl, s.project, t.Catalog, t.Schema)
	if err != nil {
		return nil, err
	}
	cols, err := s.cl.Catalogs.Columns(ctx, s.project, id, t.Schema, t.Name)
	if err != nil {
		return nil, err
	}
	out := make([]suggest.Column, len(cols))
	for i, c := range cols {
		out[i] = suggest.Column{Name: c.Name, Type: c.DataType}
	}
	systemLast(out)
	return out, nil
}

// files offers the files whose names begin with a path.
func (s *shell) files(prefix string) []suggest.Candidate {
	matches, err := filepath.Glob(s.e.Abs(globSafe(prefix)) + "*")
	if err != nil {
		return nil
	}
	if prefix == "" || strings.HasSuffix(prefix, "/") {
		matches, _ = filepath.Glob(filepath.Join(s.e.Abs(globSafe(prefix)), "*")) // the pattern is well-formed
	}
	var out []suggest.Candidate
	dir := prefix[:strings.LastIndexAny(prefix, `/\`)+1]
	for _, m := range matches {
		name := dir + filepath.Base(m)
		if st, err := os.Stat(m); err == nil && st.IsDir() {
			name += "/"
		}
		out = append(out, suggest.Candidate{Text: name, Kind: "file"})
	}
	slices.SortFunc(out, func(a, b suggest.Candidate) int { return strings.Compare(a.Text, b.Text) })
	return out[:min(len(out), 200)]
}

func globSafe(s string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`).Replace(s)
}
