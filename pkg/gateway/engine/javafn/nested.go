package javafn

import (
	"encoding/json"
	"strconv"
	"strings"
)

func nestedFunctions() []Function {
	return []Function{
		{"combinations", 2, combinations},
		{"split_to_map", 3, func(a []string) (string, bool, error) {
			return splitPairs(a, "'", func(m *object, key, value string) error {
				if m.values[key] != nil {
					return says("Duplicate keys (%s) are not allowed", key)
				}
				m.set(key, value)
				return nil
			})
		}},
		{"split_to_multimap", 3, func(a []string) (string, bool, error) {
			return splitPairs(a, "", func(m *object, key, value string) error {
				list, _ := m.values[key].([]string)
				m.set(key, append(list, value))
				return nil
			})
		}},
	}
}

// object is a JSON object that keeps the order of its keys.
type object struct {
	keys   []string
	values map[string]any
}

func (o *object) set(key string, value any) {
	if _, ok := o.values[key]; !ok {
		o.keys = append(o.keys, key)
	}
	o.values[key] = value
}

func (o *object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, k := range o.keys {
		if i > 0 {
			b = append(b, ',')
		}
		for j, part := range []any{k, o.values[k]} {
			text, err := json.Marshal(part)
			if err != nil {
				return nil, err
			}
			if j > 0 {
				b = append(b, ':')
			}
			b = append(b, text...)
		}
	}
	return append(b, '}'), nil
}

// splitPairs splits a string: entries by one delimiter, keys from values by another. The part after the last entry
// delimiter may be empty.
func splitPairs(a []string, quote string, add func(m *object, key, value string) error) (string, bool, error) {
	text, between, within := a[0], a[1], a[2]
	switch {
	case between == "":
		return "", false, says("entryDelimiter is empty")
	case within == "":
		return "", false, says("keyValueDelimiter is empty")
	case between == within:
		return "", false, says("entryDelimiter and keyValueDelimiter must not be the same")
	}
	m := &object{values: map[string]any{}}
	for text != "" {
		entry, rest, _ := strings.Cut(text, between)
		text = rest
		key, value, ok := strings.Cut(entry, within)
		if !ok || strings.Contains(value, within) {
			return "", false, says("Key-value delimiter must appear exactly once in each entry. Bad input: %s",
				quote+entry+quote)
		}
		if err := add(m, key, value); err != nil {
			return "", false, err
		}
	}
	return asJSON(m)
}

const (
	mostCombined     = 5
	mostCombinations = 100_000
)

// combinations lists the positions, from 1, of all combinations of k elements out of n, ordered by their last position,
// then by the previous one.
func combinations(a []string) (string, bool, error) {
	n, err := strconv.Atoi(a[0])
	if err != nil {
		return "", false, err
	}
	k, err := strconv.Atoi(a[1])
	switch {
	case err != nil:
		return "", false, err
	case k < 0:
		return "", false, says("combination size must not be negative: %d", k)
	case k > mostCombined:
		return "", false, says("combination size must not exceed %d: %d", mostCombined, k)
	case k > n:
		return "[]", true, nil
	}
	count := 1
	for i := 1; i <= k; i++ {
		if count = count * (n - k + i) / i; count > mostCombinations*mostCombined {
			break
		}
	}
	if count > mostCombinations {
		return "", false, says("combinations exceed max size")
	}
	list := make([][]int, 0, count)
	places := make([]int, k)
	for i := range places {
		places[i] = i + 1
	}
	for {
		list = append(list, append([]int{}, places...))
		i := 0
		for i < k-1 && places[i]+1 == places[i+1] { // the first that can be incremented
			i++
		}
		if i >= k || i == k-1 && places[i] == n {
			break
		}
		places[i]++
		for j := range i {
			places[j] = j + 1
		}
	}
	return asJSON(list)
}
