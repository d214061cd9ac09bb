// Package localstate stores what dig must remember between runs on this machine: what was sent where and with what
// result. It is stored in the state directory, since it cannot be reproduced.
package localstate

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
)

// Scope identifies the target of a run. Fields that are irrelevant to the stored data are empty.
type Scope struct {
	Profile string
	Zone    string
	Address string // of the gateway
	Data    string // the data directory of a gateway in this process: see Dir
	Project string
}

// Dir normalizes a data directory for Scope: absolute and without links, as far as it exists, so that one directory has
// one key.
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

// Key returns a name for the target that is valid in a file name. All state of a target is stored under it.
func (p Scope) Key() string {
	parts := []string{p.Profile, p.Zone, p.Address, p.Data}
	if p.Project != "" {
		parts = append(parts, p.Project)
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// private is the mode of the directories created here.
const private os.FileMode = 0o700
