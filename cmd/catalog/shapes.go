package catalog

import (
	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/output"
)

var catalogShape = cli.Shape{ID: "id", Fields: []cli.Field{
	{Path: "id", Key: true},
	{Path: "name", Key: true},
	{Path: "catalogType", Heading: "type"},
	{Path: "connectionName", Heading: "connection"},
	{Path: "displayName", Heading: "shown as"},
	{Path: "connectionId", Heading: "connection id", Key: true},
}}

var schemaShape = cli.Shape{ID: "schemaName", Fields: []cli.Field{
	{Path: "schemaName", Heading: "schema", Key: true},
	{Path: "catalogName", Heading: "catalog", Key: true},
	{Path: "catalogId", Heading: "catalog id", Key: true},
}}

var tableShape = cli.Shape{ID: "tableName", Fields: []cli.Field{
	{Path: "tableName", Heading: "table", Key: true},
	{Path: "schemaName", Heading: "schema", Key: true},
	{Path: "catalogName", Heading: "catalog", Key: true},
	{Path: "isCached", Heading: "cached"},
	{Path: "isCacheable", Heading: "cacheable"},
	{Path: "isDynamicTable", Heading: "dynamic"},
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

var parametricShape = cli.Shape{ID: "toTable", Fields: []cli.Field{
	{Path: "toSchema+toTable", Heading: "table", Key: true},
	{Path: "fromSchema+fromTable", Heading: "reads", Key: true},
	{Path: "paramValues", Heading: "values", Only: output.InRecords},
	{Path: "paramValues.*.key", Heading: "fixed columns", Only: output.InLists},
}}

var semanticShape = cli.Shape{ID: "tableId", Fields: []cli.Field{
	{Path: "catalogName+schemaName+tableName", Heading: "table", Key: true},
	{Path: "tableId", Heading: "id", Key: true},
	{Path: "catalogId", Heading: "catalog id", Key: true},
}}
