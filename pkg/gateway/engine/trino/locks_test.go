package trino_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/trinotest"
	"github.com/google/uuid"
)

// importRows imports the values of a column n into a table.
func importRows(ctx context.Context, p engine.Project, table, id, rows string) error {
	_, err := p.ImportCSV(ctx, engine.SchemaTable, table, strings.NewReader("n\n"+rows), engine.Import{ID: id,
		Header: true, Mappings: []api.ImportMapping{{Name: "n", CSVColumnName: "n"}}})
	return err
}

// TestLocksOfTables: a change waits for one of the same table only, one of two names for both, and an import for one of
// the same id.
func TestLocksOfTables(t *testing.T) {
	dir := t.TempDir()
	p := projectOf(t, dir)
	for _, name := range []string{"a", "b"} {
		if _, err := p.CreateTable(t.Context(), engine.SchemaTable, name, engine.ColumnDef{Name: "n",
			Type: "bigint"}); err != nil {
			t.Fatal(err)
		}
	}
	busy := errors.New("somebody has it")
	held := ""
	var taken []string
	e, err := trino.Open(trinotest.Options(t, dir), engine.Options{Dir: dir, NewID: uuid.NewString,
		Lock: func(ctx context.Context, name string) (*engine.Lock, error) {
			if held != "" && strings.HasSuffix(name, held) {
				return nil, busy
			}
			taken = append(taken, name)
			return &engine.Lock{Context: ctx, Note: func(string) error { return nil }, Unlock: func() {
				taken = slices.DeleteFunc(taken, func(other string) bool { return other == name })
			}}, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if p, err = e.Project(t.Context(), "prj1"); err != nil {
		t.Fatal(err)
	}
	copyTo := func(from, to string) error {
		_, _, err := p.CopyTable(t.Context(), engine.SchemaTable, from, to)
		return err
	}
	rename := func(from, to string) error {
		_, err := p.RenameTable(t.Context(), engine.SchemaTable, from, to)
		return err
	}
	held = `."a"`
	for what, c := range map[string]struct {
		err  error
		busy bool
	}{
		"an import into it":      {importRows(t.Context(), p, "A", "1", "1\n"), true},
		"an import into another": {importRows(t.Context(), p, "b", "2", "1\n"), false},
		"a copy from it":         {copyTo("a", "c"), true},
		"a new name":             {rename("a", "c"), true},
		"its name":               {rename("b", "a"), true},
		"another table":          {rename("b", "c"), false},
	} {
		if errors.Is(c.err, busy) != c.busy || !c.busy && c.err != nil {
			t.Errorf("%s: %v", what, c.err)
		}
	}
	held = "import prj1 3"
	if err := importRows(t.Context(), p, "a", "3", "1\n"); !errors.Is(err, busy) {
		t.Errorf("an import of the same id: %v", err)
	}
	if len(taken) > 0 {
		t.Errorf("not given back: %q", taken)
	}
}

// TestRowIDsOfATable: an id of a table is not used again when the table gets another name, or its name another table,
// even if the clock was put back.
func TestRowIDsOfATable(t *testing.T) {
	dir := t.TempDir()
	p := projectOf(t, dir)
	top := func(table string) int64 {
		t.Helper()
		if err := importRows(t.Context(), p, table, "", "1\n"); err != nil {
			t.Fatal(err)
		}
		n, err := strconv.ParseInt(ask(t, p, "SELECT max(_id) FROM "+table), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	create := func(name string) {
		t.Helper()
		if _, err := p.CreateTable(t.Context(), engine.SchemaTable, name, engine.ColumnDef{Name: "n",
			Type: "bigint"}); err != nil {
			t.Fatal(err)
		}
	}
	create("t")
	ahead := top("t") + time.Hour.Milliseconds()<<23
	stage := trinotest.Options(t, dir).Stage
	files, err := filepath.Glob(filepath.Join(stage, only(t, stage), "last-id-*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], strconv.AppendInt(nil, ahead, 10), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.RenameTable(t.Context(), engine.SchemaTable, "t", "u"); err != nil {
		t.Fatal(err)
	}
	create("t")
	create("v")
	for _, table := range []string{"t", "u", "t"} {
		if n := top(table); n <= ahead {
			t.Errorf("%s has %d after %d", table, n, ahead)
		}
	}
	if n := top("v"); n >= ahead {
		t.Errorf("v has %d", n)
	}
}
