package rest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/connector/contract"
)

const key = "Bearer s3cr3t-key"

// source is an API with the rows of the contract suite under every form of paging. It counts what it is asked.
type source struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func (s *source) log() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}

func item(id int64) string {
	name := fmt.Sprintf(`"name %d"`, id)
	if id%10 == 0 {
		name = "null"
	}
	return fmt.Sprintf(`{"id": %d, "name": %s, "amount": %d.%02d}`, id, name, id/4, id%4*25)
}

// list is rows from (counted from 0) up to n of them, not beyond the end.
func list(from, n int64) string {
	var b strings.Builder
	b.WriteByte('[')
	for i := from; i < from+n && i < contract.Rows; i++ {
		if i > from {
			b.WriteString(",\n")
		}
		b.WriteString(item(i + 1))
	}
	return b.String() + "]"
}

func number(r *http.Request, name string, def int64) int64 {
	if n, err := strconv.ParseInt(r.URL.Query().Get(name), 10, 64); err == nil {
		return n
	}
	return def
}

func serve(t *testing.T) *source {
	t.Helper()
	s := &source{}
	mux := http.NewServeMux()
	write := func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(text))
	}
	mux.HandleFunc("/v1/plain", func(w http.ResponseWriter, r *http.Request) { write(w, list(0, contract.Rows)) })
	mux.HandleFunc("/v1/page", func(w http.ResponseWriter, r *http.Request) {
		size := min(number(r, "per", 100), 400) // the source cuts sizes
		write(w, fmt.Sprintf(`{"data":{"items":%s},"total":%d}`, list((number(r, "page", 1)-1)*size, size),
			contract.Rows))
	})
	mux.HandleFunc("/v1/offset", func(w http.ResponseWriter, r *http.Request) {
		size, at := min(number(r, "limit", 100), 333), number(r, "offset", 0)
		write(w, fmt.Sprintf(`{"more":%t,"rows":%s}`, at+size < contract.Rows, list(at, size)))
	})
	mux.HandleFunc("/v1/cursor", func(w http.ResponseWriter, r *http.Request) {
		raw, _ := base64.StdEncoding.DecodeString(r.URL.Query().Get("after"))
		at, _ := strconv.ParseInt(string(raw), 10, 64)
		next := "null"
		if at+700 < contract.Rows {
			next = strconv.Quote(base64.StdEncoding.EncodeToString([]byte(fmt.Sprint(at + 700))))
		}
		write(w, fmt.Sprintf(`{"meta":{"next":%s},"rows":%s}`, next, list(at, 700)))
	})
	mux.HandleFunc("/v1/link", func(w http.ResponseWriter, r *http.Request) {
		at := number(r, "start", 0)
		w.Header().Add("Link", `</v1/link?start=0>; rel="first"; title="a, <b>"`)
		if at+512 < contract.Rows {
			w.Header().Add("Link", fmt.Sprintf(`</v1/link?start=0>; rel="prev", <?start=%d>; rel="last next"`, at+512))
		}
		write(w, list(at, 512))
	})
	mux.HandleFunc("/v1/address", func(w http.ResponseWriter, r *http.Request) {
		at, next := number(r, "start", 0), "null"
		if at+900 < contract.Rows {
			next = fmt.Sprintf(`"%s/v1/address?start=%d"`, s.URL, at+900)
		}
		write(w, fmt.Sprintf(`{"rows":%s,"links":{"next":%s}}`, list(at, 900), next))
	})
	mux.HandleFunc("/v1/weather", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("city") == "" {
			http.Error(w, `{"error":"city is missing"}`, http.StatusBadRequest)
			return
		}
		write(w, fmt.Sprintf(`[{"temp": %d.5, "unit": %q}]`, len(r.URL.Query().Get("city")), r.URL.Query().Get("unit")))
	})
	mux.HandleFunc("/v1/users/{user}/orders", func(w http.ResponseWriter, r *http.Request) {
		raw, _ := json.Marshal(r.PathValue("user"))
		write(w, fmt.Sprintf(`[{"owner": %s, "status": %q}]`, raw, r.URL.Query().Get("status")))
	})
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.URL.RequestURI())
		s.mu.Unlock()
		switch {
		case r.Header.Get("Authorization") != key:
			http.Error(w, `{"error":"the key `+r.Header.Get("Authorization")+` is unknown"}`, http.StatusUnauthorized)
		default:
			mux.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func connect(t *testing.T, base, secret, tables string) connector.Connector {
	t.Helper()
	c, err := Type().Check(connector.Credential{"baseUrl": base, "secret": secret, "tables": tables})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := Type().Open(c, connector.Reach{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// items is a document with the table of the contract suite.
func items(members string) string {
	return `{"tables":[{"name":"items", "types":{"amount":"decimal(12,2)"}, ` + members + `}]}`
}
