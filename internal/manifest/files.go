package manifest

// The files of a project. Members have the names of the flags of the commands; members with default values are
// omitted. Schema writes the JSON schema of these types.

// Marker is the file that makes a directory a project.
const Marker = "dig.yaml"

// version is that of the layout of files.
const version = 1

// Folders of the files, and their endings.
const (
	dirConnections = "connections"
	dirCatalogs    = "catalogs"
	dirSemantic    = "semantic-catalogs"
	dirTables      = "tables"
	dirBITables    = "bitables"
	dirParametric  = "parametric-tables"
	dirCaches      = "caches"
	dirQueries     = "queries"
	dirMetadata    = "metadata"
	dirRelations   = "relations"
	dirGolden      = "golden-sql"

	endSQL  = ".sql"
	endYAML = ".yaml"

	folderFile = ".folder.yaml"
	keepFile   = ".gitkeep" // git has no empty folders
)

// dirs are the folders in the order of Kinds.
func dirs() []string {
	return []string{dirConnections, dirCatalogs, dirSemantic, dirTables, dirBITables, dirParametric, dirCaches,
		dirQueries, dirMetadata, dirRelations, dirGolden}
}

type fileProject struct {
	Version int `yaml:"version" doc:"version of the layout of files: 1" need:"yes"`
}

type fileFolder struct {
	RenamedFrom string `yaml:"renamed-from,omitempty" doc:"path that the folder had before, such as /reports/old"`
}

type fileConnection struct {
	Name        string           `yaml:"name,omitempty" doc:"the name, if it is not that of the file"`
	RenamedFrom string           `yaml:"renamed-from,omitempty" doc:"name that the connection had before"`
	Type        string           `yaml:"type" doc:"connection type, see dig connection type list" need:"yes"`
	Credential  map[string]Value `yaml:"credential,omitempty" doc:"fields of the credential; secrets are references: ${env:NAME}, ${file:PATH} or ${keyring:NAME}"`
}

type fileCatalog struct {
	Name        string           `yaml:"name,omitempty" doc:"the name in SQL, if it is not that of the file"`
	DisplayName string           `yaml:"display-name,omitempty" doc:"the displayed name, if it is not the name in SQL"`
	Connection  string           `yaml:"connection" doc:"name of the connection" need:"yes"`
	Parameters  map[string]Value `yaml:"parameters,omitempty" doc:"extra parameters for its creation, which are not compared; of those only cacheAnything of zone local can be read back"`
}

type fileSemantic struct {
	Name        string            `yaml:"name,omitempty" doc:"the name in SQL, if it is not that of the file"`
	DisplayName string            `yaml:"display-name,omitempty" doc:"the displayed name, if it is not the name in SQL"`
	Tables      map[string]string `yaml:"tables,omitempty" doc:"the saved query behind each SCHEMA.TABLE, by its displayed name; empty if the gateway does not report it"`
}

type fileTable struct {
	Name    string       `yaml:"name,omitempty" doc:"the name, if it is not that of the file"`
	Columns []fileColumn `yaml:"columns" doc:"the columns, without the system columns that every table has" need:"yes"`
}

type fileColumn struct {
	Name        string  `yaml:"name" doc:"the name" need:"yes"`
	RenamedFrom string  `yaml:"renamed-from,omitempty" doc:"name that the column had before"`
	Type        string  `yaml:"type" doc:"varchar, bigint, boolean, decimal or decimal(15,2), timestamp, time, date or uuid" need:"yes"`
	DisplayName string  `yaml:"display-name,omitempty" doc:"the displayed name, if it is not the name"`
	Default     *string `yaml:"default,omitempty" doc:"value of rows that are imported without one"`
	NotNull     bool    `yaml:"not-null,omitempty" doc:"whether NULL is rejected"`
	Unique      bool    `yaml:"unique,omitempty" doc:"whether equal values are rejected"`
	Description *string `yaml:"description,omitempty" doc:"what the column holds"`
}

type fileParametric map[string]fileParametricTable

type fileParametricTable struct {
	From   string           `yaml:"from" doc:"the SCHEMA.TABLE that it reads" need:"yes"`
	Values map[string]Value `yaml:"values" doc:"the value of each parameter column: a value, a list of values, or a date macro such as @today-7d" need:"yes"`
}

type fileCaches map[string]fileCache

type fileCache struct {
	Incremental string   `yaml:"incremental,omitempty" doc:"interval of incremental refreshes: an ISO 8601 duration such as PT15M"`
	Full        string   `yaml:"full,omitempty" doc:"interval of full refreshes: an ISO 8601 duration such as P1D"`
	Key         []string `yaml:"key,omitempty" doc:"columns that together identify a row (zone local)"`
	UpdatedAt   string   `yaml:"updated-at,omitempty" doc:"column that increases with every change of a row (zone local)"`
	InsertOnly  bool     `yaml:"insert-only,omitempty" doc:"whether rows never change (zone local)"`
}

type fileQuery struct {
	Name         string        `yaml:"name,omitempty" doc:"the displayed name, if it is not that of the file"`
	RenamedFrom  string        `yaml:"renamed-from,omitempty" doc:"displayed name that the query had before"`
	Materialized bool          `yaml:"materialized,omitempty" doc:"whether the result is stored"`
	Schedule     *fileSchedule `yaml:"schedule,omitempty" doc:"when the stored result is refreshed; on request only if absent"`
}

type fileSchedule struct {
	Every    string `yaml:"every,omitempty" doc:"interval: an ISO 8601 duration such as PT6H"`
	Cron     string `yaml:"cron,omitempty" doc:"cron expression of five fields"`
	Timezone string `yaml:"timezone,omitempty" doc:"time zone of cron, such as Europe/Berlin; UTC if absent"`
}

type fileMetadata map[string]fileTableMetadata

type fileTableMetadata struct {
	Description string                        `yaml:"description,omitempty" doc:"what the table holds"`
	UseWithAI   *bool                         `yaml:"use-with-ai,omitempty" doc:"whether the AI may use the table; true if absent"`
	Columns     map[string]fileColumnMetadata `yaml:"columns,omitempty" doc:"its columns by name"`
}

type fileColumnMetadata struct {
	Description string   `yaml:"description,omitempty" doc:"what the column holds"`
	Values      []string `yaml:"values,omitempty" doc:"the values of a categorical column"`
}

type fileRelations []fileRelation

type fileRelation struct {
	From string `yaml:"from" doc:"the column SCHEMA.TABLE.COLUMN of the catalog that the file is named after" need:"yes"`
	To   string `yaml:"to" doc:"the column CATALOG.SCHEMA.TABLE.COLUMN that it refers to" need:"yes"`
	Type string `yaml:"type" doc:"MANY_TO_ONE, ONE_TO_MANY or ONE_TO_ONE" need:"yes"`
}

type fileGolden struct {
	Prompt string `yaml:"prompt" doc:"the question that the statement in the .sql file answers" need:"yes"`
}
