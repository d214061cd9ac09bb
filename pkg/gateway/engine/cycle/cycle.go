// Package cycle rejects saved queries that refer to themselves.
package cycle

import (
	"strings"

	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Check returns an error if the saved query with this name is being read already, because it refers to itself. reading
// holds the names of the saved queries that are being read, outermost first.
func Check(reading []engine.TableName, name engine.TableName) error {
	for i, n := range reading {
		if n != name {
			continue
		}
		var chain []string
		for _, c := range reading[i:] {
			chain = append(chain, c.String())
		}
		return &engine.Error{Kind: engine.KindCycle, Message: "query refers to itself: " +
			strings.Join(append(chain, name.String()), " -> ")}
	}
	return nil
}
