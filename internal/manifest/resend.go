package manifest

import (
	"maps"
	"slices"
	"strings"
)

// Resend adds a change for each connection whose credential in the files has members that the gateway does not return.
// These are secrets, so it is unknown whether they differ. Connections whose credential is sent anyway are not added.
func Resend(changes []Change, want, have *Project) []Change {
	var again []Change
	for _, c := range Of[*Connection](want, KindConnection) {
		if slices.ContainsFunc(changes, func(ch Change) bool {
			return ch.Ref == c.Ref && ch.Fields == nil ||
				ch.Ref == c.Ref && sends(ch)
		}) {
			continue
		}
		h, _ := have.Get(KindConnection, c.Name).(*Connection)
		if h == nil && c.RenamedFrom != "" {
			h, _ = have.Get(KindConnection, c.RenamedFrom).(*Connection)
		}
		if h == nil {
			continue
		}
		var fields []Difference
		for _, name := range slices.Sorted(maps.Keys(c.Credential)) {
			if _, told := h.Credential[name]; !told {
				fields = append(fields, Difference{Name: "credential " + name, From: "(unknown)", To: "(sent again)"})
			}
		}
		if fields == nil {
			continue
		}
		if i := slices.IndexFunc(changes, func(ch Change) bool { return ch.Ref == c.Ref }); i >= 0 { // renamed
			changes = slices.Clone(changes)
			changes[i].Fields = append(slices.Clone(changes[i].Fields), fields...)
			continue
		}
		again = append(again, Change{Action: Update, Ref: c.Ref, Fields: fields, Want: c, Have: h})
	}
	return append(again, changes...)
}

// sends reports whether a change of a connection sends its credential.
func sends(ch Change) bool {
	return slices.ContainsFunc(ch.Fields, func(f Difference) bool {
		return f.Name == "type" || strings.HasPrefix(f.Name,
			"credential ")
	})
}
