//go:build cgo

package projects

import (
	"context"
	"os"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/faults"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/instance"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
)

// held is a transaction that was begun while nobody changed the project. Its rows are copied as a table is read, not as
// bytes of the file: it must not be opened beside DuckDB, whose lock on it ends when any descriptor of the process is
// closed, and every block is compared with its checksum on the way.
type held struct {
	p      *Project
	c      *instance.Conn
	stage  *Stage
	resume func()
	detach func()
}

// Hold implements engine.Backer.
func (p *Project) Hold(ctx context.Context) (_ engine.Held, err error) {
	h := &held{p: p, resume: func() {}, detach: func() {}}
	defer func() {
		if err != nil {
			h.Close()
		}
	}()
	if h.c, err = p.Writer(ctx); err != nil {
		return nil, err
	}
	if h.resume, err = p.startWrite(ctx); err != nil {
		h.resume = func() {}
		return nil, err
	}
	form, err := form(ctx, h.c)
	if err != nil {
		return nil, err
	}
	if h.stage, err = p.NewStage(); err != nil {
		return nil, err
	}
	if h.detach, err = h.stage.AttachTo(h.c, form); err != nil {
		h.detach = func() {}
		return nil, err
	}
	if err = h.c.Begin(ctx); err != nil {
		return nil, err
	}
	// DuckDB begins the transaction of a database with the first statement that reads it.
	_, err = inventory(ctx, h.c, naming.Store)
	return h, faults.OfTables(err)
}

func (h *held) Resume() {
	h.resume()
	h.resume = func() {}
}

func (h *held) Copy(ctx context.Context, path string) error {
	defer h.p.Memory.Enter(ctx, &h.c.Client, "")()
	if err := h.copied(ctx); err != nil {
		return faults.OfTables(err)
	}
	h.detach()
	if err := durable(h.stage.path, 0o600); err != nil {
		return err
	}
	return os.Rename(h.stage.path, path)
}

func (h *held) copied(ctx context.Context) error {
	name := sqltext.Quote(h.stage.Name)
	if err := h.c.All(ctx, `COPY FROM DATABASE `+sqltext.Quote(naming.Store)+` TO `+name); err != nil {
		return err
	}
	if err := sameData(ctx, h.c, h.stage.Name); err != nil {
		return err
	}
	if err := h.c.Commit(ctx); err != nil {
		return err
	}
	return h.c.All(ctx, `CHECKPOINT `+name)
}

func (h *held) Close() {
	h.Resume()
	h.detach()
	if h.c != nil {
		h.c.Close()
	}
	if h.stage != nil {
		h.stage.Done()
	}
}
