package gateway

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dig-cli/dig/internal/tempfile"
)

// engineFile names the engine that has the rows of a data directory; without it, they are in its files.
const engineFile = "engine"

// checkEngine rejects a data directory whose rows another engine has: with this one, all tables would seem to be empty.
func checkEngine(o Options) error {
	path := filepath.Join(o.Dir, engineFile)
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	has := strings.TrimSpace(string(b))
	switch {
	case has == o.EngineName:
		return nil
	case has != "":
		return fmt.Errorf("the rows of %s are in the engine %s: `dig gateway serve --engine %s` serves them", o.Dir,
			has, has)
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
