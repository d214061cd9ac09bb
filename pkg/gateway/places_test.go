package gateway_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/connector/testdb"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb"
	"github.com/dig-cli/dig/pkg/gateway/exports/files"
	"github.com/dig-cli/dig/pkg/gateway/exports/s3test"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// located is an engine whose rows are elsewhere.
type located struct {
	engine.Engine
	places []engine.Place
}

func (l located) Places() []engine.Place { return l.places }

// openAt opens a gateway whose rows are where a prefix and a folder say.
func openAt(o gateway.Options, prefix, folder string) (*gateway.Gateway, error) {
	o.OpenEngine = func(of engine.Options) (engine.Engine, error) {
		e, err := duckdb.Open(of)
		return located{e, []engine.Place{{Flag: "--prefix", Value: prefix}, {Flag: "--folder", Value: folder,
			Folder: true}}}, err
	}
	return gateway.Open(o)
}

// TestPlaces: a gateway that would look for rows elsewhere than those before it is refused, until it is told that they
// were moved.
func TestPlaces(t *testing.T) {
	dir, folders := t.TempDir(), t.TempDir()
	at := func(name string) string { return filepath.Join(folders, name) }
	for _, c := range []struct {
		prefix, folder string
		moved          bool
		flag, want     string // of the error
	}{
		{"p", at("a"), false, "", ""},
		{"p", at("a"), false, "", ""},
		{"q", at("a"), false, "--prefix", "p"},
		{"p", at("b"), false, "--folder", at("a")},
		{"p", "", false, "--folder", at("a")},
		{"q", at("b"), true, "", ""},
		{"q", at("b"), false, "", ""},
		{"p", at("b"), false, "--prefix", "q"},
		{"q", at("a"), false, "--folder", at("b")},
		{"q", at("c"), false, "", ""}, // the second one, under another name
	} {
		if filepath.Base(c.folder) == "c" {
			if err := os.Rename(at("b"), at("c")); err != nil {
				t.Fatal(err)
			}
		}
		g, err := openAt(gateway.Options{Dir: dir, Moved: c.moved}, c.prefix, c.folder)
		if err == nil {
			err = g.Close()
		}
		var wrong *gateway.PlaceError
		switch {
		case c.flag == "" && err != nil:
			t.Fatalf("%+v: %v", c, err)
		case c.flag != "" && (!errors.As(err, &wrong) || wrong.Flag != c.flag || wrong.Want != c.want || wrong.Others):
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestPlacesOfOthers: they stay where they are while another gateway is running.
func TestPlacesOfOthers(t *testing.T) {
	p := store.Postgres{Address: testdb.Postgres(t).String(), Shared: true}
	open := func(folder string, moved bool) (*gateway.Gateway, error) {
		return openAt(gateway.Options{Dir: t.TempDir(), Postgres: &p, SharedDir: folder, Moved: moved}, "p", "")
	}
	first, second := t.TempDir(), t.TempDir()
	one, err := open(first, false)
	if err != nil {
		t.Fatal(err)
	}
	var wrong *gateway.PlaceError
	if _, err := open(second, true); !errors.As(err, &wrong) || !wrong.Others || wrong.Flag != "--shared-dir" {
		t.Errorf("beside another one: %v", err)
	}
	other, err := open(first, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(one.Close(), other.Close()); err != nil {
		t.Fatal(err)
	}
	if other, err = open(second, true); err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := open(first, false); !errors.As(err, &wrong) || wrong.Others || wrong.Want != second {
		t.Errorf("where they were: %v", err)
	}
}

// TestPlacesOfExports: gateways over one state have their exports in one bucket, which each may use by another address.
func TestPlacesOfExports(t *testing.T) {
	p := store.Postgres{Address: testdb.Postgres(t).String()}
	dir := t.TempDir()
	open := func(s *s3test.Store, address string, moved bool) (*gateway.Gateway, error) {
		o := gateway.Options{Dir: dir, Postgres: &p, Moved: moved, OpenEngine: duckdb.Open}
		if address != "" {
			var err error
			if o.Bucket, err = files.OpenBucket(files.Options{Address: address, Getenv: s.Getenv}); err != nil {
				return nil, err
			}
		}
		return gateway.Open(o)
	}
	one, two := s3test.New(t), s3test.New(t)
	for i, c := range []struct {
		s       *s3test.Store
		address string
		moved   bool
		refused bool
		want    string // of the error
	}{
		{one, "s3://lake/a", false, false, ""},
		{one, "s3://lake/a", false, false, ""},
		{one, "s3://lake/b", false, true, "s3://lake/a"},
		{two, "s3://lake/a", false, true, "s3://lake/a"},
		{nil, "", false, true, "s3://lake/a"},
		{two, "s3://lake/b", true, false, ""},
		{one, "s3://lake/a", false, true, "s3://lake/b"},
		{nil, "", true, false, ""},
		{one, "s3://lake/a", false, true, ""},
	} {
		g, err := open(c.s, c.address, c.moved)
		if err == nil {
			err = g.Close()
		}
		var wrong *gateway.PlaceError
		if c.refused != errors.As(err, &wrong) || !c.refused && err != nil ||
			c.refused && (wrong.Want != c.want || wrong.Flag != "--export-store" || wrong.Have != c.address) {
			t.Errorf("%d: %v", i, err)
		} else if c.refused && c.want == c.address &&
			!strings.Contains(err.Error(), "its dig-folder.id is not theirs") {
			t.Errorf("%d: the same address of another store: %v", i, err)
		}
	}
	if keys := one.Keys(); !slices.Equal(keys, []string{"a/dig-folder.id"}) {
		t.Errorf("the starts leave %q", keys)
	}
}

// TestPlaceOfFormerExports: a state with files of exports in a folder gets no bucket by a flag alone.
func TestPlaceOfFormerExports(t *testing.T) {
	p := store.Postgres{Address: testdb.Postgres(t).String()}
	o := gateway.Options{Dir: t.TempDir(), Postgres: &p, OpenEngine: duckdb.Open}
	g, err := gateway.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	_, err = g.Store.CreateExport(ctx, store.Export{ProjectID: store.DefaultProject, Format: "CSV",
		Compression: "NONE", Source: "TABLE", FileName: "x.csv"})
	if err == nil {
		_, err = g.Store.SetSetting(ctx, "--export-store", "\n", "") // of a version without the flag
	}
	if err = errors.Join(err, g.Close()); err != nil {
		t.Fatal(err)
	}
	s := s3test.New(t)
	if o.Bucket, err = files.OpenBucket(files.Options{Address: "s3://lake", Getenv: s.Getenv}); err != nil {
		t.Fatal(err)
	}
	var wrong *gateway.PlaceError
	if _, err := gateway.Open(o); !errors.As(err, &wrong) || wrong.Want != "" {
		t.Errorf("a bucket beside a folder: %v", err)
	}
}
