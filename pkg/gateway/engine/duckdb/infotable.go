//go:build cgo

package duckdb

import (
	"context"
	"slices"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/naming"
	"github.com/dig-cli/dig/pkg/gateway/engine/duckdb/trino"
	"github.com/dig-cli/dig/pkg/gateway/engine/infoschema"
	"github.com/dig-cli/dig/pkg/gateway/engine/narrow"
)

// OwnTables names the internal tables.
func (s *statement) OwnTables(ctx context.Context) (out []engine.TableName, err error) {
	err = s.c.query(ctx, `SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = ? AND schema_name IN ('table', 'bitable')`,
		[]any{naming.Store}, func(v []*string) error {
			out = append(out, engine.TableName{Catalog: engine.InternalCatalog, Schema: *v[0], Table: *v[1]})
			return nil
		})
	return out, err
}

// StoredAs is the name under which an internal table is stored.
func (s *statement) StoredAs(ctx context.Context, schema, table string) (string, error) {
	return s.c.storedAs(ctx, schema, table)
}

// Widen extends the request of a table for one more reference to it.
func (s *statement) Widen(n engine.TableName, want narrow.Narrowing) { s.scans.widen(n, want) }

// Columns returns the names of a table's columns and their types as Trino displays them: those of a source as reported by it, others by
// planning a SELECT on a connection of its own.
func (s *statement) Columns(ctx context.Context, n engine.TableName) ([]engine.ColumnInfo, error) {
	if s.Q.Catalogs != nil && !infoschema.Has(n) && n.Catalog != engine.InternalCatalog && n.Catalog != engine.SampleCatalog {
		src, err := s.Q.Catalogs.Lookup(ctx, n)
		if err != nil {
			return nil, err
		}
		if src.Scan != nil {
			cols, err := src.Scan.Columns(ctx)
			cols = slices.Clone(cols)
			for i, c := range cols {
				cols[i].Type = trino.InfoType(c.Type).String()
			}
			return cols, err
		}
	}
	if infoschema.Has(n) {
		cols, err := infoschema.Described(n)
		return slices.Clone(cols), err
	}
	q := s.Q
	q.SQL, q.Bindings = `SELECT * FROM `+n.Quoted(), nil
	other, err := s.p.statement(ctx, q)
	if err != nil {
		return nil, err
	}
	defer other.close()
	x, err := other.Translate(ctx, q.SQL)
	if err != nil {
		return nil, err
	}
	var out []engine.ColumnInfo
	for _, c := range x.Columns {
		out = append(out, engine.ColumnInfo{Name: c.Name, Type: c.Type.String(), Nullable: true})
	}
	return out, nil
}
