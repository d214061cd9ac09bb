//go:build unix

package sharing

import (
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/dig-cli/dig/pkg/gateway/safely"
)

// stops delays Ctrl-Z while the process has the lock of a project: one that is stopped keeps its locks, and holds up all that wait for them.
type stops struct {
	begin sync.Once

	mu    sync.Mutex
	locks int
	asked bool
}

// hold begins a time in which the process is not stopped, which the returned function ends. After the first one the signal is handled here for
// good: Go ignores it when nobody is notified of it any more.
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

// stop stops the process if that was asked for and nothing is locked; s.mu is held.
func (s *stops) stop() {
	if s.asked && s.locks == 0 {
		s.asked = false
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	}
}
