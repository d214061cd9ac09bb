package spec

// The operations, in the order and groups of the service's documents. One line each: identifier, group, method, path,
// and attributes (partner: requires a partner key; deprecated; query: the query parameters it reads).
var (
	// organizations
	ListOrganizations = op("listOrganizations", "organizations", "GET", "/organizations", partner)
	GetOrganization   = op("getOrganization", "organizations", "GET", "/organizations/{organizationId}", partner)

	// workspaces
	ListWorkspaces  = op("listWorkspaces", "workspaces", "GET", "/organizations/{organizationId}/workspaces", partner)
	CreateWorkspace = op("createWorkspace", "workspaces", "POST", "/organizations/{organizationId}/workspaces", partner)
	GetWorkspace    = op("getWorkspace", "workspaces", "GET",
		"/organizations/{organizationId}/workspaces/{workspaceId}", partner)
	UpdateWorkspace = op("updateWorkspace", "workspaces", "PUT",
		"/organizations/{organizationId}/workspaces/{workspaceId}", partner)
	DeleteWorkspace = op("deleteWorkspace", "workspaces", "DELETE",
		"/organizations/{organizationId}/workspaces/{workspaceId}", partner)

	// projects
	ListProjects = op("listProjects", "projects", "GET",
		"/organizations/{organizationId}/workspaces/{workspaceId}/projects", partner)
	CreateProject = op("createProject", "projects", "POST",
		"/organizations/{organizationId}/workspaces/{workspaceId}/projects", partner)
	GetProject = op("getProject", "projects", "GET",
		"/organizations/{organizationId}/workspaces/{workspaceId}/projects/{projectId}", partner)
	UpdateProject = op("updateProject", "projects", "PUT",
		"/organizations/{organizationId}/workspaces/{workspaceId}/projects/{projectId}", partner)
	DeleteProject = op("deleteProject", "projects", "DELETE",
		"/organizations/{organizationId}/workspaces/{workspaceId}/projects/{projectId}", partner)

	// projects-legacy
	ListProjectsLegacy  = op("listProjectsLegacy", "projects-legacy", "GET", "/projects", deprecated)
	CreateProjectLegacy = op("createProjectLegacy", "projects-legacy", "POST", "/projects", partner, deprecated)
	GetProjectLegacy    = op("getProjectLegacy", "projects-legacy", "GET", "/projects/{projectId}", partner, deprecated)
	UpdateProjectLegacy = op("updateProjectLegacy", "projects-legacy", "PUT", "/projects/{projectId}",
		partner, deprecated)
	DeleteProjectLegacy = op("deleteProjectLegacy", "projects-legacy", "DELETE", "/projects/{projectId}",
		partner, deprecated)

	// api-keys
	ListApiKeys  = op("listApiKeys", "api-keys", "GET", "/projects/{projectId}/apiKeys", partner)
	CreateApiKey = op("createApiKey", "api-keys", "POST", "/projects/{projectId}/apiKeys", partner)
	DeleteApiKey = op("deleteApiKey", "api-keys", "DELETE", "/projects/{projectId}/apiKeys/{apiKeyId}", partner)

	// connections
	ListConnectionConfigs   = op("listConnectionConfigs", "connections", "GET", "/connections/config")
	GetConnectionConfig     = op("getConnectionConfig", "connections", "GET", "/connections/config/{connectionType}")
	ListConnections         = op("listConnections", "connections", "GET", "/connections/{projectId}")
	CreateConnection        = op("createConnection", "connections", "POST", "/connections/{projectId}")
	CompleteOauthConnection = op("completeOauthConnection", "connections", "POST", "/connections/{projectId}/oauth2")
	GetConnection           = op("getConnection", "connections", "GET", "/connections/{projectId}/{connectionId}")
	UpdateConnection        = op("updateConnection", "connections", "PUT", "/connections/{projectId}/{connectionId}")
	DeleteConnection        = op("deleteConnection", "connections", "DELETE", "/connections/{projectId}/{connectionId}")
	GetConnectionDetail     = op("getConnectionDetail", "connections", "GET",
		"/connections/{projectId}/{connectionId}/detail")
	CreateConnectionAlt = op("createConnectionAlt", "connections", "POST", "/projects/{projectId}/connections")

	// catalogs
	ListCatalogs  = op("listCatalogs", "catalogs", "GET", "/data/projects/{projectId}/catalogs")
	CreateCatalog = op("createCatalog", "catalogs", "POST", "/data/projects/{projectId}/catalogs")
	GetCatalog    = op("getCatalog", "catalogs", "GET", "/data/projects/{projectId}/catalogs/{catalogId}")
	DeleteCatalog = op("deleteCatalog", "catalogs", "DELETE", "/data/projects/{projectId}/catalogs/{catalogId}")
	ListSchemas   = op("listSchemas", "catalogs", "GET", "/data/projects/{projectId}/catalogs/{catalogId}/schemas")
	ListTables    = op("listTables", "catalogs", "GET",
		"/data/projects/{projectId}/catalogs/{catalogId}/schemas/{schemaName}/tables")
	ListColumns = op("listColumns", "catalogs", "GET",
		"/data/projects/{projectId}/catalogs/{catalogId}/schemas/{schemaName}/tables/{tableName}/columns")
	GetTableCacheState = op("getTableCacheState", "catalogs", "GET",
		"/data/projects/{projectId}/catalogs/{catalogId}/schemas/{schemaName}/tables/{tableName}/isCached")
	GetTableStatistics = op("getTableStatistics", "catalogs", "GET",
		"/data/projects/{projectId}/catalogs/{catalogId}/schemas/{schemaName}/tables/{tableName}/statistics")
	ShareCatalog     = op("shareCatalog", "catalogs", "POST", "/data/projects/{projectId}/catalogs/{catalogId}/share")
	Search           = op("search", "catalogs", "POST", "/data/projects/{projectId}/search")
	CreateCatalogAlt = op("createCatalogAlt", "catalogs", "POST", "/projects/{projectId}/catalogs")

	// internal-tables
	ListInternalTables  = op("listInternalTables", "internal-tables", "GET", "/data/projects/{projectId}/table")
	CreateInternalTable = op("createInternalTable", "internal-tables", "POST",
		"/data/projects/{projectId}/table/{tableName}")
	DeleteInternalTable = op("deleteInternalTable", "internal-tables", "DELETE",
		"/data/projects/{projectId}/table/{tableName}")
	ListInternalColumns = op("listInternalColumns", "internal-tables", "GET",
		"/data/projects/{projectId}/table/{tableName}/columns")
	AddInternalColumns = op("addInternalColumns", "internal-tables", "POST",
		"/data/projects/{projectId}/table/{tableName}/columns")
	UpdateInternalColumn = op("updateInternalColumn", "internal-tables", "PUT",
		"/data/projects/{projectId}/table/{tableName}/columns/{columnName}")
	DeleteInternalColumn = op("deleteInternalColumn", "internal-tables", "DELETE",
		"/data/projects/{projectId}/table/{tableName}/columns/{columnName}")
	ImportCsv = op("importCsv", "internal-tables", "POST",
		"/data/projects/{projectId}/table/{tableName}/import")
	GetSampleCsv = op("getSampleCsv", "internal-tables", "GET",
		"/data/projects/{projectId}/table/{tableName}/sample")

	// bi-tables
	ListBiTables   = op("listBiTables", "bi-tables", "GET", "/data/projects/{projectId}/bitable")
	CreateBiTable  = op("createBiTable", "bi-tables", "POST", "/data/projects/{projectId}/bitable/{tableName}")
	DeleteBiTable  = op("deleteBiTable", "bi-tables", "DELETE", "/data/projects/{projectId}/bitable/{tableName}")
	ListBiColumns  = op("listBiColumns", "bi-tables", "GET", "/data/projects/{projectId}/bitable/{tableName}/columns")
	AddBiColumns   = op("addBiColumns", "bi-tables", "POST", "/data/projects/{projectId}/bitable/{tableName}/columns")
	UpdateBiColumn = op("updateBiColumn", "bi-tables", "PUT",
		"/data/projects/{projectId}/bitable/{tableName}/columns/{columnName}")
	DeleteBiColumn = op("deleteBiColumn", "bi-tables", "DELETE",
		"/data/projects/{projectId}/bitable/{tableName}/columns/{columnName}")

	// queries
	ListQueries = op("listQueries", "queries", "GET", "/data/projects/{projectId}/queries")
	CreateQuery = op("createQuery", "queries", "POST", "/data/projects/{projectId}/queries",
		query("checkSchemaExists"))
	ExecuteQuery = op("executeQuery", "queries", "POST", "/data/projects/{projectId}/queries/execute", query("format"))
	GetQuery     = op("getQuery", "queries", "GET", "/data/projects/{projectId}/queries/{queryId}")
	UpdateQuery  = op("updateQuery", "queries", "PUT", "/data/projects/{projectId}/queries/{queryId}",
		query("checkSchemaExists"))
	DeleteQuery = op("deleteQuery", "queries", "DELETE", "/data/projects/{projectId}/queries/{queryId}")
	MoveQuery   = op("moveQuery", "queries", "PATCH", "/data/projects/{projectId}/queries/{queryId}/path")

	// query-folders
	ListQueryFolders = op("listQueryFolders", "query-folders", "GET",
		"/data/projects/{projectId}/queries/folders")
	CreateQueryFolder = op("createQueryFolder", "query-folders", "POST",
		"/data/projects/{projectId}/queries/folders")
	GetQueryFolderTree = op("getQueryFolderTree", "query-folders", "GET",
		"/data/projects/{projectId}/queries/folders/tree", query("includeQueries", "rootFolderId"))
	GetQueryFolder = op("getQueryFolder", "query-folders", "GET",
		"/data/projects/{projectId}/queries/folders/{folderId}")
	UpdateQueryFolderContents = op("updateQueryFolderContents", "query-folders", "PUT",
		"/data/projects/{projectId}/queries/folders/{folderId}")
	DeleteQueryFolder = op("deleteQueryFolder", "query-folders", "DELETE",
		"/data/projects/{projectId}/queries/folders/{folderId}", query("force"))
	RenameQueryFolder = op("renameQueryFolder", "query-folders", "PATCH",
		"/data/projects/{projectId}/queries/folders/{folderId}/name")
	MoveQueryFolder = op("moveQueryFolder", "query-folders", "PATCH",
		"/data/projects/{projectId}/queries/folders/{folderId}/path")
	CreateChildQueryFolder = op("createChildQueryFolder", "query-folders", "POST",
		"/data/projects/{projectId}/queries/folders/{parentFolderId}")

	// materialized-queries
	ListMaterializedStatuses = op("listMaterializedStatuses", "materialized-queries", "GET",
		"/data/projects/{projectId}/materialized-queries/status")
	GetMaterializedStatus = op("getMaterializedStatus", "materialized-queries", "GET",
		"/data/projects/{projectId}/materialized-queries/{queryId}/status")
	RefreshMaterializedQuery = op("refreshMaterializedQuery", "materialized-queries", "POST",
		"/data/projects/{projectId}/materialized-queries/{queryId}/refresh")
	CancelMaterializedRefresh = op("cancelMaterializedRefresh", "materialized-queries", "POST",
		"/data/projects/{projectId}/materialized-queries/{queryId}/cancel")

	// semantic-catalogs
	CreateSemanticCatalog = op("createSemanticCatalog", "semantic-catalogs", "POST",
		"/data/projects/{projectId}/semantic-catalogs")
	CreateSemanticTable = op("createSemanticTable", "semantic-catalogs", "POST",
		"/data/projects/{projectId}/semantic-catalogs/{catalogId}")
	ShareSemanticCatalog = op("shareSemanticCatalog", "semantic-catalogs", "POST",
		"/data/projects/{projectId}/semantic-catalogs/{catalogId}/share")
	DeleteSemanticTable = op("deleteSemanticTable", "semantic-catalogs", "DELETE",
		"/data/projects/{projectId}/semantic-catalogs/{catalogId}/table/{tableId}")

	// cache
	CreateCache         = op("createCache", "cache", "POST", "/data/projects/{projectId}/cache")
	CreateCacheBatch    = op("createCacheBatch", "cache", "POST", "/data/projects/{projectId}/cache/batch")
	ListCacheStatuses   = op("listCacheStatuses", "cache", "GET", "/data/projects/{projectId}/cache/status")
	GetCacheSettings    = op("getCacheSettings", "cache", "GET", "/data/projects/{projectId}/cache/{cacheId}")
	UpdateCacheSettings = op("updateCacheSettings", "cache", "PUT", "/data/projects/{projectId}/cache/{cacheId}")
	DeleteCache         = op("deleteCache", "cache", "DELETE", "/data/projects/{projectId}/cache/{cacheId}")
	CancelFullRefresh   = op("cancelFullRefresh", "cache", "POST",
		"/data/projects/{projectId}/cache/{cacheId}/cancelFullRefreshUpdate")
	CancelIncrementalUpdate = op("cancelIncrementalUpdate", "cache", "POST",
		"/data/projects/{projectId}/cache/{cacheId}/cancelIncrementalUpdate")
	ListCacheExecutions = op("listCacheExecutions", "cache", "GET",
		"/data/projects/{projectId}/cache/{cacheId}/executionHistory", query("limit", "offset"))
	TriggerFullRefresh = op("triggerFullRefresh", "cache", "POST",
		"/data/projects/{projectId}/cache/{cacheId}/fullRefreshUpdate")
	TriggerIncrementalUpdate = op("triggerIncrementalUpdate", "cache", "POST",
		"/data/projects/{projectId}/cache/{cacheId}/incrementalUpdate")
	GetCacheStatus = op("getCacheStatus", "cache", "GET", "/data/projects/{projectId}/cache/{cacheId}/status",
		query("excludeLogs"))
	ListCatalogCacheStatuses = op("listCatalogCacheStatuses", "cache", "GET",
		"/data/projects/{projectId}/catalog/{catalogId}/cache/status")
	ListSchemaCacheStatuses = op("listSchemaCacheStatuses", "cache", "GET",
		"/data/projects/{projectId}/catalog/{catalogId}/schema/{schemaName}/cache/status")

	// exports
	ExportQuery = op("exportQuery", "exports", "POST", "/data/projects/{projectId}/queries/{queryId}/exports")
	ExportTable = op("exportTable", "exports", "POST",
		"/data/projects/{projectId}/catalogs/{catalogId}/schemas/{schemaName}/tables/{tableName}/exports")
	ListExports = op("listExports", "exports", "GET", "/data/projects/{projectId}/exports", query("status", "limit",
		"createdBefore"))
	GetExport    = op("getExport", "exports", "GET", "/data/projects/{projectId}/exports/{exportId}")
	CancelExport = op("cancelExport", "exports", "DELETE", "/data/projects/{projectId}/exports/{exportId}")

	// parametric-tables
	ListParametricTables = op("listParametricTables", "parametric-tables", "GET",
		"/data/projects/{projectId}/catalogs/{catalogId}/parametricTables")
	CreateParametricTable = op("createParametricTable", "parametric-tables", "POST",
		"/data/projects/{projectId}/catalogs/{catalogId}/parametricTables")
	DeleteParametricTable = op("deleteParametricTable", "parametric-tables", "DELETE",
		"/data/projects/{projectId}/catalogs/{catalogId}/parametricTables", query("toSchema", "toTable"))

	// embedded
	InitEmbeddedSessionLegacy = op("initEmbeddedSessionLegacy", "embedded", "GET", "/ui/initSession", deprecated,
		query("projectId", "timeoutInSeconds", "theme", "themeOverride"))
	InitEmbeddedSession = op("initEmbeddedSession", "embedded", "POST", "/ui/initSession")

	// drivers
	ListSupportedDrivers = op("listSupportedDrivers", "drivers", "GET", "/supportedDrivers", query("catalogName"))
	GetJdbcDriver        = op("getJdbcDriver", "drivers", "GET", "/supportedDrivers/jdbc")
	GetSqlAlchemyDriver  = op("getSqlAlchemyDriver", "drivers", "GET", "/supportedDrivers/sql_alchemy",
		query("catalogName"))

	// metadata
	GetProjectMetadata = op("getProjectMetadata", "metadata", "GET", "/metadata/{projectId}",
		query("catalogId", "schemaName"))
	GenerateCategoricalValues = op("generateCategoricalValues", "metadata", "PUT",
		"/metadata/{projectId}/categorical/{catalogId}/{schemaName}/{tableName}/{columnName}")
	DeleteCategoricalValues = op("deleteCategoricalValues", "metadata", "DELETE",
		"/metadata/{projectId}/categorical/{catalogId}/{schemaName}/{tableName}/{columnName}")
	QueryGoldenSqls = op("queryGoldenSqls", "metadata", "GET", "/metadata/{projectId}/golden-sql/query",
		query("q"))
	ListGoldenSqls  = op("listGoldenSqls", "metadata", "GET", "/metadata/{projectId}/golden-sqls")
	CreateGoldenSql = op("createGoldenSql", "metadata", "POST", "/metadata/{projectId}/golden-sqls")
	DeleteGoldenSql = op("deleteGoldenSql", "metadata", "DELETE", "/metadata/{projectId}/golden-sqls/{id}")
	QueryMetadata   = op("queryMetadata", "metadata", "GET", "/metadata/{projectId}/query",
		query("table", "topK"))
	GenerateSampleQuestions = op("generateSampleQuestions", "metadata", "GET",
		"/metadata/{projectId}/questions/generate", query("question"), slow)
	RefreshMetadata         = op("refreshMetadata", "metadata", "POST", "/metadata/{projectId}/refresh")
	GetRefreshCallback      = op("getRefreshCallback", "metadata", "GET", "/metadata/{projectId}/refresh/callback")
	RegisterRefreshCallback = op("registerRefreshCallback", "metadata", "POST",
		"/metadata/{projectId}/refresh/callback")
	UnregisterRefreshCallback = op("unregisterRefreshCallback", "metadata", "DELETE",
		"/metadata/{projectId}/refresh/callback")
	GetMetadataRefreshStatus = op("getMetadataRefreshStatus", "metadata", "GET",
		"/metadata/{projectId}/refresh/{catalogId}")
	ListRelations = op("listRelations", "metadata", "GET", "/metadata/{projectId}/relations/{catalogId}")
	AddRelation   = op("addRelation", "metadata", "POST",
		"/metadata/{projectId}/relations/{catalogId}/{schemaName}/{tableName}/{columnName}")
	UpdateRelation = op("updateRelation", "metadata", "PUT",
		"/metadata/{projectId}/relations/{catalogId}/{schemaName}/{tableName}/{relationId}")
	DeleteRelation = op("deleteRelation", "metadata", "DELETE",
		"/metadata/{projectId}/relations/{catalogId}/{schemaName}/{tableName}/{relationId}")
	GenerateSemantics = op("generateSemantics", "metadata", "POST",
		"/metadata/{projectId}/semantics/{catalogId}/{schemaName}/{tableName}", slow)
	SetCatalogAiUsage = op("setCatalogAiUsage", "metadata", "PUT", "/metadata/{projectId}/{catalogId}")
	SetSchemaAiUsage  = op("setSchemaAiUsage", "metadata", "PUT",
		"/metadata/{projectId}/{catalogId}/{schemaName}")
	UpdateTableMetadata = op("updateTableMetadata", "metadata", "PUT",
		"/metadata/{projectId}/{catalogId}/{schemaName}/{tableName}")

	// ai-agent
	GetAgentWorkflowImage = op("getAgentWorkflowImage", "ai-agent", "GET", "/ai-agent/workflow/png")
	AgentChat             = op("agentChat", "ai-agent", "POST", "/ai-agent/{projectId}/chat", slow)
	AgentChatStream       = op("agentChatStream", "ai-agent", "POST", "/ai-agent/{projectId}/chat/stream", slow)
	ListAgentThreads      = op("listAgentThreads", "ai-agent", "GET", "/ai-agent/{projectId}/threads")
	GetAgentThread        = op("getAgentThread", "ai-agent", "GET", "/ai-agent/{projectId}/threads/{threadId}")
	RenameAgentThread     = op("renameAgentThread", "ai-agent", "PUT", "/ai-agent/{projectId}/threads/{threadId}")
	DeleteAgentThread     = op("deleteAgentThread", "ai-agent", "DELETE", "/ai-agent/{projectId}/threads/{threadId}")

	// sql
	TranspileSql = op("transpileSql", "sql", "POST", "/sql/transpile/{dialect}")

	// info
	GetKeyInfo = op("getKeyInfo", "info", "GET", "/info")

	// ai-agent-legacy
	AskLegacyAgent       = op("askLegacyAgent", "ai-agent-legacy", "POST", "/ai/{projectId}/agent", deprecated, slow)
	GetLegacyChatHistory = op("getLegacyChatHistory", "ai-agent-legacy", "GET", "/ai/{projectId}/agent/history",
		deprecated)
	RenameLegacyChat = op("renameLegacyChat", "ai-agent-legacy", "PUT", "/ai/{projectId}/agent/history/{threadId}",
		deprecated)
	DeleteLegacyChat = op("deleteLegacyChat", "ai-agent-legacy", "DELETE",
		"/ai/{projectId}/agent/history/{threadId}", deprecated)
)
