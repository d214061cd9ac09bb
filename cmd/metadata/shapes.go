package metadata

import (
	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/output"
)

var tableShape = cli.Shape{ID: "table", Fields: []cli.Field{
	{Path: "table", Key: true},
	{Path: "description"},
	{Path: "useWithAI", Heading: "AI"},
	{Path: "columns"},
	{Path: "relations"},
}}

var relationShape = cli.Shape{ID: "id", Fields: []cli.Field{
	{Path: "from", Only: output.InLists, Key: true},
	{Path: "to", Only: output.InLists, Key: true},
	{Path: "sourceCatalogName+sourceSchemaName+sourceTableName+sourceColumnName", Heading: "from",
		Only: output.InRecords},
	{Path: "targetCatalogName+targetSchemaName+targetTableName+targetColumnName", Heading: "to",
		Only: output.InRecords},
	{Path: "type"},
	{Path: "id", Key: true},
}}

// goldenShape is a question with its statement: a line of the list, or the reply to one that was stored.
var goldenShape = cli.Shape{ID: "id", Fields: []cli.Field{
	{Path: "id", Key: true},
	{Path: "prompt", Only: output.InLists},
	{Path: "sql", Only: output.InLists},
	{Path: "metadata.prompt", Heading: "prompt", Only: output.InRecords},
	{Path: "metadata.sql", Heading: "sql", Only: output.InRecords},
}}
