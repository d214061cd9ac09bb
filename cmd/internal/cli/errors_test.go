package cli

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
)

// TestExitOfLasting: exit code 5 says that a retry may help, which no answer does that comes again each time.
func TestExitOfLasting(t *testing.T) {
	for code, want := range map[string]int{"100": exitcode.Unavailable, "": exitcode.Unavailable,
		api.CodeLasting: exitcode.Failed, api.CodeUnusable: exitcode.Failed, api.CodeDamaged: exitcode.Failed} {
		rep := &api.Reply{Status: 500, Body: io.NopCloser(strings.NewReader(`{"errorCode":"` + code +
			`","message":"no"}`))}
		f := Classify(context.Background(), api.ReadError("GET", "https://h/api/v1/x", rep))
		if again := strings.Contains(f.Hint, "trying again"); f.Exit != want ||
			again != (want == exitcode.Unavailable) {
			t.Errorf("errorCode %q: exit %d with the hint %q, want %d", code, f.Exit, f.Hint, want)
		}
	}
}

// TestHostedBugs: what the service answers for faults of its own is told from what a request is to blame for, and a
// statement that it refuses gets a hint.
func TestHostedBugs(t *testing.T) {
	const execute = "https://h/api/v1/data/projects/p/queries/execute"
	for _, c := range []struct{ method, url, message, want string }{
		{"GET", "https://h/api/v1/data/projects/p/catalogs/1/schemas/s/tables", "Unrecognized token 'Orders': was " +
			"expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')", "comment of a table"},
		{"POST", "https://h/api/v1/data/projects/p/cache", "Unexpected JSON token at offset 8: Expected EOF after " +
			"parsing, but had a instead at path: $\nJSON input: Stores actors appearing in films.",
			"comment of a table"},
		{"POST", "https://h/api/v1/data/projects/p/cache",
			"cannot find table or properties: an internal name in schema: an internal name", "isCacheable"},
		{"POST", "https://h/api/v1/data/projects/p/table/t/columns", "a column of this name exists", "column list"},
		{"POST", "https://h/api/v1/data/projects/p/table/t/columns", "No enum constant JSON",
			"JSON is not one of them"},
		{"POST", "https://h/api/v1/data/projects/p/cache", "Catalog p_internal_1 does not exist", "isCacheable"},
		{"POST", "https://h/api/v1/data/projects/p/cache", "schedule is not valid", ""},
		{"GET", "https://h/api/v1/data/projects/p/cache/status", "Catalog x does not exist", ""},
		{"POST", execute, "line 1:8: Column 'json' cannot be resolved", ""},
		{"POST", execute, "line 1:31: Cannot apply operator: ObjectId = varchar(3)", "objectid('...')"},
		{"POST", execute, "Unexpected parameters (ObjectId, varchar(24)) for function $operator$EQUAL. Expected: " +
			"$operator$EQUAL(T, T) T:comparable", "CAST(_id AS VARCHAR)"},
		{"POST", execute, "Unexpected parameters (integer, varchar(1)) for function f. Expected: f(T)", ""},
		{"POST", execute, "line 1:10: Cannot apply operator: integer = varchar(1)", ""},
		{"POST", execute, "mismatched input 'OFFSET'. Expecting: <EOF>", "OFFSET m LIMIT n"},
		{"POST", execute, "line 1:8: approx_set is not supported on zone local: sketch algorithms are not available",
			"hosted zones"},
		{"POST", execute, "Statement type 'Insert' is not allowed", "dig table import"},
		{"POST", execute, "Statement type 'Grant' is not allowed", "only SELECT runs"},
	} {
		if got := hintOf(&api.Error{Status: 400, Kind: api.KindInvalid, Method: c.method, URL: c.url,
			Message: c.message}); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.message, got, c.want)
		}
	}
}
