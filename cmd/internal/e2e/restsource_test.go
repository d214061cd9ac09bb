package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptRest is the script command "restsource FOLDER KEY": it serves the files of a folder as a REST API until the
// script ends, at $REST, to requests whose Authorization is KEY. /items?page=2 is the file items@page=2.json, with
// names and values in the order of Query().Encode. A file items@page=2.fail holds statuses, one to a line, that are
// answered one after the other first. $REST/-/asked answers the requests so far, one to a line.
func scriptRest(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: restsource FOLDER KEY")
	}
	dir, key := ts.MkAbs(args[0]), args[1]
	var mu sync.Mutex
	var asked []string
	tries := map[string]int{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/-/asked" {
			mu.Lock()
			defer mu.Unlock()
			_, _ = w.Write([]byte(strings.Join(asked, "\n") + "\n"))
			return
		}
		mu.Lock()
		asked = append(asked, r.URL.RequestURI())
		try := tries[r.URL.RequestURI()]
		tries[r.URL.RequestURI()]++
		mu.Unlock()
		if r.Header.Get("Authorization") != key {
			http.Error(w, `{"error":"unknown key `+r.Header.Get("Authorization")+`"}`, http.StatusUnauthorized)
			return
		}
		name := path.Join(dir, path.Clean(r.URL.Path))
		if q := r.URL.Query().Encode(); q != "" {
			name += "@" + q
		}
		if raw, err := os.ReadFile(name + ".fail"); err == nil {
			if all := strings.Fields(string(raw)); try < len(all) {
				status, _ := strconv.Atoi(all[try])
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(status)
				return
			}
		}
		raw, err := os.ReadFile(name + ".json")
		if err != nil {
			http.Error(w, `{"error":"nothing here"}`, http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(raw)
	}))
	ts.Defer(s.Close)
	ts.Setenv("REST", s.URL)
}
