package check

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/spec"
	"golang.org/x/sync/errgroup"
)

// RouteFinding is an operation with a route that the gateway does not have or does not report.
type RouteFinding struct {
	Operation string `json:"operation"`
	Method    string `json:"method"`
	Path      string `json:"path"`
	Found     string `json:"found"`  // missing, unknown
	Answer    string `json:"answer"` // the answer to the probe
}

const (
	routePresent = "present"
	RouteMissing = "missing"
	RouteUnknown = "unknown"
)

// notProbed are the GETs with side effects: one creates a session, the other runs a language model.
func notProbed(op spec.Op) bool {
	return op.ID == spec.InitEmbeddedSessionLegacy.ID || op.ID == spec.GenerateSampleQuestions.ID
}

// routeProbe finds out which of the documented routes a gateway has. It sends only OPTIONS and GET, to addresses with
// random ids, so that nothing can be changed.
type routeProbe struct {
	cl     *api.Client
	ids    map[string]string // by path parameter
	tells  bool              // the gateway's OPTIONS distinguishes existing addresses
	routes map[string][]spec.Op
}

// reply is the answer to a probe.
type probeReply struct {
	status  int
	allow   []string
	noRoute bool // the framework's 404, not one of an operation
	err     error
}

func (p *routeProbe) ask(ctx context.Context, method, path string) probeReply {
	ctx, cancel := p.cl.Bounded(ctx)
	defer cancel()
	rep, err := p.cl.Do(ctx, method, path, nil, nil, nil)
	if err != nil {
		return probeReply{err: err}
	}
	defer rep.Body.Close()
	r := probeReply{status: rep.Status}
	for _, v := range rep.Header.Values("Allow") {
		for m := range strings.SplitSeq(v, ",") {
			r.allow = append(r.allow, strings.ToUpper(strings.TrimSpace(m)))
		}
	}
	if rep.Status == http.StatusNotFound {
		e := api.ReadError(method, path, rep)
		r.noRoute = e.Name == "Not Found"
	}
	return r
}

func (r probeReply) words(method string) string {
	if r.err != nil {
		return fmt.Sprintf("%s: %v", method, r.err)
	}
	s := fmt.Sprintf("%s: %d", method, r.status)
	if len(r.allow) > 0 {
		s += ", allows " + strings.Join(r.allow, " ")
	}
	return s
}

// found determines whether the route of an operation exists, from the answers to OPTIONS and, if that is inconclusive,
// to GET of its path.
func (p *routeProbe) found(ctx context.Context, op spec.Op, path string, options,
	get func() probeReply) (found, answer string) {
	if p.tells {
		switch r := options(); {
		case r.err == nil && len(r.allow) > 0 && slices.Contains(r.allow, op.Method):
			return routePresent, ""
		case r.err == nil && len(r.allow) > 0 || r.noRoute:
			return RouteMissing, r.words("OPTIONS")
		}
	}
	if slices.ContainsFunc(p.routes[path], notProbed) {
		return RouteUnknown, "not probed: GET would have side effects"
	}
	r := get()
	answer = r.words("GET")
	switch {
	case r.err != nil || r.status == http.StatusUnauthorized || r.status == http.StatusForbidden || r.status >= 500 &&
		r.status != http.StatusNotImplemented:
		return RouteUnknown, answer
	case r.noRoute:
		return RouteMissing, answer
	case op.Method == http.MethodGet && r.status == http.StatusMethodNotAllowed:
		return RouteMissing, answer
	case op.Method == http.MethodGet:
		return routePresent, ""
	case len(r.allow) > 0 && slices.Contains(r.allow, op.Method):
		return routePresent, ""
	case len(r.allow) > 0:
		return RouteMissing, answer
	}
	return RouteUnknown, answer
}

// findRoutes probes all documented routes.
func findRoutes(ctx context.Context, cl *api.Client, project string) ([]RouteFinding, error) {
	p := &routeProbe{cl: cl, routes: map[string][]spec.Op{}, ids: probeIDs(project)}
	nowhere := "/dig-probe-" + strings.ToLower(rand.Text()[:12])
	none := p.ask(ctx, http.MethodGet, nowhere)
	switch {
	case none.err != nil:
		return nil, none.err
	case !none.noRoute:
		return nil, &exitcode.Failure{Exit: exitcode.Failed, Code: "routes-untold",
			Msg: fmt.Sprintf("the gateway answers %d to an address that cannot exist, so its routes cannot be "+
				"determined", none.status)}
	}
	r := p.ask(ctx, http.MethodOptions, nowhere)
	p.tells = r.err == nil && len(r.allow) == 0

	ops := spec.All()
	paths := make([]string, len(ops))
	for i, op := range ops {
		args := []string{}
		for _, name := range op.Params() {
			args = append(args, p.ids[name])
		}
		b := op.At(args...)
		if b.Err != nil {
			return nil, b.Err
		}
		paths[i] = b.Path
		p.routes[b.Path] = append(p.routes[b.Path], op)
	}
	probes := map[string]func() probeReply{}
	for path := range p.routes {
		for _, m := range []string{http.MethodOptions, http.MethodGet} {
			probes[m+path] = sync.OnceValue(func() probeReply { return p.ask(ctx, m, path) })
		}
	}
	all := make([]RouteFinding, len(ops))
	var asking errgroup.Group
	asking.SetLimit(4)
	for i, op := range ops {
		asking.Go(func() error {
			found, answer := p.found(ctx, op, paths[i], probes[http.MethodOptions+paths[i]],
				probes[http.MethodGet+paths[i]])
			all[i] = RouteFinding{op.ID, op.Method, op.Path, found, answer}
			return ctx.Err()
		})
	}
	return all, asking.Wait()
}

// checkRoutes reports the documented routes that the gateway does not have.
func checkRoutes(ctx context.Context, cl *api.Client, project string) (cli.View, error) {
	all, err := findRoutes(ctx, cl, project)
	if err != nil {
		return cli.View{}, err
	}
	odd := slices.DeleteFunc(slices.Clone(all), func(f RouteFinding) bool { return f.Found == routePresent })
	missing := 0
	for _, f := range odd {
		if f.Found == RouteMissing {
			missing++
		}
	}
	v := cli.List(odd, "operation", "method", "path", "found",
		"answer").PrintValue().WithNote("%d of %d documented routes exist, %d are missing, %d are unknown",
		len(all)-len(odd), len(all), missing, len(odd)-missing)
	if missing > 0 {
		v.Fail = &exitcode.Failure{Exit: exitcode.Job, Code: "findings", Msg: fmt.Sprintf("%d documented routes are "+
			"missing", missing)}
	}
	return v, nil
}

// probeIDs generates a value for every path parameter; only the project is real, if there is one.
func probeIDs(project string) map[string]string {
	ids := map[string]string{}
	for _, op := range spec.All() {
		for _, name := range op.Params() {
			if ids[name] != "" {
				continue
			}
			switch name {
			case "catalogId", "queryId":
				var b [8]byte
				_, _ = rand.Read(b[:]) // it never fails
				ids[name] = fmt.Sprint(1e18 + binary.BigEndian.Uint64(b[:])%8e18)
			case "projectId":
				if ids[name] = project; project == "" {
					ids[name] = rand.Text()[:8]
				}
			default:
				ids[name] = probeUUID()
			}
		}
	}
	return ids
}

func probeUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
