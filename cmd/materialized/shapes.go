package materialized

import (
	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/output"
)

var runShape = cli.Shape{ID: "queryId", Fields: []cli.Field{
	{Path: "queryName", Heading: "query", Key: true},
	{Path: "status"},
	{Path: "refreshedAt", Heading: "refreshed", As: output.AsTime},
	{Path: "nextExecutionStartTime", Heading: "next run", As: output.AsTime},
	{Path: "lastExecutionStartTime", Heading: "last run", As: output.AsTime, Only: output.InRecords},
	{Path: "scheduleSettings.cronExpression", Heading: "cron", Only: output.InRecords},
	{Path: "scheduleSettings.repeatDuration", Heading: "every", Only: output.InRecords},
	{Path: "scheduleSettings.timezone", Heading: "time zone", Only: output.InRecords},
	{Path: "error", Only: output.InRecords},
	{Path: "queryId", Heading: "id", Only: output.InRecords, Key: true},
}}
