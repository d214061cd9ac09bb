//go:build cgo

package running

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/projects"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/tables"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// project is the project of an engine.
type project struct {
	tables.Tables
	Statements
}

func testProject(t testing.TB) project {
	t.Helper()
	var statements Common
	ids := 0
	dir := t.TempDir()
	all, err := projects.New(engine.Options{Dir: dir, LockWait: 100 * time.Millisecond, Threads: 2, IdleClose: -1,
		NewID: func() string { ids++; return fmt.Sprintf("c%d", ids) }},
		func(c bindings.Connection, in *instance.Instance) error {
			return errors.Join(statements.Register(c, in), tables.Register(c))
		})
	if err != nil {
		t.Fatal(err)
	}
	p := projects.NewProject("prjA", filepath.Join(dir, "prjA"), all)
	t.Cleanup(func() { _ = p.Close() })
	return project{tables.Of(p), statements.Of(p)}
}

func makeTable(t *testing.T, p project, kind, name string, defs ...engine.ColumnDef) {
	t.Helper()
	if _, err := p.CreateTable(t.Context(), kind, name, defs...); err != nil {
		t.Fatal(err)
	}
}

// mustImport imports a document with a header, each field into the column of its name.
func mustImport(t *testing.T, p project, table, text string) {
	t.Helper()
	head, _, _ := strings.Cut(text, "\n")
	m := engine.Import{Header: true}
	for _, name := range strings.Split(head, ",") {
		m.Mappings = append(m.Mappings, api.ImportMapping{Name: name, CSVColumnName: name})
	}
	if _, err := p.ImportCSV(t.Context(), engine.SchemaTable, table, strings.NewReader(text), m); err != nil {
		t.Fatal(err)
	}
}

func kindOf(err error) engine.Kind {
	var e *engine.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

func reply(t *testing.T, p engine.Project, format api.Format, q sql.Query) (string, error) {
	t.Helper()
	r, err := start(t.Context(), p, q)
	if err != nil {
		return "", err
	}
	defer r.Close()
	var b bytes.Buffer
	started := 0
	_, err = r.Encode(t.Context(), &b, format, func() {
		if b.Len() > 0 {
			t.Error("bytes before start")
		}
		started++
	})
	if err == nil && started != 1 {
		t.Errorf("start was called %d times", started)
	}
	return b.String(), err
}

// rows runs a statement and joins its values: columns by a bar, rows by a line break, NULL as "null".
func rows(t *testing.T, p engine.Project, q sql.Query) (string, error) {
	t.Helper()
	r, err := start(t.Context(), p, q)
	if err != nil {
		return "", err
	}
	defer r.Close()
	var lines []string
	_, err = r.Rows(t.Context(), func(row [][]byte) error {
		var cells []string
		for _, c := range row {
			if c == nil {
				cells = append(cells, "null")
			} else {
				cells = append(cells, string(c))
			}
		}
		lines = append(lines, strings.Join(cells, "|"))
		return nil
	})
	return strings.Join(lines, "\n"), err
}
