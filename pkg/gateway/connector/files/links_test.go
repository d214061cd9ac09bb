package files

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// TestPartsThatCannotBeReached: a table in parts is never read without one of them.
func TestPartsThatCannotBeReached(t *testing.T) {
	outside := tree(t, map[string]string{"b.csv": "a\n2\n"})
	for name, c := range map[string]struct{ target, fault string }{
		"nothing":  {"gone.csv", "no such file"},
		"a circle": {"link.csv", "too many"},
		"outside":  {filepath.Join(outside, "b.csv"), "escapes"},
		"a folder": {"../day=2", "not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tree(t, map[string]string{"t/day=1/a.csv": "a\n1\n", "t/day=2/a.csv": "a\n2\n"})
			if err := os.Symlink(c.target, filepath.Join(dir, "t", "day=1", "link.csv")); err != nil {
				t.Skip(err)
			}
			_, rows, err := scanned(t, dir, rootSchema, "t", engine.ScanRequest{Limit: -1})
			if err == nil || !strings.Contains(err.Error(), "t/day=1/link.csv") ||
				!strings.Contains(err.Error(), c.fault) {
				t.Errorf("rows %v, error %v, want one about link.csv and %q", rows, err, c.fault)
			}
		})
	}
	dir := tree(t, map[string]string{"t/day=1/a.csv": "a\n1\n"})
	if err := os.Symlink("a.csv", filepath.Join(dir, "t", "day=1", "link.csv")); err != nil {
		t.Skip(err)
	}
	if _, rows, err := scanned(t, dir, rootSchema, "t", engine.ScanRequest{Limit: -1}); err != nil || len(rows) != 2 {
		t.Errorf("rows %v, %v: a link to a file beside it is a part", rows, err)
	}
}

// TestTableThatCannotBeLookedAt: it is listed, and its reading is the error.
func TestTableThatCannotBeLookedAt(t *testing.T) {
	dir := tree(t, map[string]string{"good.csv": "a\n1\n"})
	if err := os.Symlink("bad.csv", filepath.Join(dir, "bad.csv")); err != nil {
		t.Skip(err)
	}
	c := connect(t, dir)
	tables, err := c.Tables(context.Background(), rootSchema)
	if err != nil || !reflect.DeepEqual(tables, []connector.Table{{Name: "bad"}, {Name: "good"}}) {
		t.Errorf("tables %v, %v", tables, err)
	}
	if _, err := c.Table(context.Background(), rootSchema, "bad"); err == nil ||
		!strings.Contains(err.Error(), "bad.csv") {
		t.Errorf("reading it: %v", err)
	}
}

// TestFolderWithoutPermission: a folder that may not be read is listed, and its reading is the error.
func TestFolderWithoutPermission(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	dir := tree(t, map[string]string{"s/t/day=1/a.csv": "a\n1\n", "closed/a.csv": "a\n1\n"})
	for _, name := range []string{"s/t", "closed"} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(filepath.Join(dir, name), 0o700)
	}
	c := connect(t, dir)
	if schemas, err := c.Schemas(context.Background()); err != nil || !reflect.DeepEqual(schemas,
		[]string{rootSchema, "closed", "s"}) {
		t.Errorf("schemas %v, %v", schemas, err)
	}
	if tables, err := c.Tables(context.Background(), "closed"); err == nil {
		t.Errorf("tables of a folder that may not be read: %v", tables)
	}
	if tables, err := c.Tables(context.Background(), "s"); err != nil || !reflect.DeepEqual(tables,
		[]connector.Table{{Name: "t"}}) {
		t.Errorf("tables %v, %v", tables, err)
	}
	if _, err := c.Table(context.Background(), "s", "t"); err == nil {
		t.Error("a table in parts that may not be read was read")
	}
}
