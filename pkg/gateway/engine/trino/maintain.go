package trino

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/importer"
)

const (
	// retention is how long former states of tables, and files that none has, are kept: what the catalog demands at
	// least.
	retention = "7d"
	// abandoned is the age of what an import or a copy leaves only if its gateway died.
	abandoned = 24 * time.Hour
	// intentsKept is how many imports are known by their ids.
	intentsKept = 1000
)

// Compact implements engine.Compacter: small files of the project's tables are joined, former states are forgotten, and
// files that belong to no table are removed, also those of imports that were interrupted.
func (e *Engine) Compact(ctx context.Context, id string) (c engine.Compaction, err error) {
	p, err := e.project(id)
	if err == nil {
		err = p.admit(nil)
	}
	if err != nil {
		return c, err
	}
	err = p.tablesOf(ctx, func(kind, schema, table string) (err error) {
		var before, after int64
		switch kind {
		case engine.SchemaTable, engine.SchemaBI:
			before, after, err = p.compactTable(ctx, schema, table)
			c.Before, c.After = c.Before+before, c.After+after
		case kindOfImports, kindOfCopies:
			err = p.forgetOld(ctx, kind, schema, table)
		} // the rows of results never change
		if isKind(err, engine.KindUnknownTable) {
			return nil // it was dropped meanwhile
		}
		return err
	})
	return c, errors.Join(err, p.removeFolders(ctx))
}

// Interval implements engine.Tidier.
func (*Engine) Interval() time.Duration { return 24 * time.Hour }

// tablesOf calls each for the tables of all kinds, by their names in the catalog.
func (p *project) tablesOf(ctx context.Context, each func(kind, schema, table string) error) error {
	prefix := p.schema("")
	var kinds []string
	if _, err := p.exec(ctx, "SELECT schema_name FROM "+sqltext.Quote(p.e.Catalog)+
		".information_schema.schemata WHERE starts_with(schema_name, "+sqltext.Literal(prefix)+") ORDER BY 1", false,
		func(v []*string) error {
			if kind := (*v[0])[len(prefix):]; !strings.Contains(kind, "_") {
				kinds = append(kinds, kind)
			}
			return nil
		}); err != nil {
		return err
	}
	for _, kind := range kinds {
		tables, err := p.tablesIn(ctx, prefix+kind)
		if err != nil {
			return err
		}
		for _, t := range tables {
			if err := each(kind, prefix+kind, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// compactTable compacts one table, and returns the bytes of its files before and after. It excludes other changes: an
// update of a file that is joined with others meanwhile would fail.
func (p *project) compactTable(ctx context.Context, schema, table string) (before, after int64, err error) {
	name := sqltext.Quote(p.e.Catalog, schema, table)
	ctx, done, err := p.changeTables(ctx, name)
	if err != nil {
		return 0, 0, err
	}
	defer done()
	if before, err = p.bytesOf(ctx, schema, table); err != nil {
		return 0, 0, err
	}
	for _, step := range []string{"optimize", "expire_snapshots(retention_threshold => '" + retention + "')",
		"remove_orphan_files(retention_threshold => '" + retention + "')"} {
		if _, err := p.exec(ctx, "ALTER TABLE "+name+" EXECUTE "+step, false, nil); err != nil {
			return 0, 0, err
		}
	}
	after, err = p.bytesOf(ctx, schema, table)
	return before, after, err
}

func (p *project) bytesOf(ctx context.Context, schema, table string) (n int64, err error) {
	_, err = p.exec(ctx, "SELECT coalesce(sum(file_size_in_bytes), 0) FROM "+sqltext.Quote(p.e.Catalog, schema,
		table+"$files"), false, func(v []*string) error { return importer.Integers(v, &n) })
	return n, err
}

// Kinds of tables of the gateway's own. Those of imports have files that may be a part of another table, and are only
// forgotten.
const (
	kindOfImports = "scratch"
	kindOfCopies  = "copies"
)

// forgetOld removes a table that an import or a copy has made for itself and has abandoned.
func (p *project) forgetOld(ctx context.Context, kind, schema, table string) error {
	old := false
	_, err := p.exec(ctx, "SELECT count(*) FROM "+sqltext.Quote(p.e.Catalog, schema, table+"$snapshots")+
		" WHERE committed_at > current_timestamp - INTERVAL '"+fmt.Sprint(int(abandoned.Hours()))+"' HOUR", false,
		func(v []*string) error { old = *v[0] == "0"; return nil })
	if err == nil && old {
		err = p.forget(ctx, kind, table)
	}
	return err
}

// forget removes a table of the gateway's own, that of a copy with its files.
func (p *project) forget(ctx context.Context, kind, table string) error {
	text := "CALL " + sqltext.Quote(p.e.Catalog) + ".system.unregister_table(" + sqltext.Literal(p.schema(kind)) +
		", " + sqltext.Literal(table) + ")"
	if kind == kindOfCopies {
		text = "DROP TABLE IF EXISTS " + sqltext.Quote(p.e.Catalog, p.schema(kind), table)
	}
	_, err := p.exec(context.WithoutCancel(ctx), text, true, nil)
	return err
}

// removeFolders removes the folders of imports that were interrupted, and what is noted of all but the latest imports.
func (p *project) removeFolders(ctx context.Context) error {
	if p.e.Stage == "" {
		return nil
	}
	all, err := os.ReadDir(p.folder())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var notes []fs.FileInfo
	for _, entry := range all {
		about, gone := entry.Info()
		switch {
		case gone != nil, time.Since(about.ModTime()) < abandoned:
		case entry.IsDir():
			err = errors.Join(err, p.removeFolder(ctx, entry.Name()))
		case strings.HasSuffix(entry.Name(), ".json"):
			notes = append(notes, about)
		}
	}
	slices.SortFunc(notes, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, about := range notes[min(intentsKept, len(notes)):] {
		if _, serr := os.Stat(filepath.Join(p.folder(), strings.TrimSuffix(about.Name(), ".json"))); errors.Is(serr,
			fs.ErrNotExist) {
			err = errors.Join(err, os.Remove(filepath.Join(p.folder(), about.Name())))
		}
	}
	return err
}

// removeFolder removes the folder of an import unless its file became a part of a table. The catalog removes that file
// when no state of the table has it, and leaves the folder.
func (p *project) removeFolder(ctx context.Context, name string) error {
	dir := filepath.Join(p.folder(), name)
	if left, err := os.ReadDir(dir); err != nil || len(left) == 0 {
		return errors.Join(err, os.Remove(dir))
	}
	b, err := os.ReadFile(dir + ".json")
	if errors.Is(err, fs.ErrNotExist) { // it was never committed
		return os.RemoveAll(dir)
	}
	var about intent
	if err == nil {
		err = json.Unmarshal(b, &about)
	}
	if err != nil || about.Stored && about.File != "" {
		return err
	}
	if stored, err := p.holds(ctx, about); err != nil || stored {
		return err
	}
	return os.RemoveAll(dir)
}
