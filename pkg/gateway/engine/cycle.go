package engine

import "strings"

// Cycle is the error for a name that one of the saved queries being read has, outermost first; nil if none has it.
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
