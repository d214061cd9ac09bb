package api

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// author writes random results: mostly sound, in every arrangement the decoder has to cope with.
type author struct {
	*rand.Rand
	spacious bool // white space between tokens
	steady   bool // rows of one layout
}

func (a *author) one(of ...string) string { return of[a.IntN(len(of))] }

func (a *author) chance(n int) bool { return a.IntN(n) == 0 }

func (a *author) space() string {
	if !a.spacious {
		return ""
	}
	return a.one("", "", " ", "\n\t", "\r\n  ")
}

func (a *author) list(open, end string, items []string) string {
	for i := range items {
		items[i] = a.space() + items[i] + a.space()
	}
	if len(items) == 0 {
		return open + a.space() + end
	}
	return open + strings.Join(items, ",") + end
}

func (a *author) pair(key, value string) string {
	return key + a.space() + ":" + a.space() + value
}

func (a *author) text() string {
	var b strings.Builder
	b.WriteByte('"')
	for range a.IntN(a.IntN(40) + 1) {
		b.WriteString(a.one("a", "b", "0", ",", "]", "}", " ", "'", "é", "日", "😀", `\n`, `\"`, `\\`, `\u00e9`,
			`\ud83d\ude00`, `\ud800`, "plain text "))
	}
	return b.String() + `"`
}

func (a *author) value(depth int) string {
	switch n := a.IntN(20); {
	case n < 9:
		return a.text()
	case n < 12:
		return "null"
	case n < 16:
		return a.one("0", "-1", "12345678901234567890", "1.50", "-0.5e-10", "1E5")
	case n < 18 || depth > 3:
		return a.one("true", "false")
	}
	var items []string
	object := a.chance(2)
	for range a.IntN(4) {
		if v := a.value(depth + 1); object {
			items = append(items, a.pair(a.text(), v))
		} else {
			items = append(items, v)
		}
	}
	if object {
		return a.list("{", "}", items)
	}
	return a.list("[", "]", items)
}

func (a *author) row(format Format, names []string, from int) string {
	var items []string
	for i, name := range names {
		switch format {
		case Compact:
			items = append(items, a.value(0))
			continue
		case Simple:
			if !a.chance(30) {
				items = append(items, a.pair(name, a.value(0)))
			}
			continue
		}
		cell := []string{a.pair(`"name"`, name), a.pair(`"displayName"`, name), a.pair(`"dataType"`, `"varchar"`)}
		if from >= 0 {
			cell = append(cell, a.pair(`"order"`, fmt.Sprint(i+from)))
		}
		if !a.chance(50) {
			cell = append(cell, a.pair(`"value"`, a.value(0)))
		}
		if !a.steady && a.chance(3) {
			a.shuffle(cell)
		}
		items = append(items, a.list("{", "}", cell))
	}
	if format != Compact && !a.steady && a.chance(3) {
		a.shuffle(items)
	}
	if a.chance(100) && len(items) > 0 {
		items = append(items, items[a.IntN(len(items))])
	}
	if format == Simple {
		return a.list("{", "}", items)
	}
	return a.list("[", "]", items)
}

func (a *author) shuffle(s []string) { a.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] }) }

func (a *author) document(format Format) string {
	a.spacious, a.steady = a.chance(3), a.chance(2)
	var names, columns, rows []string
	for range a.IntN(6) {
		names = append(names, a.one(`"a"`, `"b"`, `"c"`, `"d"`, `"\u0061"`, `"日"`, `"long column name"`, `"order"`))
	}
	for _, name := range names {
		columns = append(columns, a.list("{", "}", []string{a.pair(`"columnName"`, name),
			a.pair(`"tableName"`, `"t"`)}))
	}
	from := a.IntN(3) - 1
	for range a.IntN(12) {
		rows = append(rows, a.row(format, names, from))
	}
	members := []string{a.pair(`"data"`, a.list("[", "]", rows))}
	if !a.chance(4) {
		members = append(members, a.pair(`"columns"`, a.list("[", "]", columns)))
	}
	if a.chance(4) {
		members = append(members, a.pair(a.one(`"took"`, `"x"`, `"errorCode"`),
			a.one("null", `""`, "[1,{}]", a.value(0))))
	}
	if a.chance(2) {
		a.shuffle(members)
	} else if len(members) > 1 {
		members[0], members[1] = members[1], members[0]
	}
	return a.space() + a.list("{", "}", members) + a.space()
}

// Random results, every third with one byte changed, inserted or removed, decode as encoding/json has them.
func TestRowsRandom(t *testing.T) {
	sound, fast := 0, 0
	for seed := range uint64(6000) {
		a := &author{Rand: rand.New(rand.NewPCG(seed, 4))}
		format := benchFormats[a.IntN(3)]
		doc := []byte(a.document(format))
		if a.chance(3) {
			at, c := a.IntN(len(doc)), a.one(`"`, `\`, `,`, `:`, `{`, `}`, `[`, `]`, "0", "e", "\x01",
				"\xff", " ", "n")[0]
			switch a.IntN(3) {
			case 0:
				doc[at] = c
			case 1:
				doc = append(doc[:at], doc[at+1:]...)
			default:
				doc = append(doc[:at], append([]byte{c}, doc[at:]...)...)
			}
		}
		asked := format
		if a.chance(5) {
			asked = ""
		}
		agree(t, doc, asked, seed)
		if _, rows, err := reference(doc, asked); err == nil && len(rows) > 2 {
			sound++
			r := rowsOf(string(doc), asked)
			if _, _, err := drain(r); err == nil && r.template.live {
				fast++
			}
		}
	}
	if sound < 1000 || fast < 500 {
		t.Errorf("only %d of 6000 documents were sound and of several rows, only %d ended on a learned layout", sound,
			fast)
	}
	t.Logf("%d sound, %d learned", sound, fast)
}
