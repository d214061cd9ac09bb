//go:build cgo

package projects

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
)

// A data file is compacted by a copy: DuckDB reuses the space of dropped data but truncates a file only at its end. The
// copy is created in packDir, compared with the original, synced to disk, and then renamed to sharing.DataFile. A
// process that is killed before that has changed nothing; its copy is removed when the project is opened next.
const (
	packDB = "~new"
)

// packing is a running compaction.
type packing struct {
	cancel context.CancelFunc
	yields bool // to a request that wants to use the project
}

const (
	wasteShare = 4         // an unused file is rewritten when at least a quarter of it is free
	packRest   = time.Hour // until a failed compaction is repeated
)

func (p *Project) Compact(ctx context.Context) (engine.Compaction, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	patience := time.NewTimer(p.Opts.LockWait)
	defer patience.Stop()
	inUse := &engine.Error{Kind: engine.KindLocked,
		Message: fmt.Sprintf("statements of project %s were still running after %s; nothing was done; try again when "+
			"they have ended", p.ID, p.Opts.LockWait)}
	select {
	case p.turn <- struct{}{}:
	case <-patience.C:
		return engine.Compaction{}, inUse
	case <-ctx.Done():
		return engine.Compaction{}, engine.Ended(ctx, nil)
	}
	defer func() { <-p.turn }()
	for {
		p.mu.Lock()
		in, gone, freed := p.inst, p.gone, p.freed
		if gone == nil && (in == nil || in.refs == 0) {
			p.inst, p.pack = nil, &packing{cancel: cancel}
			p.mu.Unlock()
			if in != nil {
				_ = in.Close() // without a checkpoint the log remains, and rewrite reads it
			}
			break
		}
		p.mu.Unlock()
		if gone != nil {
			return engine.Compaction{}, gone
		}
		select {
		case <-freed:
		case <-patience.C:
			return engine.Compaction{}, inUse
		case <-ctx.Done():
			return engine.Compaction{}, engine.Ended(ctx, nil)
		}
	}
	return p.packed(ctx)
}

// packed rewrites the file for the holder of the turn, who has set p.pack.
func (p *Project) packed(ctx context.Context) (engine.Compaction, error) {
	c, err := p.rewrite(ctx)
	p.mu.Lock()
	gone := p.gone
	p.pack = nil
	p.mu.Unlock()
	if err != nil && gone != nil {
		err = gone
	}
	return c, err
}

// compactIdle rewrites a file that is not used, until a request needs it. The caller holds the turn.
func (p *Project) compactIdle() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var c engine.Compaction
	err := p.roomy()
	p.mu.Lock()
	if p.next != nil || p.gone != nil || time.Now().Before(p.later) {
		p.mu.Unlock()
		return
	}
	if err == nil {
		p.pack = &packing{cancel: cancel, yields: true}
	}
	p.mu.Unlock()
	if err == nil {
		c, err = p.packed(ctx)
	}
	if ctx.Err() != nil && err != nil { // cancelled by a request
		return
	}
	if err != nil {
		p.mu.Lock()
		p.later = time.Now().Add(packRest)
		p.mu.Unlock()
	}
	if tell := p.Opts.Compacted; tell != nil {
		tell(p.ID, c, err)
	}
}

// roomy fails if the disk has less free space than twice the size of the copy. It applies to compactions that no user
// has requested.
func (p *Project) roomy() error {
	size, err := dataSize(p.Dir)
	if err != nil {
		return err
	}
	if free, ok := tempfile.FreeSpace(p.Dir); ok && free < 2*size {
		return &engine.Error{Kind: engine.KindFull,
			Message: fmt.Sprintf("the disk has %d MiB left, too little to rewrite %d MiB", free>>20, size>>20)}
	}
	return nil
}

// dataSize is the size of a project's file and its log.
func dataSize(dir string) (n int64, err error) {
	for _, name := range []string{sharing.DataFile, sharing.DataFile + ".wal"} {
		st, err := os.Lstat(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return 0, err
		case !st.Mode().IsRegular():
			return 0, fmt.Errorf("%s of the project is not a regular file, so it cannot be replaced", name)
		default:
			n += st.Size()
		}
	}
	return n, nil
}

// rewrite replaces the file of a project that is not open here by a copy of its contents, if that is smaller.
func (p *Project) rewrite(ctx context.Context) (c engine.Compaction, err error) {
	if _, err := instance.Look(ctx, p.Dir, p.Opts); err != nil {
		return c, err
	}
	if there, err := instance.Exists(filepath.Join(p.Dir, sharing.DataFile)); err != nil || !there {
		return c, err
	}
	l, err := sharing.Take(ctx, p.Dir, p.Opts)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	readers, err := sharing.OwnFile(ctx, p.Dir, p.Opts)
	if err != nil {
		return c, err
	}
	if readers != nil {
		defer func() { err = errors.Join(err, readers.Close()) }()
	}
	if c.Before, err = dataSize(p.Dir); err != nil {
		return c, err
	}
	c.After = c.Before
	dir := filepath.Join(p.Dir, instance.PackDir)
	defer func() {
		err = errors.Join(err, os.RemoveAll(dir))
	}()
	if err = os.RemoveAll(dir); err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	if err != nil {
		return c, err
	}
	if err = p.copyTo(ctx, dir); err != nil {
		return c, faults.OfTables(err)
	}
	return p.swap(ctx, c, filepath.Join(dir, sharing.DataFile))
}

// swap replaces the file by a complete copy; neither is open.
func (p *Project) swap(ctx context.Context, c engine.Compaction, made string) (engine.Compaction, error) {
	now, err := dataSize(p.Dir)
	if err != nil {
		return c, err
	}
	if c.After = now; ctx.Err() != nil {
		return c, engine.Ended(ctx, nil)
	}
	for _, dir := range []string{p.Dir, filepath.Dir(made)} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return c, err
		}
		for _, e := range entries { // a log would be replayed on the new file, or its changes are missing there
			if strings.HasPrefix(e.Name(), sharing.DataFile+".") {
				return c, fmt.Errorf("the engine has left %s, so its file alone is incomplete", e.Name())
			}
		}
	}
	st, err := os.Stat(made)
	if err != nil || st.Size() >= now {
		return c, err
	}
	was, err := os.Stat(filepath.Join(p.Dir, sharing.DataFile))
	if err != nil {
		return c, err
	}
	if err := durable(made, was.Mode().Perm()); err != nil {
		return c, err
	}
	if err := tempfile.SyncDir(p.Dir); err != nil { // the removal of the log must be durable before the rename
		return c, err
	}
	if err := os.Rename(made, filepath.Join(p.Dir, sharing.DataFile)); err != nil {
		return c, err
	}
	c.After = st.Size()
	return c, tempfile.SyncDir(p.Dir)
}

// durable syncs a file to the disk.
func durable(path string, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(mode), f.Sync(), f.Close())
}
