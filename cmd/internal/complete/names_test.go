package complete

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/spec"
)

// TestLearnChanges: the stored names after a change are those that a listing would show, or unknown.
func TestLearnChanges(t *testing.T) {
	const unknown = "unknown"
	for _, c := range []struct {
		op                        spec.Op
		kind, before, args, reply string
		after                     string
	}{
		{spec.CreateQuery, "query", "a", "", `{"name":"b"}`, "a b"},
		{spec.CreateQuery, "query", "", "", `{"name":"b"}`, "b"},
		{spec.CreateQuery, QueryIDs, "1", "", `{"name":"b"}`, unknown},
		{spec.UpdateQuery, "query", "a c", "a", `{"name":"d"}`, "c d"},
		{spec.DeleteQuery, "query", "a c", "a", ``, "c"},
		{spec.DeleteQuery, "query", "a c", "77", ``, unknown}, // by its id
		{spec.ListQueries, "query", "a", "", `[{"name":"z"}]`, "z"},
		{spec.MoveQuery, "query", "a", "a", `{}`, "a"},
		{spec.MoveQuery, "folder", "/x", "a", `{}`, unknown},
		{spec.CreateInternalTable, "table", "a", "b", `{"tableName":"b"}`, "a b"},
		{spec.ImportCsv, "table", "a", "b", `{}`, unknown},
		{spec.RenameTable, "table", "a", "a b", `{}`, unknown},
		{spec.RenameTable, "bicolumn@a", "x", "a b", `{}`, unknown},
		{spec.CopyTable, "bitable", "a", "a b", `{}`, unknown},
		{spec.DeleteInternalTable, "column@t", "a", "t", ``, unknown},
		{spec.AddInternalColumns, "column@t", "a", "t", `[{"name":"b"}]`, unknown},
		{spec.AddInternalColumns, "table", "t", "t", `[{"name":"b"}]`, "t"},
		{spec.DeleteQueryFolder, "folder", "/a /a/b /c", "/a", ``, "/c"},
		{spec.RenameQueryFolder, "folder", "/a", "/a b", `{"path":"/b"}`, unknown},
		{spec.DeleteCatalog, "catalog", "a b", "b", ``, "a"},
		{spec.DeleteCatalog, "table@b@s", "t", "b", ``, unknown},
		{spec.CreateParametricTable, "table@b@s", "t", "b", `{}`, unknown},
		{spec.CompleteOauthConnection, "connection", "a", "q=1", `{}`, unknown},
		{spec.CreateGoldenSql, "golden", "1", "", `{}`, unknown},
		{spec.RenameAgentThread, "thread", "a", "a b", ``, unknown},
		{spec.CancelExport, "export", "1 2", "1", ``, unknown},
		{spec.CreateCache, "catalog", "a", "a s t", `{"name":"a"}`, "a"},
		{spec.GetQuery, "query", "a", "b", `{"name":"b"}`, "a"},
	} {
		n := In(filepath.Join(t.TempDir(), "names"))
		before, err := json.Marshal(map[string][]string{c.kind: strings.Fields(c.before)})
		if err == nil {
			err = os.WriteFile(n.path, before, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		n.Learn(c.op, json.RawMessage(c.reply), strings.Fields(c.args))
		want := strings.Fields(c.after)
		if c.after == unknown {
			want = nil
		}
		if got := readNames(n.path)[c.kind]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s of %q with %s: %s is %q, want %q", c.op.ID, c.args, c.reply, c.kind, got, want)
		}
	}
}
