package infoschema

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// System is the catalog in which Trino describes itself. It is not listed among the catalogs of a project.
const System = "system"

var systemColumns = map[string]map[string][]engine.ColumnInfo{
	"metadata": {
		"catalogs": {{Name: "catalog_name", Type: "varchar"}, {Name: "connector_id", Type: "varchar"},
			{Name: "connector_name", Type: "varchar"}},
		"table_comments": {{Name: "catalog_name", Type: "varchar"}, {Name: "schema_name", Type: "varchar"},
			{Name: "table_name", Type: "varchar"},
			{Name: "comment", Type: "varchar", Nullable: true}},
	},
	"runtime": {
		"nodes": {{Name: "node_id", Type: "varchar"}, {Name: "http_uri", Type: "varchar", Nullable: true},
			{Name: "node_version", Type: "varchar", Nullable: true},
			{Name: "coordinator", Type: "boolean"}, {Name: "state", Type: "varchar"}},
	},
}

//go:embed system.txt
var elsewhereText string

// elsewhere are the other tables of Trino's system catalog.
var elsewhere = sync.OnceValue(func() map[engine.TableName][]engine.ColumnInfo {
	m := map[engine.TableName][]engine.ColumnInfo{}
	for line := range strings.Lines(elsewhereText) {
		if name, columns, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); ok {
			n := engine.TableName{Catalog: System}
			n.Schema, n.Table, _ = strings.Cut(name, ".")
			for c := range strings.SplitSeq(columns, "; ") {
				name, t, _ := strings.Cut(c, " ")
				m[n] = append(m[n], engine.ColumnInfo{Name: name, Type: t, Nullable: true})
			}
		}
	}
	return m
})

// Has reports whether a name is that of a table of information_schema or of the catalog system, which may not exist.
func Has(n engine.TableName) bool { return n.Schema == Schema || n.Catalog == System }

// Described returns the columns of a table for which Has is true.
func Described(n engine.TableName) ([]engine.ColumnInfo, error) {
	cols, ok := Columns[n.Table]
	if n.Schema != Schema {
		cols, ok = systemColumns[n.Schema][n.Table]
	}
	switch {
	case ok:
		return cols, nil
	case n.Schema == Schema:
		return nil, engine.UnknownTable(n)
	case elsewhere()[n] != nil:
		return elsewhere()[n], nil
	case systemColumns[n.Schema] == nil && n.Schema != "jdbc":
		return nil, &engine.Error{Kind: engine.KindUnknownSchema, Message: "Schema '" + n.Schema + "' does not exist"}
	}
	return nil, engine.UnknownTable(n)
}

// Readable is the error for a table of the catalog system whose rows zone local does not have, else nil.
func Readable(n engine.TableName) error {
	if n.Schema == Schema || systemColumns[n.Schema][n.Table] != nil {
		return nil
	}
	return &engine.Error{Kind: engine.KindUnsupported,
		Message: "table " + n.String() + " is not supported on zone local"}
}

// SystemTables names the tables of the catalog system that can be read.
func SystemTables() []engine.TableName {
	var out []engine.TableName
	for schema, tables := range systemColumns {
		for t := range tables {
			out = append(out, engine.TableName{Catalog: System, Schema: schema, Table: t})
		}
	}
	return out
}

// Kinds returns the rows of system.metadata.catalogs. An id of a connector is the name of its catalog, as in Trino.
func Kinds(names []string, kinds map[string]string) [][]any {
	var rows [][]any
	for _, n := range names {
		rows = append(rows, []any{n, n, kinds[n]})
	}
	return rows
}

// Comments returns the rows of system.metadata.table_comments.
func Comments(tables []engine.TableName, comments map[engine.TableName]string) [][]any {
	var rows [][]any
	for _, t := range tables {
		if t.Table == "" {
			continue
		}
		row := []any{t.Catalog, t.Schema, t.Table, nil}
		if c := comments[t]; c != "" {
			row[3] = c
		}
		rows = append(rows, row)
	}
	return rows
}

// Nodes returns the rows of system.runtime.nodes: the gateway, which has neither an address of its own nor a version of
// Trino.
func Nodes() [][]any { return [][]any{{"local", nil, nil, true, "active"}} }
