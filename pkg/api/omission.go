package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"unicode/utf16"
)

// OmissionHeader lists what is missing from a successful answer because it could not be read: one JSON-encoded Omission
// per header line, in ASCII. It is specific to zone local.
const OmissionHeader = "X-Left-Out"

// Omission is something that is missing from an answer.
type Omission struct {
	Kind   string `json:"kind"` // "catalog", "columns of" a table, "new categories of" a column, "more"
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

func (o Omission) String() string {
	switch {
	case o.Kind == "more":
		return o.Name + " more"
	case o.Reason == "":
		return o.Kind + " " + o.Name
	}
	return fmt.Sprintf("%s %s: %s", o.Kind, o.Name, o.Reason)
}

// maxOmissions limits the number of lines, and maxReason the length of a reason.
const (
	maxOmissions = 20
	maxReason    = 500
)

// TellOmissions writes omissions to the header of an answer.
func TellOmissions(h http.Header, all []Omission) {
	for i, o := range all {
		if i == maxOmissions {
			o = Omission{Kind: "more", Name: fmt.Sprint(len(all) - i)}
			all = all[:i]
		}
		if r := []rune(o.Reason); len(r) > maxReason {
			o.Reason = string(r[:maxReason]) + "..."
		}
		raw, _ := Marshal(o) // three strings
		var line []byte
		for _, r := range string(raw) {
			switch {
			case r < 0x7f:
				line = append(line, byte(r))
			case r < 0x10000:
				line = fmt.Appendf(line, `\u%04x`, r)
			default:
				high, low := utf16.EncodeRune(r)
				line = fmt.Appendf(line, `\u%04x\u%04x`, high, low)
			}
		}
		h.Add(OmissionHeader, string(line))
		if i == len(all) {
			return
		}
	}
}

// Omissions parses the header of an answer.
func Omissions(h http.Header) []Omission {
	var out []Omission
	for _, line := range h.Values(OmissionHeader) {
		var o Omission
		if json.Unmarshal([]byte(line), &o) != nil { // from another gateway: taken literally
			o = Omission{Kind: "something", Reason: line}
		}
		out = append(out, o)
	}
	return out
}
