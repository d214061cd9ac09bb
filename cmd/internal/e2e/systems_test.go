package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestSystems runs the scripts with dig built for another system, the client of DIG_TEST_CLIENT, against a gateway of
// this one. DIG_TEST_SYSTEM is the name of the system; .ci/systems sets both. Scripts that cannot run there are in
// testdata/systems.txt with the reason.
func TestSystems(t *testing.T) {
	system := os.Getenv("DIG_TEST_SYSTEM")
	if system == "" {
		t.Skip("DIG_TEST_SYSTEM is not set: run bash .ci/systems")
	}
	raw, err := os.ReadFile("../../../testdata/systems.txt")
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		if f := strings.SplitN(strings.TrimSpace(line), " ", 3); len(f) == 3 && f[0] == system {
			left[f[1]] = f[2]
		}
	}
	files, err := filepath.Glob("../../../testdata/script/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		group, base := filepath.Split(file)
		name := filepath.Base(group) + "/" + strings.TrimSuffix(base, ".txtar")
		why := left[name]
		delete(left, name)
		t.Run(name, func(t *testing.T) {
			if why != "" {
				t.Skip(why)
			}
			t.Parallel()
			p := scriptParams(t, "", overTCP, &exercised{ops: map[string]bool{}})
			p.Files = []string{file}
			setup := p.Setup
			p.Setup = func(env *testscript.Env) error {
				env.Setenv("DIG_STATE_DIR", filepath.Join(env.WorkDir, "state")) // not everywhere below HOME
				for _, name := range []string{"WINEPREFIX", "WINEDEBUG"} {
					env.Setenv(name, os.Getenv(name))
				}
				return setup(env)
			}
			testscript.Run(t, p)
		})
	}
	for name := range left {
		t.Errorf("testdata/systems.txt: there is no script %s", name)
	}
}
