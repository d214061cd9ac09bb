package api

import (
	"context"

	"github.com/dig-cli/dig/pkg/spec"
)

// MetadataService has the methods of one group of endpoints.
type MetadataService struct{ c *Client }

// Project runs GET /metadata/{projectId}.
func (s *MetadataService) Project(ctx context.Context, project string, catalogId,
	schemaName string) (ProjectMetadata, error) {
	return call[ProjectMetadata](ctx, s.c, spec.GetProjectMetadata.At(project).With("catalogId",
		catalogId).With("schemaName", schemaName), nil)
}

// GenerateCategorical runs PUT /metadata/{projectId}/categorical/{catalogId}/{schemaName}/{tableName}/{columnName}.
func (s *MetadataService) GenerateCategorical(ctx context.Context, project, catalog, schema, table, column string,
	body CategoricalColumnRequest) error {
	return run(ctx, s.c, spec.GenerateCategoricalValues.At(project, catalog, schema, table, column), body)
}

// DeleteCategorical runs DELETE /metadata/{projectId}/categorical/{catalogId}/{schemaName}/{tableName}/{columnName}.
func (s *MetadataService) DeleteCategorical(ctx context.Context, project, catalog, schema, table, column string) error {
	return run(ctx, s.c, spec.DeleteCategoricalValues.At(project, catalog, schema, table, column), nil)
}

// QueryGoldenSQL runs GET /metadata/{projectId}/golden-sql/query.
func (s *MetadataService) QueryGoldenSQL(ctx context.Context, project string,
	q string) ([]GoldenSQLMatchesResult, error) {
	return callList[GoldenSQLMatchesResult](ctx, s.c, spec.QueryGoldenSqls.At(project).With("q", q), nil, "result")
}

// ListGoldenSQL runs GET /metadata/{projectId}/golden-sqls.
func (s *MetadataService) ListGoldenSQL(ctx context.Context, project string) ([]GoldenSQLEntry, error) {
	return callList[GoldenSQLEntry](ctx, s.c, spec.ListGoldenSqls.At(project), nil, "result")
}

// CreateGoldenSQL runs POST /metadata/{projectId}/golden-sqls.
func (s *MetadataService) CreateGoldenSQL(ctx context.Context, project string,
	body GoldenSQLRequest) (GoldenSQLEntry, error) {
	made, err := call[goldenMade](ctx, s.c, spec.CreateGoldenSql.At(project), body)
	return GoldenSQLEntry(made), err
}

// DeleteGoldenSQL runs DELETE /metadata/{projectId}/golden-sqls/{id}.
func (s *MetadataService) DeleteGoldenSQL(ctx context.Context, project, id string) error {
	return run(ctx, s.c, spec.DeleteGoldenSql.At(project, id), nil)
}

// Query runs GET /metadata/{projectId}/query.
func (s *MetadataService) Query(ctx context.Context, project string, table, topK string) ([]TableMetadata, error) {
	return callList[TableMetadata](ctx, s.c, spec.QueryMetadata.At(project).With("table", table).With("topK", topK),
		nil, "result")
}

// SampleQuestions runs GET /metadata/{projectId}/questions/generate.
func (s *MetadataService) SampleQuestions(ctx context.Context, project string,
	question string) (SampleQuestions, error) {
	return call[SampleQuestions](ctx, s.c, spec.GenerateSampleQuestions.At(project).With("question", question), nil)
}

// Refresh runs POST /metadata/{projectId}/refresh.
func (s *MetadataService) Refresh(ctx context.Context, project string,
	body MetadataRefreshRequest) (MetadataRefreshTriggered, error) {
	return call[MetadataRefreshTriggered](ctx, s.c, spec.RefreshMetadata.At(project), body)
}

// GetCallback runs GET /metadata/{projectId}/refresh/callback.
func (s *MetadataService) GetCallback(ctx context.Context, project string) (RefreshCallback, error) {
	return call[RefreshCallback](ctx, s.c, spec.GetRefreshCallback.At(project), nil)
}

// RegisterCallback runs POST /metadata/{projectId}/refresh/callback.
func (s *MetadataService) RegisterCallback(ctx context.Context, project string,
	body MetadataRefreshCallbackRequest) error {
	return run(ctx, s.c, spec.RegisterRefreshCallback.At(project), body)
}

// UnregisterCallback runs DELETE /metadata/{projectId}/refresh/callback.
func (s *MetadataService) UnregisterCallback(ctx context.Context, project string) error {
	return run(ctx, s.c, spec.UnregisterRefreshCallback.At(project), nil)
}

// RefreshStatus runs GET /metadata/{projectId}/refresh/{catalogId}.
func (s *MetadataService) RefreshStatus(ctx context.Context, project, catalog string) (MetadataRefreshStatus, error) {
	return call[MetadataRefreshStatus](ctx, s.c, spec.GetMetadataRefreshStatus.At(project, catalog), nil)
}

// Relations runs GET /metadata/{projectId}/relations/{catalogId}.
func (s *MetadataService) Relations(ctx context.Context, project, catalog string) ([]Relation, error) {
	return callList[Relation](ctx, s.c, spec.ListRelations.At(project, catalog), nil, "relations")
}

// AddRelation runs POST /metadata/{projectId}/relations/{catalogId}/{schemaName}/{tableName}/{columnName}.
func (s *MetadataService) AddRelation(ctx context.Context, project, catalog, schema, table, column string,
	body RelationRequest) (Relation, error) {
	return call[Relation](ctx, s.c, spec.AddRelation.At(project, catalog, schema, table, column), body)
}

// UpdateRelation runs PUT /metadata/{projectId}/relations/{catalogId}/{schemaName}/{tableName}/{relationId}.
func (s *MetadataService) UpdateRelation(ctx context.Context, project, catalog, schema, table, relation string,
	body RelationUpdateRequest) (Relation, error) {
	return call[Relation](ctx, s.c, spec.UpdateRelation.At(project, catalog, schema, table, relation), body)
}

// DeleteRelation runs DELETE /metadata/{projectId}/relations/{catalogId}/{schemaName}/{tableName}/{relationId}.
func (s *MetadataService) DeleteRelation(ctx context.Context, project, catalog, schema, table, relation string) error {
	return run(ctx, s.c, spec.DeleteRelation.At(project, catalog, schema, table, relation), nil)
}

// GenerateSemantics runs POST /metadata/{projectId}/semantics/{catalogId}/{schemaName}/{tableName}.
func (s *MetadataService) GenerateSemantics(ctx context.Context, project, catalog, schema, table string,
	body GenerateSemanticsRequest) (SemanticsResult, error) {
	return call[SemanticsResult](ctx, s.c, spec.GenerateSemantics.At(project, catalog, schema, table), body)
}

// SetCatalogAIUsage runs PUT /metadata/{projectId}/{catalogId}.
func (s *MetadataService) SetCatalogAIUsage(ctx context.Context, project, catalog string, body AIUsageRequest) error {
	return run(ctx, s.c, spec.SetCatalogAiUsage.At(project, catalog), body)
}

// SetSchemaAIUsage runs PUT /metadata/{projectId}/{catalogId}/{schemaName}.
func (s *MetadataService) SetSchemaAIUsage(ctx context.Context, project, catalog, schema string,
	body AIUsageRequest) error {
	return run(ctx, s.c, spec.SetSchemaAiUsage.At(project, catalog, schema), body)
}

// UpdateTable runs PUT /metadata/{projectId}/{catalogId}/{schemaName}/{tableName}.
func (s *MetadataService) UpdateTable(ctx context.Context, project, catalog, schema, table string,
	body TableMetadataUpdateRequest) (TableMetadata, error) {
	return call[TableMetadata](ctx, s.c, spec.UpdateTableMetadata.At(project, catalog, schema, table), body)
}
