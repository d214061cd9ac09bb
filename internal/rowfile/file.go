package rowfile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/rowfile/infer"
	"github.com/dig-cli/dig/internal/rowfile/parquet"
	"github.com/dig-cli/dig/internal/tempfile"
)

// Form is what is detected of a file. It is all that is needed to read the file again.
type Form struct {
	Format    Format
	Packing   Packing
	Coding    Coding
	Delimiter byte
	Returns   bool     // lines end with a carriage return alone
	Members   []string `json:",omitempty"` // of JSON: the names of the columns
}

// File is a file of rows, which is read as often as needed.
type File struct {
	Form
	Header  []string       // the names in the file, nil without a header; Learn sets those of JSON and sheets
	Sheet   string         // says which sheet of a workbook is read if there are several
	Remarks []string       // detected properties that may be wrong
	Notes   []string       // of Learn: what was mended, and what may have to be read with other options
	Width   int            // number of columns, of JSON and sheets so far
	Columns []infer.Column // set by Learn
	Rows    int64          // set by Learn
	Blank   int64          // rows without a value in a file of one column: blank lines in CSV. They are not in Rows

	// Set by the caller before the file is read:
	Tee     hash.Hash    // of the unpacked bytes that are read
	Changed func() error // returns an error if the file is not as it was; called after its last row
	Loose   bool         // records of CSV with another number of fields, or with invalid text, are no errors

	name     string
	opt      Options
	in       io.ReaderAt
	size     int64
	book     *Book
	block    int              // bytes of a block of a divided file, 0: blockSize
	single   bool             // never divided, for tests
	declared []parquet.Column // nil until they are known
	unpacked *tempfile.Unnamed
	mended   mended
	start    int64    // where the first of blocks begins
	blocks   []extent // of rows that Learn has read, if they can be read again from any of them
	headerAt int64    // the last line or row of the header
	lastText []byte   // the first value of the last row of a sheet
}

// Open detects the format of a file from its first bytes and its name, which may be "". The file is not closed.
func Open(ctx context.Context, in io.ReaderAt, size int64, name string, o Options) (*File, error) {
	f := &File{name: Unpacked(name), opt: o, in: in, size: size}
	err := f.detect(ctx)
	if err == nil {
		err = f.prepare(ctx)
	}
	if err == nil && (f.Format == CSV || f.Format == TSV) {
		err = f.readHeader(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Reopen reads a file whose form is known, with the options with which it was found.
func Reopen(ctx context.Context, in io.ReaderAt, size int64, form Form, o Options) (*File, error) {
	f := &File{Form: form, opt: o, in: in, size: size}
	if err := f.checkOptions(); err != nil {
		return nil, err
	}
	if err := f.prepare(ctx); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Close removes the unpacked copy of a file, if there is one.
func (f *File) Close() error {
	if f.unpacked == nil {
		return nil
	}
	return f.unpacked.Close()
}

// Unit is the unit of positions in the file.
func (f *File) Unit() string {
	if f.Format == CSV || f.Format == TSV {
		return "line"
	}
	return "row"
}

func (f *File) detect(ctx context.Context) error {
	head := make([]byte, 4)
	n, err := f.in.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	f.Packing = packingOf(head[:n])
	if head, err = f.head(ctx, 64, f.raw); err != nil {
		return err
	}
	ending := Ending(f.name)
	f.Format = f.opt.Format
	binary, old := formatOf(head[:min(len(head), 4)])
	if err := checkForeign(head); err != nil {
		return err
	}
	switch {
	case old && f.Format != CSV:
		return ErrOldWorkbook
	case f.Format != "":
	case binary != "":
		f.Format = binary
	case ending == string(Parquet):
		return errors.New("not a Parquet file, although its name says so")
	case ending == string(XLSX):
		return errors.New("not a workbook, although its name says so")
	}
	if f.Format == "" || f.Format == CSV || f.Format == JSON {
		if err := f.decode(ctx, ending, head); err != nil {
			return err
		}
	}
	if err := f.checkOptions(); err != nil || f.Format != CSV {
		return err
	}
	return f.delimit(ctx, ending)
}

// decode detects the encoding of a text from its first bytes, and whether it is JSON.
func (f *File) decode(ctx context.Context, ending string, head []byte) error {
	guessed := false
	if name := utf32(head); name != "" {
		return fmt.Errorf("text in UTF-32 is not read: `iconv -f %s -t UTF-8` converts it", name)
	}
	if f.Coding, guessed = CodingOf(head); f.opt.encoded {
		if err := f.chosenCoding(head); err != nil {
			return err
		}
	} else if guessed {
		f.remark("read as %s", f.Coding)
	}
	switch {
	case f.Format != "":
		return nil
	case ending != "":
		if f.Format = CSV; ending == string(JSON) {
			f.Format = JSON
		}
		return nil
	}
	switch filepath.Ext(strings.ToLower(f.name)) {
	case ".yaml", ".yml":
		return errors.New("YAML is not read as a table")
	}
	head, err := f.head(ctx, textHead, f.plain)
	if err != nil {
		return err
	}
	if f.Coding == UTF8 && (bytes.IndexByte(head, 0) >= 0 || !utf8.Valid(wholeRunes(head))) {
		return f.noText(head)
	}
	if f.Format = CSV; looksLikeJSON(head) {
		f.Format = JSON
	}
	return nil
}

// textHead is the number of bytes from which the format of a text is determined.
const textHead = 4 << 10

// wholeRunes removes an incomplete character from the end of a head.
func wholeRunes(head []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(head) && len(head) == textHead; n++ {
		if at := len(head) - n; utf8.RuneStart(head[at]) {
			if !utf8.FullRune(head[at:]) {
				return head[:at]
			}
			break
		}
	}
	return head
}

// delimit detects the delimiter of a text, its line endings, and whether it has escapes.
func (f *File) delimit(ctx context.Context, ending string) error {
	head, err := f.head(ctx, Window, f.plain)
	if err != nil {
		return err
	}
	if err := f.checkSeparatorLine(head); err != nil {
		return err
	}
	f.Returns = endsWithReturns(head)
	escaped := f.opt.escape == backslash && f.opt.quote == 0
	if f.Delimiter = f.opt.delimiter; f.Delimiter == 0 {
		if f.Delimiter = '\t'; !escaped && ending != string(TSV) {
			f.Delimiter = f.delimiter(head, len(head) < Window)
		}
		if f.Delimiter != ',' && !escaped {
			f.remark("the fields are separated by %s; %s sets another character", delimiterName(f.Delimiter),
				f.opt.Way.name("delimiter"))
		}
	}
	if f.opt.escape == "" && f.opt.quote == 0 && f.Delimiter == '\t' && !f.Returns {
		if escaped, err = f.escapes(ctx, ending == string(TSV)); err != nil {
			return err
		}
	}
	if escaped {
		f.Format = TSV
	}
	return nil
}

// prepare unpacks a file that needs random access, and opens a workbook.
func (f *File) prepare(ctx context.Context) (err error) {
	if f.Format != Parquet && f.Format != XLSX {
		return nil
	}
	if f.Packing != NotPacked {
		if err := f.unpack(ctx); err != nil {
			return err
		}
	}
	if f.Format == XLSX {
		if f.book, err = openBook(ctx, f.in, f.size, f.opt.sheet); err == nil {
			f.Sheet = f.book.selected(f.opt.sheet, f.opt.Way)
		}
	}
	return err
}

// readHeader reads the names of the columns of a text, or else their number.
func (f *File) readHeader(ctx context.Context) error {
	r, err := f.Open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	if f.Header = slices.Clone(r.Names()); !f.opt.NoHeader() {
		f.Width = len(f.Header)
		return nil
	}
	row, err := r.Next(ctx)
	if f.Width = len(row); errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (f *File) unpack(ctx context.Context) error {
	raw, err := f.raw(&gate{ctx: ctx})
	if err != nil {
		return err
	}
	defer raw.Close()
	if f.unpacked, err = tempfile.CreateUnnamed("", "dig-rows-*"); err != nil {
		return err
	}
	f.size, err = io.Copy(f.unpacked, raw)
	f.in = f.unpacked
	return err
}

// gate reads until a context ends.
type gate struct {
	ctx context.Context //nolint:containedctx // that of the call in which it is read
	in  io.Reader
}

func (g *gate) Read(p []byte) (int, error) {
	if err := g.ctx.Err(); err != nil {
		return 0, err
	}
	return g.in.Read(p)
}

// raw returns the unpacked bytes of the file, from its beginning.
func (f *File) raw(g *gate) (io.ReadCloser, error) {
	g.in = io.NewSectionReader(f.in, 0, f.size)
	if f.Packing == NotPacked || f.unpacked != nil {
		return f.tee(io.NopCloser(g)), nil
	}
	r, err := f.Packing.Open(g)
	if err != nil {
		return nil, err
	}
	return f.tee(r), nil
}

func (f *File) tee(r io.ReadCloser) io.ReadCloser {
	if f.Tee == nil {
		return r
	}
	return struct {
		io.Reader
		io.Closer
	}{io.TeeReader(r, f.Tee), r}
}

// Raw returns the unpacked bytes of the file until ctx ends.
func (f *File) Raw(ctx context.Context) (io.ReadCloser, error) { return f.raw(&gate{ctx: ctx}) }

// plain returns the text of the file in UTF-8, from its beginning.
func (f *File) plain(g *gate) (io.ReadCloser, error) {
	r, err := f.raw(g)
	if err != nil {
		return nil, err
	}
	r = f.Coding.Decode(r)
	if f.Format != CSV && f.Format != TSV {
		return r, nil
	}
	if n := f.opt.begin(); n > 0 {
		r = &skipped{r, bufio.NewReaderSize(r, Window), n}
	}
	if f.opt.footer > 0 {
		r = &shortened{ReadCloser: r, lines: f.opt.footer}
	}
	return r, nil
}

// text is a text that is being read, after its byte order mark.
type text struct {
	*bufio.Reader
	io.Closer
	gate gate
	mark int64 // bytes of its byte order mark
}

func (f *File) text(ctx context.Context) (*text, error) {
	t := &text{gate: gate{ctx: ctx}}
	r, err := f.plain(&t.gate)
	if err != nil {
		return nil, err
	}
	t.Reader, t.Closer = bufio.NewReaderSize(r, f.window()), r
	if start, _ := t.Peek(len(Mark)); string(start) == Mark { // an error is returned again by later reads
		t.mark = int64(len(Mark))
		_, err = t.Discard(len(Mark))
	}
	return t, err
}

// window is the size of a read: that of the file, if it is small.
func (f *File) window() int {
	if f.Packing != NotPacked {
		return Window
	}
	return int(min(Window, max(f.size+1, 4<<10)))
}

// head reads the first n bytes. A truncated file is not an error here; it is one for the reader that reaches its end.
func (f *File) head(ctx context.Context, n int, open func(*gate) (io.ReadCloser, error)) ([]byte, error) {
	r, err := open(&gate{ctx: ctx})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b := make([]byte, n)
	n, err = io.ReadFull(r, b)
	var cut *PackedError
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &cut) {
		err = nil
	}
	return b[:n], err
}

func (f *File) remark(format string, args ...any) {
	f.Remarks = append(f.Remarks, fmt.Sprintf(format, args...))
}

// nullGiven reports whether the user declared a text to be NULL.
func (f *File) nullGiven(text string) bool { return slices.Contains(f.opt.nulls, text) }

// parquet opens a Parquet file, and finds its columns the first time.
func (f *File) parquet(ctx context.Context) (*parquet.File, error) {
	p, err := parquet.Open(f.in, f.size)
	if err == nil && f.declared == nil {
		f.declared, err = p.Columns(ctx)
	}
	return p, err
}

// Declared returns what a Parquet file declares of a column; of other files nothing.
func (f *File) Declared(i int) parquet.Column {
	if i < len(f.declared) {
		return f.declared[i]
	}
	return parquet.Column{}
}

// Sound reports whether the data of columns of a Parquet file may be left to another reader.
func (f *File) Sound(columns []int) bool {
	p, err := parquet.Open(f.in, f.size)
	return err == nil && p.Sound(columns)
}

// Batches reads columns of a Parquet file as Go values.
func (f *File) Batches(columns []parquet.Column, limit int64) (*parquet.Batches, error) {
	p, err := parquet.Open(f.in, f.size)
	if err != nil {
		return nil, err
	}
	b, err := p.Read(columns, limit)
	if err == nil {
		b.Nulls = f.opt.nulls
	}
	return b, err
}
