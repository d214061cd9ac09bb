package cmd

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func newTableImportCmd(e *Env, k tableKind) *cobra.Command {
	var maps []string
	var noHeader, create, again, check bool
	bi := k.create.ID == spec.CreateBiTable.ID
	c := &cobra.Command{
		Use: "import TABLE FILE", Short: "Append the rows of a CSV file, all or none", Args: cobra.ExactArgs(2),
		Long: `Append the rows of a CSV file to a table, all or none. FILE may be gzipped, and "-" is stdin.

Without --map, every column of the file goes to the table's column of the same name; a header that names
no column is refused before anything is sent. --map COLUMN=HEADER takes another column of the file,
--map COLUMN=#2 the third (they count from zero, the only form for files without a header).
--create makes the table first, with a column of text for each header.

An import appends, and rows cannot be deleted: a file that was imported into the table before is refused
unless --again is given. --check looks at the file with the rules of zone local, on this machine, and
lists every value that does not fit; nothing is sent.`,
		Example: "  " + e.Name + " " + k.noun + " import people people.csv --create\n  " + e.Name + " " + k.noun + ` import people export.csv.gz --map name="Full name" --map age=#3`,
	}
	c.Flags().StringArrayVar(&maps, "map", nil, "COLUMN=HEADER or COLUMN=#INDEX; repeat")
	c.Flags().BoolVar(&noHeader, "no-csv-header", false, "the first line of the file is a row")
	c.Flags().BoolVar(&create, "create", false, "create the table, every column VARCHAR, if it does not exist")
	c.Flags().BoolVar(&again, "again", false, "import the file even if it was imported into this table before")
	c.Flags().BoolVar(&check, "check", false, "only check the file on this machine against the table's columns")
	op := spec.ImportCsv
	if bi {
		op = spec.ImportBi
		c.Short += " (zone local)"
		c.Long += "\n\nHosted zones take the rows of BI tables from their web studio only, so this works on zone local alone."
	}
	annotate(c, k.create, k.add)
	return e.leaf(op, c, func(ctx context.Context, cl *api.Client, args []string) (view, error) {
		if s, err := e.Settings(); err != nil {
			return view{}, err
		} else if z := s.Zone.Value; bi && z != "local" {
			return view{}, usagef("BI tables take no CSV import on zone %s: their rows are entered in the web studio", z).withHint("import into an internal table with `dig table import`")
		}
		src, name, err := e.openCSV(args[1])
		if err != nil {
			return view{}, err
		}
		defer src.Close()
		head := bufio.NewReaderSize(src, 1<<20)
		var header []string
		if !noHeader {
			if header, err = csvHeader(head); errors.Is(err, context.Canceled) {
				return view{}, err
			} else if err != nil {
				return view{}, usagef("%s: %v", args[1], err)
			}
		}
		p, err := e.projectID(ctx, cl)
		if err != nil {
			return view{}, err
		}
		if create && check {
			return view{}, usagef("--check sends nothing and --create makes a table: choose one")
		}
		if create {
			if err := createFor(ctx, k.client(cl), p, args[0], k, header); err != nil {
				return view{}, err
			}
		}
		cols, err := k.client(cl).Columns(ctx, p, args[0])
		if err != nil {
			return view{}, hintCreate(ctx, k.client(cl), p, args[0], k, err)
		}
		req, err := importMapping(maps, header, !noHeader, cols)
		if err != nil {
			return view{}, err
		}
		if check {
			return e.checkImport(ctx, cols, req, name, head)
		}
		key, err := e.ledgerKey(k.noun, k.stored(args[0]), args[1], req)
		if err != nil {
			return view{}, usagef("%v", err)
		}
		if !again {
			if err := refuseExamples(head, header); err != nil {
				return view{}, err
			}
			if err := e.refuseTwice(ctx, cl, p, k.noun, k.stored(args[0]), key); err != nil {
				return view{}, err
			}
		}
		send := cl.Tables.Import
		if bi {
			send = cl.ImportBI
		}
		bar := e.progress()
		defer bar.Stop()
		job, err := send(ctx, p, args[0], req, name, bar.Reader(head))
		bar.Stop()
		if err != nil {
			return view{}, err
		}
		e.imported(p, key, args[1], job.Result.Processed)
		return e.showImport(job).withNote("imported %d rows into %s", job.Result.Processed, args[0]), nil
	})
}

// showImport shows a job. Its times are counted in milliseconds, which a table writes as it does other times.
func (e *Env) showImport(job api.ImportJob) view {
	if e.run.flags.output != output.Table {
		return object(job)
	}
	at := func(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }
	return object(struct {
		ID        string              `json:"id"`
		Status    string              `json:"status"`
		StartTime string              `json:"startTime"`
		EndTime   string              `json:"endTime"`
		Progress  int64               `json:"progress"`
		Result    api.ImportJobResult `json:"result"`
	}{job.ID, job.Status, at(job.StartTime), at(job.EndTime), job.Progress, job.Result}).mine()
}

// openCSV opens a file or stdin and unpacks gzip.
func (e *Env) openCSV(path string) (io.ReadCloser, string, error) {
	var f io.ReadCloser = nil
	name := "stdin.csv"
	if path == "-" {
		f = io.NopCloser(e.data())
	} else {
		file, err := os.Open(e.abs(path))
		if err != nil {
			return nil, "", usagef("%v", err)
		}
		if st, err := file.Stat(); err != nil || st.IsDir() {
			file.Close()
			return nil, "", usagef("%s is not a file", path)
		}
		f, name = file, filepath.Base(path)
	}
	b := bufio.NewReader(f)
	if m, _ := b.Peek(2); len(m) == 2 && m[0] == 0x1f && m[1] == 0x8b {
		z, err := gzip.NewReader(b)
		if err != nil {
			f.Close()
			return nil, "", usagef("%s: %v", path, err)
		}
		return readCloser{z, f}, strings.TrimSuffix(name, ".gz"), nil
	}
	return readCloser{b, f}, name, nil
}

type readCloser struct {
	io.Reader
	io.Closer
}

// csvHeader reads the first record without consuming it.
func csvHeader(b *bufio.Reader) ([]string, error) {
	for n := 4 << 10; ; n *= 4 {
		raw, err := b.Peek(n)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		whole := err != nil // the document ends here
		r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))))
		rec, rerr := r.Read()
		if rerr == nil && (whole || r.InputOffset() < int64(len(raw)-8)) {
			return rec, nil // at the end Peek says so
		}
		if whole || n >= 1<<20 {
			if errors.Is(rerr, io.EOF) {
				return nil, errors.New("the file is empty, it has no header")
			}
			if rerr == nil {
				rerr = errors.New("longer than 1 MiB")
			}
			return nil, errors.New("the header cannot be read: " + rerr.Error())
		}
	}
}

// importMapping pairs the table's columns with those of the file, and refuses what would be lost or left empty silently.
func importMapping(maps, header []string, hasHeader bool, cols []api.ColumnDetail) (api.ImportRequest, error) {
	req := api.ImportRequest{ContainsHeader: hasHeader, Mappings: []api.ImportMapping{}}
	known := map[string]bool{}
	var names []string
	for _, c := range cols {
		known[c.Name] = true
		if !systemColumn(c.Name) {
			names = append(names, c.Name)
		}
	}
	inFile := map[string]int{}
	for _, h := range header {
		inFile[h]++
	}
	if len(maps) == 0 {
		if !hasHeader {
			for i, n := range names {
				at := int64(i)
				req.Mappings = append(req.Mappings, api.ImportMapping{Name: n, CSVColumnIndex: &at})
			}
			return req, nil
		}
		for _, h := range header {
			if systemColumn(h) && h != "text" {
				continue // an exported file carries them; they cannot be set
			}
			if !known[h] {
				f := usagef("the file's column %q names no column of the table", h)
				if s := otherForm(header); s != "" {
					return req, f.withHint("%s", s)
				}
				if s := closest(h, names); s != "" {
					return req, f.withHint("did you mean %q? map it with --map %q", s, s+"="+h)
				}
				return req, f.withHint("the table has: %s; choose with --map COLUMN=HEADER", strings.Join(names, ", "))
			}
			if inFile[h] > 1 {
				return req, usagef("the file has %d columns called %q", inFile[h], h).withHint("choose one by its position: --map %q", h+"=#N")
			}
			req.Mappings = append(req.Mappings, api.ImportMapping{Name: h, CSVColumnName: h})
		}
		return req, nil
	}
	for _, m := range maps {
		col, from, ok := strings.Cut(m, "=")
		if !ok || col == "" || from == "" {
			return req, usagef("--map %q is not COLUMN=HEADER or COLUMN=#INDEX", m)
		}
		if !known[col] {
			return req, usagef("--map %q: the table has no column %q", m, col).withHint("the table has: %s", strings.Join(names, ", "))
		}
		if n, err := strconv.ParseInt(strings.TrimPrefix(from, "#"), 10, 64); err == nil && strings.HasPrefix(from, "#") {
			if n < 0 || hasHeader && n >= int64(len(header)) {
				return req, usagef("--map %q: the file has %d columns, counted from #0", m, len(header))
			}
			req.Mappings = append(req.Mappings, api.ImportMapping{Name: col, CSVColumnIndex: &n})
			continue
		}
		if !hasHeader {
			return req, usagef("--map %q: a file without a header has no column %q", m, from).withHint("use COLUMN=#INDEX")
		}
		if inFile[from] != 1 {
			f := usagef("--map %q: the file has no column %q", m, from)
			if inFile[from] > 1 {
				return req, usagef("--map %q: the file has %d columns called %q", m, inFile[from], from).withHint("choose one by its position: --map %q", col+"=#N")
			}
			if s := closest(from, header); s != "" {
				f = f.withHint("did you mean %q?", s)
			}
			return req, f
		}
		req.Mappings = append(req.Mappings, api.ImportMapping{Name: col, CSVColumnName: from})
	}
	return req, nil
}

// hintCreate tells of --create when the table of an import that failed is not there.
func hintCreate(ctx context.Context, cl tableClient, project, table string, k tableKind, err error) error {
	var ae *api.Error
	if !errors.As(err, &ae) || ae.Hint != "" {
		return err
	}
	all, listing := cl.List(ctx, project)
	if listing != nil || slices.ContainsFunc(all, func(t api.Table) bool { return t.TableName == k.stored(table) }) {
		return err
	}
	ae.Hint = "--create makes the table from the header of the file"
	return err
}

// createFor makes a table of text columns after a header, if it is not there.
func createFor(ctx context.Context, cl tableClient, project, table string, k tableKind, header []string) error {
	if len(header) == 0 {
		return usagef("--create needs a header to take the columns from")
	}
	all, err := cl.List(ctx, project)
	if err != nil {
		return err
	}
	for _, t := range all {
		if strings.EqualFold(t.TableName, k.stored(table)) {
			return nil
		}
	}
	defs := []api.ColumnRequest{}
	for _, h := range header {
		if !systemColumn(h) {
			defs = append(defs, api.ColumnRequest{Name: h, DataType: "VARCHAR", DisplayName: h})
		}
	}
	t, err := cl.Create(ctx, project, table)
	if err != nil {
		return err
	}
	if _, err = cl.AddColumns(ctx, project, t.TableName, defs); err == nil {
		return nil
	}
	if undo := cl.Delete(ctx, project, t.TableName); undo != nil {
		return usageWrap(err, "the table was created without columns, and removing it failed too: "+undo.Error())
	}
	return err
}

// otherForm says of a header that is one field what the file may be instead of CSV with commas, "" for nothing known.
func otherForm(header []string) string {
	if len(header) != 1 {
		return ""
	}
	switch h := header[0]; {
	case strings.HasPrefix(h, "\xff\xfe"), strings.HasPrefix(h, "\xfe\xff"):
		return "the file is UTF-16: save it as UTF-8"
	case strings.Contains(h, ";"):
		return "its fields seem to be separated by semicolons: save it with commas"
	case strings.Contains(h, "\t"):
		return "its fields seem to be separated by tabs: save it with commas"
	}
	return ""
}

// closest is the candidate that differs least, ignoring case, spaces, hyphens and underscores; "" when none is near.
func closest(word string, candidates []string) string {
	norm := func(s string) string {
		return strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(s))
	}
	for _, c := range candidates {
		if norm(c) == norm(word) {
			return c
		}
	}
	for _, c := range candidates {
		if n, w := norm(c), norm(word); len(w) > 2 && (strings.HasPrefix(n, w) || strings.HasPrefix(w, n) && len(n) > 2) {
			return c
		}
	}
	return ""
}

func newTableSampleCmd(e *Env) *cobra.Command {
	var rows bool
	c := &cobra.Command{Use: "sample TABLE", Aliases: []string{"template"}, Short: "Print the header of a CSV file that can be imported", Args: cobra.ExactArgs(1),
		Long:    "Print the header of a CSV file that can be imported. The gateway also gives five example rows; they import\nlike real ones, so they are printed only with --rows.",
		Example: "  " + e.Name + " table sample people > people.csv"}
	c.Flags().BoolVar(&rows, "rows", false, "print the example rows too")
	annotate(c, spec.GetSampleCsv)
	c.RunE = func(c *cobra.Command, args []string) error {
		if _, err := e.outputOptions(); err != nil {
			return err
		}
		cl, err := e.Client()
		if err != nil {
			return err
		}
		ctx := context.WithValue(c.Context(), opKey{}, spec.GetSampleCsv)
		p, err := e.projectID(ctx, cl)
		if err != nil {
			return err
		}
		raw, err := cl.Tables.Sample(ctx, p, args[0])
		if err != nil {
			return err
		}
		text := strings.TrimRight(string(raw), "\n")
		if strings.TrimSpace(text) == "" {
			return &failure{exit: exitNotFound, code: "not-found", msg: "there is no table " + args[0] + ": the gateway answered an empty sample"}
		}
		if !rows {
			text, _, _ = strings.Cut(text, "\n")
		}
		w, commit, abort, err := e.writer()
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, text+"\n"); err != nil {
			abort()
			return err
		}
		return commit()
	}
	return c
}
