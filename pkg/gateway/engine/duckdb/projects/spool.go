//go:build cgo

package projects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// Spooled is the temporary copy of an imported document.
type Spooled struct {
	csv.Stored
	file *tempfile.Unnamed
}

func (d *Spooled) Remove() { _ = d.file.Close() }

// patience is how long an import holds the project's lock while its document is received.
const patience = time.Second

// Spool copies the document to an unnamed file or, where open files need a name, to one that the next opening of the
// project removes after a crash. While a sender is slow, other processes can use the project.
func (p *Project) Spool(ctx context.Context, src io.Reader, limit int64) (*Spooled, error) {
	dir := filepath.Join(p.Dir, instance.SpoolDir)
	var f *tempfile.Unnamed
	for range 3 { // another process that opens the project may remove the directory in between
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err // the project was dropped
		}
		var err error
		if f, err = tempfile.CreateUnnamed(dir, "import-*.csv"); err == nil {
			break
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if f == nil {
		return nil, engine.ErrDropped
	}
	d := &Spooled{csv.Stored{In: f}, f}
	slow := safely.AfterFunc(patience, p.closeIdle)
	defer slow.Stop()
	buf := make([]byte, csv.Window)
	for {
		n, err := src.Read(buf)
		d.Bytes += int64(n)
		switch {
		case limit > 0 && d.Bytes > limit:
			d.Remove()
			return nil, &engine.Error{Kind: engine.KindLimit,
				Message: fmt.Sprintf("the document is larger than %d bytes", limit)}
		case ctx.Err() != nil:
			d.Remove()
			return nil, engine.Ended(ctx, nil)
		}
		if _, werr := f.Write(buf[:n]); werr != nil {
			d.Remove()
			if errors.Is(werr, syscall.ENOSPC) {
				return nil, faults.DiskFull(werr)
			}
			return nil, &engine.Error{Kind: engine.KindInternal, Message: "storing the document: " + werr.Error(),
				Err: werr}
		}
		if err == io.EOF {
			return d, nil
		}
		if err != nil {
			d.Remove()
			return nil, fmt.Errorf("reading the document: %w", err)
		}
	}
}
