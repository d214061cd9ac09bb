//go:build cgo

package duckdb

import (
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/enginetest"
)

func TestContract(t *testing.T) {
	var ids atomic.Int64
	open := func(t *testing.T, dir string) engine.Engine {
		e, err := Open(engine.Options{Dir: dir, LockWait: 5 * time.Second, Threads: 2,
			NewID: func() string { return strconv.FormatInt(ids.Add(1), 10) }})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	enginetest.Run(t, open)
	t.Run("Minimal", func(t *testing.T) { enginetest.Minimal(t, open) })
	t.Run("Tables", func(t *testing.T) { enginetest.Tables(t, open) })
	t.Run("Moves", func(t *testing.T) { enginetest.Moves(t, open) })
}
