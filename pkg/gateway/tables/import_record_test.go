package tables_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/gatewaytest"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// withTable opens a gateway with a table t of a column a.
func withTable(t *testing.T) (*gateway.Gateway, *api.Client, engine.Project) {
	t.Helper()
	g, cl, _ := gatewaytest.OpenClient(t)
	data, err := g.Engine.Project(t.Context(), gatewaytest.Local)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := data.CreateTable(t.Context(), engine.SchemaTable, "t", engine.ColumnDef{Name: "a",
		Type: "bigint"}); err != nil {
		t.Fatal(err)
	}
	return g, cl, data
}

func importA(cl *api.Client, id, doc string) (api.ImportJob, error) {
	req := api.ImportRequest{ID: id, ContainsHeader: true,
		Mappings: []api.ImportMapping{{Name: "a", CSVColumnName: "a"}}}
	return cl.Tables.Import(context.Background(), gatewaytest.Local, "t", req, "x.csv", strings.NewReader(doc))
}

// TestImportsAreRecorded: the state file knows which imports are stored; for one whose process died before it recorded
// the end, the rows decide, and are asked once.
func TestImportsAreRecorded(t *testing.T) {
	g, cl, data := withTable(t)
	ctx := context.Background()
	add := func(id, doc string) error { _, err := importA(cl, id, doc); return err }
	if err := add("good", "a\n1\n2\n"); err != nil {
		t.Fatal(err)
	}
	if err := add("bad", "a\nx\n"); err == nil {
		t.Fatal("a text was stored as a number")
	}
	if _, err := data.ImportCSV(ctx, engine.SchemaTable, "t", strings.NewReader("a\n3\n"), engine.Import{ID: "cut",
		Header: true, Mappings: []api.ImportMapping{{Name: "a", CSVColumnName: "a"}}}); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]int64{"good": 2, "bad": 0, "cut": 1, "never": 0} {
		if found, err := cl.FindImport(ctx, gatewaytest.Local, id); found.Rows != want || err != nil {
			t.Errorf("%s: %d rows are stored, %v", id, found.Rows, err)
		}
	}
	for id, want := range map[string]int64{"good": 2, "cut": 1} {
		if rows, err := g.Store.FindImport(ctx, gatewaytest.Local, id); rows != want || err != nil {
			t.Errorf("%s: recorded with %d rows, %v", id, rows, err)
		}
	}
	if _, err := g.Store.FindImport(ctx, gatewaytest.Local, "bad"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an import that failed is recorded: %v", err)
	}
}

// TestImportsAreKnownFrom: after a thousand imports the first ones are not known, and an import that may be one of them
// is not said to be.
func TestImportsAreKnownFrom(t *testing.T) {
	g, cl, _ := withTable(t)
	ctx := context.Background()
	add := func(id string) api.ImportJob {
		job, err := importA(cl, id, "a\n1\n")
		if err != nil || job.ID == "" {
			t.Fatal(job, err)
		}
		return job
	}
	from := func() int64 {
		found, err := cl.FindImport(ctx, gatewaytest.Local, "never")
		if err != nil || found.Rows != 0 || found.KnownFrom == nil {
			t.Fatal(found, err)
		}
		return *found.KnownFrom
	}
	if at := from(); at != 0 {
		t.Errorf("of all imports those after %d are known", at)
	}
	first, twice := add("first"), add("twice")
	for i := range 1000 {
		if i == 900 {
			twice = add("twice")
		}
		if err := g.Store.NoteImport(ctx, gatewaytest.Local, strconv.Itoa(i), 1); err != nil {
			t.Fatal(err)
		}
	}
	found, err := g.Store.FindImport(ctx, gatewaytest.Local, "twice")
	if at := from(); first.EndTime > at || twice.EndTime <= at && found == 0 {
		t.Errorf("imports after %d are known; the first ended at %d, the second at %d, %v", at, first.EndTime,
			twice.EndTime, err)
	}
	if found != 1 {
		t.Errorf("an import that was sent again is as old as when it was sent first: %v", err)
	}
}
