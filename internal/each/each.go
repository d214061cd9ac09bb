// Package each applies functions to the elements of slices.
package each

import (
	"errors"
	"runtime"
	"sync"

	"github.com/dig-cli/dig/pkg/gateway/safely"
)

func Map[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i, v := range in {
		out[i] = f(v)
	}
	return out
}

// Parallel calls functions for the numbers below n, on as many goroutines as there are processors; worker makes the
// function of each goroutine. It returns their panics, as errors.
func Parallel(n int, worker func() func(i int)) error {
	workers := runtime.GOMAXPROCS(0)
	panicked := make([]error, workers)
	var wait sync.WaitGroup
	for w := range workers {
		f := worker()
		wait.Go(func() {
			panicked[w] = safely.Run(func() {
				for i := w; i < n; i += workers {
					f(i)
				}
			})
		})
	}
	wait.Wait()
	return errors.Join(panicked...)
}
