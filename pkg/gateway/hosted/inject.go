// Package hosted makes a served gateway misbehave on request: it reproduces quirks of the hosted zones, and injects
// faults of networks and servers.
package hosted

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/jobs"
	"github.com/dig-cli/dig/pkg/spec"
)

// Injection is a set of faults that a served gateway injects, for testing clients. With the same seed, the n-th call
// that matches a rule is treated the same way.
type Injection struct {
	mu    sync.Mutex
	rules []*faultRule
	free  chan struct{} // closed when the gateway stops, to release stalled calls
	once  sync.Once
}

// The modes of a fault.
const (
	faultStatus   = "status"
	faultLatency  = "latency"
	faultTruncate = "truncate"
	faultDrop     = "drop"
	faultStall    = "stall"
)

type faultRule struct {
	mode, value string
	status      int
	wait        time.Duration // latency
	jitter      time.Duration
	bytes       int64 // truncate and stall=response: number of bytes that are sent; -1 for a random number
	retryAfter  int   // seconds, -1 for none
	after       bool  // the operation runs first
	end         bool  // a truncated reply ends as if it were complete
	rate        float64
	left        int // number of remaining faults, -1 for no limit
	skip        int
	ops, jobs   []string
	random      *rand.Rand
}

// ParseInjection parses rules of the form MODE=VALUE[,KEY=VALUE]...; nil for none. Errors name the rule and what is
// wrong.
func ParseInjection(texts []string, seed uint64) (*Injection, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	in := &Injection{free: make(chan struct{})}
	for i, text := range texts {
		r, err := parseFault(text)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
		r.random = rand.New(rand.NewPCG(seed, uint64(i)))
		in.rules = append(in.rules, r)
	}
	return in, nil
}

func parseFault(text string) (*faultRule, error) {
	head, rest, _ := strings.Cut(text, ",")
	mode, value, ok := strings.Cut(head, "=")
	if !ok || value == "" {
		return nil, fmt.Errorf("not of the form MODE=VALUE; modes are status, latency, truncate, drop and stall")
	}
	r := &faultRule{mode: mode, value: value, rate: 1, left: -1, retryAfter: -1}
	var err error
	switch mode {
	case faultStatus:
		if r.status, err = strconv.Atoi(value); err != nil || r.status < 400 || r.status > 599 {
			return nil, fmt.Errorf("status %q is not a number from 400 to 599", value)
		}
	case faultLatency:
		if r.wait, err = time.ParseDuration(value); err != nil || r.wait < 0 {
			return nil, fmt.Errorf("latency %q is not a duration such as 200ms", value)
		}
	case faultTruncate:
		if r.bytes = -1; value != "random" {
			if r.bytes, err = strconv.ParseInt(value, 10, 64); err != nil || r.bytes < 0 {
				return nil, fmt.Errorf("truncate %q is neither a number of bytes nor random", value)
			}
		}
	case faultDrop:
		if r.after = value == "reply"; !r.after && value != "request" {
			return nil, fmt.Errorf("drop %q is neither request nor reply", value)
		}
	case faultStall:
		if value != "job" && value != "response" {
			return nil, fmt.Errorf("stall %q is neither job nor response", value)
		}
	default:
		return nil, fmt.Errorf("unknown mode %q; modes are status, latency, truncate, drop and stall", mode)
	}
	for rest != "" {
		var pair string
		pair, rest, _ = strings.Cut(rest, ",")
		key, v, ok := strings.Cut(pair, "=")
		if !ok || v == "" {
			return nil, fmt.Errorf("%q is not of the form KEY=VALUE", pair)
		}
		if err := r.set(key, v); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// set parses one KEY=VALUE after the mode.
func (r *faultRule) set(key, v string) error {
	var err error
	only := func(modes ...string) error {
		if !slices.Contains(modes, r.mode+"="+r.value) && !slices.Contains(modes, r.mode) {
			return fmt.Errorf("%s cannot be used with %s=%s", key, r.mode, r.value)
		}
		return nil
	}
	whole := func(into *int, least int) error {
		if *into, err = strconv.Atoi(v); err != nil || *into < least {
			return fmt.Errorf("%s %q is not an integer of at least %d", key, v, least)
		}
		return nil
	}
	switch key {
	case "rate":
		if r.rate, err = strconv.ParseFloat(v, 64); err != nil || math.IsNaN(r.rate) || r.rate < 0 || r.rate > 1 {
			return fmt.Errorf("rate %q is not a number from 0 to 1", v)
		}
	case "count":
		return whole(&r.left, 1)
	case "skip":
		return whole(&r.skip, 0)
	case "op":
		if err := only(faultStatus, faultLatency, faultTruncate, faultDrop, "stall=response"); err != nil {
			return err
		}
		if v != DownloadOp && !slices.ContainsFunc(append(spec.All(), spec.Local()...), func(o spec.Op) bool {
			return o.ID == v
		}) {
			return fmt.Errorf("op %q is not an operation", v)
		}
		r.ops = append(r.ops, v)
	case "job":
		if err := only("stall=job"); err != nil {
			return err
		}
		if all := []string{jobs.JobCache, jobs.JobExport, jobs.JobMaterialized, jobs.JobMetadata}; !slices.Contains(all,
			v) {
			return fmt.Errorf("job %q is not one of %s", v, strings.Join(all, ", "))
		}
		r.jobs = append(r.jobs, v)
	case "retry-after":
		if err := only(faultStatus); err != nil {
			return err
		}
		return whole(&r.retryAfter, 0)
	case "when":
		if err := only(faultStatus); err != nil {
			return err
		}
		if r.after = v == "after"; !r.after && v != "before" {
			return fmt.Errorf("when %q is neither before nor after", v)
		}
	case "jitter":
		if err := only(faultLatency); err != nil {
			return err
		}
		if r.jitter, err = time.ParseDuration(v); err != nil || r.jitter < 0 {
			return fmt.Errorf("jitter %q is not a duration such as 50ms", v)
		}
	case "end":
		if err := only(faultTruncate); err != nil {
			return err
		}
		if r.end = v == "clean"; !r.end && v != "broken" {
			return fmt.Errorf("end %q is neither broken nor clean", v)
		}
	case "after":
		if err := only("stall=response"); err != nil {
			return err
		}
		var n int
		err := whole(&n, 0)
		r.bytes = int64(n)
		return err
	default:
		return fmt.Errorf("unknown key %q", key)
	}
	return nil
}

// strike is the effect of a rule on one call.
type strike struct {
	*faultRule
	wait  time.Duration
	bytes int64
}

// draw decides which rules apply to a call of an operation, or to a job of a kind if op is empty.
func (in *Injection) draw(op, job string) []strike {
	in.mu.Lock()
	defer in.mu.Unlock()
	var out []strike
	for _, r := range in.rules {
		isJob := r.mode == faultStall && r.value == "job"
		if isJob != (op == "") || len(r.ops) > 0 && !slices.Contains(r.ops, op) || len(r.jobs) > 0 &&
			!slices.Contains(r.jobs, job) {
			continue
		}
		// Every matching call draws the same number of random numbers, whatever happens to it.
		hit, spread := r.random.Float64() < r.rate, r.random.Float64()
		if r.skip > 0 {
			r.skip--
			continue
		}
		if !hit || r.left == 0 {
			continue
		}
		if r.left > 0 {
			r.left--
		}
		s := strike{r, r.wait, r.bytes}
		if s.wait += time.Duration((2*spread - 1) * float64(r.jitter)); s.wait < 0 {
			s.wait = 0
		}
		if r.bytes < 0 {
			s.bytes = int64(math.Exp2(20 * spread)) // 1 byte to 1 MiB, small sizes as likely as large ones
		}
		out = append(out, s)
	}
	return out
}

// Release releases everything that is stalled.
func (in *Injection) Release() {
	if in != nil {
		in.once.Do(func() { close(in.free) })
	}
}
