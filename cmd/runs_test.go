package cmd

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/spec"
)

// TestImportsOfThisMachine: where the gateway does not tell of imports, those that this machine has sent are listed,
// and a note says so.
func TestImportsOfThisMachine(t *testing.T) {
	for _, zone := range []string{"us", "local"} {
		t.Run(zone, func(t *testing.T) {
			f := newFront(t, zone)
			f.on(spec.ListImports, func(w http.ResponseWriter, _ *http.Request, _ func() *http.Response) {
				http.NotFound(w, nil) // as a gateway of an earlier release
			})
			good := f.file("good.csv", "n\n1\n2\n")
			f.want(0, "table", "import", "a", good, "--create")
			f.on(spec.ImportCsv, replyWith(400, `{"message":"no"}`, false))
			f.want(1, "table", "import", "a", f.file("more.csv", "n\n3\n"))
			f.on(spec.ImportCsv, lose)
			f.want(0, "table", "import", "b", good, "--create")
			f.sent()
			code, out, errs := f.dig("runs", "list", "--kind", "import", "-o", "csv", "--no-header", "--columns",
				"kind,name,status,rows")
			want := "import,peaka.table.b,COMPLETED,\nimport,peaka.table.a,FAILED,\nimport,peaka.table.a,COMPLETED,\n"
			if code != 0 || out != want || !strings.Contains(errs, "note: the imports are those of this machine") {
				t.Errorf("exit %d: %s%s", code, out, errs)
			}
			if asked := strings.Contains(f.sent(), spec.ListImports.ID); asked != (zone == "local") {
				t.Errorf("asked for what only zone local has: %v", asked)
			}
		})
	}
}
