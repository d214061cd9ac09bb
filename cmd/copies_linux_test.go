//go:build cgo

package cmd

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
)

// TestCopiesWhileServing: a copy of the data directory that cp makes while a gateway serves and writes either has whole
// imports, each once and in their order, or is refused by the name of what is damaged. It may lack the last ones,
// as the documentation says.
func TestCopiesWhileServing(t *testing.T) {
	needLocal(t)
	const batch, copies = 20_000, 8 // of 2 MB: the log is written into the data file several times
	data := t.TempDir()
	mustRun(t, data, "table", "create", "t", "--column", "n:bigint", "--column", "s:varchar")
	_, cl := serving(t, data)
	var sent, acked atomic.Int64 // imports
	ctx, stop := context.WithCancel(t.Context())
	var writer sync.WaitGroup
	defer writer.Wait()
	defer stop()
	writer.Go(func() {
		for ctx.Err() == nil {
			var text bytes.Buffer
			text.WriteString("n,s\n")
			n := sent.Add(1)
			for i := range int64(batch) {
				fmt.Fprintf(&text, "%d,%0100d\n", (n-1)*batch+i, i*7919%1_000_003)
			}
			req := api.ImportRequest{ContainsHeader: true,
				Mappings: []api.ImportMapping{{Name: "n", CSVColumnName: "n"}, {Name: "s", CSVColumnName: "s"}}}
			if _, err := cl.Tables.Import(context.Background(), "localdev", "t", req, "t.csv", &text); err != nil {
				t.Errorf("an import: %v", err)
				return
			}
			acked.Add(1)
		}
	})
	whole, refused := 0, 0
	for i := range copies {
		for acked.Load() < int64(3*(i+1)) && ctx.Err() == nil && !t.Failed() {
			time.Sleep(time.Millisecond)
		}
		least := acked.Load()
		dir := filepath.Join(t.TempDir(), "copy")
		if said, err := exec.Command("cp", "-r", data, dir).CombinedOutput(); err != nil {
			t.Logf("cp: %v: %s", err, said) // a temporary file may be gone
		}
		most := sent.Load()
		env := map[string]string{"DIG_DATA_DIR": dir, "DIG_STATE_DIR": t.TempDir()}
		code, rows, errs := runDig(t, env, "sql", "-o", "csv",
			"SELECT count(*) AS rows, count(DISTINCT n) AS n, max(n) AS last FROM t")
		switch {
		case code == 0:
			whole++
			var count, distinct, last int64
			if k, _ := fmt.Sscanf(rows, "rows,n,last\n%d,%d,%d", &count, &distinct, &last); k != 3 {
				t.Fatalf("%s%s", rows, errs)
			}
			if count != distinct || count != last+1 || count%batch != 0 || count == 0 || count > most*batch {
				t.Errorf("copy %d has %d rows, %d numbers up to %d; %d to %d imports of %d rows were stored",
					i, count, distinct, last, least, most, batch)
			}
			if count < least*batch {
				t.Logf("copy %d lacks %d rows that were stored before it was begun", i, least*batch-count)
			}
		case code == exitcode.Failed && strings.Contains(errs, dir) && strings.Contains(errs, "hint: "):
			refused++
			t.Logf("copy %d is refused: %s", i, errs)
		default:
			t.Errorf("copy %d: exit %d: %s", i, code, errs)
		}
	}
	t.Logf("%d whole, %d refused", whole, refused)
}
