package sync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/manifest"
	"github.com/dig-cli/dig/internal/rowset"
	"github.com/dig-cli/dig/pkg/api"
	"golang.org/x/sync/errgroup"
)

// live reads a project from a gateway.
type live struct {
	e       *cli.Env
	cl      *api.Client
	project string
	only    map[manifest.Kind]bool // the kinds to read

	p        *manifest.Project
	catalogs []api.Catalog
	tables   map[string]*manifest.Table // by SCHEMA.TABLE in SQL
	names    map[string]string          // of the catalogs, by id
	ids      map[manifest.Ref]string    // of the objects that others refer to
	twice    []string
	all      bool // accept objects of the same name
	metadata func() (api.ProjectMetadata, error)
	mu       sync.Mutex      // of lacks
	lacks    map[string]bool // CATALOG.SCHEMA.TABLE of tables whose columns cannot be read
}

func (l *live) clear() {
	l.p, l.names, l.ids, l.twice = manifest.New(), map[string]string{}, map[manifest.Ref]string{}, nil
	l.tables = map[string]*manifest.Table{}
}

// read reads the project.
func (l *live) read(ctx context.Context) error {
	l.clear()
	l.e.Run.Refuse = func(o api.Omission) error {
		if l.unread(o) {
			return nil
		}
		return &exitcode.Failure{Exit: exitcode.Unavailable, Code: "left-out",
			Msg:  "the project cannot be read completely, the answer lacks " + o.String(),
			Hint: "make the source reachable, or exclude its kind with --only"}
	}
	defer func() { l.e.Run.Refuse = nil }()
	defer l.askMetadata(ctx)()
	for _, part := range []func(context.Context) error{l.readCatalogs, l.readFolders, l.readConnections, l.readTables,
		l.readParametric, l.readCaches, l.readQueries,
		l.readSemanticTables, l.readMetadata, l.readRelations, l.readGolden} {
		if err := part(ctx); err != nil && !l.e.Planned(err) {
			return err
		}
	}
	if l.e.StepCount() > 0 {
		return cli.ErrDone
	}
	if len(l.twice) > 0 {
		return &exitcode.Failure{Exit: exitcode.Conflict, Code: "ambiguous",
			Msg:  "files identify objects by name, and two are called " + strings.Join(l.twice, ", "),
			Hint: "rename one of them, by its id"}
	}
	return nil
}

func (l *live) reads(k manifest.Kind) bool { return l.only[k] }

// add adds an object that was read and records its id.
func (l *live) add(o manifest.Object, id string) {
	b := manifest.BaseOf(o)
	b.ID = id
	l.ids[b.Ref] = id
	if !l.reads(b.Kind) {
		return
	}
	if l.all && l.p.Get(b.Kind, b.Name) != nil {
		b.Name += " (" + id + ")"
	}
	if !l.p.Add(o) {
		l.twice = append(l.twice, fmt.Sprintf("%s %s (%s, %s)", b.Kind, b.Name,
			manifest.BaseOf(l.p.Get(b.Kind, b.Name)).ID, id))
	}
}

func (l *live) readFolders(ctx context.Context) error {
	if !l.reads(manifest.KindFolder) {
		return nil
	}
	all, err := l.cl.Folders.List(ctx, l.project)
	for _, f := range all {
		l.add(&manifest.Folder{Base: manifest.Base{Ref: manifest.Ref{Kind: manifest.KindFolder,
			Name: "/" + strings.Trim(f.Path, "/")}}}, f.ID)
	}
	return err
}

// tablesOf returns the service of a kind of tables or columns.
func (l *live) tablesOf(k manifest.Kind) cli.TableService {
	if k == manifest.KindBITable || k == manifest.KindBIColumn {
		return l.cl.BITables
	}
	return l.cl.Tables
}

// tableSchema is the schema of a kind of tables, or of their columns, in SQL.
func tableSchema(k manifest.Kind) string {
	if k == manifest.KindBITable || k == manifest.KindBIColumn {
		return api.SchemaBI
	}
	return api.SchemaTable
}

func (l *live) readTables(ctx context.Context) error {
	for _, k := range []manifest.Kind{manifest.KindTable, manifest.KindBITable} {
		if err := l.readTablesOf(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

func (l *live) readTablesOf(ctx context.Context, k manifest.Kind) error {
	if !l.reads(k) && !l.reads(manifest.KindMetadata) {
		return nil
	}
	s := l.tablesOf(k)
	all, err := s.List(ctx, l.project)
	if k == manifest.KindBITable && api.NoRoute(err) {
		return nil
	}
	if err != nil {
		return err
	}
	columns, err := forAll(ctx, all, func(ctx context.Context, t api.Table) ([]api.ColumnDetail, error) {
		return s.Columns(ctx, l.project, t.TableName)
	})
	if err != nil {
		return err
	}
	for i, t := range all {
		cols := columns[i]
		if cols == nil {
			continue // it has been deleted
		}
		out := tableOf(k, t.TableName, cols)
		l.tables[tableSchema(k)+"."+t.TableName] = out
		l.add(out, t.TableName)
	}
	return nil
}

func tableOf(k manifest.Kind, name string, cols []api.ColumnDetail) *manifest.Table {
	out := &manifest.Table{Base: base(k, name)}
	for _, c := range cols {
		if !rowset.SystemColumn(c.Name) {
			out.Columns = append(out.Columns, columnOf(c))
		}
	}
	return out
}

// atOnce is the number of concurrent requests.
const atOnce = 8

// forAll calls a function for each object, concurrently. The result is zero for an object that no longer exists in the
// gateway.
func forAll[A, B any](ctx context.Context, in []A, f func(context.Context, A) (B, error)) ([]B, error) {
	out := make([]B, len(in))
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(atOnce)
	for i := range in {
		all.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err() // the first error counts
			}
			v, err := f(ctx, in[i])
			if missing(err) {
				return nil
			}
			out[i] = v
			return err
		})
	}
	return out, all.Wait()
}

func base(k manifest.Kind, name string) manifest.Base {
	return manifest.Base{Ref: manifest.Ref{Kind: k, Name: name}}
}

func columnOf(c api.ColumnDetail) *manifest.Column {
	kind, ok := api.ColumnType(c.DataType)
	if !ok { // timestamp(3)
		kind, _, _ = strings.Cut(kind, "(")
		kind, _, _ = strings.Cut(kind, " ")
	}
	out := &manifest.Column{Column: c.Name, Type: kind, DisplayName: cmp.Or(c.DisplayName, c.Name),
		Default: c.DefaultValue, NotNull: c.IsNotNull, Unique: c.IsUnique}
	if c.Desc != nil && *c.Desc != "" {
		out.Description = c.Desc
	}
	return out
}

func (l *live) readQueries(ctx context.Context) error {
	if !l.reads(manifest.KindQuery) && !l.reads(manifest.KindSemanticTable) {
		return nil
	}
	all, err := l.cl.Queries.List(ctx, l.project)
	for _, q := range all {
		l.add(queryOf(q), q.ID)
	}
	return err
}

func queryOf(q api.Query) *manifest.Query {
	out := &manifest.Query{Base: base(manifest.KindQuery, q.DisplayName), SQLName: q.Name, Folder: "/",
		SQL: manifest.SQLText(q.InputQuery), Materialized: q.QueryType == "MATERIALIZED"}
	if q.Path != nil {
		out.Folder = "/" + strings.Trim(*q.Path, "/")
	}
	if s := q.Schedule; s != nil && out.Materialized {
		switch s.Type {
		case "interval":
			out.Schedule.Every = cmp.Or(api.OrEmpty(s.RepeatDuration), api.OrEmpty(s.Expression))
		case "cron":
			out.Schedule.Cron, out.Schedule.Timezone = api.OrEmpty(s.CronExpression), api.OrEmpty(s.Timezone)
		}
	}
	return out
}

// missing reports whether an error of the gateway says that an object does not exist.
func missing(err error) bool {
	var ae *api.Error
	return errors.As(err, &ae) && ae.Kind == api.KindNotFound
}

// catalogID finds a catalog by its name. Two are named peaka, and the schema distinguishes them.
func (l *live) catalogID(name, schema string) (string, bool) {
	if strings.EqualFold(name, api.InternalCatalogName) {
		return api.OwnCatalogID(schema), true
	}
	for _, k := range []manifest.Kind{manifest.KindCatalog, manifest.KindSemanticCatalog} {
		if id, ok := l.ids[manifest.Ref{Kind: k, Name: name}]; ok {
			return id, true
		}
	}
	i := slices.IndexFunc(l.catalogs, func(c api.Catalog) bool { return c.Name == name })
	if i < 0 {
		return "", false
	}
	return l.catalogs[i].ID, true
}
