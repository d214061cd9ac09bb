package sync

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/internal/manifest"
	"github.com/dig-cli/dig/internal/rowset"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// relation is what is known of a table or saved query.
type relation struct {
	name    analyze.Name
	columns []analyze.TableColumn
	rough   map[string]bool // columns whose types in SQL are not known
	missing bool            // it does not exist
	unknown bool            // its columns are not known
	reason  string          // why so; "" if that is reported elsewhere
}

// add adds a column with the name of its type.
func (r *relation) add(name, typ string) {
	c := analyze.TableColumn{Name: name, Type: types.Of(types.Varchar)}
	typ = strings.ToLower(typ)
	if precision, scale, ok := api.DecimalOf(typ); ok {
		c.Type = types.NewDecimal(precision, scale)
	} else if t, err := types.Parse(typ); err == nil && len(t.Args) == 0 && t.Kind != types.Opaque {
		c.Type = t
	} else {
		r.rough[strings.ToLower(name)] = true // zone local reads some types as texts
	}
	r.columns = append(r.columns, c)
}

// systemColumns adds the columns that every internal table has.
func (r *relation) systemColumns(k manifest.Kind) {
	for _, name := range api.SystemColumns() {
		switch {
		case strings.HasSuffix(name, "_time"):
			r.add(name, "timestamp(6) with time zone")
		default:
			r.add(name, "bigint")
		}
	}
	if k == manifest.KindBITable {
		r.add("_operation", "varchar")
	}
	r.add(rowset.BareText, "varchar")
}

// columnsOf reads the columns of the tables that statements read and that are not among the names.
func (l *live) columnsOf(ctx context.Context, n *sqlNames, texts []string) (map[analyze.Name]*relation, error) {
	var all []analyze.Name
	seen := map[analyze.Name]bool{}
	for _, text := range texts {
		for _, parts := range sqlstmt.ReadingOf(text) {
			name := analyze.Name{Catalog: api.InternalCatalogName, Schema: api.SchemaTable}
			for i, to := range []*string{&name.Table, &name.Schema, &name.Catalog}[:min(3, len(parts))] {
				*to = strings.ToLower(parts[len(parts)-1-i])
			}
			if seen[name] || !n.catalogs[name.Catalog] || unlisted(name) ||
				name.Schema == api.SchemaQuery && name.Catalog == api.InternalCatalogName {
				continue
			}
			if _, semantic := n.semantic[name]; !semantic && n.tables[name] == nil {
				seen[name] = true
				all = append(all, name)
			}
		}
	}
	found, err := forAll(ctx, all, l.columnsAt)
	out := map[analyze.Name]*relation{}
	for i, name := range all {
		out[name] = found[i]
	}
	return out, err
}

// columnsAt reads the columns of one table. A failure is the reason why they are not known.
func (l *live) columnsAt(ctx context.Context, name analyze.Name) (*relation, error) {
	r := &relation{name: name, rough: map[string]bool{}}
	cols, err := l.spelled(ctx, name)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errNoSuch):
		r.missing = true
	case err != nil:
		r.unknown, r.reason = true, cli.Classify(ctx, err).Msg
	case len(cols) == 0: // the hosted zones answer so for a table that does not exist
		r.unknown, r.reason = true, "the gateway lists none"
	}
	for _, c := range cols {
		r.add(c.Name, c.DataType)
	}
	return r, nil
}

var errNoSuch = errors.New("there is no such table")

// spelled lists the columns of a table, whose name the source may spell with capitals.
func (l *live) spelled(ctx context.Context, name analyze.Name) ([]api.ColumnDetail, error) {
	at := slices.IndexFunc(l.catalogs, func(c api.Catalog) bool { return strings.EqualFold(c.Name, name.Catalog) })
	id := l.catalogs[at].ID
	if name.Catalog == api.InternalCatalogName {
		id = api.OwnCatalogID(name.Schema)
	}
	cols, failed := l.cl.Catalogs.Columns(ctx, l.project, id, name.Schema, name.Table)
	if !api.Answered(failed) { // it succeeded, or nothing is known
		return cols, failed
	}
	schemas, err := l.cl.Catalogs.Schemas(ctx, l.project, id)
	if err != nil {
		return nil, err
	}
	var like []api.Table
	for _, s := range schemas {
		if !strings.EqualFold(s.SchemaName, name.Schema) {
			continue
		}
		tables, err := l.cl.Catalogs.Tables(ctx, l.project, id, s.SchemaName)
		if err != nil {
			return nil, err
		}
		for _, t := range tables {
			if strings.EqualFold(t.TableName, name.Table) {
				t.SchemaName = s.SchemaName
				like = append(like, t)
			}
		}
	}
	switch {
	case len(like) == 0:
		return nil, errNoSuch
	case len(like) > 1 || like[0].SchemaName == name.Schema && like[0].TableName == name.Table:
		return nil, failed
	}
	return l.cl.Catalogs.Columns(ctx, l.project, id, like[0].SchemaName, like[0].TableName)
}
