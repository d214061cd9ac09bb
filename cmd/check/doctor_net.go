package check

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
)

// steps are the events of a connection to the gateway.
type steps struct {
	mu                                 sync.Mutex
	hosts                              []string
	found                              []string
	dnsErr, dialErr, tlsErr            error
	to                                 string
	dns, connect, handshake            time.Duration
	dnsStart, connectStart, shakeStart time.Time
	state                              *tls.ConnectionState
}

// trace records the steps of one call. Addresses are tried concurrently, so the callbacks may run at the same time.
func (w *steps) trace() *httptrace.ClientTrace {
	locked := func(do func()) {
		w.mu.Lock()
		defer w.mu.Unlock()
		do()
	}
	return &httptrace.ClientTrace{
		DNSStart: func(i httptrace.DNSStartInfo) {
			locked(func() { w.hosts, w.dnsStart = append(w.hosts, i.Host), time.Now() })
		},
		DNSDone: func(i httptrace.DNSDoneInfo) {
			locked(func() {
				w.dns, w.dnsErr = time.Since(w.dnsStart), i.Err
				for _, a := range i.Addrs {
					w.found = append(w.found, a.String())
				}
			})
		},
		ConnectStart: func(_, _ string) {
			locked(func() {
				if w.connectStart.IsZero() {
					w.connectStart = time.Now()
				}
			})
		},
		ConnectDone: func(_, addr string, err error) {
			locked(func() {
				if err != nil {
					w.dialErr = err
					return
				}
				w.to, w.connect, w.dialErr = addr, time.Since(w.connectStart), nil
			})
		},
		TLSHandshakeStart: func() { locked(func() { w.shakeStart = time.Now() }) },
		TLSHandshakeDone: func(st tls.ConnectionState, err error) {
			locked(func() { w.handshake, w.state, w.tlsErr = time.Since(w.shakeStart), &st, err })
		},
	}
}

// network makes one call step by step, and then a few for the latency. Without a key nothing is sent to the address,
// which a project file may have chosen.
func (d *doctor) network(ctx context.Context, s *config.Settings) {
	skipped := func(why string, checks ...string) {
		for _, c := range checks {
			if !slices.ContainsFunc(d.found, func(f Diagnosis) bool { return f.Check == c }) {
				d.skip(c, "%s", why)
			}
		}
	}
	rest := []string{"gateway", "clock", "key kind", "latency", "routes"}
	if _, err := s.NeedKey(); err != nil || d.e.Run.Flags.Explain {
		why := "without a key nothing is sent to " + s.BaseURL.Value
		if err == nil {
			why = "--explain sends nothing"
		}
		skipped(why, append([]string{"proxy", "dns", "connect", "tls"}, rest...)...)
		return
	}
	cl, err := d.e.Client()
	if err != nil {
		d.fail(ctx, "gateway", err)
		return
	}
	u, err := url.Parse(s.BaseURL.Value)
	if err != nil {
		d.fail(ctx, "gateway", err)
		return
	}
	proxy, err := api.ProxyFor(u)
	if err != nil {
		d.fail(ctx, "proxy", err)
		skipped("the proxy is not usable", append([]string{"dns", "connect", "tls"}, rest...)...)
		return
	}
	w := &steps{}
	start := d.e.Now()
	info, header, err := askInfo(httptrace.WithClientTrace(ctx, w.trace()), cl)
	took := d.e.Now().Sub(start)
	if ctx.Err() != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !d.way(ctx, u, proxy, w, err) {
		skipped("the gateway was not reached", rest...)
		return
	}
	if err != nil {
		d.refused(ctx, s, err)
	} else {
		d.ok("gateway", "%s answers", s.BaseURL.Value)
	}
	d.clock(header, start.Add(took/2))
	if err != nil {
		skipped("the gateway did not identify the key", "key kind", "latency", "routes")
		return
	}
	d.kind(s, cli.FactsOf(info))
	d.latency(ctx, cl)
	d.checkRoutes(ctx, cl)
}

// askInfo asks for the owner of the key. It returns the header of any reply, also of one with an error status.
func askInfo(ctx context.Context, cl *api.Client) (info api.ProjectInfo, header http.Header, err error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	rep, err := cl.Do(ctx, http.MethodGet, "/info", nil, nil, nil)
	if err != nil {
		return info, nil, err
	}
	defer rep.Body.Close()
	if rep.Status > 299 {
		return info, rep.Header, api.ReadError(http.MethodGet, cl.BaseURL()+"/info", rep)
	}
	raw, err := rep.ReadAll()
	if err == nil && (json.Unmarshal(raw, &info) != nil || info.UserID == "") {
		err = &api.Error{Kind: api.KindProtocol, Status: rep.Status, Message: "the server is not a gateway",
			Hint: "check the base address, which usually ends in /api/v1"}
	}
	return info, rep.Header, err
}

// way reports on the steps before the first byte, and whether there was a reply.
func (d *doctor) way(ctx context.Context, u, proxy *url.URL, w *steps, err error) bool {
	var ae *api.Error
	replied := err == nil || errors.As(err, &ae) && ae.Status != 0
	first := u.Host
	switch {
	case proxy == nil:
		d.ok("proxy", "none for %s", u.Host)
	case w.dnsErr != nil || w.to == "" || errors.Is(err, api.ErrProxy):
		d.fail(ctx, "proxy", err)
		for _, c := range []string{"dns", "connect", "tls"} {
			d.skip(c, "the proxy does not connect")
		}
		return false
	default:
		first = proxy.Host
		d.ok("proxy", "%s, in %s", proxy.Redacted(), round(w.connect))
	}
	switch {
	case proxy != nil:
		d.skip("dns", "left to the proxy")
	case w.dnsErr != nil:
		d.fail(ctx, "dns", err)
		d.skip("connect", "no address")
		d.skip("tls", "no address")
		return false
	case len(w.hosts) == 0:
		d.ok("dns", "%s needs no name resolution", u.Hostname())
	default:
		d.ok("dns", "%s is %s, in %s", u.Hostname(), strings.Join(w.found, ", "), round(w.dns))
	}
	switch {
	case w.to == "":
		d.fail(ctx, "connect", err)
		d.skip("tls", "no connection")
		return false
	case proxy != nil:
		d.skip("connect", "left to the proxy")
	default:
		d.ok("connect", "%s at %s, in %s", first, w.to, round(w.connect))
	}
	switch {
	case u.Scheme == "http":
		d.ok("tls", "none: http on this machine")
	case w.state == nil:
		d.fail(ctx, "tls", err)
		return false
	case w.tlsErr != nil:
		d.fail(ctx, "tls", err)
		return false
	default:
		d.certificate(w)
	}
	if !replied {
		d.fail(ctx, "gateway", err)
	}
	return replied
}

// certificate reports on the encrypted connection.
func (d *doctor) certificate(w *steps) {
	about := tls.VersionName(w.state.Version) + ", in " + round(w.handshake)
	if len(w.state.PeerCertificates) > 0 {
		c := w.state.PeerCertificates[0]
		about += fmt.Sprintf("; certificate of %s by %s, until %s", c.Subject.CommonName, c.Issuer.CommonName,
			c.NotAfter.Format(time.DateOnly))
		if c.NotAfter.Sub(d.e.Now()) < 14*24*time.Hour {
			d.add("tls", statusWarning, "tell the operators of the gateway", "%s", about)
			return
		}
	}
	d.ok("tls", "%s", about)
}

// refused reports on an error reply.
func (d *doctor) refused(ctx context.Context, s *config.Settings, err error) {
	f := cli.Classify(ctx, err)
	var ae *api.Error
	if errors.As(err, &ae) && ae.Kind == api.KindUnauthorized {
		f.Hint = "`dig auth login` stores another key"
		if config.ZoneOfAddress(s.BaseURL.Value) != "" {
			f.Hint += "; a key of one zone is not known in the other"
		}
	}
	d.add("gateway", statusFailed, f.Hint, "%s: %s", s.BaseURL.Value, f.Msg)
}

// clock compares the clock of this machine with the gateway's. The Date header has a resolution of one second.
func (d *doctor) clock(header http.Header, here time.Time) {
	there, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		d.skip("clock", "the gateway does not send its time")
		return
	}
	off := here.Sub(there)
	const hint = "set the clock of this machine; expiries, signed links and certificates are compared with it"
	switch {
	case off.Abs() < 30*time.Second:
		d.ok("clock", "as the gateway's")
	case off.Abs() < 5*time.Minute:
		d.add("clock", statusWarning, hint, "%s off the gateway's", off.Round(time.Second))
	default:
		d.add("clock", statusFailed, hint, "%s off the gateway's", off.Round(time.Second))
	}
}

// kind compares the facts of the gateway about the key with the stored ones.
func (d *doctor) kind(s *config.Settings, facts config.KeyFacts) {
	about := facts.Kind + " key of " + facts.User
	if facts.Kind == config.KindProject {
		about += ", of project " + strings.TrimSpace(facts.Project+" "+facts.ProjectName)
	}
	project := s.Project.Value
	switch {
	case s.KeyFacts.Kind != "" && s.KeyFacts.Kind != facts.Kind:
		d.add("key kind", statusWarning, "`dig auth whoami --refresh` stores the answer", "%s; the profile says %s",
			about, s.KeyFacts.Kind)
	case facts.Kind == config.KindProject && project != "" && project != facts.Project && project != facts.ProjectName:
		d.add("key kind", statusWarning, "set the project of the key, or use another key",
			"%s; the project is set to %s (%s)", about, project, s.Project.From)
	default:
		d.ok("key kind", "%s", about)
	}
}

// latency reports the median of a few calls over the open connection.
func (d *doctor) latency(ctx context.Context, cl *api.Client) {
	var times []time.Duration
	for range 3 {
		start := time.Now()
		if _, _, err := askInfo(ctx, cl); err != nil {
			d.add("latency", statusWarning, "try again", "a later call failed: %v", err)
			return
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	if median := times[1]; median > time.Second {
		d.add("latency", statusWarning,
			"large results are slow over such a connection; exports are files that can be resumed",
			"%s for a call", round(median))
	} else {
		d.ok("latency", "%s for a call", round(median))
	}
}

// checkRoutes reports which documented routes there are.
func (d *doctor) checkRoutes(ctx context.Context, cl *api.Client) {
	const check = "routes"
	if !d.routes {
		d.skip(check, "not asked for: --routes")
		return
	}
	all, err := findRoutes(ctx, cl, "")
	if err != nil {
		d.fail(ctx, check, err)
		return
	}
	count := map[string]int{}
	for _, f := range all {
		count[f.Found]++
	}
	status, hint := statusOK, ""
	if count[RouteMissing] > 0 {
		status, hint = statusWarning, "`dig check --routes` lists them"
	}
	d.add(check, status, hint, "%d of %d documented routes exist, %d are missing, %d are unknown", count[routePresent],
		len(all), count[RouteMissing], count[RouteUnknown])
}

func round(t time.Duration) string {
	if t > time.Second {
		return t.Round(10 * time.Millisecond).String()
	}
	return t.Round(100 * time.Microsecond).String()
}
