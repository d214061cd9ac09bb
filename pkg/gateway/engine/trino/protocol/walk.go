package protocol

import "bytes"

// cut takes the rows out of a page, so that the rest can be decoded at no cost for them. A page without rows, or in
// which they are not found, is returned whole.
func cut(page []byte) (data, rest []byte) {
	key := []byte(`"data":[`)
	from := 0
	for {
		i := bytes.Index(page[from:], key)
		if i < 0 {
			return nil, page
		}
		i += from
		if depth(page[:i]) == 1 {
			start := i + len(key) - 1
			end := Skip(page, start)
			if end < 0 {
				return nil, page
			}
			rest = append(append(bytes.Clone(page[:i]), `"data":null`...), page[end:]...)
			return page[start:end], rest
		}
		from = i + len(key)
	}
}

// depth is the number of brackets that are open at the end of a part of a document; -1 within a string.
func depth(b []byte) int {
	n := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			if i = text(b, i); i < 0 {
				return -1
			}
			i--
		case '[', '{':
			n++
		case ']', '}':
			n--
		}
	}
	return n
}

// text is the index after the string that begins at i; -1 if it does not end.
func text(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// Skip is the index after the value that begins at i; -1 if it does not end.
func Skip(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return text(b, i)
	case '[', '{':
		open := 0
		for ; i < len(b); i++ {
			switch b[i] {
			case '"':
				if i = text(b, i); i < 0 {
					return -1
				}
				i--
			case '[', '{':
				open++
			case ']', '}':
				if open--; open == 0 {
					return i + 1
				}
			}
		}
		return -1
	}
	for ; i < len(b); i++ {
		switch b[i] {
		case ',', ']', '}', ' ', '\n', '\t', '\r':
			return i
		}
	}
	return i
}
