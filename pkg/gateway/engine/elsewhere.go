package engine

import "context"

// Keeper may be implemented by an Engine whose projects have to be kept apart elsewhere too.
type Keeper interface {
	// Keep gets the ids of projects before anything is done for them. After an error they must not be used: they would
	// not be kept apart from those before them.
	Keep(ctx context.Context, ids ...string) error
}

// Located may be implemented by an Engine whose rows are not in its directory.
type Located interface {
	// Places are where they are. With others, tables would seem to be empty.
	Places() []Place
}

// Place is the value of a setting that says where rows or files are.
type Place struct {
	Flag, Value string
	Folder      bool // a folder, which another machine may have under another name
}

// Mapper may be implemented by an Engine that reads the tables of some connections by itself.
type Mapper interface {
	Mappings() []Mapping
	// Attach returns the catalog for Project.BaseTable with the tables of a database that has no Mapping, "" if the
	// engine does not read it.
	Attach(d Database) string
	// Detach forgets the databases of a project, those of all for "", that are not among the current ones, of which
	// Project, Connection and Version are asked for.
	Detach(ctx context.Context, project string, current func(ctx context.Context) ([]Database, error)) error
}

// Database is a connection of a project to a server of databases.
type Database struct {
	Project, Connection        string                                    // ids
	Version                    []byte                                    // differs after every change of the credential
	Product                    func(ctx context.Context) (string, error) // postgresql, mysql or mariadb
	Host, User, Password, Name string                                    // Name: of the database; "" for all
	Port                       uint16
	TLS, Authorities           bool // by TLS; trusting other authorities than those of the system
}

// Mapping is a connection of a project, by their ids, whose tables are in a catalog of the engine. MappedCatalog and
// the name of that are the catalog for Project.BaseTable.
type Mapping struct{ Catalog, Project, Connection string }

// MappedCatalog begins the name of a catalog of the engine. No name of a user begins so.
const MappedCatalog = "cluster:"

// MappedBy is the catalog for Project.BaseTable with the tables of a connection, "" if the engine does not read them.
func MappedBy(e Engine, project, connection string) string {
	if m, ok := e.(Mapper); ok {
		for _, m := range m.Mappings() {
			if m.Project == project && m.Connection == connection {
				return MappedCatalog + m.Catalog
			}
		}
	}
	return ""
}
