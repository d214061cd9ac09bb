package exports

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/gateway/sql"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// removeExport removes the file of a job, and reports whether it is gone. What is not goes with a later sweep.
func (s *Service) removeExport(ctx context.Context, id string) bool {
	err := s.Files.Remove(ctx, id)
	if err != nil {
		s.Log.Error("the file of an export is not removed", "id", id, "error", err.Error())
	}
	return err == nil
}

// runExport writes the file of a job and records the result.
func (s *Service) runExport(ctx context.Context, p store.Project, x store.Export, q sql.Query, o *exportSpec) {
	ctx, cancel := context.WithTimeout(ctx, exportTimeout)
	defer cancel()
	keep := context.WithoutCancel(ctx) // the end is recorded even after the timeout
	if errors.Is(s.Store.StartExport(keep, x.ID), store.ErrNotFound) {
		return // cancelled before it started
	}
	stop := s.Jobs.Watch(ctx, cancel, func() bool {
		now, err := s.Store.Export(keep, "", x.ID)
		return err != nil && errors.Is(err, store.ErrNotFound) || err == nil && !now.Open()
	})
	defer stop()
	var rows, size int64
	err := jobs.Caught(func() (err error) {
		if rows, size, err = s.writeExport(ctx, p, x, q, o); err == nil && s.Fail != nil {
			err = s.Fail(rows)
		}
		return err
	})
	x.DurationMs = s.since(x.CreatedAt)
	x.Status, x.RowCount, x.Bytes, x.ExpiresAt = store.ExportSucceeded, rows, size, store.Time(s.Now().Add(exportLife))
	if err != nil {
		x.Status, x.Error, x.RowCount, x.Bytes, x.ExpiresAt = store.ExportFailed, exportFault(err), 0, 0, ""
		if s.Jobs.Stopped() {
			x.Error = jobs.CutOff
		}
		s.removeExport(keep, x.ID) // before anyone can see that the job has ended
	}
	err = s.Jobs.Record("export "+x.ID, func(ctx context.Context) error { return s.Store.EndExport(ctx, x) })
	end := endOf(x)
	if errors.Is(err, store.ErrNotFound) {
		end.Status, end.Reason, end.Rows = store.ExportCancelled, "", -1
	}
	s.Jobs.Ended(end)
	if err != nil || x.Status != store.ExportSucceeded {
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			s.Log.Error("export", "id", x.ID, "error", err.Error())
		}
		s.removeExport(keep, x.ID) // cancelled, or its project was deleted
		return
	}
	if err := s.shrinkExports(keep); err != nil {
		s.Log.Error("exports", "error", err.Error())
	}
}

// endOf describes the end of a job.
func endOf(x store.Export) jobs.End {
	e := jobs.End{Kind: jobs.JobExport, Project: x.ProjectID, Object: x.ID, Status: x.Status, Reason: x.Error,
		Took: time.Duration(x.DurationMs) * time.Millisecond, Rows: -1}
	if x.Status == store.ExportSucceeded {
		e.Rows = x.RowCount
	}
	return e
}

// bounded is a file with a maximum size; 0 means none.
type bounded struct {
	f             io.Writer
	written, most int64
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.most > 0 && b.written+int64(len(p)) > b.most {
		return 0, fault.Data(400, "the file exceeds the limit for the files of all exports (%d bytes), which "+
			"`gateway serve --max-exports` sets", b.most)
	}
	n, err := b.f.Write(p)
	b.written += int64(n)
	return n, err
}

// errEnough ends the reading of a result at the limit of an export.
var errEnough = errors.New("the limit is reached")

// writeExport streams a result to a file that is seen when it is complete and durable.
func (s *Service) writeExport(ctx context.Context, p store.Project, x store.Export, q sql.Query,
	o *exportSpec) (rows, size int64, err error) {
	if err := limitFault(o.limit); err != nil {
		return 0, 0, err
	}
	f, err := s.Files.Create(ctx, x.ID)
	if err != nil {
		return 0, 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Abort())
		}
	}()
	res, err := s.Names.Query(ctx, p, q)
	if err != nil {
		return 0, 0, o.placed(err)
	}
	defer res.Close()
	to := &bounded{f: f, most: s.Limits.ExportBytes()}
	b := bufio.NewWriterSize(to, 256<<10)
	var w io.Writer = b
	var z *gzip.Writer
	if o.compression == gzipped {
		z = gzip.NewWriter(b)
		w = z
	}
	if err = o.choose(res.Columns(), x); err != nil { // they may have changed since the job was created
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
		return rows, 0, o.placed(err)
	}
	if z != nil {
		if err = z.Close(); err != nil {
			return rows, 0, err
		}
	}
	if err = b.Flush(); err != nil {
		return rows, 0, err
	}
	return rows, to.written, f.Commit(ctx)
}

// tidyExports ends jobs of terminated processes, and removes expired files. It runs before exports are read, so that
// their state is current, and reads only what it changes.
func (s *Service) tidyExports(ctx context.Context) error {
	open, err := s.Store.OpenExports(ctx)
	if err != nil {
		return err
	}
	for _, x := range open {
		if s.Jobs.Alive(x.Runner) {
			continue
		}
		x.Status, x.Error, x.DurationMs = store.ExportFailed, jobs.CutOff, s.since(x.CreatedAt)
		if err := s.Store.EndExport(ctx, x); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		} else if err == nil {
			s.Jobs.Ended(endOf(x))
		}
		if !s.ReadOnly {
			s.removeExport(ctx, x.ID)
		}
	}
	over, err := s.Store.ExpireExports(ctx)
	if err != nil {
		return err
	}
	s.removeExports(ctx, over)
	return s.Store.ForgetExports(ctx, s.Now().Add(-exportMemory))
}

func (s *Service) removeExports(ctx context.Context, list []store.Export) {
	if s.ReadOnly {
		return
	}
	for _, x := range list {
		if !s.removeExport(ctx, x.ID) { // nor may the others be, each after a while
			return
		}
	}
}

// shrinkExports limits the total size of the files of all exports by removing the oldest.
func (s *Service) shrinkExports(ctx context.Context) error {
	most := s.Limits.ExportBytes()
	if most <= 0 {
		return nil
	}
	over, err := s.Store.ShrinkExports(ctx, most)
	if err != nil {
		return err
	}
	s.removeExports(ctx, over)
	return nil
}

// SweepExports removes every file without a job, such as those left by a terminated process. It lists all
// files, and therefore runs before the first export of a process and occasionally while the gateway serves.
func (s *Service) SweepExports(ctx context.Context) error {
	return s.Files.Sweep(ctx, s.Store.LiveExports)
}

// sweptExports sweeps once in the lifetime of a gateway.
func (s *Service) sweptExports(ctx context.Context) error {
	if s.swept.Swap(true) {
		return nil
	}
	return s.SweepExports(ctx)
}
