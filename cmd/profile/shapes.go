package profile

import (
	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/output"
)

var profileShape = cli.Shape{ID: "name", Fields: []cli.Field{
	{Path: "name", Key: true},
	{Path: "current", Only: output.InLists},
	{Path: "zone"},
	{Path: "project"},
	{Path: "protect"},
	{Path: "workspace", Only: output.InRecords},
	{Path: "org", Only: output.InRecords},
	{Path: "address", Only: output.InRecords},
	{Path: "baseUrl", Heading: "address", Only: output.InLists},
	{Path: "key", Only: output.InRecords},
	{Path: "keyStorage", Heading: "key in"},
	{Path: "keyExpires", Heading: "key expires", As: output.AsTime, Only: output.InRecords},
	{Path: "output", Only: output.InRecords},
	{Path: "timeout", Only: output.InRecords},
}}

// keyShape is the state of the key of a profile.
var keyShape = cli.Shape{ID: "profile", Fields: []cli.Field{
	{Path: "profile", Key: true},
	{Path: "current"},
	{Path: "zone"},
	{Path: "state"},
	{Path: "keyKind", Heading: "kind"},
	{Path: "user"},
	{Path: "project"},
	{Path: "problem"},
}}
