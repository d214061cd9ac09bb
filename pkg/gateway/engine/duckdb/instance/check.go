//go:build cgo

package instance

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/batch"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/sharing"
	bindings "github.com/duckdb/duckdb-go-bindings"
)

// Look fails if the data file of a project is lost. recorded reports whether the project has one: without it the file
// may be missing, or unfinished because its creation was interrupted.
func Look(ctx context.Context, dir string, o *engine.Options) (recorded bool, err error) {
	if o.Record == nil {
		return true, nil
	}
	if recorded, err = o.Record.HasData(ctx, filepath.Base(dir)); err != nil || !recorded {
		return recorded, err
	}
	path := filepath.Join(dir, sharing.DataFile)
	switch st, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return true, faults.Lost(path)
	case err != nil:
		return true, err
	case !st.Mode().IsRegular():
		return true, faults.NoFile(path)
	case st.Size() == 0:
		return true, faults.Empty(path)
	case st.Size() < headers:
		return true, faults.Short(path)
	}
	return true, nil
}

// removeUnfinished removes a data file whose creation was interrupted, so that no rows can be in it. The caller holds
// the project's lock.
func removeUnfinished(dir string) error {
	path := filepath.Join(dir, sharing.DataFile)
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && st.Size() >= headers {
		return nil
	}
	return errors.Join(err, removeAll(dir, sharing.DataFile, sharing.DataFile+".wal"))
}

// complete fails if a data file that has been attached is shorter than its blocks that are in use. DuckDB would notice
// that only when it reads what is missing. The number of all blocks in the headers is no measure: DuckDB cuts off
// unused ones after it has written it.
func complete(c bindings.Connection, path string) error {
	var res bindings.Result
	defer bindings.DestroyResult(&res)
	used := `SELECT used_blocks::BIGINT * block_size::BIGINT FROM pragma_database_size() WHERE database_name = ` +
		sqltext.Literal(naming.Store)
	if bindings.Query(c, used, &res) == bindings.StateError {
		return faults.Parse(bindings.ResultError(&res), false)
	}
	chunk := bindings.FetchChunk(res)
	defer bindings.DestroyDataChunk(&chunk)
	if chunk.Ptr == nil || bindings.DataChunkGetSize(chunk) != 1 {
		return engine.Defect("the engine does not tell the size of a data file")
	}
	need := headers + batch.At[int64](bindings.VectorGetData(bindings.DataChunkGetVector(chunk, 0)), 0)
	if st, err := os.Stat(path); err != nil || st.Size() < need {
		return errors.Join(err, faults.Short(path))
	}
	return nil
}

// Present reports whether the file that was opened to be changed still has its name: what is written to one that was
// removed is lost.
func (in *Instance) Present() bool {
	if in.opened == nil {
		return true
	}
	st, err := os.Stat(filepath.Join(in.dir, sharing.DataFile))
	return err == nil && os.SameFile(st, in.opened)
}

// OpenChecked opens a project for reading. While another process changes it, a copy is opened, or with !wait ErrBusy
// returned.
func OpenChecked(ctx context.Context, dir string, h *Host, wait bool) (*Instance, error) {
	return h.reading(dir, func(in *Instance) error {
		if wait {
			return in.find(ctx, true)
		}
		return in.readFile(true)
	})
}

// removeAll removes files and directories in a directory.
func removeAll(dir string, names ...string) error {
	var errs []error
	for _, name := range names {
		errs = append(errs, os.RemoveAll(filepath.Join(dir, name)))
	}
	return errors.Join(errs...)
}

func Exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return true, err
}
