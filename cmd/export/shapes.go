package export

import (
	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/output"
)

var exportShape = cli.Shape{ID: "id", Fields: []cli.Field{
	{Path: "id", Key: true},
	{Path: "status"},
	{Path: "of"},
	{Path: "createdAt", Heading: "created", As: output.AsTime},
	{Path: "rowCount", Heading: "rows"},
	{Path: "bytes", Heading: "size", As: output.AsBytes},
	{Path: "format"},
	{Path: "compression", Only: output.InRecords},
	{Path: "durationMs", Heading: "took", As: output.AsDuration, Only: output.InRecords},
	{Path: "expiresAt", Heading: "expires", As: output.AsTime, Only: output.InRecords},
	{Path: "error"},
	{Path: "files.*.url", Heading: "files", Only: output.InRecords},
}}
