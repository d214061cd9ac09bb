package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// MarshalJSON writes the array of a condition or the object of a group. It fails unless exactly one of them is set.
func (n FilterNode) MarshalJSON() ([]byte, error) {
	switch {
	case (n.Condition == nil) == (n.Group == nil):
		return nil, errors.New("a filter node is either a condition or a group")
	case n.Condition != nil:
		return json.Marshal(n.Condition)
	default:
		return json.Marshal(n.Group)
	}
}

// UnmarshalJSON distinguishes a condition from a group by its first byte.
func (n *FilterNode) UnmarshalJSON(b []byte) error {
	*n = FilterNode{}
	switch {
	case len(b) > 0 && b[0] == '[':
		n.Condition = new(FilterCondition)
		return json.Unmarshal(b, n.Condition)
	case len(b) > 0 && b[0] == '{':
		n.Group = new(FilterGroup)
		return json.Unmarshal(b, n.Group)
	default:
		return fmt.Errorf("a filter is a condition [column, operator, values] or an object with and/or, not %s",
			found(b))
	}
}

// MarshalJSON writes the name, or the object of a column.
func (c SelectedColumn) MarshalJSON() ([]byte, error) {
	if c.Column != nil {
		return json.Marshal(filterTarget{c.Column})
	}
	return json.Marshal(c.Name)
}

// UnmarshalJSON reads a name, or {"column":{...}}.
func (c *SelectedColumn) UnmarshalJSON(b []byte) error {
	*c = SelectedColumn{}
	switch {
	case len(b) > 0 && b[0] == '"':
		return json.Unmarshal(b, &c.Name)
	case len(b) > 0 && b[0] == '{':
		var target filterTarget
		if err := decodeStrict(b, &target); err != nil {
			return fmt.Errorf("selected column: %w", err)
		}
		if c.Column = target.Column; c.Column == nil {
			return errors.New("selected column: the object has no \"column\"")
		}
		return nil
	}
	return fmt.Errorf("a selected column is a name or an object with \"column\", not %s", found(b))
}

// filterGroup is FilterGroup without its methods.
type filterGroup FilterGroup

// UnmarshalJSON rejects keys other than and, or.
func (g *FilterGroup) UnmarshalJSON(b []byte) error {
	var got filterGroup
	if err := decodeStrict(b, &got); err != nil {
		return fmt.Errorf("filter group: %w", err)
	}
	*g = FilterGroup(got)
	return nil
}

// filterTarget is the first element of a condition [S].
type filterTarget struct {
	Column *FilterColumn `json:"column"`
}

// MarshalJSON writes [{"column":{...}}, op, [values]].
func (c FilterCondition) MarshalJSON() ([]byte, error) {
	values := c.Values
	if values == nil {
		values = []any{}
	}
	return json.Marshal([]any{filterTarget{&c.Column}, c.Op, values})
}

// UnmarshalJSON parses [{"column":{...}}, op, [values]]; null for the values counts as none.
func (c *FilterCondition) UnmarshalJSON(b []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(b, &parts); err != nil {
		return fmt.Errorf("filter condition: %w", err)
	}
	if len(parts) != 3 {
		return fmt.Errorf("a filter condition has three elements [column, operator, values], not %d", len(parts))
	}
	var target filterTarget
	if err := decodeStrict(parts[0], &target); err != nil {
		return fmt.Errorf("filter condition: column: %w", err)
	}
	if target.Column == nil {
		return errors.New("filter condition: the first element has no \"column\"")
	}
	var op *string
	if err := json.Unmarshal(parts[1], &op); err != nil {
		return fmt.Errorf("filter condition: operator: %w", err)
	}
	if op == nil {
		return errors.New("filter condition: the operator is null")
	}
	var values []any
	if err := decodeStrict(parts[2], &values); err != nil {
		return fmt.Errorf("filter condition: values: %w", err)
	}
	*c = FilterCondition{Column: *target.Column, Op: *op, Values: values}
	return nil
}

// decodeStrict rejects unknown keys and keeps numbers exact.
func decodeStrict(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	d.UseNumber()
	return d.Decode(v)
}
