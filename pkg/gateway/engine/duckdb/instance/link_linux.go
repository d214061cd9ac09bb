//go:build cgo

package instance

/*
#cgo LDFLAGS: -Wl,--wrap=realpath

#include <errno.h>
#include <stdlib.h>
#include <string.h>

char *__real_realpath(const char *path, char *resolved);

static char dig_mark[40];

void dig_mark_links(const char *mark) { strncpy(dig_mark, mark, sizeof dig_mark - 1); }

// DuckDB compares the path that a link leads to with the directories that it may read, and falls back on that of the
// link itself if there is none. The links that Link makes lead to files that were opened and checked already.
char *__wrap_realpath(const char *path, char *resolved) {
	if (dig_mark[0] != 0 && strstr(path, dig_mark) != NULL) {
		errno = ENOENT;
		return NULL;
	}
	return __real_realpath(path, resolved);
}
*/
import "C"

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"unsafe"
)

// links names the links of this process. A statement cannot name one: its mark is secret.
var links = sync.OnceValue(func() *linkNames {
	l := &linkNames{mark: rand.Text()}
	mark := C.CString(l.mark)
	defer C.free(unsafe.Pointer(mark))
	C.dig_mark_links(mark)
	return l
})

type linkNames struct {
	mark string
	n    atomic.Int64
}

// Link makes an open file readable for DuckDB under a name, until the link is removed.
func (in *Instance) Link(f *os.File) (path string, err error) {
	l := links()
	path = filepath.Join(in.tempDir, fmt.Sprintf("%s-%d", l.mark, l.n.Add(1)))
	if err := os.Symlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), path); err != nil {
		return "", err
	}
	there, err := os.Stat(path)
	own, ownErr := f.Stat()
	if err = errors.Join(err, ownErr); err == nil && !os.SameFile(there, own) {
		err = errors.ErrUnsupported
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(path))
	}
	return path, nil
}
