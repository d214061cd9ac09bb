package query

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// fileRemarks are what zone local says of the files that a statement names, such as the sheet of a workbook that is
// read.
type fileRemarks struct {
	mu    sync.Mutex
	all   []string
	given int // of them, printed
}

func (r *fileRemarks) add(remark string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.all, remark) {
		r.all = append(r.all, remark)
	}
}

// print prints those that were not printed before.
func (r *fileRemarks) print(w io.Writer) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, remark := range r.all[r.given:] {
		fmt.Fprintln(w, remark)
	}
	r.given = len(r.all)
}

// withFiles allows a statement to name files of this machine if the user wrote it. A saved query may not.
func (q *querying) withFiles(ctx context.Context, st *statement) context.Context {
	if st.text == "" || q.f.stored {
		return ctx
	}
	if st.files == nil {
		st.files = &fileRemarks{}
	}
	files := q.e.StatementFiles(st.files.add)
	files.Flags = st.data
	return zone.WithFiles(ctx, files)
}
