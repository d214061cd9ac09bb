package cmd

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/output"
)

// An import appends, and rows cannot be deleted: the same file twice is a doubled table [L]. dig keeps, for each place, which
// files it has imported into which tables, and asks for --again before it sends one once more.

// ledger is what was imported from here, by table and file.
type ledger map[string]ledgerEntry

type ledgerEntry struct {
	File string    `json:"file"`
	Rows int64     `json:"rows"`
	At   time.Time `json:"at"`
}

// maxLedger bounds the entries of one place; the oldest go first.
const maxLedger = 1000

func (e *Env) ledgerFile(project string) string {
	dir, err := config.CacheDir(e.Getenv)
	if err != nil {
		return ""
	}
	s := e.run.settings
	sum := sha256.Sum256([]byte(strings.Join([]string{s.Zone.Value, s.BaseURL.Value, project, e.Getenv("DIG_DATA_DIR")}, "\x00")))
	return filepath.Join(dir, "imports-"+hex.EncodeToString(sum[:8])+".json")
}

func readLedger(path string) ledger {
	out := ledger{}
	if raw, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(raw, &out) // an unreadable ledger only means that nothing is known
	}
	return out
}

// writeLedger never fails a command: the rows are imported, whatever becomes of the note about them.
func writeLedger(path string, l ledger) {
	for len(l) > maxLedger {
		oldest := ""
		for k, v := range l {
			if oldest == "" || v.At.Before(l[oldest].At) {
				oldest = k
			}
		}
		delete(l, oldest)
	}
	raw, err := json.Marshal(l)
	if err != nil || path == "" || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	f, err := output.Create(path)
	if err != nil {
		return
	}
	if _, err := f.Write(raw); err != nil {
		_ = f.Abort()
		return
	}
	_ = f.Commit()
}

// ledgerKey stands for a file and how it is mapped into a table: its size and the hash of its first and last MiB, so that a
// large file is not read twice. It is "" for standard input
// and pipes.
func (e *Env) ledgerKey(kind, table, path string, req api.ImportRequest) (string, error) {
	if path == "-" {
		return "", nil
	}
	st, err := os.Stat(e.abs(path))
	if err != nil || !st.Mode().IsRegular() { // opening a pipe once more could wait for ever
		return "", err
	}
	f, err := os.Open(e.abs(path))
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if err := json.NewEncoder(h).Encode(req); err != nil {
		return "", err
	}
	const part = 1 << 20
	fmt.Fprintln(h, st.Size())
	for _, at := range []int64{0, max(0, st.Size()-part)} {
		if _, err := io.Copy(h, io.NewSectionReader(f, at, part)); err != nil {
			return "", err
		}
	}
	return kind + "\x00" + table + "\x00" + hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// refuseTwice refuses a file that was imported into this table before, as long as the table holds rows.
func (e *Env) refuseTwice(ctx context.Context, cl *api.Client, project, kind, table, key string) error {
	was, known := readLedger(e.ledgerFile(project))[key]
	if key == "" || !known || e.run.flags.dryRun || e.run.flags.explain {
		return nil
	}
	n, err := countRows(ctx, cl, project, kind, table)
	if err != nil || n == 0 { // the table was made anew
		return err
	}
	return &failure{exit: exitConflict, code: "imported-before",
		msg:  fmt.Sprintf("%s was imported into %s on %s (%d rows); once more would store its rows twice, and rows cannot be deleted", was.File, table, was.At.Format("2006-01-02 15:04"), was.Rows),
		hint: "give --again to import it once more"}
}

// imported notes an import.
func (e *Env) imported(project, key, file string, rows int64) {
	if key == "" || rows == 0 {
		return
	}
	path := e.ledgerFile(project)
	l := readLedger(path)
	l[key] = ledgerEntry{filepath.Base(file), rows, e.Now().UTC()}
	writeLedger(path, l)
}

// forgetImports drops the notes about a table that is gone.
func (e *Env) forgetImports(project, kind, table string) {
	path := e.ledgerFile(project)
	l := readLedger(path)
	was := len(l)
	for k := range l {
		if strings.HasPrefix(k, kind+"\x00"+table+"\x00") {
			delete(l, k)
		}
	}
	if len(l) < was {
		writeLedger(path, l)
	}
}

// countRows counts the rows of an internal table; kind is its schema.
func countRows(ctx context.Context, cl *api.Client, project, kind, table string) (int64, error) {
	q := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	res, err := cl.Queries.Execute(ctx, project, api.ExecuteByStatement{Statement: `SELECT count(*) AS n FROM "peaka".` + q(kind) + "." + q(table)}, api.Compact)
	if err != nil {
		return 0, err
	}
	defer res.Close()
	var doc struct {
		Data [][]json.Number `json:"data"`
	}
	raw, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return 0, err
	}
	if err := json.Unmarshal(raw, &doc); err != nil || len(doc.Data) != 1 || len(doc.Data[0]) != 1 {
		return 0, fmt.Errorf("the rows of %s cannot be counted: %.200s", table, raw)
	}
	return doc.Data[0][0].Int64()
}

// refuseExamples refuses a file that holds nothing but the example rows of the gateway's sample: they import like real ones [L].
func refuseExamples(head *bufio.Reader, header []string) error {
	at := slices.Index(header, "text")
	raw, err := head.Peek(1 << 16)
	if at < 0 || !errors.Is(err, io.EOF) { // a sample is short
		return nil // an import reads on and meets the error again
	}
	rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")))).ReadAll()
	if err != nil || len(rows) != 6 {
		return nil // no sample
	}
	for _, r := range rows[1:] {
		if r[at] != "sample text" {
			return nil
		}
	}
	return usagef("the file holds the five example rows of a sample and nothing else").withHint("`dig table sample` prints the header alone; give --again to import them all the same")
}
