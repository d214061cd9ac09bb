package cache

import (
	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/output"
)

// cacheShape is the state of a cache, in eight lines at most.
var cacheShape = cli.Shape{ID: "id", Fields: []cli.Field{
	{Path: "catalogName+schemaName+tableName", Heading: "table", Key: true},
	{Path: "status"},
	{Path: "refreshedAt", Heading: "refreshed", As: output.AsTime},
	{Path: "lastFullRefreshCacheExecution.progress.numberOfCachedRecords", Heading: "rows, full",
		Only: output.InRecords},
	{Path: "lastFullRefreshCacheExecution.status", Heading: "last full", Only: output.InRecords},
	{Path: "lastIncrementalCacheExecution.status", Heading: "last update", Only: output.InRecords},
	{Path: "lastIncrementalCacheExecution.error.message|lastFullRefreshCacheExecution.error.message", Heading: "error",
		Only: output.InRecords},
	{Path: "id", Key: true},
}}

// settingsShape is the settings of a cache.
var settingsShape = cli.Shape{ID: "id", Fields: []cli.Field{
	{Path: "catalogName+schemaName+tableName", Heading: "table", Key: true},
	{Path: "fullRefreshCacheSchedule.expression", Heading: "full every"},
	{Path: "incrementalCacheSchedule.expression", Heading: "incremental every"},
	{Path: "changeTracking.keyColumns", Heading: "key"},
	{Path: "changeTracking.updatedAtColumn", Heading: "updated at"},
	{Path: "changeTracking.insertOnly", Heading: "insert only"},
	{Path: "id", Key: true},
}}

// runShape is a run of a cache.
var runShape = cli.Shape{ID: "id", Fields: []cli.Field{
	{Path: "createdAt", Heading: "started", As: output.AsTime},
	{Path: "executionMode", Heading: "mode"},
	{Path: "status"},
	{Path: "finishedAt", Heading: "ended", As: output.AsTime},
	{Path: "progress.numberOfCachedRecords", Heading: "written"},
	{Path: "progress.numberOfInsertedRecords", Heading: "inserted"},
	{Path: "id", Key: true},
}}
