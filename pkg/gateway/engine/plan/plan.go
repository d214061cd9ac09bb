// Package plan formats the plan of a statement as Trino's EXPLAIN does.
package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Node is one step of a plan, in the format of Trino's EXPLAIN (TYPE LOGICAL, FORMAT JSON).
type Node struct {
	ID         string            `json:"id"` // set by JSON
	Name       string            `json:"name"`
	Descriptor map[string]string `json:"descriptor"`
	Outputs    []Column          `json:"outputs"` // of the statement and of tables; nil elsewhere
	Details    []string          `json:"details"`
	Estimates  []Estimate        `json:"estimates"` // at most one
	Children   []*Node           `json:"children"`
}

// Column is an output column of a step.
type Column struct {
	Symbol string `json:"symbol"`
	Type   string `json:"type"`
}

// Estimate is the planner's estimate for a step.
type Estimate struct {
	Rows float64 `json:"outputRowCount"`
}

// JSON formats a plan as indented JSON.
func (n *Node) JSON() string {
	id := 0
	n.number(&id)
	b, err := json.MarshalIndent(n, "", "  ")
	if err != nil { // it consists of strings and numbers from JSON
		panic(err)
	}
	return string(b)
}

func (n *Node) number(id *int) {
	n.ID = strconv.Itoa(*id)
	*id++
	if n.Descriptor == nil {
		n.Descriptor = map[string]string{}
	}
	if n.Outputs == nil {
		n.Outputs = []Column{}
	}
	if n.Details == nil {
		n.Details = []string{}
	}
	if n.Estimates == nil {
		n.Estimates = []Estimate{}
	}
	if n.Children == nil {
		n.Children = []*Node{}
	}
	for _, c := range n.Children {
		c.number(id)
	}
}

// Text formats a plan as a tree, one step per line with its details below.
func (n *Node) Text() string {
	var b strings.Builder
	n.write(&b, "", "")
	return b.String()
}

func (n *Node) write(b *strings.Builder, head, rest string) {
	fmt.Fprintf(b, "%s%s", head, n.Name)
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(n.Descriptor)) {
		parts = append(parts, k+" = "+n.Descriptor[k])
	}
	if len(parts) > 0 {
		fmt.Fprintf(b, "[%s]", strings.Join(parts, ", "))
	}
	b.WriteByte('\n')
	bar := rest + "    "
	if len(n.Children) > 0 {
		bar = rest + "│   "
	}
	if len(n.Outputs) > 0 {
		cols := make([]string, len(n.Outputs))
		for i, c := range n.Outputs {
			cols[i] = c.Symbol + ":" + c.Type
		}
		fmt.Fprintf(b, "%sLayout: [%s]\n", bar, strings.Join(cols, ", "))
	}
	for _, e := range n.Estimates {
		fmt.Fprintf(b, "%sEstimates: {rows: %s}\n", bar, strconv.FormatFloat(e.Rows, 'f', -1, 64))
	}
	for _, d := range n.Details {
		fmt.Fprintf(b, "%s%s\n", bar, d)
	}
	for i, c := range n.Children {
		if i < len(n.Children)-1 {
			c.write(b, rest+"├─ ", rest+"│  ")
		} else {
			c.write(b, rest+"└─ ", rest+"   ")
		}
	}
}
