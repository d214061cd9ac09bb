package api

// Services groups the operations of the gateway as its documents do.
type Services struct {
	Organizations    *OrganizationsService
	Workspaces       *WorkspacesService
	Projects         *ProjectsService
	APIKeys          *APIKeysService
	Connections      *ConnectionsService
	Catalogs         *CatalogsService
	Tables           *TablesService
	BITables         *BITablesService
	Queries          *QueriesService
	Folders          *FoldersService
	Materialized     *MaterializedService
	SemanticCatalogs *SemanticCatalogsService
	Cache            *CacheService
	Exports          *ExportsService
	ParametricTables *ParametricTablesService
	Embedded         *EmbeddedService
	Drivers          *DriversService
	Metadata         *MetadataService
	Agent            *AgentService
	SQL              *SQLService
	Info             *InfoService
}

func newServices(c *Client) Services {
	return Services{
		Organizations:    &OrganizationsService{c},
		Workspaces:       &WorkspacesService{c},
		Projects:         &ProjectsService{c},
		APIKeys:          &APIKeysService{c},
		Connections:      &ConnectionsService{c},
		Catalogs:         &CatalogsService{c},
		Tables:           &TablesService{c},
		BITables:         &BITablesService{c},
		Queries:          &QueriesService{c},
		Folders:          &FoldersService{c},
		Materialized:     &MaterializedService{c},
		SemanticCatalogs: &SemanticCatalogsService{c},
		Cache:            &CacheService{c},
		Exports:          &ExportsService{c},
		ParametricTables: &ParametricTablesService{c},
		Embedded:         &EmbeddedService{c},
		Drivers:          &DriversService{c},
		Metadata:         &MetadataService{c},
		Agent:            &AgentService{c},
		SQL:              &SQLService{c},
		Info:             &InfoService{c},
	}
}
