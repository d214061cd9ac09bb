package history

import (
	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/output"
)

var changeShape = cli.Shape{ID: "id", Fields: []cli.Field{
	{Path: "id", Key: true},
	{Path: "at", Heading: "when", As: output.AsTime},
	{Path: "outcome"},
	{Path: "command"},
	{Path: "zone"},
	{Path: "path"},
}}
