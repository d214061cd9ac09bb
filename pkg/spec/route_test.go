package spec

import (
	"strings"
	"testing"
)

// TestOf: every operation is found by its method and path, whatever its parameters are, also those named as a literal
// segment.
func TestOf(t *testing.T) {
	for _, o := range append(All(), Local()...) {
		for _, value := range []string{"x", "a%20b", "0"} {
			path := o.Path
			for _, p := range o.Params() {
				path = strings.Replace(path, "{"+p+"}", value, 1)
			}
			if got, ok := Of(o.Method, path); !ok || got.ID != o.ID {
				t.Errorf("%s %s is %s", o.Method, path, got.ID)
			}
			for _, other := range []string{path + "/", path + "//x", "/x" + path, path + "/x/y/z/x/y/z"} {
				if got, ok := Of(o.Method, other); ok {
					t.Errorf("%s %s is %s", o.Method, other, got.ID)
				}
			}
		}
	}
	for path, id := range map[string]string{
		"POST /data/projects/p/queries/execute": ExecuteQuery.ID, "POST /data/projects/p/queries/folders/execute": CreateChildQueryFolder.ID,
		"PUT /metadata/p/categorical/s": SetSchemaAiUsage.ID, "GET /data/projects/p/cache/status": ListCacheStatuses.ID,
		"GET /data/projects//cache/status": "", "get /info": "",
	} {
		method, at, _ := strings.Cut(path, " ")
		if got, _ := Of(method, at); got.ID != id {
			t.Errorf("%s is %s, want %s", path, got.ID, id)
		}
	}
}

func TestPlain(t *testing.T) {
	for path, want := range map[string]bool{
		"/data/projects/AbCd1234/search": true, "/sql/transpile/tr%20ino": true, "/a/../b": false, "/a/./b": false,
		"/a//b": false, "/a/b/": false, "/a/%2e%2e/b": false,
		"/a%2Fb": false, "/a%5cb": false, `/a\b`: false, "/a;x=1/b": false, "/a%3B/b": false, "/a%3f": false,
		"/a%23": false, "/a%00": false, "/a%0a": false, "/a%252e": false,
	} {
		if Plain(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}
