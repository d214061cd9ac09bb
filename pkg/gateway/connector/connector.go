// Package connector is the contract between the local gateway and external sources. Each source is one subpackage; the gateway
// knows the types it was given in a Registry.
package connector

import (
	"context"
	"errors"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Connector reads one source. All methods are safe for concurrent use. Names of schemas and tables are found without regard
// to case, because SQL folds them; an exact match wins, and a name that fits several things is an error.
type Connector interface {
	// Test connects and proves that the credential is good.
	Test(ctx context.Context) error
	Schemas(ctx context.Context) ([]string, error)
	// Tables lists a schema. An unknown schema is ErrNoSchema.
	Tables(ctx context.Context, schema string) ([]Table, error)
	// Table opens a table for reading. An unknown one is ErrNoSchema or ErrNoTable.
	Table(ctx context.Context, schema, table string) (engine.Scanner, error)
	// Statistics estimates how many different values each column has; ErrNoStatistics where the source keeps none.
	Statistics(ctx context.Context, schema, table string) ([]api.ColumnStatistics, error)
	Close() error
}

// Related is what a connector implements besides, if its source knows foreign keys.
type Related interface {
	// ForeignKeys lists those between tables that the user may read, a key of several columns column by column.
	ForeignKeys(ctx context.Context) ([]ForeignKey, error)
}

// ForeignKey says that a column refers to another.
type ForeignKey struct {
	From, To Place
	Single   bool // the key is this column alone
}

// Place names a column.
type Place struct{ Schema, Table, Column string }

// Table is a table of a source.
type Table struct {
	Name    string
	Dynamic bool // answers only with conditions on its required _q_ parameters; such a table cannot be cached itself
}

// What a source may lack.
var (
	ErrNoSchema     = errors.New("no such schema")
	ErrNoTable      = errors.New("no such table")
	ErrNoStatistics = errors.New("no statistics")
	ErrAmbiguous    = errors.New("names differ in case only")
)

// Type is a kind of connection: what it needs and how it is opened.
type Type struct {
	Key         string // connectionType, spelt exactly so in requests: "POSTGRES" [O]
	Label       string
	Category    string
	CatalogType string // catalogType of its catalogs: "peaka_postgres" [O]
	DocsURL     string
	Cacheable   bool // whether its tables may be cached; databases are not, as hosted [L]
	Fields      []Field
	// Open checks the credential's form and returns a connector. It does not connect.
	Open func(c Credential, r Reach) (Connector, error)
}

// Field is a member of the credential.
type Field struct {
	Name        string
	Kind        string // text, number, boolean
	Required    bool
	Secret      bool // never returned, shown or logged
	JSON        bool // a text field that holds a JSON document, which may also be sent as an object or a list
	Local       bool // names a file or a folder of the machine that the gateway runs on
	Description string
}

// Config describes the type as the service does.
func (t Type) Config() api.ConnectionConfiguration {
	c := api.ConnectionConfiguration{ConnectionType: t.Key, ConnectionTypeLabel: t.Label, Name: t.Label, AuthorizationType: "credentials",
		CredentialSchemaType: "form", Category: t.Category, DocumentationURL: t.DocsURL, Configuration: []api.ConnectionConfigurationItem{}}
	for _, f := range t.Fields {
		c.Configuration = append(c.Configuration, api.ConnectionConfigurationItem{FieldName: f.Name, FieldType: f.Kind, Required: f.Required, Description: f.Description})
	}
	return c
}

// Registry holds the types of a gateway in the order they are listed.
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
