package gateway_test

import (
	"net/url"
	"strconv"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/jackc/pgx/v5"
)

// cacheOfTable is the body of a request for a cache.
func (s *scenario) cacheOfTable(table string) api.CacheRequest {
	return of[api.CacheRequest](`{"catalogId":%q,"schemaName":%q,"tableName":%q,`+
		`"fullRefreshCacheSchedule":{"type":"BASIC","expression":"P1D"}}`, s.catalog, root, table)
}

// idle waits until a cache does nothing.
func (s *scenario) idle() error {
	return until(func() (api.CacheStatus, error) { return s.Cache.Status(ctx(), s.project, s.cache, nil) },
		func(v api.CacheStatus) bool { return v.Status == "COMPLETED" && v.LastFullRefreshCacheExecution != nil })
}

// send calls an operation whose reply the documents leave open, and reads none of it.
func (s *scenario) send(b spec.Bound, body any) error {
	rep, err := s.Do(ctx(), b.Op.Method, b.Path, b.Query, nil, body)
	if err != nil {
		return err
	}
	defer rep.Body.Close()
	if rep.Status > 299 {
		return api.ReadError(b.Op.Method, b.Path, rep)
	}
	return nil
}

// statistics asks a PostgreSQL database, the one kind of source that keeps them [L].
func (s *scenario) statistics() error {
	u := s.postgres()
	admin, err := pgx.Connect(ctx(), u.String())
	if err != nil {
		return err
	}
	defer admin.Close(ctx())
	if _, err := admin.Exec(ctx(),
		`CREATE TABLE public.orders AS SELECT i AS id, i % 3 AS status FROM generate_series(1, 100) AS t(i);
		ANALYZE public.orders`); err != nil {
		return err
	}
	password, _ := u.User.Password()
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		return err
	}
	c, err := s.Connections.Create(ctx(), s.project, of[api.ConnectionRequest](
		`{"name":"database","type":"POSTGRES","credential":{"url":%q,"port":%d,"user":%q,"password":%q,`+
			`"databaseName":%q,"useSsl":false}}`,
		u.Hostname(), port, u.User.Username(), password, u.Path[1:]))
	if err != nil {
		return err
	}
	cat, err := s.Catalogs.Create(ctx(), s.project, of[api.CatalogRequest](`{"name":"pg","connectionId":%q}`, c.ID))
	if err != nil {
		return err
	}
	return only(s.Catalogs.Statistics(ctx(), s.project, cat.ID, "public", "orders"))
}

// contractMoreSteps go on where contractSteps end, and delete what was made.
var contractMoreSteps = []step{
	{op: spec.GetTableStatistics, fault: 400, call: func(s *scenario) error {
		return only(s.Catalogs.Statistics(ctx(), s.project, s.catalog, root, "orders"))
	}},
	{op: spec.GetTableStatistics, needs: "DIG_TEST_POSTGRES", call: (*scenario).statistics},

	// semantic catalogs
	{op: spec.CreateSemanticCatalog, call: func(s *scenario) error {
		v, err := s.SemanticCatalogs.Create(ctx(), s.project, of[api.SemanticCatalogRequest](`{"name":"KPIs"}`))
		return keep(v, err, &s.semantic, func(v api.Catalog) string { return v.ID })
	}},
	{op: spec.CreateSemanticTable, call: func(s *scenario) error {
		v, err := s.SemanticCatalogs.CreateTable(ctx(), s.project, s.semantic,
			of[api.SemanticTableRequest](`{"schemaName":"sales","tableName":"paid","queryId":%q}`, s.query))
		return keep(v, err, &s.semanticTable, func(v api.SemanticTable) string { return v.TableID })
	}},
	{op: spec.ShareSemanticCatalog, call: func(s *scenario) error {
		return s.SemanticCatalogs.Share(ctx(), s.project, s.semantic,
			of[api.SemanticCatalogShareRequest](`{"target":%q}`, s.target))
	}},
	{op: spec.DeleteSemanticTable, call: func(s *scenario) error {
		return s.SemanticCatalogs.DeleteTable(ctx(), s.project, s.semantic, s.semanticTable)
	}},

	// caches
	{op: spec.CreateCache, call: func(s *scenario) error {
		v, err := s.Cache.Create(ctx(), s.project, s.cacheOfTable("orders"))
		return keep(v, err, &s.cache, func(v api.Cache) string { return v.ID })
	}},
	{op: spec.GetCacheStatus, call: (*scenario).idle},
	{op: spec.CreateCacheBatch, call: func(s *scenario) error {
		return only(s.Cache.CreateBatch(ctx(), s.project, []api.CacheRequest{s.cacheOfTable("customers"),
			s.cacheOfTable("nothing")}))
	}},
	{op: spec.GetCacheSettings, call: func(s *scenario) error {
		return only(s.Cache.Settings(ctx(),
			s.project, s.cache))
	}},
	{op: spec.UpdateCacheSettings, call: func(s *scenario) error {
		return only(s.Cache.UpdateSettings(ctx(), s.project, s.cache,
			of[api.CacheScheduleUpdate](`{"fullRefreshCacheSchedule":{"type":"NONE"}}`)))
	}},
	{op: spec.TriggerFullRefresh, call: func(s *scenario) error {
		return s.Cache.FullRefresh(ctx(),
			s.project, s.cache)
	}},
	{op: spec.GetCacheStatus, call: (*scenario).idle},
	{op: spec.TriggerIncrementalUpdate, call: func(s *scenario) error {
		return s.Cache.IncrementalUpdate(ctx(),
			s.project, s.cache)
	}},
	{op: spec.GetCacheStatus, call: (*scenario).idle},
	{op: spec.ListCacheExecutions, call: func(s *scenario) error {
		return only(s.Cache.Executions(ctx(), s.project, s.cache, url.Values{"limit": {"5"}}))
	}},
	{op: spec.ListCacheStatuses, call: func(s *scenario) error { return only(s.Cache.Statuses(ctx(), s.project)) }},
	{op: spec.ListCatalogCacheStatuses, call: func(s *scenario) error {
		return only(s.Cache.CatalogStatuses(ctx(),
			s.project, s.catalog))
	}},
	{op: spec.ListSchemaCacheStatuses, call: func(s *scenario) error {
		return only(s.Cache.SchemaStatuses(ctx(), s.project, s.catalog, root))
	}},
	{op: spec.CancelFullRefresh, fault: 404, call: func(s *scenario) error {
		return s.Cache.CancelFullRefresh(ctx(),
			s.project, s.cache)
	}},
	{op: spec.CancelIncrementalUpdate, fault: 404,
		call: func(s *scenario) error { return s.Cache.CancelIncrementalUpdate(ctx(), s.project, s.cache) }},

	// exports
	{op: spec.ExportQuery, call: func(s *scenario) error {
		v, err := s.Exports.StartQuery(ctx(), s.project, s.query, of[api.ExportRequest](`{"format":"JSONL"}`))
		return keep(v, err, &s.export, func(v api.ExportJobCreated) string { return v.ID })
	}},
	{op: spec.GetExport, call: func(s *scenario) error {
		return until(func() (api.ExportJobResponse, error) { return s.Exports.Get(ctx(), s.project, s.export) },
			func(v api.ExportJobResponse) bool { return v.Status == "SUCCEEDED" })
	}},
	{op: spec.ExportTable, call: func(s *scenario) error {
		v, err := s.Exports.StartTable(ctx(), s.project, api.InternalCatalogID, "table", "orders",
			of[api.ExportRequest](`{"compression":"GZIP"}`))
		return keep(v, err, &s.export, func(v api.ExportJobCreated) string { return v.ID })
	}},
	{op: spec.ListExports, call: func(s *scenario) error { return only(s.Exports.List(ctx(), s.project, nil)) }},
	{op: spec.CancelExport, call: func(s *scenario) error { return s.Exports.Cancel(ctx(), s.project, s.export) }},

	// metadata
	{op: spec.RegisterRefreshCallback, call: func(s *scenario) error {
		return s.Metadata.RegisterCallback(ctx(), s.project,
			of[api.MetadataRefreshCallbackRequest](`{"callbackURL":"http://127.0.0.1:1/","callbackToken":"t"}`))
	}},
	{op: spec.GetRefreshCallback, call: func(s *scenario) error {
		return s.send(spec.GetRefreshCallback.At(s.project),
			nil)
	}},
	{op: spec.UnregisterRefreshCallback, call: func(s *scenario) error {
		return s.Metadata.UnregisterCallback(ctx(),
			s.project)
	}},
	{op: spec.RefreshMetadata, call: func(s *scenario) error {
		return only(s.Metadata.Refresh(ctx(), s.project, of[api.MetadataRefreshRequest](`{"catalogId":%q}`,
			api.InternalCatalogID)))
	}},
	{op: spec.GetMetadataRefreshStatus, call: func(s *scenario) error {
		return until(func() (api.MetadataRefreshStatus, error) {
			return s.Metadata.RefreshStatus(ctx(), s.project, api.InternalCatalogID)
		},
			func(v api.MetadataRefreshStatus) bool { return v.Status == "not-active" || v.Status == "completed" })
	}},
	{op: spec.UpdateTableMetadata, call: func(s *scenario) error {
		return only(s.Metadata.UpdateTable(ctx(), s.project, api.InternalCatalogID, "table", "orders",
			of[api.TableMetadataUpdateRequest](`{"tableDescription":"one row an order","useWithAI":true}`)))
	}},
	{op: spec.GenerateCategoricalValues, call: func(s *scenario) error {
		return s.Metadata.GenerateCategorical(ctx(), s.project, api.InternalCatalogID, "table", "orders", "status",
			of[api.CategoricalColumnRequest](`{"limit":10,"frequency":"daily"}`))
	}},
	{op: spec.AddRelation, call: func(s *scenario) error {
		v, err := s.Metadata.AddRelation(ctx(), s.project, api.InternalCatalogID, "table", "orders", "customer",
			of[api.RelationRequest](
				`{"targetCatalogId":%q,"targetSchemaName":%q,"targetTableName":"customers","targetColumnName":"id",`+
					`"type":"MANY_TO_ONE"}`, s.catalog, root))
		return keep(v, err, &s.relation, func(v api.Relation) string { return v.ID })
	}},
	{op: spec.UpdateRelation, call: func(s *scenario) error {
		return only(s.Metadata.UpdateRelation(ctx(), s.project, api.InternalCatalogID, "table", "orders", s.relation,
			of[api.RelationUpdateRequest](`{"type":"ONE_TO_ONE"}`)))
	}},
	{op: spec.ListRelations, call: func(s *scenario) error {
		return only(s.Metadata.Relations(ctx(), s.project,
			api.InternalCatalogID))
	}},
	{op: spec.GetProjectMetadata, call: func(s *scenario) error {
		return only(s.Metadata.Project(ctx(),
			s.project, "", ""))
	}},
	{op: spec.QueryMetadata, call: func(s *scenario) error {
		return only(s.Metadata.Query(ctx(), s.project,
			"orders", "3"))
	}},
	{op: spec.DeleteCategoricalValues, call: func(s *scenario) error {
		return s.Metadata.DeleteCategorical(ctx(), s.project, api.InternalCatalogID, "table", "orders", "status")
	}},
	{op: spec.DeleteRelation, call: func(s *scenario) error {
		return s.Metadata.DeleteRelation(ctx(), s.project, api.InternalCatalogID, "table", "orders", s.relation)
	}},
	{op: spec.CreateGoldenSql, call: func(s *scenario) error {
		return s.send(spec.CreateGoldenSql.At(s.project),
			of[api.GoldenSQLRequest](`{"prompt":"paid orders","sql":"SELECT status FROM peaka.\"table\".orders"}`))
	}},
	{op: spec.ListGoldenSqls, call: func(s *scenario) error {
		v, err := s.Metadata.ListGoldenSQL(ctx(), s.project)
		if len(v) > 0 {
			s.golden = v[0].ID
		}
		return err
	}},
	{op: spec.QueryGoldenSqls, call: func(s *scenario) error {
		return only(s.Metadata.QueryGoldenSQL(ctx(), s.project,
			"paid orders"))
	}},
	{op: spec.DeleteGoldenSql, call: func(s *scenario) error {
		return s.Metadata.DeleteGoldenSQL(ctx(),
			s.project, s.golden)
	}},
	{op: spec.SetCatalogAiUsage, call: func(s *scenario) error {
		return s.Metadata.SetCatalogAIUsage(ctx(), s.project, s.catalog, of[api.AIUsageRequest](`{"useWithAI":false}`))
	}},
	{op: spec.SetSchemaAiUsage, call: func(s *scenario) error {
		return s.Metadata.SetSchemaAIUsage(ctx(), s.project, s.catalog, root,
			of[api.AIUsageRequest](`{"useWithAI":true}`))
	}},
	{op: spec.GenerateSampleQuestions, call: func(s *scenario) error {
		return only(s.Metadata.SampleQuestions(ctx(),
			s.project, "orders"))
	}},
	{op: spec.GenerateSemantics, call: func(s *scenario) error {
		return only(s.Metadata.GenerateSemantics(ctx(), s.project, api.InternalCatalogID, "table", "orders",
			api.GenerateSemanticsRequest{}))
	}},

	// the agent and what surrounds a project
	{op: spec.GetAgentWorkflowImage, call: func(s *scenario) error { return only(s.Agent.WorkflowImage(ctx())) }},
	{op: spec.AgentChat, call: func(s *scenario) error {
		return only(s.Agent.Chat(ctx(), s.project, api.AgentChatRequest{Message: "hello"}))
	}},
	{op: spec.AgentChatStream, call: func(s *scenario) error {
		return only(s.Agent.ChatStream(ctx(), s.project, api.AgentChatStreamRequest{Message: "hello"}))
	}},
	{op: spec.ListAgentThreads, call: func(s *scenario) error { return only(s.Agent.Threads(ctx(), s.project)) }},
	{op: spec.GetAgentThread, fault: 404,
		call: func(s *scenario) error { return only(s.Agent.Thread(ctx(), s.project, "none")) }},
	{op: spec.RenameAgentThread, fault: 404, call: func(s *scenario) error {
		return s.Agent.RenameThread(ctx(), s.project, "none", api.AgentThreadUpdateRequest{DisplayName: "x"})
	}},
	{op: spec.DeleteAgentThread, fault: 404, call: func(s *scenario) error {
		return s.Agent.DeleteThread(ctx(),
			s.project, "none")
	}},
	{op: spec.AskLegacyAgent, call: func(s *scenario) error {
		return only(s.Agent.AskLegacy(ctx(), s.project, api.LegacyAgentRequest{Message: "hello"}))
	}},
	{op: spec.GetLegacyChatHistory, call: func(s *scenario) error {
		return only(s.Agent.HistoryLegacy(ctx(),
			s.project))
	}},
	{op: spec.RenameLegacyChat, fault: 404, call: func(s *scenario) error {
		return only(s.Agent.RenameLegacy(ctx(), s.project, "none", api.LegacyChatRename{Name: "x"}))
	}},
	{op: spec.DeleteLegacyChat, fault: 404, call: func(s *scenario) error {
		return only(s.Agent.DeleteLegacy(ctx(),
			s.project, "none"))
	}},
	{op: spec.TranspileSql, call: func(s *scenario) error {
		return only(s.SQL.Transpile(ctx(), "trino", "", of[api.TranspileRequest](`{"query":"SELECT 1"}`)))
	}},
	{op: spec.ListSupportedDrivers, call: func(s *scenario) error { return only(s.Drivers.List(ctx(), "")) }},
	{op: spec.GetJdbcDriver, call: func(s *scenario) error { return only(s.Drivers.JDBC(ctx())) }},
	{op: spec.GetSqlAlchemyDriver, call: func(s *scenario) error { return only(s.Drivers.SQLAlchemy(ctx(), "shop")) }},
	{op: spec.InitEmbeddedSession, call: func(s *scenario) error {
		return only(s.Embedded.Init(ctx(), of[api.InitSessionRequest](`{"projectId":%q}`, s.project)))
	}},
	{op: spec.InitEmbeddedSessionLegacy, call: func(s *scenario) error {
		return only(s.Embedded.InitLegacy(ctx(), url.Values{"projectId": {s.project}}))
	}},

	// deletion of all of it
	{op: spec.DeleteCache, call: func(s *scenario) error { return s.Cache.Delete(ctx(), s.project, s.cache) }},
	{op: spec.DeleteQuery, call: func(s *scenario) error { return s.Queries.Delete(ctx(), s.project, s.materialized) }},
	{op: spec.DeleteCatalog, call: func(s *scenario) error { return s.Catalogs.Delete(ctx(), s.project, s.other) }},
	{op: spec.DeleteConnection, call: func(s *scenario) error {
		return s.Connections.Delete(ctx(),
			s.project, s.second)
	}},
	{op: spec.DeleteInternalColumn, call: func(s *scenario) error {
		return s.Tables.DeleteColumn(ctx(), s.project,
			"orders", "amount")
	}},
	{op: spec.DeleteInternalTable, call: func(s *scenario) error {
		return s.Tables.Delete(ctx(),
			s.project, "orders")
	}},
	{op: spec.DeleteProject, call: func(s *scenario) error {
		return s.Projects.Delete(ctx(), org(),
			s.workspace, s.project)
	}},
	{op: spec.DeleteProject, call: func(s *scenario) error {
		return s.Projects.Delete(ctx(), org(),
			s.workspace, s.target)
	}},
	{op: spec.DeleteWorkspace, call: func(s *scenario) error { return s.Workspaces.Delete(ctx(), org(), s.workspace) }},
}
