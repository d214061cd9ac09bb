package repl

import (
	"context"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/internal/suggest"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// fileColumns are the columns of the files that statements name, for completion.
type fileColumns struct {
	mu   sync.Mutex
	read map[string]*fileRead // by literal
}

// fileRead is one read of the columns of a file.
type fileRead struct {
	size    int64
	changed time.Time
	done    chan struct{}
	columns []suggest.Column // valid after done; nil if the file cannot be read
}

// fileWait limits how long the completion waits for a file. Its columns are offered later then.
const fileWait = 40 * time.Millisecond

// otherColumns returns the columns of the last result and of files.
func (s *shell) otherColumns(name string) []suggest.Column {
	switch {
	case name == lastName && s.last != nil:
		res, err := s.last.open()
		if err != nil {
			return nil
		}
		return columnsOf(res)
	case strings.HasPrefix(name, "'") && s.e.Local() && s.fill != nil:
		return s.columnsOfFile(name)
	}
	return nil
}

// columnsOfFile reads the columns of a file in the background, and waits a moment for them.
func (s *shell) columnsOfFile(literal string) []suggest.Column {
	var size int64
	var changed time.Time
	if st, err := os.Stat(s.e.Abs(strings.ReplaceAll(literal[1:len(literal)-1], "''", "'"))); err == nil {
		size, changed = st.Size(), st.ModTime()
	}
	s.fromFiles.mu.Lock()
	r := s.fromFiles.read[literal]
	if r == nil || r.size != size || !r.changed.Equal(changed) {
		r = &fileRead{size: size, changed: changed, done: make(chan struct{})}
		if s.fromFiles.read == nil {
			s.fromFiles.read = map[string]*fileRead{}
		}
		s.fromFiles.read[literal] = r
		s.filling.Go(func() {
			defer close(r.done)
			r.columns = s.readFileColumns(s.filled, literal)
		})
	}
	s.fromFiles.mu.Unlock()
	late := time.NewTimer(fileWait)
	defer late.Stop()
	select {
	case <-r.done:
		return r.columns
	case <-late.C:
		return nil
	}
}

func (s *shell) readFileColumns(ctx context.Context, literal string) []suggest.Column {
	res, err := s.openFile(ctx, literal)
	if err != nil {
		return nil
	}
	return columnsOf(res)
}

// openFile selects no rows of a file.
func (s *shell) openFile(ctx context.Context, literal string) (*api.Result, error) {
	return s.cl.Queries.Execute(zone.WithFiles(ctx, s.e.StatementFiles(nil)), s.project,
		api.ExecuteByStatement{Statement: "SELECT * FROM " + literal + " LIMIT 0"},
		api.ExecuteOptions{Format: api.Compact})
}

func columnsOf(res *api.Result) []suggest.Column {
	defer res.Close()
	found, err := res.Rows().Columns()
	if err != nil {
		return nil
	}
	cols := columnsOfLast(found)
	out := make([]suggest.Column, len(cols))
	for i, c := range cols {
		out[i] = suggest.Column{Name: c.Name, Type: c.Type}
	}
	return out
}
