package connector

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestPushed reads rows that a function pushes: to the end, to an error, to a panic, and until the reader stops.
func TestPushed(t *testing.T) {
	rows := func(n int, end func() error) func(context.Context, func([]any) error) error {
		return func(_ context.Context, push func([]any) error) error {
			for i := range n {
				if err := push([]any{int64(i)}); err != nil {
					return err
				}
			}
			return end()
		}
	}
	for name, c := range map[string]struct {
		n    int
		end  func() error
		want string
	}{
		"none":         {0, func() error { return nil }, ""},
		"one batch":    {pushedRows, func() error { return nil }, ""},
		"more batches": {2*pushedRows + 1, func() error { return nil }, ""},
		"error":        {pushedRows, func() error { return errors.New("the source ended") }, "the source ended"},
		"panic":        {pushedRows, func() error { panic("a mistake") }, "internal error: a mistake"},
	} {
		b := Pushed(t.Context(), rows(c.n, c.end))
		got := 0
		batch, err := b.Next(t.Context())
		for ; err == nil; batch, err = b.Next(t.Context()) {
			for _, row := range batch {
				if row[0] != int64(got) {
					t.Fatalf("%s: row %d is %v", name, got, row)
				}
				got++
			}
		}
		if c.want == "" && !errors.Is(err, io.EOF) || c.want != "" && !strings.Contains(err.Error(), c.want) ||
			got != c.n {
			t.Errorf("%s: %d rows and %v, want %d and %q", name, got, err, c.n, c.want)
		}
		if err := b.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	ended := false
	b := Pushed(t.Context(), func(ctx context.Context, push func([]any) error) error {
		defer func() { ended = true }()
		for {
			if err := push([]any{true}); err != nil {
				return err
			}
		}
	})
	if _, err := b.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil || !ended {
		t.Errorf("closed with %v, and the function ended: %v", err, ended)
	}
}
