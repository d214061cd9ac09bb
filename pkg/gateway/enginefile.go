package gateway

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// engineFile names the engine that has the rows of a data directory; without it, they are in its files.
const engineFile = "engine"

// EngineOf returns the name of the engine that has the rows of a data directory, "" if they are in its files.
func EngineOf(dir string) (string, error) {
	b, err := os.ReadFile(filepath.Join(dir, engineFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return strings.TrimSpace(string(b)), nil
}

// Elsewhere is a *zone.Elsewhere if the state or the rows of a data directory are not in its files.
func Elsewhere(dir string) error {
	if err := store.Elsewhere(dir); err != nil {
		return err
	}
	name, err := EngineOf(dir)
	if err != nil || name == "" {
		return err
	}
	return &zone.Elsewhere{Dir: dir, Engine: name}
}

// checkEngine rejects a data directory whose rows another engine has: with this one, all tables would seem to be empty.
func checkEngine(o Options) error {
	path := filepath.Join(o.Dir, engineFile)
	has, err := EngineOf(o.Dir)
	switch {
	case err != nil:
		return err
	case has == o.EngineName:
		return nil
	case has != "":
		return &zone.Elsewhere{Dir: o.Dir, Engine: has}
	}
	files, err := filepath.Glob(filepath.Join(o.Dir, "projects", "*", "*.duckdb"))
	if err != nil {
		return err
	}
	if len(files) > 0 {
		return fmt.Errorf("%s holds rows of the embedded engine, which the engine %s cannot read: use another "+
			"directory",
			o.Dir, o.EngineName)
	}
	if o.ReadOnly {
		return nil
	}
	return tempfile.Write(path, []byte(o.EngineName+"\n"))
}
