package sync

import (
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/config"
)

// TestImportsExclude: one import into a project at a time, and into each of several projects.
func TestImportsExclude(t *testing.T) {
	dir := t.TempDir()
	env := func() *cli.Env {
		e := &cli.Env{Getenv: func(name string) string {
			return map[string]string{"HOME": dir, "XDG_STATE_HOME": dir, "LOCALAPPDATA": dir, "DIG_STATE_DIR": dir,
				"DIG_DATA_DIR": dir}[name]
		}}
		e.Run.Settings = &config.Settings{}
		return e
	}
	release, err := alone(env(), "p")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := alone(env(), "p"); err == nil || !strings.Contains(err.Error(), "importing an archive into this") {
		t.Errorf("the second import: %v", err)
	}
	other, err := alone(env(), "q")
	if err != nil {
		t.Fatal(err)
	}
	other()
	release()
	again, err := alone(env(), "p")
	if err != nil {
		t.Fatal(err)
	}
	again()
}
