package table

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/intake"
	"github.com/dig-cli/dig/internal/pipe"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/pkg/api"
)

// document is the document of an import.
type document struct {
	*intake.Document
	key     string // hash of the unpacked text and of the options for reading it
	learned bool
	asRows  bool // positions in errors of the gateway are those of rows, not of the text
	out     io.Writer
	told    []string // the notes that were printed
}

// openDocument opens a file, a pipe or stdin.
func openDocument(ctx context.Context, e *cli.Env, path string, o rowfile.Options) (*document, error) {
	var in io.ReadCloser
	if path == "-" {
		in = io.NopCloser(e.Data())
	} else {
		f, err := pipe.Open(ctx, e.Abs(path), os.O_RDONLY)
		if err != nil {
			return nil, e.Unread("FILE", path, err)
		}
		if file, ok := f.(*os.File); ok {
			if st, err := file.Stat(); err != nil || st.IsDir() {
				f.Close()
				return nil, exitcode.Usagef("FILE: %s is not a file", path)
			}
		}
		in = f
	}
	d, err := intake.Open(ctx, path, in, o)
	if err != nil {
		return nil, ofFile(path, err)
	}
	d.Whole = !e.Local() // whether a hosted zone stores none of a document that ends early is not known
	doc := &document{Document: d, out: e.Err}
	doc.tell()
	return doc, nil
}

// tell prints what is noteworthy about the shape of the file, once.
func (d *document) tell() {
	for _, note := range d.Notes {
		if !slices.Contains(d.told, note) {
			fmt.Fprintln(d.out, note)
		}
	}
	d.told = append(d.told, d.Notes...)
}

// ofFile is an error about a file: of usage if it is in the options, else one of the file, unless the run was
// interrupted.
func ofFile(path string, err error) error {
	var option *rowfile.OptionError
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &option) || errors.Is(err, rowfile.ErrNoSheet):
		return exitcode.Usagef("%s: %v", path, err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return noTempSpace(path+" cannot be copied", os.TempDir(), err)
	}
	return &exitcode.Failure{Exit: exitcode.Failed, Code: "failed", Msg: fmt.Sprintf("%s: %v", path, err), Err: err}
}

// learn reads the document to its end, once.
func (d *document) learn(ctx context.Context, types bool) error {
	if d.learned {
		return nil
	}
	d.learned = true
	if err := d.Learn(ctx, types); err != nil {
		return ofFile(d.Path, err)
	}
	d.tell()
	return nil
}

// aim tells the document which columns of the table its columns fill, and returns notes about them.
func (d *document) aim(ctx context.Context, req api.ImportRequest, cols []api.ColumnDetail) (notes []string,
	err error) {
	types := make([]string, d.Width)
	for _, m := range req.Mappings {
		at := slices.Index(d.Header, m.CSVColumnName)
		if m.CSVColumnIndex != nil {
			at = int(*m.CSVColumnIndex)
		}
		col := slices.IndexFunc(cols, func(c api.ColumnDetail) bool { return c.Name == m.Name })
		if at >= 0 && at < len(types) && col >= 0 {
			types[at] = cols[col].DataType
		}
	}
	empty, err := d.Aim(ctx, types)
	if err != nil {
		return nil, ofFile(d.Path, err)
	}
	for i, n := range empty {
		if n > 0 {
			name := fmt.Sprint("#", i)
			if i < len(d.Header) {
				name = strconv.Quote(d.Header[i])
			}
			notes = append(notes, fmt.Sprintf("column %s: %s NULL, not %s", name, intake.EmptyTexts(n),
				strings.ToLower(types[i])))
		}
	}
	return notes, nil
}

// identify sets the key of a document that was read to its end. req is the request that will be sent with it.
func (d *document) identify(req api.ImportRequest) error {
	var how bytes.Buffer
	req.ImportMode = api.ImportMode{} // its rows are the same
	err := json.NewEncoder(&how).Encode(req)
	d.key = d.Key(how.Bytes())
	return err
}

// oldKey is the key of a file in releases with a ledger in the cache directory: its size and its first and last MiB.
func (d *document) oldKey(req api.ImportRequest) string {
	file := d.Original()
	if file == nil {
		return ""
	}
	st, err := file.Stat()
	if err != nil {
		return ""
	}
	h := sha256.New()
	if err := json.NewEncoder(h).Encode(req); err != nil {
		return ""
	}
	const part = 1 << 20
	fmt.Fprintln(h, st.Size())
	for _, at := range []int64{0, max(0, st.Size()-part)} {
		if _, err := io.Copy(h, io.NewSectionReader(file, at, part)); err != nil {
			return ""
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// refuseExamples rejects a file that contains only the example rows of the gateway's sample: they import like real ones
// [L].
func (d *document) refuseExamples(ctx context.Context) error {
	at := slices.Index(d.Header, "text")
	if at < 0 {
		return nil
	}
	t, err := d.Text(ctx)
	if err != nil {
		return ofFile(d.Path, err)
	}
	defer t.Close()
	const short = 1 << 16 // a sample is shorter
	raw, err := io.ReadAll(io.LimitReader(t, short))
	if err != nil || len(raw) == short {
		return nil //nolint:nilerr // the import reads further and returns the error again
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(raw, []byte(rowfile.Mark))), ',', len(raw)+1)
	records := 0
	for err = r.Read(); err == nil; err = r.Read() {
		if r.Blank() {
			continue
		}
		if records++; records > 1 && (at >= len(r.Fields) || string(r.Fields[at].Text) != "sample text") {
			return nil
		}
	}
	if !errors.Is(err, io.EOF) || records != 6 {
		return nil // not the sample
	}
	return exitcode.Usagef("the file contains only the five example rows of a sample").
		WithHint("`dig table sample` prints the header only; give --again to import them anyway")
}

// located replaces the positions in an error of an import, which are those in the converted text, by the positions in
// the file.
func (d *document) located(ctx context.Context, err error) error {
	var ae *api.Error
	if !errors.As(err, &ae) || len(ae.BadCells) == 0 {
		return err
	}
	here := *ae
	if d.IsText() {
		here.Message = d.Path + ": " + ae.Message
		return &here
	}
	here.BadCells = slices.Clone(ae.BadCells)
	if !d.asRows {
		var lines []int64
		for _, c := range ae.BadCells {
			if lines = append(lines, c.Line); c.First > 0 {
				lines = append(lines, c.First)
			}
		}
		rows, perr := d.RowNumbers(ctx, lines)
		if perr != nil {
			return errors.Join(err, perr)
		}
		for i, c := range ae.BadCells {
			here.BadCells[i].Line, here.BadCells[i].First = rows[c.Line], rows[c.First]
		}
	}
	for i, c := range here.BadCells {
		if c.First > 0 {
			here.BadCells[i].Reason = strings.Replace(c.Reason, fmt.Sprintf("line %d ", ae.BadCells[i].First),
				fmt.Sprintf("%s %d ", d.Unit(), c.First), 1)
		}
		here.BadCells[i].Row = 0
		if d.Unit() != "line" {
			here.BadCells[i].Line, here.BadCells[i].Row = 0, c.Line
		}
	}
	first := here.BadCells[0]
	here.Message = fmt.Sprintf("%s: %s %d", d.Path, d.Unit(), cmp.Or(first.Line, first.Row))
	if first.Column != "" {
		here.Message += fmt.Sprintf(", column %q", first.Column)
	}
	here.Message += ": " + first.Reason
	if ae.BadCellsTotal > 1 {
		here.Message += fmt.Sprintf(" (and %d more)", ae.BadCellsTotal-1)
	}
	return &here
}
