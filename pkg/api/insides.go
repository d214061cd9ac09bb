package api

import (
	"regexp"

	"github.com/dig-cli/dig/pkg/late"
)

// insides are what messages of the service tell of its insides [L], and what replaces it; Raw contains them.
var insides = []struct {
	text func() *regexp.Regexp
	with string
}{
	// the names of classes, and paths of secrets and of routes
	{late.Regexp(`\b(?:[a-z][a-z0-9_]*\.){2,}[A-Z][A-Za-z0-9_$]*(?:Exception|Error)(?::\s*|\b)|` +
		`\bsecret/data/[^\s:]+(?::\s*|\b)|` +
		`(?:\bhttps?://[^\s/"]+)?/internal/[a-z-]+/[A-Za-z0-9]{8}/[0-9a-f-]{36}\b(?::\s*)?`), ""},
	{late.Regexp(`No enum constant (?:\w+\.)+(\w+)`), "No enum constant $1"},
	// what PostgreSQL adds to an error of the tables that hold those of users: the statement, its functions, arguments
	{late.Regexp(`(?s)(?:ERROR: )?duplicate key value violates unique constraint "sm_column.*`),
		"a column of this name exists"},
	{late.Regexp(`(?s)\n\s*Where: (?:SQL statement|PL/pgSQL function).*`), ""},
	// the names of those tables and their schemas
	{late.Regexp(`"?\b(?:schema_?mapper_?[a-z0-9]{8}_?[0-9]{8,}|abstract_schema_mapper[\w.]*|table[0-9a-f]{32})\b"?`),
		"an internal name"},
}

// WithoutInsides returns a message of the service, about a request or a job, without what it tells of the insides.
func WithoutInsides(message string) string {
	for _, in := range insides {
		message = in.text().ReplaceAllString(message, in.with)
	}
	return message
}
