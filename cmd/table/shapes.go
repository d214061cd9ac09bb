package table

import "github.com/dig-cli/dig/cmd/internal/cli"

var tableShape = cli.Shape{ID: "tableName", Fields: []cli.Field{
	{Path: "tableName", Heading: "table", Key: true},
	{Path: "schemaName", Heading: "schema", Key: true},
	{Path: "catalogName", Heading: "catalog", Key: true},
	{Path: "isCached", Heading: "cached"},
}}

var columnShape = cli.Shape{ID: "name", Fields: []cli.Field{
	{Path: "name", Key: true},
	{Path: "dataType", Heading: "type"},
	{Path: "displayName", Heading: "shown as"},
	{Path: "defaultValue", Heading: "default"},
	{Path: "isNotNull", Heading: "not null"},
	{Path: "isUnique", Heading: "unique"},
	{Path: "desc", Heading: "description"},
}}
