package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"unicode/utf8"
)

// reference decodes a result with encoding/json, the whole document at once, by the rules that NewRows documents. It
// shares no code with the decoder.
func reference(doc []byte, format Format) (names []string, rows [][]string, err error) {
	if !utf8.Valid(doc) || !json.Valid(doc) {
		return nil, nil, errors.New("not JSON")
	}
	keys, values, err := orderedObject(doc)
	if err != nil {
		return nil, nil, err
	}
	var data []json.RawMessage
	known, late, seen, failed := false, false, map[string]bool{}, false
	for i, k := range keys {
		if (k == "columns" || k == "data") && seen[k] {
			return nil, nil, errors.New("twice")
		}
		seen[k] = true
		switch k {
		case "columns":
			if values[i][0] == 'n' {
				continue
			}
			var list []*ResultColumn
			if err := json.Unmarshal(values[i], &list); err != nil {
				return nil, nil, err
			}
			for _, c := range list {
				if c == nil {
					return nil, nil, errors.New("null column")
				}
				names = append(names, c.Name)
			}
			known, late = true, seen["data"]
		case "data":
			if err := json.Unmarshal(values[i], &data); err != nil {
				return nil, nil, err
			}
		case "errorCode", "error":
			var v any
			_ = json.Unmarshal(values[i], &v)
			switch v := v.(type) {
			case string:
				failed = failed || v != "" && v != "0" && v != "false"
			case float64:
				failed = failed || string(values[i]) != "0"
			case bool:
				failed = failed || v
			}
		}
	}
	if failed || !seen["data"] {
		return nil, nil, errors.New("no result")
	}
	if len(data) == 0 {
		return names, nil, nil
	}
	if format == "" {
		format = detect(data[0])
	} else if format == Compact && detect(data[0]) == CellTyped {
		return nil, nil, errors.New("typed, not compact")
	}
	lateNames := names
	if late {
		names, known = nil, false
	}
	switch format {
	case Compact:
		rows, err = refCompact(data, &names, known)
	case Simple:
		rows, err = refSimple(data, &names, known)
	default:
		rows, err = refTyped(data, &names, known)
	}
	if err != nil || !late {
		return names, rows, err
	}
	if len(lateNames) != len(names) {
		return nil, nil, errors.New("late columns do not fit")
	}
	switch format {
	case Compact:
		names = lateNames
	case Simple:
		for _, n := range names {
			if indexOf(lateNames, n) < 0 {
				return nil, nil, errors.New("late columns do not fit")
			}
		}
	}
	return names, rows, nil
}

func indexOf(list []string, s string) int {
	for i := range list {
		if list[i] == s {
			return i
		}
	}
	return -1
}

func detect(row json.RawMessage) Format {
	if row[0] == '{' {
		return Simple
	}
	var cells []map[string]json.RawMessage
	if json.Unmarshal(row, &cells) != nil || len(cells) == 0 {
		return Compact
	}
	for _, c := range cells {
		if c["name"] == nil || c["dataType"] == nil || c["order"] == nil {
			return Compact
		}
	}
	return CellTyped
}

func orderedObject(doc []byte) (keys []string, values []json.RawMessage, err error) {
	dec := json.NewDecoder(bytes.NewReader(doc))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, nil, fmt.Errorf("not an object: %v", err)
	}
	for dec.More() {
		k, err := dec.Token()
		if err != nil {
			return nil, nil, err
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return nil, nil, err
		}
		keys, values = append(keys, k.(string)), append(values, v)
	}
	return keys, values, nil
}

func refCompact(data []json.RawMessage, names *[]string, known bool) (rows [][]string, err error) {
	for _, d := range data {
		var cells []json.RawMessage
		if d[0] != '[' {
			return nil, errors.New("not an array")
		}
		if err := json.Unmarshal(d, &cells); err != nil {
			return nil, err
		}
		if !known {
			known = true
			for i := range cells {
				*names = append(*names, "column_"+strconv.Itoa(i+1))
			}
		}
		if len(cells) != len(*names) {
			return nil, errors.New("count")
		}
		row := make([]string, len(cells))
		for i, c := range cells {
			row[i] = string(c)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func refSimple(data []json.RawMessage, names *[]string, known bool) (rows [][]string, err error) {
	for _, d := range data {
		if d[0] != '{' {
			return nil, errors.New("not an object")
		}
		keys, values, err := orderedObject(d)
		if err != nil {
			return nil, err
		}
		if !known {
			known = true
			for _, k := range keys {
				if indexOf(*names, k) < 0 {
					*names = append(*names, k)
				}
			}
		}
		got := map[string]string{}
		for i, k := range keys {
			if indexOf(*names, k) < 0 {
				return nil, errors.New("unknown key")
			}
			got[k] = string(values[i])
		}
		row := make([]string, len(*names))
		for i, n := range *names {
			switch row[i] = "null"; {
			case slices.Equal(keys, *names): // also where columns share a name
				row[i] = string(values[i])
			case got[n] != "":
				row[i] = got[n]
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func refTyped(data []json.RawMessage, names *[]string, known bool) (rows [][]string, err error) {
	for nr, d := range data {
		var cells []map[string]json.RawMessage
		if d[0] != '[' {
			return nil, errors.New("not an array")
		}
		if err := json.Unmarshal(d, &cells); err != nil {
			return nil, err
		}
		if known && len(cells) != len(*names) {
			return nil, errors.New("count")
		}
		n := len(cells)
		own, order, sum := make([]string, n), make([]int, n), map[int]bool{}
		for i, c := range cells {
			if c == nil || c["name"] == nil {
				return nil, errors.New("no name")
			}
			if err := json.Unmarshal(c["name"], &own[i]); err != nil {
				own[i] = string(c["name"])
			}
			text := string(c["order"])
			_ = json.Unmarshal(c["order"], &text)
			v, err := strconv.Atoi(text)
			if order[i] = v; err == nil {
				sum[v] = true
			}
		}
		least := 0
		if !sum[0] {
			least = 1
		}
		valid := len(sum) == n
		for i := range n {
			valid = valid && sum[i+least]
		}
		for i := range order {
			order[i] -= least
		}
		position := make([]int, n)
		for i := range position {
			position[i] = i
		}
		named, unique := make([]int, n), map[string]bool{}
		for i := range own {
			named[i] = indexOf(*names, own[i])
			unique[own[i]] = true
		}
		fits := func(at []int) bool {
			for i := range at {
				if at[i] < 0 || (*names)[at[i]] != own[i] {
					return false
				}
			}
			return true
		}
		at := position
		switch {
		case !known && valid:
			at = order
		case !known:
		case valid && fits(order):
			at = order
		case fits(position):
		case len(unique) == n && fits(named):
			at = named
		case nr > 0:
			return nil, errors.New("names do not fit")
		case valid:
			at = order
		}
		if nr == 0 {
			*names, known = make([]string, n), true
			for i := range own {
				(*names)[at[i]] = own[i]
			}
		}
		row := make([]string, n)
		for i, c := range cells {
			if row[at[i]] = "null"; c["value"] != nil {
				row[at[i]] = string(c["value"])
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// crumbs is a body that comes in pieces of 1 to most bytes.
type crumbs struct {
	doc  []byte
	most int
	rnd  *rand.Rand
	err  error // at the end; io.EOF if nil
}

func (c *crumbs) Read(p []byte) (int, error) {
	if len(c.doc) == 0 {
		if c.err != nil {
			return 0, c.err
		}
		return 0, io.EOF
	}
	n := copy(p, c.doc[:min(len(c.doc), 1+c.rnd.IntN(c.most))])
	c.doc = c.doc[n:]
	if len(c.doc) == 0 && c.err == nil && c.rnd.IntN(2) == 0 {
		return n, io.EOF
	}
	return n, nil
}

func (c *crumbs) Close() error { return nil }

func newCrumbs(doc []byte, most int, seed uint64) *crumbs {
	return &crumbs{doc: doc, most: most, rnd: rand.New(rand.NewPCG(seed, 1))}
}

// drain reads all rows.
func drain(r *Rows) (names []string, rows [][]string, err error) {
	for r.Next() {
		row := make([]string, len(r.Row()))
		for i, c := range r.Row() {
			row[i] = string(c)
		}
		rows = append(rows, row)
	}
	if err := r.Err(); err != nil {
		return nil, rows, err
	}
	cols, err := r.Columns()
	for _, c := range cols {
		names = append(names, c.Name)
	}
	return names, rows, err
}
