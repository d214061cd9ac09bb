package agent

import "github.com/dig-cli/dig/cmd/internal/cli"

var threadShape = cli.Shape{ID: "threadId", Fields: []cli.Field{
	{Path: "threadId", Heading: "id", Key: true},
	{Path: "displayName", Heading: "name", Key: true},
}}

// pastShape is a conversation of the chat history.
var pastShape = cli.Shape{ID: "aiThreadId", Fields: []cli.Field{
	{Path: "aiThreadId", Heading: "id", Key: true},
	{Path: "displayName", Heading: "name", Key: true},
	{Path: "source"},
}}
