package cli

import (
	"net/http"
	"regexp"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/spec"
)

// hostedFaults are misleading messages of the hosted zones, with the explanation [L].
var hostedFaults = []struct{ part, hint string }{
	{"No enum constant", "the gateway does not know this value; " +
		"column types are VARCHAR, BIGINT, BOOLEAN, DECIMAL, TIMESTAMP, TIME, DATE and UUID, " +
		"and JSON is not one of them"},
	{"a column of this name exists", "`dig table column list` lists the columns; every table has a column text"},
	{"Class discriminator was missing",
		"the gateway wants the whole column with its dataType; `dig table column update` sends it"},
	{"Catalog type: ", "only catalogs over PostgreSQL have statistics, and on zone local its own tables"},
}

// statementFaults are messages about a statement whose remedy does not depend on its text, which is not known here
// where a saved query runs [L].
var statementFaults = []struct {
	message func() *regexp.Regexp
	hint    string
}{
	{late.Regexp(`(?i)^(?:line \d+:\d+: )?(?:Cannot apply operator: (?:ObjectId .* varchar|varchar.* ObjectId)|` +
		`Unexpected parameters \((?:ObjectId, varchar|varchar(?:\(\d+\))?, ObjectId).* for function \$operator\$)`),
		"compare the _id of a MongoDB table with objectid('...') of its 24 hexadecimal digits; " +
			"CAST(_id AS VARCHAR) reads it"},
	{late.Regexp(`(?i)^(?:line \d+:\d+: )?mismatched input 'offset'`), "Trino's order is OFFSET m LIMIT n"},
	{late.Regexp(`is not supported on zone local(?:$|:)`), "it is valid in Trino, which the hosted zones run"},
}

var notAllowed = late.Regexp(`(?i)Statement type '(\w+)' is not allowed`)

// StatementHint names the command that replaces a statement other than SELECT.
func StatementHint(kind string) string {
	switch strings.ToLower(kind) {
	case "insert":
		return "only SELECT runs; `dig table import` adds rows to an internal table"
	case "createtableasselect", "createview", "creatematerializedview":
		return "only SELECT runs; `dig query create NAME --sql ...` saves one, with --type MATERIALIZED its rows too"
	case "createtable":
		return "only SELECT runs; `dig table create` creates an internal table"
	case "droptable":
		return "only SELECT runs; `dig table delete` deletes an internal table"
	case "update", "delete", "merge", "truncatetable":
		return "only SELECT runs, and rows of internal tables cannot be changed or deleted; import into a new table"
	}
	return "only SELECT runs"
}

// hostedBugs are failures of the service itself that it reports with status 400, as if the request were wrong [L].
var hostedBugs = []struct {
	method, suffix string // of the request; "" for any
	message        func() *regexp.Regexp
	hint           string
}{
	{"", "", late.Regexp(`(?i)unexpected json token at offset|unrecognized token '|unexpected character \('|` +
		`JsonParseException|was expecting .*JSON`),
		"the service parsed a string of its own as JSON, most often the comment of a table in the source: " +
			"nothing is wrong with the request; change or remove that comment at the source"},
	{http.MethodPost, "/cache", late.Regexp(`(?i)cannot find table or properties|` +
		`catalog.*(not found|does not exist|no such)|(no|unknown) catalog|internal`),
		"the service looks the table up under an internal name and reports this for tables that cannot be cached, " +
			"such as internal ones and those of databases; `dig catalog tables` shows which can be (isCacheable)"},
}

func hostedBug(e *api.Error) string {
	path, _, _ := strings.Cut(e.URL, "?")
	for _, b := range hostedBugs {
		meant := (b.method == "" || b.method == e.Method) && strings.HasSuffix(path, b.suffix)
		if meant && e.Status == http.StatusBadRequest && b.message().MatchString(e.Message) {
			return b.hint
		}
	}
	return ""
}

func hintOf(e *api.Error) string {
	if e.Hint != "" {
		return e.Hint
	}
	for _, known := range hostedFaults {
		if strings.Contains(e.Message, known.part) {
			return known.hint
		}
	}
	if m := notAllowed().FindStringSubmatch(e.Message); m != nil {
		return StatementHint(m[1])
	}
	for _, known := range statementFaults {
		if known.message().MatchString(e.Message) && e.Kind != api.KindNotSupported {
			return known.hint
		}
	}
	if hint := hostedBug(e); hint != "" {
		return hint
	}
	switch e.Kind {
	case api.KindUnauthorized:
		return "store a key with `dig auth login`, or set DIG_API_KEY"
	case api.KindForbidden:
		return forbiddenHint(e)
	case api.KindNotFound:
		if e.Name == "Not Found" {
			return "the gateway has no such address; the base address usually ends in /api/v1"
		}
	case api.KindFull:
		return "free some space on the disk of the gateway"
	case api.KindUnavailable:
		if e.Status == http.StatusBadGateway && e.Code != "" {
			return "the source failed; the gateway itself is reachable"
		}
		if api.Lasting(e) {
			return ""
		}
		return "the gateway failed; trying again may help"
	}
	return ""
}

// forbiddenHint explains a 403. Some projects refuse operations to a key that may do others there [L].
func forbiddenHint(e *api.Error) string {
	_, path, _ := strings.Cut(e.URL, "/api/v1")
	path, _, _ = strings.Cut(path, "?")
	if op, known := spec.Of(e.Method, path); known && op.Partner {
		return "organizations, workspaces, projects and API keys need a partner key; " +
			"a project key opens its own project only"
	}
	return "the key may belong to another project, or may not do this in this one; `dig whoami` shows what it opens"
}
