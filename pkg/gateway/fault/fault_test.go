package fault

import (
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// TestFullDisk says of a full disk, wherever it was noticed, that the gateway lacks room, not that the request is at
// fault.
func TestFullDisk(t *testing.T) {
	for _, err := range []error{
		&engine.Error{Kind: engine.KindFull, Message: "no space is left on the disk of the data directory"},
		fmt.Errorf("import: %w", &fs.PathError{Op: "write", Path: "f", Err: syscall.ENOSPC}),
	} {
		if f := Of(err); f.Status != 507 || !strings.Contains(f.Message, "no space is left") {
			t.Errorf("%v: %d %s", err, f.Status, f.Message)
		}
	}
}
