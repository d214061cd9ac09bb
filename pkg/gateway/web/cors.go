package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/fault"
)

// Origins are the origins of web pages that may call the gateway: scheme://host[:port], or "*" for any. A page needs a
// key like every other caller; cookies are not used.
type Origins []string

const anyOrigin = "*"

// ParseOrigins checks a list of origins.
func ParseOrigins(list []string) (Origins, error) {
	out := Origins{}
	for _, text := range list {
		text = strings.ToLower(text)
		u, err := url.Parse(text)
		if text != anyOrigin && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
			u.Scheme+"://"+u.Host != text) {
			return nil, fmt.Errorf("%q is neither an origin such as http://localhost:3000 nor *", text)
		}
		out = append(out, text)
	}
	return out, nil
}

// cors writes the headers that let a page read the reply, and answers a browser's question about a request that it
// wants to send (preflight) [I]. It reports whether the request was answered. Without origins it does nothing.
func (s *Mux) cors(w http.ResponseWriter, hr *http.Request) bool {
	origin := hr.Header.Get("Origin")
	if len(s.Origins) == 0 {
		return false
	}
	h := w.Header()
	for _, name := range []string{"Origin", "Access-Control-Request-Method", "Access-Control-Request-Headers"} {
		h.Add("Vary", name)
	}
	wanted := hr.Header.Get("Access-Control-Request-Method")
	preflight := hr.Method == http.MethodOptions && wanted != ""
	switch {
	case origin == "":
		return false
	case slices.Contains(s.Origins, anyOrigin):
		h.Set("Access-Control-Allow-Origin", anyOrigin)
	case slices.Contains(s.Origins, strings.ToLower(origin)):
		h.Set("Access-Control-Allow-Origin", origin)
	default:
		s.Fail(w, hr, fault.Framework(403, "pages of %s may not call this gateway", origin))
		return true
	}
	if !preflight {
		h.Set("Access-Control-Expose-Headers", "X-Request-Id, X-Left-Out, Content-Disposition")
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
	if names := hr.Header.Get("Access-Control-Request-Headers"); names != "" {
		h.Set("Access-Control-Allow-Headers", names)
	}
	h.Set("Access-Control-Max-Age", "1800")
	w.WriteHeader(http.StatusOK)
	return true
}
