package connector

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// noDetour rejects paths through /proc, /sys and /dev, except /dev/shm. The kernel shows open files and mounts of
// processes there, so the name of such a path does not determine the file that it refers to.
func noDetour(path string) error {
	clean := filepath.Clean(path)
	real, err := filepath.EvalSymlinks(clean)
	if err != nil {
		if os.IsNotExist(err) {
			return noFile(path)
		}
		return bare(err)
	}
	for _, p := range []string{clean, real} {
		for _, dir := range []string{"/proc", "/sys", "/dev"} {
			if Within(dir, p) && !Within("/dev/shm", p) {
				return fmt.Errorf("%s leads through %s, which connections must not read", path, dir)
			}
		}
	}
	return nil
}

// hold opens a file without read permission: closing it does not release locks that this process has on the same file.
func hold(path string) (*File, string, error) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, "", fmt.Errorf("file %s: %w", path, err)
	}
	f := &File{name: path, hold: os.NewFile(uintptr(fd), path)}
	real := ""
	if f.FileInfo, err = f.hold.Stat(); err == nil && !f.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err == nil {
		real, err = whereabouts(f.hold, f.FileInfo, path)
	}
	if err != nil {
		f.Close()
		return nil, "", err
	}
	return f, real, nil
}

// Descriptors returns the file descriptors of this process for the file, nil if the system does not support it.
func (f *File) Descriptors() map[int]bool {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil
	}
	out := map[int]bool{}
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && f.is(n) {
			out[n] = true
		}
	}
	return out
}

func (f *File) is(fd int) bool {
	var st unix.Stat_t
	own, ok := stat(f.FileInfo)
	return ok && unix.Fstat(fd, &st) == nil && st.Dev == own.Dev && st.Ino == own.Ino
}

func leadsTo(path string, info fs.FileInfo) bool {
	found, err := os.Stat(path)
	return err == nil && os.SameFile(found, info)
}

// whereabouts returns the path of an open file according to the kernel, or determines it by name if the kernel does not
// provide it.
func whereabouts(f *os.File, info fs.FileInfo, name string) (string, error) {
	real, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(f.Fd())))
	if err != nil {
		return byName(info, name)
	}
	if st, ok := stat(info); ok && st.Nlink == 0 || !filepath.IsAbs(real) || strings.HasSuffix(real, " (deleted)") &&
		!leadsTo(real, info) {
		return "", fmt.Errorf("%s no longer has a name on this machine", name)
	}
	return real, nil
}
