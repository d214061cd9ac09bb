package manifest

import (
	"errors"

	"go.yaml.in/yaml/v3"
)

// maxNodes limits the values of a file with its aliases replaced: a few lines can stand for billions.
const maxNodes = 1_000_000

var errExpansion = errors.New("its anchors and aliases stand for too many values, or for themselves")

// expansion counts the nodes of a file with aliases replaced.
type expansion map[*yaml.Node]int

func (x expansion) size(n *yaml.Node) (int, error) {
	if known, ok := x[n]; ok {
		if known < 0 { // within itself
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
