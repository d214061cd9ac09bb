package connection

import (
	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/output"
)

var connectionShape = cli.Shape{ID: "id", Fields: []cli.Field{
	{Path: "id", Key: true},
	{Path: "name", Key: true},
	{Path: "type"},
	{Path: "url", Heading: "authorize at", Only: output.InRecords},
}}

var typeShape = cli.Shape{ID: "connectionType", Fields: []cli.Field{
	{Path: "connectionType", Heading: "type", Key: true},
	{Path: "connectionTypeLabel", Heading: "label"},
	{Path: "category"},
	{Path: "authorizationType", Heading: "authorized by"},
}}

// credentialShape is a field of the credential of a type.
var credentialShape = cli.Shape{ID: "fieldName", Fields: []cli.Field{
	{Path: "fieldName", Heading: "field", Key: true},
	{Path: "fieldType", Heading: "type"},
	{Path: "required"},
	{Path: "description"},
}}
