package repl

import (
	"context"
	"errors"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// scratchEngine opens an engine without data of its own, for statements over the caller's rows. done closes it and
// removes its files.
func scratchEngine(ctx context.Context, e *cli.Env) (p engine.Project, done func() error, err error) {
	dir, remove, err := tempfile.MkdirTemp("dig-scratch-")
	if err != nil {
		return nil, nil, err
	}
	eng, err := e.Zone.Engine(engine.Options{Dir: dir, MemoryLimit: cli.MemoryFor(cli.AllowedMemory()), IdleClose: -1})
	if err != nil {
		remove()
		return nil, nil, err
	}
	done = func() error {
		defer remove()
		return eng.Close()
	}
	if p, err = eng.Project(ctx, "scratch"); err != nil {
		return nil, nil, errors.Join(err, done())
	}
	return p, done, nil
}
