package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// read reads columns of the only table of a connector to the end.
func read(ctx context.Context, c connector.Connector, name string, filters []engine.Filter,
	columns ...string) ([][]any, error) {
	table, err := c.Table(ctx, defaultSchema, name)
	if err != nil {
		return nil, err
	}
	b, err := table.Scan(ctx, engine.ScanRequest{Columns: columns, Filters: filters, Limit: -1})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	var out [][]any
	for {
		rows, err := b.Next(ctx)
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, rows...)
	}
}

const oneColumn = `"columns":[{"name":"id","type":"bigint"}]`

// answers serves one handler and opens a connector over it.
func answers(t *testing.T, members string, h http.HandlerFunc) *rest {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	doc := members
	if !strings.HasPrefix(doc, "{") {
		doc = `{"retries":0, "tables":[{"name":"t","path":"/t",` + members + `}]}`
	}
	return connect(t, s.URL, key, doc).(*rest)
}

func TestFailures(t *testing.T) {
	page2 := func(w http.ResponseWriter, r *http.Request, then func()) {
		if r.URL.Query().Get("page") == "1" {
			fmt.Fprint(w, `[{"id":1}]`)
			return
		}
		then()
	}
	paged := oneColumn + `,"paging":{"type":"page","maxPages":3}`
	for name, c := range map[string]struct {
		members string
		h       http.HandlerFunc
		want    string
	}{
		"status": {oneColumn, func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "not\n you",
				http.StatusForbidden)
		}, "GET /t: the source returned 403 Forbidden: not you"},
		"key is hidden": {oneColumn, func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, r.Header.Get("Authorization"), http.StatusUnauthorized)
		}, "401 Unauthorized: ***"},
		"no page is cut": {paged, func(w http.ResponseWriter, r *http.Request) {
			page2(w, r,
				func() { w.WriteHeader(500) })
		}, "page 2: GET /t: the source returned 500"},
		"body ends early": {paged, func(w http.ResponseWriter, r *http.Request) {
			page2(w, r, func() { fmt.Fprint(w, `[{"id":2},{"id"`) })
		}, "page 2: the response ends in the middle"},
		"connection ends early": {paged, func(w http.ResponseWriter, r *http.Request) {
			page2(w, r, func() {
				w.Header().Set("Content-Length", "100")
				fmt.Fprint(w, `[{"id":2}`)
			})
		}, "page 2: the response ends in the middle"},
		"no JSON": {oneColumn, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `<html>`) },
			"the response is not JSON"},
		"empty": {oneColumn, func(w http.ResponseWriter, r *http.Request) {}, "the response ends"},
		"no content": {oneColumn, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) },
			"returned 204"},
		"more than one": {oneColumn, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `[] []`) },
			"has data after its document"},
		"object": {oneColumn, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `{"id":1}`) },
			"the response is not a list of rows"},
		"rows are missing": {oneColumn + `,"rows":"data.rows"`, func(w http.ResponseWriter,
			r *http.Request) {
			fmt.Fprint(w, `{"data":{"error":"x"}}`)
		}, `has no member "data.rows"`},
		"rows are twice": {oneColumn + `,"rows":"a"`, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w,
				`{"a":[],"a":[]}`)
		}, "twice"},
		"row is no object": {oneColumn, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `[1]`) },
			"row 1: a row is not an object"},
		"member twice": {oneColumn, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w,
				`[{"id":1,"id":2}]`)
		}, `the member "id" twice`},
		"no UTF-8": {oneColumn, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w,
				"[{\"id\":1,\"x\":\"\xff\"}]")
		}, "not valid UTF-8"},
		"half a surrogate": {`"columns":[{"name":"id","type":"varchar"}]`, func(w http.ResponseWriter,
			r *http.Request) {
			fmt.Fprint(w, `[{"id":"\ud800"}]`)
		}, "surrogate"},
		"another type": {oneColumn, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w,
				`[{"id":1},{"id":1.5}]`)
		}, `row 2: column "id": 1.5 is not a valid bigint`},
		"too many pages": {paged, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `[{"id":1}]`) },
			"more than 3 pages"},
		"cursor repeats": {oneColumn + `,"rows":"r","paging":{"type":"cursor","next":"n"}`,
			func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `{"r":[{"id":1}],"n":"a"}`) },
			"page 2 refers to itself"},
		"cursors in circles": {`"columns":[{"name":"id","type":"varchar"}],"rows":"r","paging":{"type":"cursor",` +
			`"next":"n"}`, func(w http.ResponseWriter, r *http.Request) {
			at := r.URL.Query().Get("cursor")
			fmt.Fprintf(w, `{"r":[{"id":"%s"}],"n":"%s"}`, at, map[string]string{"": "b", "b": "c", "c": "b"}[at])
		}, "page 3 refers to page 2 as the next one"},
		"links in circles": {oneColumn + `,"paging":{"type":"link"}`, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", map[string]string{"": `</t?k=2>; rel="next"`, "2": `</t?k=3>; rel="next"`,
				"3": `</t>; rel="next"`}[r.URL.Query().Get("k")])
			fmt.Fprint(w, `[{"id":1}]`)
		}, "page 3 refers to page 1 as the next one"},
		"fewer rows than its total": {oneColumn + `,"rows":"r","paging":{"type":"page","total":"n"}`,
			func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprintf(w, `{"n":3,"r":[%s]}`, map[string]string{"1": `{"id":1}`,
					"2": `{"id":2}`}[r.URL.Query().Get("page")])
			}, `page 3 is empty after 2 rows, while its member "n" says that there are 3`},
		"no rows and more": {oneColumn + `,"rows":"r","paging":{"type":"offset","more":"m"}`,
			func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprint(w, `{"r":[],"m":true}`)
			}, `page 1 is empty, while its member "m" says that there are more`},
		"link to elsewhere": {oneColumn + `,"paging":{"type":"link"}`, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", `<http://example.com/t?p=2>; rel=next`)
			fmt.Fprint(w, `[]`)
		}, "http://example.com is not"},
		"link to other port": {oneColumn + `,"paging":{"type":"link"}`, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", `<//127.0.0.1:1/t>; rel=next`)
			fmt.Fprint(w, `[]`)
		}, "127.0.0.1:1 is not"},
		"redirect elsewhere": {oneColumn, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.com/", http.StatusFound)
		}, "redirects to another address: http://example.com is not"},
		"redirect to https": {oneColumn, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://"+r.Host+"/t", http.StatusMovedPermanently)
		}, "redirects to another address"},
		"redirect for ever": {oneColumn, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/t",
				http.StatusFound)
		}, "more than 5 times"},
		"too long": {`{"maxResponseMiB":1,"tables":[{"name":"t","path":"/t",` + oneColumn + `}]}`,
			func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprintf(w, `[{"id":1},{"x":"%s"}]`, strings.Repeat("x", 2<<20))
			}, "longer than 1 MiB"},
		"too slow to answer": {`{"timeout":0.05,"retries":1,"tables":[{"name":"t","path":"/t",` + oneColumn + `}]}`,
			func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
			"no response within 50ms (tried 2 times)"},
		"stops in the middle": {`{"timeout":1,"tables":[{"name":"t","path":"/t",` + oneColumn + `}]}`,
			func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprint(w, `[{"id":1},`)
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			}, "sent nothing for 1s"},
	} {
		t.Run(name, func(t *testing.T) {
			r := answers(t, c.members, c.h)
			r.http.sleep = func(context.Context, time.Duration) error { return nil }
			_, err := read(context.Background(), r, "t", nil, "id")
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if permanent := strings.Contains(err.Error(), "column \""); errors.Is(err, engine.ErrContent) != permanent {
				t.Errorf("%v: an error of the content: %t", err, !permanent)
			}
		})
	}
}

// A redirect on the same host is followed, with the key.
func TestRedirectAtHome(t *testing.T) {
	r := answers(t, oneColumn, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/t" {
			http.Redirect(w, r, "/moved", http.StatusMovedPermanently)
			return
		}
		fmt.Fprintf(w, `[{"id":%d}]`, len(r.Header.Get("Authorization")))
	})
	if rows, err := read(context.Background(), r, "t", nil, "id"); err != nil ||
		fmt.Sprint(rows) != fmt.Sprintf("[[%d]]", len(key)) {
		t.Errorf("%v, %v", rows, err)
	}
}

// Refusals for now are asked again, after as long as the source says, and not for ever.
func TestRetries(t *testing.T) {
	for name, c := range map[string]struct {
		statuses []int
		after    string
		retries  int
		waits    []time.Duration
		want     string // an error; "" for rows
	}{
		"rate limit": {[]int{429}, "7", 2, []time.Duration{7 * time.Second}, ""},
		"date":       {[]int{429}, "Thu, 01 Jan 2026 00:00:20 GMT", 2, []time.Duration{20 * time.Second}, ""},
		"past":       {[]int{503}, "Thu, 01 Jan 2026 00:00:00 GMT", 2, []time.Duration{0}, ""},
		"no header": {[]int{500, 502, 503, 504}, "", 4, []time.Duration{500 * time.Millisecond, time.Second,
			2 * time.Second, 4 * time.Second}, ""},
		"too often": {[]int{500, 500, 500}, "", 2, []time.Duration{500 * time.Millisecond, time.Second},
			"500 Internal Server Error (tried 3 times)"},
		"too long":        {[]int{429}, "3600", 4, nil, "asks to wait 1h0m0s, longer than maxWait 1m0s"},
		"not for now":     {[]int{404}, "1", 4, nil, "404"},
		"nonsense header": {[]int{429}, "soon", 4, []time.Duration{500 * time.Millisecond}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			r := answers(t, fmt.Sprintf(`{"retries":%d,"tables":[{"name":"t","path":"/t",%s}]}`, c.retries, oneColumn),
				func(w http.ResponseWriter, r *http.Request) {
					if n++; n <= len(c.statuses) {
						if c.after != "" {
							w.Header().Set("Retry-After", c.after)
						}
						w.WriteHeader(c.statuses[n-1])
						return
					}
					fmt.Fprint(w, `[{"id":5}]`)
				})
			var waits []time.Duration
			r.http.now = func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }
			r.http.sleep = func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }
			rows, err := read(context.Background(), r, "t", nil, "id")
			if c.want == "" && (err != nil || fmt.Sprint(rows) != "[[5]]") || c.want != "" &&
				(err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, %v", rows, err)
			}
			near := func(got, want time.Duration) bool { // what was not asked for has jitter
				return got == want || (c.after == "" || c.after == "soon") && got >= want/2 && got <= want*3/2
			}
			if !slices.EqualFunc(waits, c.waits, near) {
				t.Errorf("waits %v, want %v", waits, c.waits)
			}
		})
	}
}

// Requests are spaced by the rate that was set, counted over all readings of the connection.
func TestPace(t *testing.T) {
	s := serve(t)
	r := connect(t, s.URL+"/v1", key, `{"requestsPerSecond":4,`+
		items(
			`"path":"/offset","rows":"rows","paging":{"type":"offset","sizeParam":"limit","size":333,"more":"more"}`)[1:]).(*rest)
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var waited time.Duration
	r.http.now = func() time.Time { return clock }
	r.http.sleep = func(_ context.Context, d time.Duration) error { clock = clock.Add(d); waited += d; return nil }
	rows, err := read(context.Background(), r, "items", nil, "id")
	if err != nil || len(rows) != 5000 {
		t.Fatal(len(rows), err)
	}
	asked := len(s.log())
	if want := time.Duration(asked-1) * time.Second / 4; asked < 16 || waited != want {
		t.Errorf("%d requests, %v waited, want %v", asked, waited, want)
	}
}

// Whatever name leads to them, the addresses of metadata services are not dialled.
func TestRefusedAddresses(t *testing.T) {
	for address, ok := range map[string]bool{
		"169.254.169.254:80": false, "169.254.0.1:443": false, "[fe80::1%eth0]:80": false, "[febf::1]:80": false,
		"[fd00:ec2::254]:80": false, "[::ffff:169.254.169.254]:80": false,
		"[64:ff9b::a9fe:a9fe]:80": false, "[64:ff9b:1::a9fe:a9fe]:80": false, "[2002:a9fe:a9fe::1]:80": false,
		"[::169.254.169.254]:80": false, "[2002:a00:1::]:80": true, "[::]:80": true, "100.100.100.200:80": false,
		"168.63.129.16:80": false, "[fd20:ce::254]:80": false,
		"127.0.0.1:80": true, "[::1]:80": true, "10.0.0.1:80": true, "93.184.216.34:443": true,
		"[2606:2800::1]:443": true, "169.253.255.255:80": true, "169.255.0.0:80": true,
	} {
		if err := connector.NetPrivate.Check(netip.MustParseAddrPort(address).Addr()); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, base := range []string{"http://169.254.169.254", "http://[fe80::1]", "http://[::ffff:a9fe:a9fe]"} {
		conn, err := Type().Open(connector.Credential{"baseUrl": base,
			"tables": `{"tables":[{"name":"t","path":"/latest/meta-data"}]}`}, connector.Reach{})
		if err != nil {
			t.Errorf("%s: %v", base, err)
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		var refused *connector.RefusedError
		if err := conn.Test(ctx); !errors.As(err, &refused) {
			t.Errorf("%s: %v", base, err)
		}
		cancel()
	}
	base, _ := url.Parse("http://localhost:1")
	c := newClient(base, &document{Timeout: 1, MaxResponseMiB: 1, Retries: new(int)}, "Authorization", "",
		connector.Reach{Network: connector.NetAll})
	if _, _, err := c.get(context.Background(), base); err == nil || errors.As(err, new(*connector.RefusedError)) {
		t.Errorf("allowed: %v", err)
	}
}

// A certificate that nobody vouches for is refused, also when the connection is tested.
func TestCertificate(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w,
			`[{"id":1}]`)
	}))
	s.Config.ErrorLog = nil
	defer s.Close()
	c := connect(t, s.URL, key, `{"tables":[{"name":"t","path":"/t",`+oneColumn+`}]}`)
	if err := c.Test(context.Background()); err == nil || !strings.Contains(err.Error(), "is not trusted") {
		t.Errorf("%v", err)
	}
}

// Giving a reading up ends the request that is under way.
func TestCancel(t *testing.T) {
	begun, gone := make(chan struct{}), make(chan struct{})
	r := answers(t, oneColumn, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `[{"id":1},`)
		w.(http.Flusher).Flush()
		close(begun)
		<-r.Context().Done()
		close(gone)
	})
	ctx, cancel := context.WithCancel(context.Background())
	table, err := r.Table(ctx, defaultSchema, "t")
	if err != nil {
		t.Fatal(err)
	}
	b, err := table.Scan(ctx, engine.ScanRequest{Columns: []string{"id"}, Limit: -1})
	if err != nil {
		t.Fatal(err)
	}
	go func() { <-begun; cancel() }()
	if rows, err := b.Next(ctx); err == nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", rows, err)
	}
	_ = b.Close()
	select {
	case <-gone:
	case <-time.After(10 * time.Second):
		t.Error("the source still sends")
	}
}
