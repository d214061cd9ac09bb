package query

import (
	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/output"
)

var queryShape = cli.Shape{ID: "id", Fields: []cli.Field{
	{Path: "id", Key: true},
	{Path: "name", Key: true},
	{Path: "queryType", Heading: "type"},
	{Path: "path", Heading: "folder", Key: true},
	{Path: "displayName", Heading: "shown as", Only: output.InRecords},
	{Path: "schedule.cronExpression", Heading: "cron", Only: output.InRecords},
	{Path: "schedule.repeatDuration", Heading: "every", Only: output.InRecords},
	{Path: "schedule.timezone", Heading: "time zone", Only: output.InRecords},
	{Path: "inputQuery", Heading: "sql", Only: output.InRecords},
}}

var folderShape = cli.Shape{ID: "id", Fields: []cli.Field{
	{Path: "path", Key: true},
	{Path: "id", Key: true},
	{Path: "createdAt", Heading: "created", As: output.AsTime},
}}

// contentShape is the content of a folder.
var contentShape = cli.Shape{ID: "id", Fields: []cli.Field{
	{Path: "kind"},
	{Path: "name", Key: true},
	{Path: "id", Key: true},
}}

// branchShape is a line of the tree of folders.
var branchShape = cli.Shape{ID: "id", Fields: []cli.Field{
	{Path: "folder", Key: true},
	{Path: "queries"},
	{Path: "id", Key: true},
}}

var freshnessShape = cli.Shape{ID: "query", Fields: []cli.Field{
	{Path: "query"},
	{Path: "state"},
	{Path: "refreshedAt", Heading: "refreshed", As: output.AsTime},
	{Path: "nextRefresh", Heading: "next run", As: output.AsTime},
	{Path: "storedRows", Heading: "rows stored"},
	{Path: "liveRows", Heading: "rows live"},
	{Path: "sources"},
}}
