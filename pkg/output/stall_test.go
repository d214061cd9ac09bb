package output

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/dig-cli/dig/internal/term/termtest"
	"github.com/dig-cli/dig/pkg/api"
)

// TestStalledSource sees the rows that came on the screen while the source does nothing, and the rest after it.
func TestStalledSource(t *testing.T) {
	for _, o := range []Options{{Format: CSV}, {Format: NDJSON}, {Format: YAML}, {}, {Terminal: true},
		{Vertical: true}} {
		r, w := io.Pipe()
		var screen termtest.Buffer
		done := make(chan error)
		var st Stats
		go func() {
			var err error
			st, err = WriteRows(&screen, api.NewRows(r, api.Compact), o)
			done <- err
		}()
		if _, err := io.WriteString(w, `{"columns":[{"columnName":"a"}],"data":[["first"],["second"],`); err != nil {
			t.Fatal(err)
		}
		termtest.Until(t, "the first rows", func() bool { return strings.Contains(screen.String(), "second") })
		if _, err := io.WriteString(w, `["third"],["and a much longer one than the widths foresee"]]}`); err != nil {
			t.Fatal(err)
		}
		w.Close()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		got := screen.String()
		if last := -1; st.Rows != 4 {
			t.Errorf("%+v: %d rows", o, st.Rows)
		} else {
			for _, v := range []string{"first", "second", "third", "longer"} {
				at := strings.Index(got, v)
				if at < last || strings.Count(got, v) != 1 {
					t.Errorf("%+v: %s misplaced in\n%s", o, v, got)
				}
				last = at
			}
		}
	}
}

// TestStalledThenBroken is the same with a connection that dies.
func TestStalledThenBroken(t *testing.T) {
	lost := errors.New("connection reset")
	for _, o := range []Options{{Format: JSON}, {}, {Terminal: true}, {Terminal: true, MaxRows: 1}} {
		r, w := io.Pipe()
		var screen termtest.Buffer
		done := make(chan error)
		go func() {
			_, err := WriteRows(&screen, api.NewRows(r, api.Compact), o)
			done <- err
		}()
		if _, err := io.WriteString(w, `{"columns":[{"columnName":"a"}],"data":[["first"],["second"],`); err != nil {
			t.Fatal(err)
		}
		termtest.Until(t, "the first row", func() bool { return strings.Contains(screen.String(), "first") })
		w.CloseWithError(lost)
		if err := <-done; !errors.Is(err, lost) {
			t.Errorf("%+v: error %v", o, err)
		}
		if strings.Contains(screen.String(), "]") {
			t.Errorf("closed: %s", screen.String())
		}
	}
}
