package api

import (
	"encoding/json"
	"fmt"
)

// slot is one value of a row as sent.
type slot struct {
	at    int  // index of the value in the window
	value Cell // nil: a CELL_TYPED cell without "value"
	name  Cell // CELL_TYPED "name" or SIMPLE key; nil for COMPACT
	typed typedCell
}

// typedCell holds the tokens of a CELL_TYPED cell besides its name and value, nil if absent.
type typedCell struct {
	display, dataType, order Cell
	values                   int // number of occurrences of "value"
}

// parseRow is the general parser: it finds the slots of the row at b[i], for any white space and order of keys.
func (r *Rows) parseRow(b []byte, i, end int) (int, fault) {
	if i >= end {
		return end, short
	}
	format := r.format
	if format == "" {
		if format = Compact; b[i] == '{' {
			format = Simple
		}
	}
	var n int
	var f fault
	switch c := b[i]; {
	case format == Simple && c == '{':
		n, f = r.parseObject(b, i, end)
	case format != Simple && c == '[':
		n, f = r.parseArray(b, i, end, format == CellTyped)
	default:
		if n, f = scanValue(b, i, end, 0); f == sound {
			return r.misshapen(b, i, end)
		}
	}
	if f != sound || r.count > 0 {
		return n, f
	}
	if format == Compact && looksTyped(r.layout.slots) {
		if r.format == Compact {
			r.why = fmt.Errorf("row 1 has the format %s, not %s", CellTyped, Compact)
			return i, explained
		}
		format = CellTyped
		n, f = r.parseArray(b, i, end, true)
	}
	r.format = format
	return n, f
}

// misshapen returns the error for a row that is a valid value of the wrong type.
func (r *Rows) misshapen(b []byte, i, end int) (int, fault) {
	what, hint := found(b[i:end]), ""
	switch {
	case b[i] == '{':
		hint = fmt.Sprintf(" (format %s)", Simple)
	case b[i] == '[':
		hint = fmt.Sprintf(" (format %s or %s)", Compact, CellTyped)
	}
	r.why = fmt.Errorf("row %d is %s%s, which is not a row of format %s", r.count+1, what, hint, r.formatName())
	return i, explained
}

func (r *Rows) formatName() string {
	if r.format == "" {
		return "CELL_TYPED, SIMPLE or COMPACT"
	}
	return string(r.format)
}

// looksTyped distinguishes a CELL_TYPED row from a COMPACT one that contains JSON objects.
func looksTyped(slots []slot) bool {
	for _, s := range slots {
		var keys map[string]json.RawMessage
		if s.value.Kind() != CellObject || json.Unmarshal(s.value, &keys) != nil {
			return false
		}
		for _, k := range []string{"name", "dataType", "order"} {
			if _, ok := keys[k]; !ok {
				return false
			}
		}
	}
	return len(slots) > 0
}

func (r *Rows) parseArray(b []byte, i, end int, typed bool) (int, fault) {
	slots := r.layout.slots[:0]
	defer func() { r.layout.slots = slots }()
	if i = skipSpace(b, i+1, end); i < end && b[i] == ']' {
		return i + 1, sound
	}
	for {
		var s slot
		var f fault
		if typed {
			i, f = r.parseCell(b, i, end, &s, len(slots))
		} else {
			s.at = i
			if i, f = scanValue(b, i, end, 0); f == sound {
				s.value = Cell(b[s.at:i:i])
			}
		}
		if f != sound {
			return i, f
		}
		slots = append(slots, s)
		switch i = skipSpace(b, i, end); {
		case i >= end:
			return end, short
		case b[i] == ']':
			return i + 1, sound
		case b[i] != ',':
			return i, stray
		}
		i = skipSpace(b, i+1, end)
	}
}

// parseCell parses one {"name":..., "displayName":..., "dataType":..., "order":..., "value":...} in any order of keys.
// Unknown keys are validated and skipped; of a repeated key the last counts.
func (r *Rows) parseCell(b []byte, i, end int, s *slot, nr int) (int, fault) {
	start := i
	if i >= end {
		return end, short
	}
	if b[i] != '{' {
		n, f := scanValue(b, i, end, 0)
		if f != sound {
			return n, f
		}
		r.why = fmt.Errorf("cell %d of row %d is %s, not an object: not a row of format %s", nr+1, r.count+1,
			found(b[i:end]), CellTyped)
		return i, explained
	}
	n, f := eachMember(b, i, end, func(key Cell, at int, v Cell) {
		switch string(keyText(key)) {
		case "name":
			s.name = v
		case "displayName":
			s.typed.display = v
		case "dataType":
			s.typed.dataType = v
		case "order":
			s.typed.order = v
		case "value":
			s.at, s.value = at, v
			s.typed.values++
		}
	})
	if f == sound && s.name == nil {
		r.why = fmt.Errorf("cell %d of row %d has no \"name\": not a row of format %s", nr+1, r.count+1, CellTyped)
		return start, explained
	}
	return n, f
}

// parseObject parses a SIMPLE row.
func (r *Rows) parseObject(b []byte, i, end int) (int, fault) {
	slots := r.layout.slots[:0]
	n, f := eachMember(b, i, end, func(key Cell, at int, v Cell) {
		slots = append(slots, slot{at: at, name: key, value: v})
	})
	r.layout.slots = slots
	return n, f
}

// eachMember parses the object at b[i] and calls do with each key, and its value at b[at].
func eachMember(b []byte, i, end int, do func(key Cell, at int, v Cell)) (int, fault) {
	if i = skipSpace(b, i+1, end); i < end && b[i] == '}' {
		return i + 1, sound
	}
	for {
		keyEnd, at, f := scanKey(b, i, end)
		if f != sound {
			return at, f
		}
		n, f := scanValue(b, at, end, 0)
		if f != sound {
			return n, f
		}
		do(Cell(b[i:keyEnd:keyEnd]), at, Cell(b[at:n:n]))
		switch i = skipSpace(b, n, end); {
		case i >= end:
			return end, short
		case b[i] == '}':
			return i + 1, sound
		case b[i] != ',':
			return i, stray
		}
		i = skipSpace(b, i+1, end)
	}
}

// keyText returns the text of a key, without copying if it has no escapes.
func keyText(key Cell) []byte {
	if t, ok := key.PlainText(); ok {
		return t
	}
	t, _ := key.AppendText(nil)
	return t
}
