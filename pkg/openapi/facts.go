package openapi

import (
	"reflect"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
)

// Facts that are neither in the operations nor in the Go types. A test checks each table against the samples or the
// gateway.

// success lists the operations with a success status other than 200 [O][L].
var success = map[string]string{
	spec.CreateQueryFolder.ID:      "201",
	spec.CreateChildQueryFolder.ID: "201",
	spec.ExportQuery.ID:            "202",
	spec.ExportTable.ID:            "202",
	spec.DeleteQueryFolder.ID:      "204",
	spec.CancelExport.ID:           "204",
	spec.DeleteParametricTable.ID:  "204",
}

// openObject lists the operations with a reply that is documented as an object without members, and is {} in the
// examples; the local gateway may return more [O].
var openObject = []string{
	spec.TriggerFullRefresh.ID, spec.TriggerIncrementalUpdate.ID,
	spec.GenerateCategoricalValues.ID, spec.DeleteCategoricalValues.ID,
	spec.CreateGoldenSql.ID, spec.DeleteGoldenSql.ID,
	spec.GetRefreshCallback.ID, spec.RegisterRefreshCallback.ID, spec.UnregisterRefreshCallback.ID,
	spec.DeleteRelation.ID, spec.SetCatalogAiUsage.ID, spec.SetSchemaAiUsage.ID,
	spec.RenameAgentThread.ID, spec.DeleteAgentThread.ID,
}

// envelopes lists the lists that are wrapped in an object; the client unwraps them [O][L].
var envelopes = map[string]reflect.Type{
	spec.ListQueryFolders.ID: reflect.TypeFor[api.QueryFolderListResponse](),
	spec.ListAgentThreads.ID: reflect.TypeFor[api.AgentThreadList](),
	spec.QueryGoldenSqls.ID:  reflect.TypeFor[api.GoldenSQLMatches](),
	spec.ListGoldenSqls.ID:   reflect.TypeFor[api.GoldenSQLList](),
	spec.QueryMetadata.ID:    reflect.TypeFor[api.MetadataQueryResult](),
	spec.ListRelations.ID:    reflect.TypeFor[api.RelationList](),
}

// raw lists the replies that are not JSON.
var raw = map[string]string{
	spec.GetSampleCsv.ID:          "text/csv",
	spec.GetAgentWorkflowImage.ID: "image/png",
	spec.AgentChatStream.ID:       "text/event-stream",
}

// optionalBody lists the operations that also run without their body [O].
var optionalBody = map[string]bool{spec.RefreshMetadata.ID: true, spec.RegisterRefreshCallback.ID: true}

// needed lists, by type, the members of a request that the gateway requires. It has no others, because the requests in
// the examples of the documents must be valid.
var needed = map[string][]string{
	"ApiKeyRequest":                  {"name"},
	"CacheRequest":                   {"catalogId", "schemaName", "tableName"},
	"CacheTracking":                  {"keyColumns"},
	"CatalogRequest":                 {"name", "connectionId"},
	"CatalogShareRequest":            {"targetProjectId"},
	"ColumnRequest":                  {"dataType"}, // a new column also requires its name, a changed one does not
	"AIUsageRequest":                 {"useWithAI"},
	"ExecuteByBuilder":               {"from"},
	"ExecuteByID":                    {"id"},
	"ExecuteByName":                  {"qualifiedName"},
	"ExecuteByStatement":             {"statement"},
	"FilterColumn":                   {"columnName"},
	"GoldenSQLRequest":               {"prompt", "sql"},
	"ImportMapping":                  {"name"},
	"ImportRequest":                  {"mappings", "containsHeader"},
	"MetadataColumn":                 {"columnName"},
	"MetadataColumnUpdate":           {"columnName"},
	"MetadataRefreshCallbackRequest": {"callbackURL"},
	"OAuthCallbackRequest":           {"queryParameters"},
	"ParametricTable":                {"fromSchema", "fromTable", "toSchema", "toTable", "paramValues"},
	"ParametricTableColumn":          {"key"},
	"QueryFolderCreateRequest":       {"folderName"},
	"QueryFolderRenameRequest":       {"name"},
	"QueryFolderUpdateRequest":       {"queryIdsAdded", "queryIdsRemoved"},
	"QueryPathUpdateRequest":         {"path"},
	"RelationRequest": {"targetCatalogId", "targetSchemaName", "targetTableName",
		"targetColumnName", "type"},
	"RelationUpdateRequest":       {"type"},
	"SemanticCatalogRequest":      {"name"},
	"SemanticCatalogShareRequest": {"target"},
	"SemanticTableRequest":        {"schemaName", "tableName", "queryId"},
	"TableForQuery":               {"schemaName", "tableName"},
	"TranspileRequest":            {"query"},
}

// nullableLists are lists that may be null on the wire, which a Go slice cannot express [O][L].
var nullableLists = map[string]bool{
	"SearchResult.matchedCatalogs": true, "SearchResult.matchedSchemas": true, "SearchResult.matchedTables": true,
	"Table.supportedCacheTypes": true, "TableCacheResult.supportedCacheTypes": true, "ExecuteByBuilder.orderBy": true,
}

// nullableStrings are strings that may be null on the wire and that the Go type represents as "" [O].
var nullableStrings = map[string]bool{"ResultColumn.catalogId": true}

func text(extra ...member) object     { return append(object{{"type", "string"}}, extra...) }
func whole(extra ...member) object    { return append(object{{"type", "integer"}}, extra...) }
func flag(def any) object             { return object{{"type", "boolean"}, {"default", def}} }
func listOf(items object) object      { return object{{"type", "array"}, {"items", items}} }
func ref(component string) object     { return object{{"$ref", "#/components/schemas/" + component}} }
func oneOf(schemas ...object) object  { return object{{"oneOf", schemas}} }
func nullable(schema object) object   { return object{{"anyOf", []object{schema, {{"type", "null"}}}}} }
func words(values ...string) member   { return member{"enum", values} }
func describe(sentence string) member { return member{"description", sentence} }

// queryParam describes a query parameter.
type queryParam struct {
	schema   object
	required bool
}

// queryParams are the query parameters by name; if operations differ, by "operation.name" [O].
var queryParams = map[string]queryParam{
	"checkSchemaExists": {schema: flag(true)},
	"format": {schema: text(words(string(api.CellTyped), string(api.Simple), string(api.Compact)),
		member{"default", string(api.CellTyped)})},
	"includeQueries":    {schema: flag(false)},
	"rootFolderId":      {schema: text()},
	"force":             {schema: flag(false)},
	"excludeLogs":       {schema: flag(false)},
	"limit":             {schema: whole(member{"minimum", 1}, member{"default", 10})},
	"listExports.limit": {schema: whole(member{"minimum", 1}, member{"maximum", 200})},
	"offset":            {schema: whole(member{"minimum", 0}, member{"default", 0})},
	"status":            {schema: text(describe("states, separated by commas"))},
	"createdBefore":     {schema: text(describe("the createdAt of the last job of the previous page"))},
	"toSchema":          {schema: text(), required: true},
	"toTable":           {schema: text(), required: true},
	"projectId":         {schema: text(), required: true},
	"timeoutInSeconds":  {schema: whole()},
	"theme":             {schema: text()},
	"themeOverride":     {schema: object{{"type", "boolean"}}},
	"catalogName":       {schema: text()},
	spec.GetSqlAlchemyDriver.ID + ".catalogName": {schema: text(), required: true},
	"catalogId":  {schema: text()},
	"schemaName": {schema: text()},
	"q":          {schema: text(), required: true},
	"table":      {schema: text(), required: true},
	"topK":       {schema: text(describe("maximum number of tables"))},
	"question":   {schema: text(), required: true},
}

// badCells is the schema of the member that zone local adds to the error of a rejected import.
var badCells = object{{"type", "array"},
	describe("Of a rejected import on zone local: the first 100 values that do not fit their column."),
	{"items", object{{"type", "object"}, {"required", []string{"line", "reason"}},
		{"properties", object{{"line", whole()}, {"column", text()}, {"value", text()}, {"reason", text()}}}}}}

// errorShapes are the four error bodies; which one a group uses is in errorOf [L][O].
var errorShapes = object{
	{"ErrorData", object{{"type", "object"}, describe("The error body of data and query operations."),
		{"required", []string{"errorCode", "message"}},
		{"properties", object{{"errorCode", whole()}, {"message", text()}, {"badCells", badCells},
			{"badCellsTotal", whole()},
			{"position", object{{"type", "object"},
				describe("On zone local: the place in the statement that a message without one is about."),
				{"properties", object{{"line", whole()}, {"column", whole()}}}}}}}}},
	{"ErrorConnection", object{{"type", "object"}, describe("The error body of connection operations."),
		{"required", []string{"error", "message"}},
		{"properties", object{{"error", text()}, {"message", text()},
			{"errorCode", object{{"type", []string{"string", "null"}}}}}}}},
	{"ErrorCache", object{{"type", "object"}, describe("The error body of cache operations, and of operations that " +
		"the local zone does not support (errorCode NOT_SUPPORTED_LOCALLY)."),
		{"required", []string{"error", "message", "errorCode"}},
		{"properties", object{{"error", text()}, {"message", text()},
			{"errorCode", object{{"type", []string{"string", "null"}}}}}}}},
	{"ErrorFramework", object{{"type", "object"},
		describe("The error body of errors before an operation: no route, wrong method, invalid body, no permission."),
		{"required", []string{"timestamp", "path", "status", "error", "requestId"}},
		{"properties", object{{"timestamp", text()}, {"path", text()}, {"status", whole()}, {"error", text()},
			{"requestId", text()}, {"message", object{{"type", []string{"string", "null"}}}}}}}},
}

// errorOf maps a group to its error body.
func errorOf(group string) string {
	switch group {
	case "connections":
		return "ErrorConnection"
	case "cache":
		return "ErrorCache"
	}
	return "ErrorData"
}

// skipDoc are types with comments that are only for readers of the Go package.
var skipDoc = map[string]bool{"Result": true, "ResultColumn": true, "ExecuteRequest": true, "FilterNode": true,
	"FilterCondition": true, "FilterGroup": true, "SelectedColumn": true}

func typed[T any](b *builder) object { return b.schema(reflect.TypeFor[T]()) }

// nullText is a string or null.
var nullText = object{{"type", []string{"string", "null"}}}

// written are the schemas of types that do not have the default JSON encoding of a struct.
func written() map[reflect.Type]func(b *builder) object {
	return map[reflect.Type]func(b *builder) object{
		reflect.TypeFor[api.FilterNode](): func(b *builder) object {
			return oneOf(typed[api.FilterCondition](b),
				typed[api.FilterGroup](b))
		},
		reflect.TypeFor[api.FilterCondition](): func(b *builder) object {
			return object{{"type", "array"}, describe("A column, an operator and the values to compare with."),
				{"minItems", 3}, {"maxItems", 3},
				{"prefixItems", []object{
					{{"type", "object"}, {"required", []string{"column"}},
						{"properties", object{{"column", typed[api.FilterColumn](b)}}}},
					text(), listOf(object{})}}}
		},
		reflect.TypeFor[api.SelectedColumn](): func(b *builder) object {
			return oneOf(text(), object{{"type", "object"}, {"required", []string{"column"}},
				{"properties", object{{"column", typed[api.FilterColumn](b)}}}})
		},
		reflect.TypeFor[api.TranspileResult](): func(*builder) object {
			return object{{"type", "object"}, {"required", []string{"query"}},
				{"properties", object{{"query", text()}, {"result", text(describe("the same statement"))}}}}
		},
		reflect.TypeFor[api.ConnectionDetail](): func(*builder) object {
			return object{{"type", "object"}, {"required", []string{"type"}}, {"properties", object{{"type", text()}}},
				{"additionalProperties", true}}
		},
		reflect.TypeFor[api.ExecuteRequest](): func(b *builder) object {
			return object{describe("Exactly one of the four forms."),
				{"oneOf", []object{typed[api.ExecuteByStatement](b), typed[api.ExecuteByBuilder](b),
					typed[api.ExecuteByID](b), typed[api.ExecuteByName](b)}}}
		},
		reflect.TypeFor[api.Result](): func(b *builder) object {
			return object{{"type", "object"}, {"required", []string{"columns", "data"}}, {"properties", object{
				{"columns", listOf(typed[api.ResultColumn](b))},
				{"data", object{{"type", "array"}, describe("The rows, in the requested format."),
					{"items", object{{"anyOf", []object{
						listOf(cellValue), {{"type", "object"}, {"additionalProperties", nullText}},
						listOf(nullText)}}}}}},
			}}}
		},
	}
}

// cellValue is a value of a CELL_TYPED row [S].
var cellValue = object{{"type", "object"}, {"required", []string{"name", "displayName", "dataType", "order", "value"}},
	{"properties", object{
		{"name", text()}, {"displayName", text()}, {"dataType", text()}, {"order", whole()},
		{"value", object{{"type", []string{"string", "null"}}}}}}}
