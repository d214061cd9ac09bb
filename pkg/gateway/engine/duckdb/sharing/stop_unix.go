//go:build unix

package sharing

import (
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// stops delays Ctrl-Z while the process has the lock of a project: a stopped process keeps its locks, and blocks all
// that wait for them.
type stops struct {
	begin sync.Once

	mu    sync.Mutex
	locks int
	asked bool
}

// hold prevents the process from being stopped until release is called. The first call installs a handler of the
// signal, which stays installed: after signal.Stop, Go would ignore the signal.
func (s *stops) hold() (release func()) {
	s.begin.Do(func() {
		if signal.Ignored(syscall.SIGTSTP) {
			return
		}
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTSTP)
		safely.Go(func() {
			for range asked {
				s.mu.Lock()
				s.asked = true
				s.stop()
				s.mu.Unlock()
			}
		})
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.locks++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.locks--
		s.stop()
	})
}

// stop stops the process if that was requested and nothing is locked; s.mu is held.
func (s *stops) stop() {
	if s.asked && s.locks == 0 {
		s.asked = false
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	}
}
