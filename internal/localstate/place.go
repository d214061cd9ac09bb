// Package localstate keeps what dig must remember between runs on this machine: what was sent where and what became of it. It lies in
// the state directory, since it cannot be had again.
package localstate

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
)

// Place is where a run works. Fields that do not matter to what is kept stay empty.
type Place struct {
	Profile string
	Zone    string
	Address string // of the gateway
	Data    string // the data directory of a gateway in this process: see Dir
	Project string
}

// Dir is a data directory as a place has it: absolute and without links, as far as it exists, so that one directory is one place.
func Dir(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		abs = path
	}
	for head, tail := abs, ""; ; {
		if real, err := filepath.EvalSymlinks(head); err == nil {
			return filepath.Join(real, tail)
		}
		up := filepath.Dir(head)
		if up == head {
			return abs
		}
		head, tail = up, filepath.Join(filepath.Base(head), tail)
	}
}

// Key is a name for the place that can stand in the name of a file. All that is kept by place is kept under it.
func (p Place) Key() string {
	parts := []string{p.Profile, p.Zone, p.Address, p.Data}
	if p.Project != "" {
		parts = append(parts, p.Project)
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// private is the mode of directories made here.
const private os.FileMode = 0o700
