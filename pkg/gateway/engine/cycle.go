package engine

import "strings"

// Cycle returns an error if the saved query with this name is being read already, because it refers to itself. reading holds the names of
// the saved queries that are being read, outermost first.
func Cycle(reading []TableName, name TableName) error {
	for i, n := range reading {
		if n != name {
			continue
		}
		var chain []string
		for _, c := range reading[i:] {
			chain = append(chain, c.String())
		}
		return &Error{Kind: KindCycle, Message: "query refers to itself: " + strings.Join(append(chain, name.String()), " -> ")}
	}
	return nil
}
