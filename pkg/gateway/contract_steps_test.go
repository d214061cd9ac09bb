package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector/testdb"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/spec"
)

// scenario is what the steps of the contract make and pass on.
type scenario struct {
	*api.Client
	dir      string          // of the files that a connection reads
	postgres func() *url.URL // a database of the test

	workspace, project, target, legacy, key string
	connection, second, catalog, other      string
	query, materialized, folder, child      string
	semantic, semanticTable                 string
	cache, export, golden, relation         string
	parametric                              api.ParametricTable
}

// newScenario calls by the client; whoever walks the steps needs all that they use.
func newScenario(t *testing.T, cl *api.Client) *scenario {
	t.Helper()
	s := &scenario{Client: cl, dir: t.TempDir(), postgres: func() *url.URL { return testdb.Postgres(t) }}
	if err := s.source(); err != nil {
		t.Fatal(err)
	}
	return s
}

// source makes the source of the connection: a schema with two tables.
func (s *scenario) source() error {
	for name, text := range map[string]string{"orders.csv": "id,status,amount\n1,paid,12.50\n2,open,3\n3,paid,7\n",
		"customers.csv": "id,name\n1,Ada\n"} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// step calls one operation. form names the sample when it is not the operation's first one.
type step struct {
	op    spec.Op
	call  func(s *scenario) error
	form  string
	fault int    // the status of an operation on what zone local never has: its error body is compared
	needs string // an environment variable without which there is nothing to call
}

func ctx() context.Context { return context.Background() }

// of decodes a body that the test writes as JSON.
func of[T any](format string, args ...any) T {
	var v T
	if err := json.Unmarshal(fmt.Appendf(nil, format, args...), &v); err != nil {
		panic(err)
	}
	return v
}

// only drops a result.
func only[T any](_ T, err error) error { return err }

// keep stores a part of a result.
func keep[T any](v T, err error, into *string, part func(T) string) error {
	if err == nil {
		*into = part(v)
	}
	return err
}

// until repeats a call while its result is not what is waited for.
func until[T any](call func() (T, error), done func(T) bool) error {
	for range 600 {
		v, err := call()
		if err != nil || done(v) {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("it did not happen in time")
}

const root = "files"

// sql runs a statement and reads its result to the end.
func (s *scenario) sql(format api.Format, text string) error {
	res, err := s.Queries.Execute(ctx(), s.project, api.ExecuteByStatement{Statement: text},
		api.ExecuteOptions{Format: format})
	if err != nil {
		return err
	}
	defer res.Close()
	return only(io.Copy(io.Discard, res.Body))
}

func org() string { return store.DefaultOrganization }

var contractSteps = []step{
	{op: spec.GetKeyInfo, call: func(s *scenario) error { return only(s.Info.Get(ctx())) }},
	{op: spec.ListOrganizations, call: func(s *scenario) error { return only(s.Organizations.List(ctx())) }},
	{op: spec.GetOrganization, call: func(s *scenario) error { return only(s.Organizations.Get(ctx(), org())) }},
	{op: spec.CreateWorkspace, call: func(s *scenario) error {
		v, err := s.Workspaces.Create(ctx(), org(),
			of[api.WorkspaceRequest](`{"name":"Finance","description":"books"}`))
		return keep(v, err, &s.workspace, func(v api.Workspace) string { return v.ID })
	}},
	{op: spec.ListWorkspaces, call: func(s *scenario) error { return only(s.Workspaces.List(ctx(), org())) }},
	{op: spec.GetWorkspace, call: func(s *scenario) error { return only(s.Workspaces.Get(ctx(), org(), s.workspace)) }},
	{op: spec.UpdateWorkspace, call: func(s *scenario) error {
		return only(s.Workspaces.Update(ctx(), org(), s.workspace, of[api.WorkspaceRequest](`{"name":"Books"}`)))
	}},
	{op: spec.CreateProject, call: func(s *scenario) error {
		v, err := s.Projects.Create(ctx(), org(), s.workspace,
			of[api.ProjectRequest](`{"name":"Billing","description":"numbers"}`))
		return keep(v, err, &s.project, func(v api.Project) string { return v.ID })
	}},
	{op: spec.CreateProject, call: func(s *scenario) error {
		v, err := s.Projects.Create(ctx(), org(), s.workspace, of[api.ProjectRequest](`{"name":"Target"}`))
		return keep(v, err, &s.target, func(v api.Project) string { return v.ID })
	}},
	{op: spec.ListProjects, call: func(s *scenario) error { return only(s.Projects.List(ctx(), org(), s.workspace)) }},
	{op: spec.GetProject, call: func(s *scenario) error {
		return only(s.Projects.Get(ctx(), org(), s.workspace,
			s.project))
	}},
	{op: spec.UpdateProject, call: func(s *scenario) error {
		return only(s.Projects.Update(ctx(), org(), s.workspace, s.project, of[api.ProjectRequest](`{"name":"Bills"}`)))
	}},
	{op: spec.CreateProjectLegacy, call: func(s *scenario) error {
		v, err := s.Projects.CreateLegacy(ctx(), of[api.ProjectRequest](`{"name":"Old"}`))
		return keep(v, err, &s.legacy, func(v api.Project) string { return v.ID })
	}},
	{op: spec.ListProjectsLegacy, call: func(s *scenario) error { return only(s.Projects.ListLegacy(ctx())) }},
	{op: spec.GetProjectLegacy, call: func(s *scenario) error { return only(s.Projects.GetLegacy(ctx(), s.legacy)) }},
	{op: spec.UpdateProjectLegacy, call: func(s *scenario) error {
		return only(s.Projects.UpdateLegacy(ctx(), s.legacy, of[api.ProjectRequest](`{"description":"older"}`)))
	}},
	{op: spec.DeleteProjectLegacy, call: func(s *scenario) error { return s.Projects.DeleteLegacy(ctx(), s.legacy) }},
	{op: spec.CreateApiKey, call: func(s *scenario) error {
		v, err := s.APIKeys.Create(ctx(), s.project,
			of[api.ApiKeyRequest](`{"name":"ci","expiresAt":"2099-01-31T00:00:00Z"}`))
		return keep(v, err, &s.key, func(v api.ApiKey) string { return v.ApiKeyID })
	}},
	{op: spec.ListApiKeys, call: func(s *scenario) error { return only(s.APIKeys.List(ctx(), s.project)) }},
	{op: spec.DeleteApiKey, call: func(s *scenario) error { return s.APIKeys.Delete(ctx(), s.project, s.key) }},

	// internal tables
	{op: spec.CreateInternalTable, call: func(s *scenario) error {
		return only(s.Tables.Create(ctx(),
			s.project, "orders"))
	}},
	{op: spec.ListInternalTables, call: func(s *scenario) error { return only(s.Tables.List(ctx(), s.project)) }},
	{op: spec.AddInternalColumns, call: func(s *scenario) error {
		return only(s.Tables.AddColumns(ctx(), s.project, "orders", of[[]api.ColumnRequest](
			`[{"name":"amount","dataType":"DECIMAL","displayName":"Amount","defaultValue":"0","desc":"gross"},`+
				`{"name":"customer","dataType":"BIGINT"},{"name":"status","dataType":"VARCHAR"}]`)))
	}},
	{op: spec.UpdateInternalColumn, call: func(s *scenario) error {
		return only(s.Tables.UpdateColumn(ctx(), s.project, "orders", "amount",
			of[api.ColumnRequest](`{"name":"amount","dataType":"DECIMAL","displayName":"Gross","defaultValue":"0"}`)))
	}},
	{op: spec.ListInternalColumns, call: func(s *scenario) error {
		return only(s.Tables.Columns(ctx(),
			s.project, "orders"))
	}},
	{op: spec.ImportCsv, call: func(s *scenario) error {
		return only(s.Tables.Import(ctx(), s.project, "orders", of[api.ImportRequest](
			`{"containsHeader":true,"mappings":[{"name":"amount","csvColumnName":"a"},{"name":"customer",`+
				`"csvColumnIndex":1},{"name":"status","csvColumnName":"s"}]}`),
			"orders.csv", strings.NewReader("a,c,s\n12.5,1,paid\n,2,\n")))
	}},
	{op: spec.GetSampleCsv, call: func(s *scenario) error { return only(s.Tables.Sample(ctx(), s.project, "orders")) }},
	{op: spec.CreateBiTable, call: func(s *scenario) error {
		return only(s.BITables.Create(ctx(), s.project,
			"targets"))
	}},
	{op: spec.ListBiTables, call: func(s *scenario) error { return only(s.BITables.List(ctx(), s.project)) }},
	{op: spec.AddBiColumns, call: func(s *scenario) error {
		return only(s.BITables.AddColumns(ctx(), s.project, "targets",
			of[[]api.ColumnRequest](`[{"name":"amount","dataType":"DECIMAL","defaultValue":"0"}]`)))
	}},
	{op: spec.UpdateBiColumn, call: func(s *scenario) error {
		return only(s.BITables.UpdateColumn(ctx(), s.project, "targets", "amount",
			of[api.ColumnRequest](`{"name":"amount","dataType":"DECIMAL","displayName":"Goal"}`)))
	}},
	{op: spec.ListBiColumns, call: func(s *scenario) error {
		return only(s.BITables.Columns(ctx(), s.project,
			"targets"))
	}},
	{op: spec.DeleteBiColumn, call: func(s *scenario) error {
		return s.BITables.DeleteColumn(ctx(), s.project,
			"targets", "amount")
	}},
	{op: spec.DeleteBiTable, call: func(s *scenario) error { return s.BITables.Delete(ctx(), s.project, "targets") }},

	// results of SQL, in the three formats
	{op: spec.ExecuteQuery, call: func(s *scenario) error {
		return s.sql("",
			`SELECT *, 1 AS one FROM "peaka"."table"."orders"`)
	}},
	{op: spec.ExecuteQuery, form: "executeQuery.simple", call: func(s *scenario) error {
		return s.sql(api.Simple, `SELECT status, amount FROM "peaka"."table"."orders"`)
	}},
	{op: spec.ExecuteQuery, form: "executeQuery.compact", call: func(s *scenario) error {
		return s.sql(api.Compact, `SELECT status, amount FROM "peaka"."table"."orders"`)
	}},

	// connections and catalogs
	{op: spec.ListConnectionConfigs, call: func(s *scenario) error { return only(s.Connections.ListConfigs(ctx())) }},
	{op: spec.GetConnectionConfig,
		call: func(s *scenario) error { return only(s.Connections.GetConfig(ctx(), "files")) }},
	{op: spec.CreateConnection, call: func(s *scenario) error {
		v, err := s.Connections.Create(ctx(), s.project,
			of[api.ConnectionRequest](`{"name":"folder","type":"files","credential":{"path":%q}}`, s.dir))
		return keep(v, err, &s.connection, func(v api.Connection) string { return v.ID })
	}},
	{op: spec.CreateConnectionAlt, call: func(s *scenario) error {
		v, err := s.Connections.CreateAlt(ctx(), s.project,
			of[api.ConnectionRequest](`{"name":"again","type":"files","credential":{"path":%q}}`, s.dir))
		return keep(v, err, &s.second, func(v api.Connection) string { return v.ID })
	}},
	{op: spec.CompleteOauthConnection, fault: 400, call: func(s *scenario) error {
		return only(s.Connections.CompleteOAuth(ctx(), s.project, api.OAuthCallbackRequest{QueryParameters: "code=1"}))
	}},
	{op: spec.ListConnections, call: func(s *scenario) error { return only(s.Connections.List(ctx(), s.project)) }},
	{op: spec.GetConnection, call: func(s *scenario) error {
		return only(s.Connections.Get(ctx(), s.project,
			s.connection))
	}},
	{op: spec.GetConnectionDetail, call: func(s *scenario) error {
		return only(s.Connections.Detail(ctx(), s.project,
			s.connection))
	}},
	{op: spec.UpdateConnection, call: func(s *scenario) error {
		return only(s.Connections.Update(ctx(), s.project, s.connection,
			of[api.ConnectionRequest](`{"name":"my folder","type":"files","credential":{"path":%q}}`, s.dir)))
	}},
	{op: spec.CreateCatalog, call: func(s *scenario) error {
		v, err := s.Catalogs.Create(ctx(), s.project, of[api.CatalogRequest](`{"name":"Shop","connectionId":%q}`,
			s.connection))
		return keep(v, err, &s.catalog, func(v api.Catalog) string { return v.ID })
	}},
	{op: spec.CreateCatalogAlt, call: func(s *scenario) error {
		v, err := s.Catalogs.CreateAlt(ctx(), s.project, of[api.CatalogRequest](`{"name":"Second","connectionId":%q}`,
			s.second))
		return keep(v, err, &s.other, func(v api.Catalog) string { return v.ID })
	}},
	{op: spec.ListCatalogs, call: func(s *scenario) error { return only(s.Catalogs.List(ctx(), s.project)) }},
	{op: spec.GetCatalog, call: func(s *scenario) error { return only(s.Catalogs.Get(ctx(), s.project, s.catalog)) }},
	{op: spec.ListSchemas, call: func(s *scenario) error {
		return only(s.Catalogs.Schemas(ctx(), s.project,
			s.catalog))
	}},
	{op: spec.ListTables, call: func(s *scenario) error {
		return only(s.Catalogs.Tables(ctx(), s.project,
			s.catalog, root))
	}},
	{op: spec.ListColumns, call: func(s *scenario) error {
		return only(s.Catalogs.Columns(ctx(), s.project, s.catalog,
			root, "orders"))
	}},
	{op: spec.GetTableCacheState, call: func(s *scenario) error {
		return only(s.Catalogs.CacheState(ctx(), s.project, s.catalog, root, "orders"))
	}},
	{op: spec.Search, call: func(s *scenario) error {
		return only(s.Catalogs.Search(ctx(), s.project, of[api.SearchRequest](`{"query":"order","limit":1}`)))
	}},
	{op: spec.ShareCatalog, call: func(s *scenario) error {
		return only(s.Catalogs.Share(ctx(), s.project, s.catalog, api.CatalogShareRequest{TargetProjectID: s.target}))
	}},
	{op: spec.CreateParametricTable, call: func(s *scenario) (err error) {
		s.parametric, err = s.ParametricTables.Create(ctx(), s.project, s.catalog, of[api.ParametricTable](
			`{"fromSchema":%q,"fromTable":"orders","toSchema":%q,"toTable":"paid_orders",`+
				`"paramValues":[{"key":"status","value":"paid"}]}`, root, root))
		return err
	}},
	{op: spec.ListParametricTables, call: func(s *scenario) error {
		return only(s.ParametricTables.List(ctx(),
			s.project, s.catalog))
	}},
	{op: spec.DeleteParametricTable, call: func(s *scenario) error {
		return s.ParametricTables.Delete(ctx(), s.project, s.catalog, root, "paid_orders")
	}},

	// saved queries and folders
	{op: spec.CreateQueryFolder, call: func(s *scenario) error {
		v, err := s.Folders.Create(ctx(), s.project, api.QueryFolderCreateRequest{FolderName: "sales"})
		return keep(v, err, &s.folder, func(v api.QueryFolderItem) string { return v.ID })
	}},
	{op: spec.CreateChildQueryFolder, call: func(s *scenario) error {
		v, err := s.Folders.CreateChild(ctx(), s.project, s.folder, api.QueryFolderCreateRequest{FolderName: "daily"})
		return keep(v, err, &s.child, func(v api.QueryFolderItem) string { return v.ID })
	}},
	{op: spec.CreateQuery, call: func(s *scenario) error {
		v, err := s.Queries.Create(ctx(), s.project,
			of[api.QueryRequest](`{"displayName":"Paid","inputQuery":"SELECT status, amount FROM `+
				`peaka.\"table\".orders","path":"/sales"}`), nil)
		return keep(v, err, &s.query, func(v api.Query) string { return v.ID })
	}},
	{op: spec.CreateQuery, call: func(s *scenario) error {
		v, err := s.Queries.Create(ctx(), s.project, of[api.QueryRequest](
			`{"displayName":"Stored","inputQueryRefId":%q,"queryType":"MATERIALIZED","schedule":{"type":"interval",`+
				`"repeatDuration":"PT6H"}}`, s.query), nil)
		return keep(v, err, &s.materialized, func(v api.Query) string { return v.ID })
	}},
	{op: spec.ListQueries, call: func(s *scenario) error { return only(s.Queries.List(ctx(), s.project)) }},
	{op: spec.GetQuery, call: func(s *scenario) error { return only(s.Queries.Get(ctx(), s.project, s.materialized)) }},
	{op: spec.UpdateQuery, call: func(s *scenario) error {
		return only(s.Queries.Update(ctx(), s.project, s.query, of[api.QueryRequest](`{"displayName":"Paid orders"}`),
			nil))
	}},
	{op: spec.MoveQuery, call: func(s *scenario) error {
		return s.Queries.Move(ctx(), s.project, s.query, api.QueryPathUpdateRequest{Path: "/sales/daily"})
	}},
	{op: spec.ListQueryFolders, call: func(s *scenario) error { return only(s.Folders.List(ctx(), s.project)) }},
	{op: spec.GetQueryFolderTree, call: func(s *scenario) error {
		return only(s.Folders.Tree(ctx(), s.project, url.Values{"includeQueries": {"true"}}))
	}},
	{op: spec.GetQueryFolder, call: func(s *scenario) error { return only(s.Folders.Get(ctx(), s.project, s.folder)) }},
	{op: spec.UpdateQueryFolderContents, call: func(s *scenario) error {
		return only(s.Folders.UpdateContents(ctx(), s.project, s.folder,
			api.QueryFolderUpdateRequest{QueryIdsAdded: []string{s.query, s.materialized}}))
	}},
	{op: spec.RenameQueryFolder, call: func(s *scenario) error {
		return only(s.Folders.Rename(ctx(), s.project, s.child, api.QueryFolderRenameRequest{Name: "weekly"}))
	}},
	{op: spec.MoveQueryFolder, call: func(s *scenario) error {
		return only(s.Folders.Move(ctx(), s.project, s.child, api.QueryPathUpdateRequest{Path: "/"}))
	}},
	{op: spec.DeleteQueryFolder, call: func(s *scenario) error {
		return s.Folders.Delete(ctx(), s.project, s.child, url.Values{"force": {"true"}})
	}},
	{op: spec.GetMaterializedStatus, call: func(s *scenario) error {
		return until(func() (api.MaterializedQueryStatus, error) {
			return s.Materialized.Status(ctx(), s.project, s.materialized)
		},
			func(v api.MaterializedQueryStatus) bool { return v.Status == "COMPLETED" && v.LastUpdateTime != nil })
	}},
	{op: spec.RefreshMaterializedQuery, call: func(s *scenario) error {
		return s.Materialized.Refresh(ctx(), s.project,
			s.materialized)
	}},
	{op: spec.CancelMaterializedRefresh, call: func(s *scenario) error {
		return s.Materialized.Cancel(ctx(), s.project,
			s.materialized)
	}},
	{op: spec.ListMaterializedStatuses, call: func(s *scenario) error {
		return only(s.Materialized.Statuses(ctx(),
			s.project))
	}},
}
