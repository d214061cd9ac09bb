package gateway

import (
	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/output"
)

// statusShape is the state of zone local.
var statusShape = cli.Shape{ID: "dataDir", Fields: []cli.Field{
	{Path: "dataDir", Heading: "directory"},
	{Path: "exists"},
	{Path: "store"},
	{Path: "engine"},
	{Path: "bytes", Heading: "size", As: output.AsBytes},
	{Path: "serving"},
	{Path: "answers"},
	{Path: "projects"},
}}

// healthShape is the answer of a served gateway.
var healthShape = cli.Shape{ID: "gateway", Fields: []cli.Field{{Path: "gateway"}, {Path: "ready"}, {Path: "answer"}}}
