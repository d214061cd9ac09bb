package files

import (
	"context"
	"io"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

func readAll(t *testing.T, dir, table string, columns ...string) ([][]any, error) {
	t.Helper()
	s, err := connect(t, dir).Table(context.Background(), rootSchema, table)
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Scan(context.Background(), engine.ScanRequest{Columns: columns, Limit: -1})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	var out [][]any
	for {
		rows, err := b.Next(context.Background())
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, rows...)
	}
}
