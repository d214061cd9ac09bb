package traces

import (
	"strconv"
	"time"
)

// The document of OTLP over HTTP, in JSON: ids in hexadecimal, 64-bit integers as text.
type (
	document struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource   resource     `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
	}
	resource struct {
		Attributes []attribute `json:"attributes"`
	}
	scopeSpans struct {
		Scope scope  `json:"scope"`
		Spans []span `json:"spans"`
	}
	scope struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	span struct {
		TraceID    string      `json:"traceId"`
		SpanID     string      `json:"spanId"`
		Parent     string      `json:"parentSpanId,omitempty"`
		Name       string      `json:"name"`
		Kind       int         `json:"kind"`
		Start      string      `json:"startTimeUnixNano"`
		End        string      `json:"endTimeUnixNano"`
		Attributes []attribute `json:"attributes,omitempty"`
		Status     *status     `json:"status,omitempty"`
	}
	attribute struct {
		Key   string `json:"key"`
		Value value  `json:"value"`
	}
	value struct {
		String *string `json:"stringValue,omitempty"`
		Int    *string `json:"intValue,omitempty"`
	}
	status struct {
		Code    int    `json:"code"`
		Message string `json:"message,omitempty"`
	}
)

const (
	kindInternal = 1
	kindServer   = 2
	codeError    = 2
)

func newSpan(name string, kind int, start time.Time, took time.Duration) span {
	nanos := func(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }
	return span{TraceID: id(16), SpanID: id(8), Name: name, Kind: kind, Start: nanos(start),
		End: nanos(start.Add(took))}
}

func text(key, s string) attribute { return attribute{key, value{String: &s}} }

// attributes adds pairs of a key and a text that is not empty.
func (s *span) attributes(pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			s.Attributes = append(s.Attributes, text(pairs[i], pairs[i+1]))
		}
	}
}

// number adds an integer that is not zero.
func (s *span) number(key string, n int64) {
	if n != 0 {
		s.Attributes = append(s.Attributes, attribute{key, value{Int: new(strconv.FormatInt(n, 10))}})
	}
}
