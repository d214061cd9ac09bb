package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Named opens files that are named by absolute paths as one table. The format of a file is determined by its name, or
// by its first bytes if the name has no known extension. Several files must have the same columns, with types that fit
// the values of all files. Links are followed.
func Named(ctx context.Context, reach connector.Reach, paths []string) (engine.Scanner, error) {
	var real []string
	dir := ""
	for _, p := range paths {
		at, err := filepath.EvalSymlinks(p)
		if err != nil {
			return nil, &FileError{File: filepath.Base(p), Err: Bare(err)}
		}
		if st, err := os.Stat(at); err != nil || !st.Mode().IsRegular() {
			return nil, &FileError{File: filepath.Base(p), Err: errors.New("not a file")}
		}
		real = append(real, at)
		if dir == "" {
			dir = filepath.Dir(at)
		}
		for !within(at, dir) && filepath.Dir(dir) != dir {
			dir = filepath.Dir(dir)
		}
	}
	f := &folder{dir: dir, own: reach.Own, notes: reach.Notes, now: time.Now, known: map[string]described{},
		lists: map[string]*listing{}}
	r, err := f.root()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t := &parted{f: f, path: "of these files"}
	for _, p := range real {
		name, err := filepath.Rel(dir, p)
		if err != nil {
			return nil, err
		}
		one, err := r.named(filepath.ToSlash(name))
		if err != nil {
			return nil, err
		}
		d, err := f.learn(ctx, r, one)
		if errors.Is(err, connector.ErrOwn) {
			return nil, errors.New("not a file that a statement may read")
		}
		if err != nil {
			return nil, err
		}
		t.parts = append(t.parts, part{file: one, as: d})
	}
	if bare := t.parts[0]; len(bare.as.cols) == 0 {
		return nil, &FileError{File: bare.file.path, Err: NoColumns(bare.as.rows)}
	}
	if len(t.parts) == 1 {
		return &tableOf{f, t.parts[0].file, t.parts[0].as}, nil
	}
	for _, p := range t.parts[1:] {
		if err := sameColumns(t.parts[0], p); err != nil {
			return nil, err
		}
	}
	return t, t.bring()
}

// NoColumns is the error for a file with a number of records, none of which names a column.
func NoColumns(rows int64) error {
	if rows == 0 {
		return errors.New("it has no columns, because it has no records")
	}
	return fmt.Errorf("it has no columns: they are the members of its records, and it has %d records without members",
		rows)
}

// ErrEmpty is the error for a file of text without a line.
var ErrEmpty = errors.New("the file is empty; its first line must name the columns")

func within(path, dir string) bool {
	return strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

func sameColumns(a, b part) error {
	for _, c := range []struct{ has, lacks part }{{a, b}, {b, a}} {
		names := map[string]bool{}
		for _, col := range c.lacks.as.cols {
			names[col.Name] = true
		}
		for _, col := range c.has.as.cols {
			if !names[col.Name] {
				return fmt.Errorf("file %s has no column %q, and %s has one", c.lacks.file.path, col.Name,
					c.has.file.path)
			}
		}
	}
	return nil
}

// named determines the format of a file.
func (p *place) named(name string) (file, error) {
	if t, ok := classify(filepath.Base(name)); ok {
		t.path = name
		return t, nil
	}
	t := file{path: name, table: filepath.Base(name)}
	if ext := strings.ToLower(filepath.Ext(rowfile.Unpacked(name))); ext == ".yaml" || ext == ".yml" {
		return t, &FileError{File: name, Err: errors.New("YAML is not read as a table")}
	}
	info, err := p.stat(name)
	if err != nil {
		return t, &FileError{File: name, Err: Bare(err)}
	}
	h, err := p.openFile(t, described{size: info.Size(), at: info.ModTime()})
	if err != nil {
		return t, &FileError{File: name, Err: err}
	}
	defer h.Close()
	if t.form, err = formOf(h); err != nil {
		return t, &FileError{File: name, Err: err}
	}
	return t, nil
}

// formOf determines the format of a file from its first bytes. Text that does not look like JSON is CSV.
func formOf(h *os.File) (form, error) {
	head := make([]byte, 4)
	n, err := h.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	switch rowfile.FormOf(head[:n]) {
	case rowfile.Parquet:
		return formParquet, nil
	case rowfile.Workbook:
		return formXLSX, nil
	case rowfile.OldWorkbook:
		return 0, rowfile.ErrOldWorkbook
	}
	raw, err := rowfile.PackingOf(head[:n]).Open(h)
	if err != nil {
		return 0, err
	}
	text, err := rowfile.Head(raw, formHead)
	if err != nil {
		return 0, err
	}
	coding, _ := rowfile.CodingOf(text)
	if coding == rowfile.UTF8 && (strings.ContainsRune(string(text), 0) || !utf8.Valid(wholeRunes(text))) {
		return 0, errors.New("neither text nor a Parquet file nor a workbook")
	}
	if rowfile.LooksLikeJSON(text) {
		return formJSON, nil
	}
	return formCSV, nil
}

// formHead is the number of bytes from which the format of a file is determined.
const formHead = 4 << 10

// wholeRunes removes an incomplete character from the end of head.
func wholeRunes(head []byte) []byte {
	if len(head) == formHead {
		for n := 1; n < utf8.UTFMax; n++ {
			if at := len(head) - n; utf8.RuneStart(head[at]) {
				if !utf8.FullRune(head[at:]) {
					return head[:at]
				}
				break
			}
		}
	}
	return head
}
