package names

import (
	"context"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// lookupFile finds a file that a statement names by its path.
func (r Resolver) lookupFile(ctx context.Context, n engine.TableName) (engine.Source, error) {
	raw, err := hex.DecodeString(n.Schema)
	if err != nil {
		return engine.Source{}, err
	}
	path := string(raw)
	if r.named.Off != "" {
		return engine.Source{}, &engine.Error{Kind: engine.KindUnknownTable, Message: path + ": statements may not name files: " + r.named.Off}
	}
	if path == "" {
		return engine.Source{}, &engine.Error{Kind: engine.KindUnknownTable, Message: "the path of a file is empty"}
	}
	at := path
	if !filepath.IsAbs(at) {
		at = filepath.Join(r.named.Dir, at)
	}
	scan, err := r.g.Sources.File(ctx, at)
	if err != nil {
		kind := engine.KindUnknownTable
		if errors.Is(err, fs.ErrNotExist) {
			kind = engine.KindNoFile
		}
		return engine.Source{}, &engine.Error{Kind: kind, Message: path + ": " + strings.TrimPrefix(err.Error(), "file "+filepath.Base(path)+": "), Err: err}
	}
	if f, ok := scan.(interface{ Remarks() []string }); ok && r.named.Note != nil {
		for _, remark := range f.Remarks() {
			r.named.Note(remark)
		}
	}
	return engine.Source{Scan: scan}, nil
}
