package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestContextValues: options of a call are fields of a struct. A context carries only what passes through code that
// knows nothing of it: net/http, database/sql, resty and the engine.
func TestContextValues(t *testing.T) {
	allowed := map[string]string{ // place and key, and where the value is read
		"cmd/internal/cli ownKey{}":                "the interceptor of requests",
		"cmd/internal/cli shownKey{}":              "the interceptor of requests",
		"cmd/internal/cli lookUpKey{}":             "the interceptor of requests",
		"pkg/api payloadKey{}":                     "the hook of resty",
		"pkg/api noKey{}":                          "the hook of resty",
		"pkg/api proxyWayKey{}":                    "the hooks of net/http for connections through a proxy",
		"pkg/api captureKey{}":                     "the decoder of replies",
		"pkg/outcome awaitKey{}":                   "the interceptor of requests, which learns what a call makes of a reply",
		"pkg/gateway web.SourceKey{}":              "authentication",
		"pkg/gateway/zone filesKey{}":              "the lookup of files, which no request over a network may ask for",
		"pkg/gateway/zone documentKey{}":           "an import, which may read no document of a request over a network",
		"pkg/gateway/web RequestKey{}":             "the log and error bodies",
		"pkg/gateway/web scopeKey{}":               "handlers",
		"pkg/gateway/web callKey{}":                "the log, after handlers have added to it",
		"pkg/gateway/engine omissionsKey{}":        "the middleware, after sources below the engine have added to it",
		"pkg/gateway/names sharedDepth{}":          "the same service, in the engine of another project",
		"pkg/gateway/engine/trino noteKey{}":       "what sends the statements of a change, below all that makes them",
		"pkg/gateway/connector/mysql verdictKey{}": "the dial function, below the driver",
	}
	found := map[string]bool{}
	// A derived context may itself be the first argument, so the key is what follows the last comma before the value.
	call := regexp.MustCompile(`context\.WithValue\(.*?, ((?:\w+\.)?\w+(?:\{\}|\([^)]*\))?), `)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := string(raw)
		calls := call.FindAllStringSubmatch(text, -1)
		if n := strings.Count(text, "context.WithValue("); n != len(calls) {
			t.Errorf("%s: %d of %d context values are recognized", path, len(calls), n)
		}
		for _, m := range calls {
			name := filepath.ToSlash(filepath.Dir(path)) + " " + m[1]
			if found[name] = true; allowed[name] == "" {
				t.Errorf("%s puts %s into a context; an option belongs in a struct", path, m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range allowed {
		if !found[name] {
			t.Errorf("%s is listed but not used", name)
		}
	}
}
