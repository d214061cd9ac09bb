//go:build cgo

package duckdb

import (
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/enginetest"
)

func TestContract(t *testing.T) {
	enginetest.Run(t, func(t *testing.T, dir string) engine.Engine {
		e, err := Open(engine.Options{Dir: dir, LockWait: 5 * time.Second, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		return e
	})
}
