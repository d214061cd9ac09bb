package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Problem is a fault of an archive: one of its files, or the archive as a whole.
type Problem struct {
	File string // "" for the whole
	Text string
}

// Damage lists what is wrong with an archive. Nothing of it is to be used.
type Damage struct {
	Path     string
	Problems []Problem
}

func (d *Damage) Error() string {
	first := d.Problems[0]
	text := d.Path + " is damaged: " + strings.TrimSpace(first.File+" "+first.Text)
	if more := len(d.Problems) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// ErrForm is the error of a file or a directory that is no archive, or one of a newer version.
var ErrForm = errors.New("not an archive of dig")

// Extract writes the files of an archive to a directory that is empty or does not exist, and compares all of them with
// their checksums. The error is a *Damage if any is damaged, missing or too many; what was written is then not to be
// used.
func Extract(ctx context.Context, from, into string) (Manifest, error) {
	st, err := os.Stat(from)
	if err != nil {
		return Manifest{}, err
	}
	if err := os.MkdirAll(into, 0o700); err != nil {
		return Manifest{}, err
	}
	x := &extraction{path: from, into: into, found: map[string]string{}}
	if st.IsDir() {
		err = x.directory(ctx)
	} else {
		err = x.file(ctx)
	}
	var bad *Damage
	if err != nil && !errors.As(err, &bad) {
		return x.manifest, err
	}
	if err := x.judge(); err != nil {
		return x.manifest, err
	}
	return x.manifest, syncDirs(into)
}

type extraction struct {
	path, into string
	manifest   Manifest
	raw, sums  []byte
	found      map[string]string // checksums by name
	bad        []Problem
}

func (x *extraction) fault(file, format string, args ...any) {
	x.bad = append(x.bad, Problem{file, fmt.Sprintf(format, args...)})
}

func (x *extraction) damage(file, format string, args ...any) error {
	x.fault(file, format, args...)
	return &Damage{x.path, x.bad}
}

// maxText is the longest manifest, and the longest list of checksums.
const maxText = 256 << 20

// take stores one file; the manifest and the checksums are kept in memory.
func (x *extraction) take(ctx context.Context, name string, src io.Reader) error {
	if _, twice := x.found[name]; twice {
		x.fault(name, "is there twice")
		return nil
	}
	h := sha256.New()
	src = io.TeeReader(until{ctx, src}, h)
	var err error
	switch name {
	case ManifestName:
		if x.raw, err = io.ReadAll(io.LimitReader(src, maxText)); err == nil {
			err = x.read()
		}
	case SumsName:
		x.sums, err = io.ReadAll(io.LimitReader(src, maxText))
	default:
		err = create(filepath.Join(x.into, filepath.FromSlash(name)), src)
	}
	x.found[name] = hex.EncodeToString(h.Sum(nil))
	return err
}

// read reads the manifest.
func (x *extraction) read() error {
	if err := json.Unmarshal(x.raw, &x.manifest); err != nil {
		return x.damage(ManifestName, "cannot be read: %v", err)
	}
	if x.manifest.Form != Form {
		return fmt.Errorf("%s: %w: its %s is of another program", x.path, ErrForm, ManifestName)
	}
	if x.manifest.Version > Version {
		return fmt.Errorf("%s: %w that this version reads: it was written by dig %s (form %d, this version knows %d)",
			x.path, ErrForm, x.manifest.Dig, x.manifest.Version, Version)
	}
	return nil
}

func (x *extraction) directory(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(x.path, ManifestName)); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(x.path, SumsName)); err == nil {
			return x.damage(ManifestName, "is missing")
		}
		return fmt.Errorf("%s: %w: it has no %s", x.path, ErrForm, ManifestName)
	}
	names, err := filesIn(x.path)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == ManifestName })
	for _, name := range append([]string{ManifestName}, names...) {
		err := withFile(filepath.Join(x.path, filepath.FromSlash(name)), func(f *os.File, _ int64) error {
			return x.take(ctx, name, f)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *extraction) file(ctx context.Context) error {
	return withFile(x.path, func(f *os.File, _ int64) error {
		src, done, err := unpacked(f)
		if err != nil {
			return fmt.Errorf("%s: %w: %v", x.path, ErrForm, err)
		}
		defer done()
		return x.entries(ctx, src)
	})
}

// unpacked finds out how a file is compressed.
func unpacked(f io.Reader) (src io.Reader, done func(), err error) {
	b := bufio.NewReaderSize(f, 1<<20)
	head, _ := b.Peek(4) // a shorter file is no tar file
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(b)
		return z, func() {}, err
	case bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(b)
		if err != nil {
			return nil, nil, err
		}
		return z, z.Close, nil
	}
	return b, func() {}, nil
}

func (x *extraction) entries(ctx context.Context, src io.Reader) error {
	r := tar.NewReader(src)
	for first := true; ; first = false {
		h, err := r.Next()
		switch {
		case errors.Is(err, io.EOF) && first:
			return fmt.Errorf("%s: %w: it is empty", x.path, ErrForm)
		case errors.Is(err, io.EOF):
			// what follows the end of a tar file is padding; reading it checks the compressed stream to its end
			if _, err := io.Copy(io.Discard, until{ctx, src}); err != nil {
				return x.unreadable(ctx, "", err)
			}
			return nil
		case first && (errors.Is(err, tar.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF)):
			return fmt.Errorf("%s: %w", x.path, ErrForm)
		case err != nil:
			return x.unreadable(ctx, "", err)
		case h.Typeflag == tar.TypeDir:
			continue
		case h.Typeflag != tar.TypeReg || !local(h.Name):
			return x.damage(h.Name, "is not a file that an archive may have")
		case first && h.Name != ManifestName:
			return fmt.Errorf("%s: %w: its first file is not %s", x.path, ErrForm, ManifestName)
		}
		if err := x.take(ctx, h.Name, r); err != nil {
			return x.unreadable(ctx, h.Name, err)
		}
	}
}

// unreadable tells damage of an archive from the failure to write what it holds.
func (x *extraction) unreadable(ctx context.Context, file string, err error) error {
	var own *fs.PathError
	var bad *Damage
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &own), errors.As(err, &bad), errors.Is(err, ErrForm):
		return err
	}
	return x.damage(file, "cannot be read: %v", err)
}

// judge compares the files with the checksums.
func (x *extraction) judge() error {
	want, list := map[string]string{}, strings.Split(string(x.sums), "\n")
	for i, line := range list {
		sum, name, ok := strings.Cut(line, "  ")
		switch {
		case line == "" && i == len(list)-1:
		case !ok || len(sum) != 2*sha256.Size || !local(name):
			x.fault(SumsName, "line %d is not a checksum", i+1)
		default:
			want[name] = sum
		}
	}
	if _, ok := x.found[SumsName]; !ok {
		x.fault(SumsName, "is missing: the archive is not complete")
	} else {
		for _, name := range slices.Sorted(maps.Keys(x.found)) {
			switch sum, known := want[name]; {
			case name == SumsName:
			case !known:
				x.fault(name, "has no checksum: it was added later")
			case sum != x.found[name]:
				x.fault(name, "does not have its checksum")
			}
		}
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if _, ok := x.found[name]; !ok {
				x.fault(name, "is missing")
			}
		}
	}
	for _, t := range x.manifest.Tables {
		if _, ok := x.found[t.File]; !ok && (t.File != "" || t.Rows > 0) {
			x.fault(ManifestName, "has rows of table %s in %q, which is not a file of the archive", t.Name, t.File)
		}
	}
	if len(x.bad) > 0 {
		return &Damage{x.path, x.bad}
	}
	return nil
}
