package web

import (
	"net/http"
	"net/url"
	"sort"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/spec"
)

// Router builds the router from the registered routes.
func (s *Mux) Router() *http.ServeMux {
	m := http.NewServeMux()
	for _, rt := range s.Routes {
		if rt.op.ID == spec.ExportQuery.ID || rt.op.ID == spec.CreateChildQueryFolder.ID {
			continue
		}
		m.HandleFunc(rt.op.Method+" "+BasePath+rt.op.Path, rt.serve)
	}
	// http.ServeMux rejects exactly one pair of the patterns, because neither is more specific than the other:
	// queries/{queryId}/exports and queries/folders/{parentFolderId}. One wider pattern handles both.
	m.HandleFunc("POST "+BasePath+"/data/projects/{projectId}/queries/{first}/{second}", func(w http.ResponseWriter,
		hr *http.Request) {
		first, second := hr.PathValue("first"), hr.PathValue("second")
		op, name, value := spec.ExportQuery, "queryId", first
		if first == "folders" {
			op, name, value = spec.CreateChildQueryFolder, "parentFolderId", second
		} else if second != "exports" {
			s.noRoute(w, hr)
			return
		}
		rt, ok := s.Routes[op.ID]
		if !ok {
			s.noRoute(w, hr)
			return
		}
		hr.SetPathValue(name, value)
		rt.serve(w, hr)
	})
	for _, rt := range s.local {
		m.HandleFunc(rt.op.Method+" "+BasePath+rt.op.Path, rt.serve)
	}
	for prefix, serve := range s.Files {
		m.HandleFunc("GET "+prefix+"{id}/{name}", serve)
	}
	m.HandleFunc("GET "+documentPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(api.OpenAPI())
	})
	m.HandleFunc("GET "+HealthPath, health)
	m.HandleFunc("GET "+ReadyPath, s.ready)
	m.HandleFunc("GET "+MetricsPath, s.metrics)
	m.HandleFunc("/", s.noRoute)
	return m
}

// HandleFiles registers the handler of files below a path, which are downloaded by signed links.
func (s *Mux) HandleFiles(prefix string, serve http.HandlerFunc) {
	if hook := s.WrapFile; hook != nil {
		serve = hook(serve)
	}
	s.Files[prefix] = serve
}

// public reports whether a request needs no key.
func (s *Mux) public(hr *http.Request) bool {
	return hr.URL.Path == HealthPath || hr.URL.Path == ReadyPath || hr.URL.Path == documentPath || s.isFile(hr)
}

// isFile reports whether a request needs no key because its link is signed.
func (s *Mux) isFile(hr *http.Request) bool {
	if hr.Method != http.MethodGet && hr.Method != http.MethodHead {
		return false
	}
	for prefix := range s.Files {
		if strings.HasPrefix(hr.URL.Path, prefix) {
			return true
		}
	}
	return false
}

// plainPath removes the slashes that a base address with a slash at its end leaves before or behind BasePath:
// http.ServeMux would redirect such a request. It reports whether the path may be passed to the router, which it would
// also redirect if another segment is empty or a dot.
func plainPath(u *url.URL) bool {
	escaped := u.EscapedPath()
	path := "/" + strings.TrimLeft(escaped, "/")
	if rest, ok := strings.CutPrefix(path, BasePath+"/"); ok {
		path = BasePath + "/" + strings.TrimLeft(rest, "/")
	}
	if path != escaped {
		plain, err := url.PathUnescape(path)
		if err != nil {
			return false
		}
		u.Path, u.RawPath = plain, path
	}
	for _, segment := range strings.Split(strings.TrimSuffix(path, "/"), "/")[1:] {
		if segment == "" || segment == "." || segment == ".." {
			return path == "/"
		}
	}
	return true
}

// noRoute answers requests that match no pattern: 405 if another method would match, else 404, in one shape [L].
func (s *Mux) noRoute(w http.ResponseWriter, hr *http.Request) {
	if allow := s.verbs(hr.URL); len(allow) > 0 {
		w.Header().Set("Allow", strings.Join(allow, ", "))
		s.Fail(w, hr, fault.Framework(405, "request method '%s' is not supported", hr.Method))
		return
	}
	s.Fail(w, hr, fault.Framework(404, "there is no route %s", hr.URL.Path))
}

// verbs lists the methods that the path has a route for.
func (s *Mux) verbs(u *url.URL) []string {
	seen := map[string]bool{}
	for _, rt := range s.Routes {
		if MatchPath(BasePath+rt.op.Path, u.EscapedPath()) {
			seen[rt.op.Method] = true
		}
	}
	out := make([]string, 0, len(seen))
	for m := range seen {
		out = append(out, m)
	}
	sort.Strings(out)
	return out
}

func MatchPath(pattern, path string) bool {
	ps, xs := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(ps) != len(xs) {
		return false
	}
	for i, p := range ps {
		if p != xs[i] && !(strings.HasPrefix(p, "{") && xs[i] != "") {
			return false
		}
	}
	return true
}
