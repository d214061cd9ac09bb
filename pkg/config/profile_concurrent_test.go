package config

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

func TestConcurrentAddsLoseNothing(t *testing.T) {
	const n = 20
	dir := filepath.Join(t.TempDir(), "cfg")
	key := mustKey(t, hostedKey)
	var wg sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s, err := OpenStore(dir, fileEnv())
			if err == nil {
				_, err = s.Add(Profile{Name: fmt.Sprintf("p%02d", i), Zone: "us", Project: fmt.Sprint(i)}, key,
					AddOptions{Use: i%2 == 0})
			}
			errs[i] = err
		}()
	}
	wg.Wait()
	checkAll(t, dir, n, errors.Join(errs...))
}

// TestMain lets TestConcurrentProcesses run this program again as a process that adds one profile.
func TestMain(m *testing.M) {
	dir := os.Getenv("DIG_TEST_DIR")
	if dir == "" {
		os.Exit(m.Run())
	}
	if os.Getenv("DIG_TEST_FOREVER") != "" {
		editForever(dir)
	}
	s, err := OpenStore(dir, fileEnv())
	if err == nil {
		var key Key
		if key, err = NewKey(hostedKey); err == nil {
			_, err = s.Add(Profile{Name: os.Getenv("DIG_TEST_PROFILE"), Zone: "us",
				Project: os.Getenv("DIG_TEST_PROJECT")}, key, AddOptions{})
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func TestConcurrentProcesses(t *testing.T) {
	const n = 8
	dir := filepath.Join(t.TempDir(), "cfg")
	cmds := make([]*exec.Cmd, n)
	for i := range n {
		cmds[i] = exec.Command(os.Args[0])
		cmds[i].Env = append(os.Environ(), "DIG_TEST_DIR="+dir, fmt.Sprintf("DIG_TEST_PROFILE=p%02d", i),
			fmt.Sprint("DIG_TEST_PROJECT=", i))
		if err := cmds[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	var errs []error
	for _, c := range cmds {
		errs = append(errs, c.Wait())
	}
	checkAll(t, dir, n, errors.Join(errs...))
}

func checkAll(t *testing.T, dir string, n int, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	s, _ := OpenStore(dir, fileEnv())
	list, _, err := s.List()
	if err != nil || len(list) != n {
		t.Fatalf("%d profiles, %v", len(list), err)
	}
	for i := range n {
		p, err := s.Get(fmt.Sprintf("p%02d", i))
		if err != nil || p.Project != fmt.Sprint(i) {
			t.Errorf("p%02d: %+v, %v", i, p, err)
		}
		if k, err := s.Key(p); err != nil || k.Key.Reveal() != hostedKey {
			t.Errorf("key of p%02d: %v", i, err)
		}
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".*.yaml.*"))
	if len(left) != 0 {
		t.Errorf("temporary files stayed: %v", left)
	}
}

func TestReadersNeverSeeAHalfFile(t *testing.T) {
	s := openStore(t, fileEnv())
	if _, err := s.Add(Profile{Name: "keep", Zone: "us"}, mustKey(t, hostedKey), AddOptions{}); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			p, err := s.Get("keep")
			if err == nil {
				_, err = s.Key(p)
			}
			if err != nil {
				done <- err
				return
			}
		}
	}()
	for i := range 30 {
		if _, err := s.Add(Profile{Name: fmt.Sprint("n", i), Zone: "us"}, mustKey(t, hostedKey),
			AddOptions{}); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestALockThatIsNotReleased(t *testing.T) {
	s := openStore(t, fileEnv())
	if err := s.Use(""); err != nil {
		t.Fatal(err)
	}
	lock := flock.New(filepath.Join(s.dir, ".lock"))
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Unlock() }()
	if err := withLockFor(s.dir, 50*time.Millisecond, func() error { return nil }); !errors.Is(err, ErrBusy) {
		t.Errorf("%v", err)
	}
}

func TestLinkedConfigStaysLinked(t *testing.T) {
	s := openStore(t, fileEnv())
	target := filepath.Join(t.TempDir(), "dotfiles", "dig.yaml")
	write(t, target, "profiles: {}\n")
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, s.Path()); err != nil {
		t.Skip(err)
	}
	if _, err := s.Add(Profile{Name: "a"}, Key{}, AddOptions{}); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Lstat(s.Path()); err != nil || st.Mode()&os.ModeSymlink == 0 ||
		!strings.Contains(read(t, target), "a:") {
		t.Errorf("%v %v\n%s", st.Mode(), err, read(t, target))
	}
}
