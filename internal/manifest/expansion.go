package manifest

import (
	"errors"

	"go.yaml.in/yaml/v3"
)

// maxNodes limits the values of a file after its aliases are expanded: a few lines can expand to billions.
const maxNodes = 1_000_000

var errExpansion = errors.New("its anchors and aliases expand to too many values, or refer to themselves")

// expansion counts the nodes of a file with aliases replaced.
type expansion map[*yaml.Node]int

func (x expansion) size(n *yaml.Node) (int, error) {
	if known, ok := x[n]; ok {
		if known < 0 { // an alias to a node that contains it
			return 0, errExpansion
		}
		return known, nil
	}
	x[n] = -1
	total := 1
	parts := n.Content
	if n.Kind == yaml.AliasNode {
		parts = []*yaml.Node{n.Alias}
	}
	for _, c := range parts {
		more, err := x.size(c)
		if err != nil {
			return 0, err
		}
		if total += more; total > maxNodes {
			return 0, errExpansion
		}
	}
	x[n] = total
	return total, nil
}
