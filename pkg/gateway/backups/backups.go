// Package backups copies the state and the rows of zone local, as they are at one moment, to a directory.
package backups

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/gateway/zone"
	"github.com/dig-cli/dig/pkg/spec"
)

// The moment of a backup is when the state is copied. Before that every project is held: its changes wait, and a
// transaction that reads it is begun. After it they go on, and the rows are copied in those transactions. Stored rows
// that the state refers to are there, because they are stored before the reference, and removed after it.

// A backup is made in the directory FilesName of a temporary directory in the data directory, of the process that asks
// for it. Data files get there without being copied again.
const (
	TempPrefix = ".backup-"
	FilesName  = "files"
)

// Service makes backups.
type Service struct {
	Store  *store.Store
	Engine engine.Engine
	Now    func() time.Time
	Dir    string // the data directory

	EngineName string // of an engine that has the rows elsewhere
	ReadOnly   bool

	one sync.Mutex // a checkpoint of one backup fails while another writes
}

// Routes registers the handler.
func (s *Service) Routes(m *web.Mux) { web.HandleLocal(m, spec.BackupLocal, s.backup) }

// tries limits how often the state is copied because projects were created meanwhile.
const tries = 5

func (s *Service) backup(ctx context.Context, r *web.Request[api.BackupRequest]) (out api.Backup, err error) {
	if r.Scope.Source == web.SourceTCP {
		return out, fault.Framework(403, "%s writes files of the gateway's machine: it is for processes of its user",
			r.Op.ID)
	}
	b, ok := s.Engine.(engine.Backer)
	switch {
	case s.EngineName != "":
		return out, &zone.Elsewhere{Dir: s.Dir, Engine: s.EngineName}
	case !ok || s.ReadOnly:
		return out, fault.NotSupported(r.Op.ID, "data files that may be locked")
	}
	dir := r.Body.Directory
	if up := filepath.Dir(dir); filepath.Base(dir) != FilesName || filepath.Dir(up) != filepath.Clean(s.Dir) ||
		!strings.HasPrefix(filepath.Base(up), TempPrefix) {
		return out, fault.Data(400, "%q is not a directory for a backup", dir)
	}
	s.one.Lock()
	defer s.one.Unlock()
	if err := ctx.Err(); err != nil { // it has waited
		return out, err
	}
	held := map[string]engine.Held{}
	defer func() {
		for _, h := range held {
			h.Close()
		}
	}()
	state, err := s.moment(ctx, b, dir, held)
	if err != nil {
		return out, err
	}
	out.Moment, out.Schema = store.Time(s.Now()), store.Schema()
	err = s.exports(ctx, state, dir)
	for _, h := range held {
		h.Resume()
	}
	var projects []store.Project
	if err == nil {
		projects, err = state.Projects(ctx, "")
	}
	if err = errors.Join(err, state.Close()); err != nil {
		return out, err
	}
	out.Projects = []api.BackedUpProject{}
	for _, p := range projects {
		into := filepath.Join(dir, "projects", p.ID)
		if err := os.MkdirAll(into, 0o700); err != nil {
			return out, err
		}
		file := filepath.Join(into, "data.duckdb")
		if err := held[p.ID].Copy(ctx, file); err != nil {
			return out, err
		}
		held[p.ID].Close() // another process may be waiting for this project
		delete(held, p.ID)
		st, err := os.Stat(file)
		if err != nil {
			return out, err
		}
		out.Projects = append(out.Projects, api.BackedUpProject{ID: p.ID, Name: p.Name, Bytes: st.Size()})
	}
	return out, nil
}

// moment holds all projects and copies the state, which it returns open.
func (s *Service) moment(ctx context.Context, b engine.Backer, dir string,
	held map[string]engine.Held) (*store.Store, error) {
	for range tries {
		projects, err := s.Store.Projects(ctx, "")
		if err != nil {
			return nil, err
		}
		for _, p := range projects {
			if held[p.ID] != nil {
				continue
			}
			if held[p.ID], err = b.Hold(ctx, p.ID); err != nil {
				delete(held, p.ID)
				if errors.Is(err, engine.ErrDropped) { // it was deleted meanwhile
					continue
				}
				return nil, err
			}
		}
		path := filepath.Join(dir, "state.db")
		if err := s.Store.CopyTo(ctx, path); err != nil {
			return nil, err
		}
		state, err := store.OpenCopy(dir, s.Now)
		if err != nil {
			return nil, err
		}
		now, err := state.Projects(ctx, "")
		if err == nil && !slices.ContainsFunc(now, func(p store.Project) bool { return held[p.ID] == nil }) {
			return state, nil
		}
		if err = errors.Join(err, state.Close(), os.Remove(path)); err != nil {
			return nil, err
		}
	}
	return nil, fault.Data(409, "projects are created faster than they can be backed up; nothing was kept")
}

// exports copies the files of the exports that have ended. One that expired since the moment has none.
func (s *Service) exports(ctx context.Context, state *store.Store, dir string) error {
	ended, err := state.LiveExports(ctx)
	if err != nil {
		return err
	}
	into := filepath.Join(dir, "exports")
	for id, done := range ended {
		if !done {
			continue
		}
		if err := os.MkdirAll(into, 0o700); err != nil {
			return err
		}
		from, to := filepath.Join(s.Dir, "exports", id), filepath.Join(into, id)
		err := os.Link(from, to) // the file of an export that has ended does not change
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			err = copyFile(to, from) // the file system has no links
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}
