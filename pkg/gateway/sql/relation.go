package sql

import (
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/narrow"
	"github.com/dig-cli/dig/pkg/trinosql/analyze"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Relation is a table of a statement. One of View, Stored, Sample and Scan says what it stands for. All references to a name in a
// statement and in its saved queries share one Relation.
type Relation struct {
	Name  engine.TableName
	Table *analyze.Table

	View   *Statement        // a saved query
	Stored *engine.TableName // a table that the engine stores; its Catalog is empty
	Sample bool              // a table of the built-in catalog
	Scan   engine.Scanner    // rows of a source, or of the gateway itself

	Infos []engine.ColumnInfo // the columns of Scan
	Wants []narrow.Narrowing  // what each reference needs of Scan; none: everything

	listed   bool // a table of information_schema or of the catalog system, whose rows are collected when a text that refers to it is complete
	narrowed bool // Scan holds only some of the rows
	weight   int  // the number of saved queries that it expands to
}

// Shown is the name of the table for users.
func (r *Relation) Shown() engine.TableName {
	n := r.Name
	if n.Catalog == allCatalogs {
		n.Catalog = engine.InternalCatalog
	}
	return n
}

// tableOf is a table with column types given by name.
func tableOf(cols []engine.ColumnInfo) *analyze.Table {
	t := &analyze.Table{}
	for _, c := range cols {
		t.Columns = append(t.Columns, analyze.TableColumn{Name: c.Name, Type: InfoType(c.Type), Zone: c.Zone})
	}
	return t
}

// scannable are the kinds of types whose values a Scanner provides; it provides values of others as texts.
var scannable = map[types.Kind]bool{types.Boolean: true, types.Tinyint: true, types.Smallint: true, types.Integer: true, types.Bigint: true,
	types.Real: true, types.Double: true, types.Decimal: true, types.Varbinary: true, types.UUID: true, types.JSON: true, types.Date: true,
	types.Time: true, types.Timestamp: true, types.TimestampTZ: true, types.Varchar: true, types.Char: true}

// InfoType is the type of a source's column by its name. A type that sources provide as text is varchar; times have microseconds unless
// their name includes a precision, and are text where it exceeds that of the values of a source.
func InfoType(name string) *types.Type {
	name = strings.ToLower(strings.TrimSpace(name))
	if base, zone, _ := strings.Cut(name, " "); (base == "time" || base == "timestamp") && (zone == "" || zone == "with time zone" && base == "timestamp") {
		name = strings.TrimSpace(base + "(6) " + zone) // Trino's default is milliseconds
	}
	t, err := types.Parse(name)
	if err != nil || !scannable[t.Kind] || t.Kind == types.Time && t.N > 6 || t.Kind == types.TimestampTZ && t.N > 6 || t.Kind == types.Timestamp && t.N > 9 {
		return types.Of(types.Varchar)
	}
	return t
}

// columnInfos describes the columns of an analysed table, none for nil.
func columnInfos(r *Relation) (out []engine.ColumnInfo) {
	if r == nil {
		return nil
	}
	for _, c := range r.Table.Columns {
		out = append(out, engine.ColumnInfo{Name: c.Name, Type: c.Type.String(), Nullable: true})
	}
	return out
}
