// Package connector is the contract between the local gateway and external sources. Each source is one subpackage; the
// gateway knows the types in its Registry.
package connector

import (
	"context"
	"errors"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Connector reads one source. All methods are safe for concurrent use. Names of schemas and tables are matched ignoring
// case, because SQL folds them; an exact match takes precedence, and a name that matches several objects is an error.
type Connector interface {
	// Test connects and checks the credential.
	Test(ctx context.Context) error
	Schemas(ctx context.Context) ([]string, error)
	// Tables lists a schema. An unknown schema is ErrNoSchema.
	Tables(ctx context.Context, schema string) ([]Table, error)
	// Table opens a table for reading. An unknown one is ErrNoSchema or ErrNoTable.
	Table(ctx context.Context, schema, table string) (engine.Scanner, error)
	// Statistics estimates the number of distinct values of each column; ErrNoStatistics if the source maintains none.
	Statistics(ctx context.Context, schema, table string) ([]api.ColumnStatistics, error)
	Close() error
}

// Server is implemented by the connector of a server of databases that an engine may read by itself.
type Server interface {
	// Database is how the server is reached, without the ids and the version of the connection.
	Database() engine.Database
}

// Related is implemented by a connector if its source has foreign keys.
type Related interface {
	// ForeignKeys lists the foreign keys between tables that the user may read, column by column for a key of several
	// columns.
	ForeignKeys(ctx context.Context) ([]ForeignKey, error)
}

// ForeignKey is a reference from a column to another.
type ForeignKey struct {
	From, To Place
	Single   bool // the key consists of this column only
}

// Place identifies a column.
type Place struct{ Schema, Table, Column string }

// Table is a table of a source.
type Table struct {
	Name    string
	Dynamic bool // requires conditions on its required _q_ parameters; such a table cannot be cached itself
}

// Errors for missing objects.
var (
	ErrNoSchema     = errors.New("no such schema")
	ErrNoTable      = errors.New("no such table")
	ErrNoStatistics = errors.New("no statistics")
	ErrAmbiguous    = errors.New("names differ in case only")
)

// Type is a connection type: its credential fields and how it is opened.
type Type struct {
	Key         string // connectionType, spelt exactly like this in requests: "POSTGRES" [O]
	Label       string
	Category    string
	CatalogType string // catalogType of its catalogs: "peaka_postgres" [O]
	DocsURL     string
	Cacheable   bool // whether its tables may be cached; those of databases may not, as in the hosted zones [L]
	Fields      []Field
	// Open checks the form of the credential and returns a connector. It does not connect.
	Open func(c Credential, r Reach) (Connector, error)
}

// Field is a member of the credential.
type Field struct {
	Name        string
	Kind        string // text, number, boolean
	Required    bool
	Secret      bool // never returned, shown or logged
	JSON        bool // a text field with a JSON document, which may also be sent as an object or a list
	Local       bool // names a file or a folder on the gateway's machine
	Description string
}

// Config describes the type in the form of the service.
func (t Type) Config() api.ConnectionConfiguration {
	c := api.ConnectionConfiguration{ConnectionType: t.Key, ConnectionTypeLabel: t.Label, Name: t.Label,
		AuthorizationType:    "credentials",
		CredentialSchemaType: "form", Category: t.Category, DocumentationURL: t.DocsURL,
		Configuration: []api.ConnectionConfigurationItem{}}
	for _, f := range t.Fields {
		c.Configuration = append(c.Configuration, api.ConnectionConfigurationItem{FieldName: f.Name, FieldType: f.Kind,
			Required: f.Required, Description: f.Description})
	}
	return c
}

// Registry holds the types of a gateway in display order.
type Registry []Type

// Find returns the type with exactly this key.
func (r Registry) Find(key string) (Type, bool) {
	for _, t := range r {
		if t.Key == key {
			return t, true
		}
	}
	return Type{}, false
}
