//go:build cgo

package gateway

import (
	"encoding/binary"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
)

// TestSocketIsNeverOpen: the socket comes to its name with its mode, so that no moment is left in which the umask alone
// guards it.
func TestSocketIsNeverOpen(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	g, err := Open(Options{Dir: dir, OpenEngine: duckdb.Open})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if err := os.WriteFile(filepath.Join(dir, socketName), nil, 0o666); err != nil { // left by another
		t.Fatal(err)
	}
	watch, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(watch)
	if _, err := syscall.InotifyAddWatch(watch, dir, syscall.IN_CREATE|syscall.IN_MOVED_TO); err != nil {
		t.Fatal(err)
	}
	old := syscall.Umask(0)
	s, err := g.Listen(Address{Listen: "127.0.0.1:0"})
	syscall.Umask(old)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		for _, srv := range s.servers {
			srv.Close()
		}
		s.unwind()
		_ = s.listeners.Close()
	}()
	if st, err := os.Lstat(filepath.Join(dir, socketName)); err != nil || st.Mode() != os.ModeSocket|0o600 {
		t.Errorf("the socket: %v, %v", st.Mode(), err)
	}
	buf := make([]byte, 64<<10)
	n, _ := syscall.Read(watch, buf)
	moved := false
	for at := 0; at+syscall.SizeofInotifyEvent <= n; {
		mask, size := binary.NativeEndian.Uint32(buf[at+4:]), int(binary.NativeEndian.Uint32(buf[at+12:]))
		name := strings.TrimRight(string(buf[at+syscall.SizeofInotifyEvent:at+syscall.SizeofInotifyEvent+size]), "\x00")
		if at += syscall.SizeofInotifyEvent + size; name != socketName {
			continue
		}
		if moved = moved || mask&syscall.IN_MOVED_TO != 0; mask&syscall.IN_CREATE != 0 {
			t.Error("the socket is made under its name, where others may connect before its mode is set")
		}
	}
	if !moved {
		t.Error("the socket was not moved to its name")
	}
	rt, ok, err := Dial(dir)
	if !ok || err != nil {
		t.Fatal("nobody answers")
	}
	req, err := http.NewRequest("GET", LocalBaseURL+"/organizations", nil)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := rt.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer rep.Body.Close()
	if rep.StatusCode != 200 {
		t.Error(rep.Status)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".serve*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
}
