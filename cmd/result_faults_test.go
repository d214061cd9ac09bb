package cmd

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

const (
	faultRows = 400
	longRows  = 40_000 // several MB: these are read ahead
	faultRuns = 200
)

// faultDocument is a result in one of the three shapes.
func faultDocument(shape string, rows int) string {
	var b strings.Builder
	b.WriteString(`{"columns":[{"catalogName":"c","schemaName":"s","tableName":"t","columnName":"n",` +
		`"dataType":"bigint"},{"catalogName":"c","schemaName":"s","tableName":"t","columnName":"label",` +
		`"dataType":"varchar"}],"data":[`)
	for i := range rows {
		if i > 0 {
			b.WriteByte(',')
		}
		label := fmt.Sprintf(`"row %d, with a comma\u00e9"`, i)
		if i%5 == 0 {
			label = "null"
		}
		switch shape {
		case "CELL_TYPED":
			fmt.Fprintf(&b, `[{"name":"n","displayName":"n","dataType":"bigint","order":0,"value":"%d"},`+
				`{"name":"label","displayName":"label","dataType":"varchar","order":1,"value":%s}]`, i, label)
		case "SIMPLE":
			fmt.Fprintf(&b, `{"n":"%d","label":%s}`, i, label)
		default:
			fmt.Fprintf(&b, `["%d",%s]`, i, label)
		}
	}
	b.WriteString("]}")
	return b.String()
}

// faultServer sends /KIND/POINT/ROWS/... the document of the asked format in a way that goes wrong after POINT bytes.
func faultServer(t *testing.T, docs map[string]string) string {
	done := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		part := strings.Split(r.URL.Path, "/")
		doc := docs[r.URL.Query().Get("format")+part[3]]
		point, err := strconv.Atoi(part[2])
		if err != nil || doc == "" {
			http.NotFound(w, r)
			return
		}
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		head := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
		chunk := func(s string) {
			if s != "" {
				fmt.Fprintf(c, "%x\r\n%s\r\n", len(s), s)
			}
		}
		chunked := func() { fmt.Fprint(c, head+"Transfer-Encoding: chunked\r\n\r\n") }
		cut := doc[:min(point, len(doc))]
		switch part[1] {
		case "whole":
			chunked()
			chunk(doc)
			fmt.Fprint(c, "0\r\n\r\n")
		case "drip": // slowly, but all of it
			chunked()
			for at := 0; at < len(doc); at += len(doc)/40 + 1 {
				chunk(doc[at:min(at+len(doc)/40+1, len(doc))])
				time.Sleep(time.Millisecond)
			}
			fmt.Fprint(c, "0\r\n\r\n")
		case "dripcut":
			chunked()
			for at := 0; at < len(cut); at += len(doc)/40 + 1 {
				chunk(cut[at:min(at+len(doc)/40+1, len(cut))])
				time.Sleep(time.Millisecond)
			}
		case "reset": // the connection breaks
			chunked()
			chunk(cut)
			_ = c.(*net.TCPConn).SetLinger(0)
		case "close": // the connection ends in the middle of a chunk
			chunked()
			fmt.Fprintf(c, "%x\r\n%s", len(doc), cut)
		case "short": // as long as promised, but less than a document
			fmt.Fprintf(c, "%sContent-Length: %d\r\n\r\n%s", head, len(cut), cut)
		case "ended": // as if it were complete
			chunked()
			chunk(cut)
			fmt.Fprint(c, "0\r\n\r\n")
		case "unframed": // the end of the connection is the end of the document
			fmt.Fprint(c, head+"Connection: close\r\n\r\n"+cut)
		case "length": // less than promised
			fmt.Fprintf(c, "%sContent-Length: %d\r\n\r\n%s", head, len(doc), cut)
		case "stall": // nothing more, until the client gives up
			chunked()
			chunk(cut)
			b := make([]byte, 1)
			go func() { c.Read(b); c.Close() }()
			<-done
		}
	}))
	t.Cleanup(srv.Close)
	t.Cleanup(func() { close(done) })
	return srv.URL
}

// rowsWritten counts the rows of a finished output with a reader that is not dig's.
func rowsWritten(format string, raw []byte) (int, error) {
	switch format {
	case "csv", "tsv":
		if format == "tsv" {
			return bytes.Count(raw, []byte("\n")) - 1, nil
		}
		all, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
		return len(all) - 1, err
	case "ndjson":
		n := 0
		for line := range bytes.Lines(raw) {
			if !json.Valid(line) || line[len(line)-1] != '\n' {
				return n, fmt.Errorf("not a line of JSON: %q", line)
			}
			n++
		}
		return n, nil
	case "json":
		var doc struct{ Data []json.RawMessage }
		if err := json.Unmarshal(raw, &doc); err == nil {
			return len(doc.Data), nil
		}
		err := json.Unmarshal(raw, &doc.Data)
		return len(doc.Data), err
	case "parquet":
		f, err := parquet.OpenFile(bytes.NewReader(raw), int64(len(raw)))
		if err != nil {
			return 0, err
		}
		return int(f.NumRows()), nil
	}
	return bytes.Count(raw, []byte("\n")) - 2, nil // table: names and a rule
}

// TestResultFaults breaks results off at random points in every way a network can: no run ends well with fewer rows
// than there are, no file appears that is not complete, and no json is closed.
func TestResultFaults(t *testing.T) {
	docs := map[string]string{}
	for _, shape := range []string{"CELL_TYPED", "SIMPLE", "COMPACT"} {
		for _, rows := range []int{faultRows, longRows} {
			docs[shape+strconv.Itoa(rows)] = faultDocument(shape, rows)
		}
	}
	base := faultServer(t, docs)
	kinds := []string{"reset", "short", "close", "stall", "ended", "dripcut", "unframed", "length", "drip", "whole"}
	formats := []string{"csv", "ndjson", "json", "table", "parquet", "tsv"}
	shapes := []string{"CELL_TYPED", "SIMPLE", "COMPACT"}
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d", seed)
	var wg sync.WaitGroup
	var mu sync.Mutex
	ended := map[string]int{}
	slots := make(chan struct{}, 8)
	for run := range faultRuns {
		kind, format, shape := kinds[run%len(kinds)], formats[rng.IntN(len(formats))], shapes[rng.IntN(3)]
		rows := faultRows
		if run%6 == 0 {
			rows = longRows
		}
		size := len(docs[shape+strconv.Itoa(rows)])
		point := rng.IntN(size)
		if run%7 == 0 { // between the rows' end and the document's
			point = size - 1 - rng.IntN(3)
		}
		toFile := format == "parquet" || rng.IntN(3) == 0
		wg.Add(1)
		slots <- struct{}{}
		go func() {
			defer func() { <-slots; wg.Done() }()
			args := []string{"query", "execute", "--base-url", fmt.Sprintf("%s/%s/%d/%d/api/v1", base, kind, point,
				rows), "--project", "Bench123", "--sql", "SELECT 1",
				"--format", shape, "-o", format, "--timeout", "20s"}
			if kind == "stall" {
				args[len(args)-1] = "400ms"
			}
			path := filepath.Join(t.TempDir(), "out")
			if toFile {
				args = append(args, "--out", path)
			}
			code, out, errs := runDig(t, map[string]string{"DIG_API_KEY": testKey}, args...)
			raw := []byte(out)
			if toFile {
				var err error
				if raw, err = os.ReadFile(path); err != nil && (code == 0 || !errors.Is(err, fs.ErrNotExist)) {
					t.Error(err)
				} else if err == nil && code != 0 {
					t.Errorf("%s at %d, %s to %s: exit %d, and a file of %d bytes", kind, point, shape, format,
						code, len(raw))
				}
			}
			n, err := rowsWritten(format, raw)
			what := fmt.Sprintf("%s at %d of %d, %s to %s (file %v): exit %d with %d rows (%v), stderr %q", kind, point,
				size, shape, format, toFile, code, n, err, errs)
			switch whole := kind == "drip" || kind == "whole"; {
			case whole && (code != 0 || err != nil || n != rows):
				t.Error("a sound result: " + what)
			case !whole && code == 0:
				t.Error(what)
			case !whole && errs == "":
				t.Error("without a word: " + what)
			case !whole && format == "json" && len(raw) > 0 && err == nil:
				t.Error("closed: " + what)
			case n > rows:
				t.Error("too many rows: " + what)
			}
			mu.Lock()
			ended[fmt.Sprintf("%s: exit %d", kind, code)]++
			mu.Unlock()
		}()
	}
	wg.Wait()
	t.Log(ended)
}
