package admin

import (
	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/output"
)

var orgShape = cli.Shape{ID: "id", Fields: []cli.Field{
	{Path: "id", Key: true},
	{Path: "name", Key: true},
	{Path: "description"},
	{Path: "owner", Only: output.InRecords},
	{Path: "createdAt", Heading: "created", As: output.AsTime, Only: output.InRecords},
}}

var workspaceShape = cli.Shape{ID: "id", Fields: []cli.Field{
	{Path: "id", Key: true},
	{Path: "name", Key: true},
	{Path: "defaultWorkspace", Heading: "default"},
	{Path: "description"},
	{Path: "createdAt", Heading: "created", As: output.AsTime, Only: output.InRecords},
	{Path: "organizationId", Heading: "organization", Only: output.InRecords},
}}

var projectShape = cli.Shape{ID: "id", Fields: []cli.Field{
	{Path: "id", Key: true},
	{Path: "name", Key: true},
	{Path: "workspaceName", Heading: "workspace"},
	{Path: "createdAt", Heading: "created", As: output.AsTime},
	{Path: "domain"},
	{Path: "description"},
	{Path: "owner", Only: output.InRecords},
	{Path: "workspaceId", Heading: "workspace id", Only: output.InRecords},
}}

var keyShape = cli.Shape{ID: "apiKeyId", Fields: []cli.Field{
	{Path: "apiKeyId", Heading: "id", Key: true},
	{Path: "name", Key: true},
	{Path: "apiKey", Heading: "key", Only: output.InRecords},
	{Path: "expiresAt", Heading: "expires", As: output.AsTime},
}}
