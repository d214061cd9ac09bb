package metrics

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The text format of Prometheus, version 0.0.4. Its client library would add 2.7 MB to the program and about 1.5 ms to
// the start of every command, most of it for protocol buffers and for tables of the runtime's metrics.

const contentType = "text/plain; version=0.0.4; charset=utf-8"

// The types of a family.
const (
	counter   = "counter"
	gauge     = "gauge"
	histogram = "histogram"
)

// family is a metric with its values by labels. It is safe for concurrent use.
type family struct {
	name, kind, help string

	mu     sync.Mutex
	values map[string]float64
	spread map[string]*spread // of a histogram
}

// spread is the distribution of what a histogram has observed with some labels.
type spread struct {
	counts [len(bounds)]uint64
	sum    float64
	n      uint64
}

// bounds are the upper ends of the buckets of all histograms, in seconds.
var bounds = [...]float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800}

// labels formats pairs of a name and a value.
func labels(pairs ...string) string {
	if len(pairs) == 0 {
		return ""
	}
	var out []string
	for p := range slices.Chunk(pairs, 2) {
		out = append(out, p[0]+`="`+escaped.Replace(strings.ToValidUTF8(p[1], "\uFFFD"))+`"`)
	}
	return "{" + strings.Join(out, ",") + "}"
}

// escaped escapes the value of a label, which may come from a user.
var escaped = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

// single returns a metric with one value.
func single(name, kind, help string, n float64, pairs ...string) *family {
	f := &family{name: name, kind: kind, help: help}
	f.add(n, pairs...)
	return f
}

func (f *family) add(n float64, pairs ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.values == nil {
		f.values = map[string]float64{}
	}
	f.values[labels(pairs...)] += n
}

func (f *family) observe(seconds float64, pairs ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.spread == nil {
		f.spread = map[string]*spread{}
	}
	key := labels(pairs...)
	s := f.spread[key]
	if s == nil {
		s = &spread{}
		f.spread[key] = s
	}
	s.n++
	s.sum += seconds
	if i, _ := slices.BinarySearch(bounds[:], seconds); i < len(bounds) {
		s.counts[i]++
	}
}

// write writes a family; one without values has its head only.
func (f *family) write(w io.Writer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
	for _, key := range slices.Sorted(maps.Keys(f.values)) {
		fmt.Fprintf(w, "%s%s %s\n", f.name, key, number(f.values[key]))
	}
	for _, key := range slices.Sorted(maps.Keys(f.spread)) {
		s, sum := f.spread[key], uint64(0)
		for i, at := range bounds {
			sum += s.counts[i]
			fmt.Fprintf(w, "%s_bucket%s %d\n", f.name, with(key, number(at)), sum)
		}
		fmt.Fprintf(w, "%s_bucket%s %d\n%s_sum%s %s\n%s_count%s %d\n", f.name, with(key, "+Inf"), s.n, f.name, key,
			number(s.sum), f.name, key, s.n)
	}
}

// with adds the label of a bucket.
func with(key, le string) string {
	if key == "" {
		return labels("le", le)
	}
	return strings.TrimSuffix(key, "}") + `,le="` + le + `"}`
}

func number(x float64) string {
	if math.Trunc(x) == x && math.Abs(x) < 1<<53 {
		return strconv.FormatInt(int64(x), 10)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
