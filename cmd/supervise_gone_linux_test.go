//go:build cgo

package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
)

// serving starts a gateway and returns a client over TCP.
func serving(t *testing.T, data string, args ...string) (served, *api.Client) {
	t.Helper()
	key := filepath.Join(t.TempDir(), "key")
	s := serve(t, data, append([]string{"--key-file", key}, args...)...)
	text, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	cl, err := api.New(api.Options{BaseURL: s.base, Key: strings.TrimSpace(string(text)), Timeout: time.Minute,
		Transport: &http.Transport{DisableCompression: true}})
	if err != nil {
		t.Fatal(err)
	}
	return s, cl
}

// TestDataDirectoryGone: a gateway whose data directory was removed, moved or replaced acknowledges nothing any more,
// and ends.
func TestDataDirectoryGone(t *testing.T) {
	needLocal(t)
	for name, lose := range map[string]func(string) error{
		"removed": os.RemoveAll,
		"moved":   func(dir string) error { return os.Rename(dir, dir+".old") },
		"replaced": func(dir string) error {
			return errors.Join(os.Rename(dir, dir+".old"), os.Mkdir(dir, 0o700),
				os.Link(filepath.Join(dir+".old", "gateway.lock"), filepath.Join(dir, "gateway.lock")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			data := filepath.Join(t.TempDir(), "data")
			s, cl := serving(t, data)
			create := func(name string) error {
				_, err := cl.Queries.Create(context.Background(), "localdev", api.QueryRequest{DisplayName: &name,
					InputQuery: new("SELECT 1 AS n")}, nil)
				return err
			}
			if err := create("before"); err != nil {
				t.Fatal(err)
			}
			if err := lose(data); err != nil {
				t.Fatal(err)
			}
			err := create("after")
			if err == nil || !strings.Contains(err.Error(), "was removed or replaced") &&
				!errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, syscall.ECONNRESET) &&
				!errors.Is(err, io.EOF) {
				t.Errorf("after it was %s: %v", name, err)
			}
			s.says(t, "was removed or replaced")
			if code := exits(t, s.Cmd); code != exitcode.Failed {
				t.Errorf("exit code %d", code)
			}
			if left, err := os.Stat(filepath.Join(data, "gateway.sock")); name == "removed" && err == nil {
				t.Errorf("it has left %v", left)
			}
		})
	}
}

// TestProjectFolderGone: rows are not acknowledged into a file that was removed while it was open.
func TestProjectFolderGone(t *testing.T) {
	needLocal(t)
	data := filepath.Join(t.TempDir(), "data")
	_, cl := serving(t, data)
	store := func() error {
		_, err := cl.Tables.Import(context.Background(), "localdev", "kept", api.ImportRequest{ContainsHeader: true,
			Mappings: []api.ImportMapping{{Name: "n", CSVColumnName: "n"}}}, "n.csv",
			strings.NewReader("n\n1\n"))
		return err
	}
	mustRun(t, data, "table", "create", "kept", "--column", "n:bigint")
	if err := store(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(data, "projects", "localdev")); err != nil {
		t.Fatal(err)
	}
	var e *api.Error
	if err := store(); !errors.As(err, &e) || e.Kind != api.KindDamaged || !strings.Contains(e.Message,
		"does not exist") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(data, "projects", "localdev")); err == nil {
		t.Error("an empty directory stands in its place")
	}
}

// stopped reports whether all threads of a process are stopped.
func stopped(t *testing.T, pid int) bool {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil || len(tasks) == 0 {
		t.Fatal(tasks, err)
	}
	for _, path := range tasks {
		raw, err := os.ReadFile(path)
		if err != nil {
			return false
		}
		if _, state, ok := strings.Cut(string(raw), ") "); !ok || state[0] != 'T' {
			return false
		}
	}
	return true
}

// TestStoppedProcess: a process that serves and is stopped is replaced, so that calls are answered; and a signal ends
// the gateway although it is stopped.
func TestStoppedProcess(t *testing.T) {
	needLocal(t)
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s, cl := serving(t, data, "--grace", "1s")
	stop := func() {
		t.Helper()
		serves := children(s.Process.Pid)
		if len(serves) != 1 {
			t.Fatalf("processes: %v", serves)
		}
		if err := syscall.Kill(serves[0], syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		// A thread that runs yet could accept a connection, which would be lost.
		for !stopped(t, serves[0]) {
			time.Sleep(time.Millisecond)
		}
	}
	stop()
	if _, err := cl.Projects.List(context.Background(), "00000000-0000-4000-8000-000000000001",
		"00000000-0000-4000-8000-000000000002"); err != nil {
		t.Error(err)
	}
	s.says(t, "no sign of life")
	s.says(t, "replaced")
	for len(children(s.Process.Pid)) != 1 {
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.says(t, "has not ended within the grace period")
	if code := exits(t, s.Cmd); code != exitcode.Failed {
		t.Errorf("exit code %d", code)
	}
}
