package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dig-cli/dig/cmd"
	zone "github.com/dig-cli/dig/cmd/gateway"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/trinotest"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	main := func() { os.Exit(cmd.Main(zone.Zone())) }
	testscript.Main(m, map[string]func(){"dig": main, "digctl": main})
}

// TestScripts runs the end-to-end scripts as a user would: dig as a process of its own, zone local inside it.
func TestScripts(t *testing.T) { runScripts(t, inProcess) }

// TestScriptsTCP runs the same scripts against a gateway that is served over TCP, with a key. If DIG_TEST_CLIENT is
// set, it is a folder with programs dig and digctl that run instead of the test's own.
func TestScriptsTCP(t *testing.T) { runScripts(t, overTCP) }

// TestScriptsCluster runs them against a gateway over TCP whose engine is a cluster.
func TestScriptsCluster(t *testing.T) {
	if os.Getenv("DIG_TEST_CLUSTER") == "" {
		t.Skip("DIG_TEST_CLUSTER is not set: start a cluster with .ci/cluster")
	}
	runScripts(t, onCluster)
}

// way is how scripts reach a gateway.
type way int

const (
	inProcess way = iota
	overTCP
	onCluster
)

// exercised collects the operations that the scripts call over TCP.
type exercised struct {
	mu  sync.Mutex
	ops map[string]bool
}

func (x *exercised) see(c web.Call) {
	if c.Status < 500 || c.Status == 501 {
		x.mu.Lock()
		x.ops[c.Op.ID] = true
		x.mu.Unlock()
	}
}

// check fails for every operation that no script has called.
func (x *exercised) check(t *testing.T) {
	for _, op := range spec.All() {
		if !x.ops[op.ID] {
			t.Errorf("no end-to-end script calls %s (%s %s)", op.ID, op.Method, op.Path)
		}
	}
}

func runScripts(t *testing.T, how way) {
	dirs, err := filepath.Glob("../../../testdata/script/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no scripts found: %v", err)
	}
	seen := &exercised{ops: map[string]bool{}}
	if how == overTCP && flag.Lookup("test.run").Value.String() == "" { // all scripts run: all operations are called
		t.Cleanup(func() { seen.check(t) })
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			p := scriptParams(t, dir, how, seen)
			if how == onCluster {
				if p.Dir, p.Files = "", scriptsOnCluster(t, dir); p.Files == nil {
					t.Skip("none of its scripts runs on a cluster")
				}
			}
			testscript.Run(t, p)
		})
	}
}

// scriptParams is how the scripts of a folder run.
func scriptParams(t *testing.T, dir string, how way, seen *exercised) testscript.Params {
	tcp := how != inProcess
	return testscript.Params{
		Dir:                 dir,
		Cmds:                scriptCommands(),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			for _, kv := range [][2]string{{"HOME", "home"}, {"DIG_DATA_DIR", "data"}, {"DIG_CONFIG_DIR", "config"}} {
				path := filepath.Join(env.WorkDir, kv[1])
				if err := os.MkdirAll(path, 0o700); err != nil {
					return err
				}
				env.Setenv(kv[0], path)
			}
			env.Setenv("DIG_KEY_STORAGE", "file")
			env.Setenv("DIG_COMPLETION_TIMEOUT", "60s") // what is asked does not hang on how busy the machine is
			for _, name := range []string{"DIG_TEST_POSTGRES", "DIG_TEST_MARIADB", "GORACE"} {
				env.Setenv(name, os.Getenv(name))
			}
			if dir := os.Getenv("DIG_TEST_CLIENT"); tcp && dir != "" {
				env.Setenv("PATH", dir+string(os.PathListSeparator)+env.Getenv("PATH"))
			}
			if tcp {
				return serveScript(t, env, how, seen)
			}
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "tcp":
				return tcp, nil
			case "cluster":
				return how == onCluster, nil
			case "cgo":
				return duckdb.Available, nil
			case "engine": // of the client, for what it does with rows itself
				return duckdb.Available && os.Getenv("DIG_TEST_SYSTEM") == "", nil
			case "posix": // the system of the client has pipes as files, and modes of files
				return os.Getenv("DIG_TEST_SYSTEM") != "windows", nil
			case "postgres":
				return os.Getenv("DIG_TEST_POSTGRES") != "", nil
			case "mariadb":
				return os.Getenv("DIG_TEST_MARIADB") != "", nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	}
}

// serveScript serves the script's data directory and points dig at it.
func serveScript(t *testing.T, env *testscript.Env, how way, seen *exercised) error {
	engineOf := duckdb.Open
	if how == onCluster {
		engineOf = func(of engine.Options) (engine.Engine, error) {
			return trino.Open(trinotest.Options(t, of.Dir), of)
		}
	}
	g, err := gateway.Open(gateway.Options{Dir: env.Getenv("DIG_DATA_DIR"), OpenEngine: engineOf,
		Log: slog.New(slog.DiscardHandler), Observe: seen.see})
	if err != nil {
		return err
	}
	key := g.ServeKey()
	s, err := g.Listen(gateway.Address{Listen: "127.0.0.1:0"})
	if err != nil {
		return errors.Join(err, g.Close())
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Wait(ctx, 0) }()
	env.Defer(func() {
		stop()
		if err := errors.Join(<-done, g.Close()); err != nil {
			env.T().Fatal("gateway: ", err)
		}
	})
	env.Setenv("DIG_ZONE", "local")
	env.Setenv("DIG_BASE_URL", fmt.Sprintf("http://%s/api/v1", s.Addr))
	env.Setenv("DIG_API_KEY", key)
	env.Setenv("DIG_PROJECT", gateway.DefaultProject)
	return nil
}

// scriptsOnCluster are the scripts of a folder that run on a cluster: all but those of testdata/cluster.txt, which has
// the reason for each.
func scriptsOnCluster(t *testing.T, dir string) (files []string) {
	t.Helper()
	list, err := os.ReadFile("../../../testdata/cluster.txt")
	if err != nil {
		t.Fatal(err)
	}
	all, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		name := filepath.Base(dir) + "/" + strings.TrimSuffix(filepath.Base(f), ".txtar") + " "
		if !strings.Contains("\n"+string(list), "\n"+name) {
			files = append(files, f)
		}
	}
	return files
}

// TestClusterList compares testdata/cluster.txt with the scripts: it lists at most a tenth of them.
func TestClusterList(t *testing.T) {
	list, err := os.ReadFile("../../../testdata/cluster.txt")
	if err != nil {
		t.Fatal(err)
	}
	all, err := filepath.Glob("../../../testdata/script/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	listed := 0
	for line := range strings.Lines(string(list)) {
		name, reason, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "#" {
			continue
		}
		_, err := os.Stat("../../../testdata/script/" + name + ".txtar")
		if err != nil || strings.TrimSpace(reason) == "" {
			t.Errorf("%q: no script, or no reason: %v", line, err)
		}
		listed++
	}
	if listed*10 > len(all) {
		t.Errorf("%d of %d scripts do not run on a cluster", listed, len(all))
	}
}
