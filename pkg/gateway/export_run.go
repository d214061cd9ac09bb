package gateway

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/safely"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

func (g *exportsService) exportDir() string { return filepath.Join(g.dir, "exports") }

func (g *exportsService) exportPath(id string) string { return filepath.Join(g.exportDir(), id) }

// partial is the end of the name of a file that is being written.
const partial = ".partial"

// runExport writes the file of a job and records how it ended.
func (g *exportsService) runExport(ctx context.Context, p store.Project, x store.Export, q engine.Query, o *exportSpec) {
	ctx, cancel := context.WithTimeout(ctx, exportTimeout)
	defer cancel()
	keep := context.WithoutCancel(ctx) // the end is recorded even when the time is over
	if errors.Is(g.store.StartExport(keep, x.ID), store.ErrNotFound) {
		return // cancelled before it began
	}
	stop := g.jobs.watch(ctx, cancel, func() bool {
		now, err := g.store.Export(keep, "", x.ID)
		return err != nil && errors.Is(err, store.ErrNotFound) || err == nil && !now.Open()
	})
	defer stop()
	var rows, size int64
	err := caught(func() (err error) {
		if rows, size, err = g.writeExport(ctx, p, x, q, o); err == nil && g.Fail != nil {
			err = g.Fail(rows)
		}
		return err
	})
	x.DurationMs = g.since(x.CreatedAt)
	x.Status, x.RowCount, x.Bytes, x.ExpiresAt = store.ExportSucceeded, rows, size, store.Time(g.now().Add(exportLife))
	if err != nil {
		x.Status, x.Error, x.RowCount, x.Bytes, x.ExpiresAt = store.ExportFailed, exportFault(err), 0, 0, ""
		if g.jobs.stopped() {
			x.Error = cutOff
		}
	}
	err = g.jobs.record("export "+x.ID, func(ctx context.Context) error { return g.store.EndExport(ctx, x) })
	if err != nil || x.Status != store.ExportSucceeded {
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			g.log.Error("export", "id", x.ID, "error", err.Error())
		}
		os.Remove(g.exportPath(x.ID)) // cancelled, or its project is gone
		return
	}
	if err := g.shrinkExports(keep); err != nil {
		g.log.Error("exports", "error", err.Error())
	}
}

// watch calls cancel when gone answers true, looked at a few times a second; another process may have cancelled the work. The
// returned function ends the watch.
func (g *jobsService) watch(ctx context.Context, cancel context.CancelFunc, gone func() bool) func() {
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	safely.Go(func() {
		defer close(done)
		t := time.NewTicker(200 * time.Millisecond)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				if gone() {
					cancel()
					return
				}
			}
		}
	})
	return func() { stop(); <-done }
}

// bounded is a file that takes at most so many bytes; 0 is any number.
type bounded struct {
	f             *os.File
	written, most int64
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.most > 0 && b.written+int64(len(p)) > b.most {
		return 0, dataFault(400, "the file is larger than the files of all exports together may be (%d bytes); `gateway serve --max-exports` sets that", b.most)
	}
	n, err := b.f.Write(p)
	b.written += int64(n)
	return n, err
}

// errEnough ends the reading of a result at the limit of an export.
var errEnough = errors.New("the limit is reached")

// writeExport streams a result into a file that takes its name when it is complete and on disk.
func (g *exportsService) writeExport(ctx context.Context, p store.Project, x store.Export, q engine.Query, o *exportSpec) (rows, size int64, err error) {
	if err := limitFault(o.limit); err != nil {
		return 0, 0, err
	}
	if err := os.MkdirAll(g.exportDir(), 0o700); err != nil {
		return 0, 0, err
	}
	path := g.exportPath(x.ID)
	f, err := os.OpenFile(path+partial, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, 0, err
	}
	defer func() {
		f.Close()
		if err != nil {
			os.Remove(path + partial)
		}
	}()
	res, err := g.names.query(ctx, p, q)
	if err != nil {
		return 0, 0, err
	}
	defer res.Close()
	b := bufio.NewWriterSize(&bounded{f: f, most: g.limits.exports()}, 256<<10)
	var w io.Writer = b
	var z *gzip.Writer
	if o.compression == "GZIP" {
		z = gzip.NewWriter(b)
		w = z
	}
	if err = o.choose(res.Columns(), x); err != nil { // they may have changed since the job was made
		return 0, 0, err
	}
	row, err := o.encoder(w)
	if err != nil {
		return 0, 0, err
	}
	_, err = res.Rows(ctx, func(r [][]byte) error {
		if o.limit > 0 && rows == o.limit {
			return errEnough
		}
		rows++
		return row(r)
	})
	if err != nil && !errors.Is(err, errEnough) {
		return rows, 0, err
	}
	if z != nil {
		if err = z.Close(); err != nil {
			return rows, 0, err
		}
	}
	if err = b.Flush(); err != nil {
		return rows, 0, err
	}
	if err = f.Sync(); err != nil {
		return rows, 0, err
	}
	if size, err = f.Seek(0, io.SeekCurrent); err != nil {
		return rows, 0, err
	}
	if err = f.Close(); err != nil {
		return rows, 0, err
	}
	if err = os.Rename(path+partial, path); err != nil {
		return rows, 0, err
	}
	return rows, size, g.syncDir(g.exportDir()) // the job is recorded as done next, which must not outlive the file's name
}

// tidyExports ends jobs whose process died, and takes the files of those whose time is over. It runs before exports are read, so that
// what is shown is true, and reads no more than what is to be changed.
func (g *exportsService) tidyExports(ctx context.Context) error {
	open, err := g.store.OpenExports(ctx)
	if err != nil {
		return err
	}
	for _, x := range open {
		if g.jobs.alive(x.Runner) {
			continue
		}
		x.Status, x.Error, x.DurationMs = store.ExportFailed, cutOff, g.since(x.CreatedAt)
		if err := g.store.EndExport(ctx, x); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if !g.readOnly {
			os.Remove(g.exportPath(x.ID) + partial)
		}
	}
	over, err := g.store.ExpireExports(ctx)
	if err != nil {
		return err
	}
	if err := g.removeExports(over); err != nil {
		return err
	}
	return g.store.ForgetExports(ctx, g.now().Add(-exportMemory))
}

func (g *exportsService) removeExports(list []store.Export) error {
	if g.readOnly {
		return nil
	}
	for _, x := range list {
		if err := os.Remove(g.exportPath(x.ID)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// shrinkExports holds the files of all exports to the bound, the oldest of them go.
func (g *exportsService) shrinkExports(ctx context.Context) error {
	most := g.limits.exports()
	if most <= 0 {
		return nil
	}
	over, err := g.store.ShrinkExports(ctx, most)
	if err != nil {
		return err
	}
	return g.removeExports(over)
}

// sweepExports removes every file that belongs to no job, which is all that a process leaves behind that died. It reads the whole
// directory, and therefore runs before the first export of a process and now and then while the gateway serves.
func (g *exportsService) sweepExports(ctx context.Context) error {
	files, err := os.ReadDir(g.exportDir())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	ended, err := g.store.LiveExports(ctx) // after the files, so that each file's job is in it
	if err != nil {
		return err
	}
	for _, f := range files {
		id, part := strings.CutSuffix(f.Name(), partial)
		if done, live := ended[id]; live && !(done && part) {
			continue
		}
		if err := os.Remove(filepath.Join(g.exportDir(), f.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// sweptExports sweeps once in the life of a gateway.
func (g *exportsService) sweptExports(ctx context.Context) error {
	if g.swept.Swap(true) {
		return nil
	}
	return g.sweepExports(ctx)
}
