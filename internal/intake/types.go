package intake

import (
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/clip"
	"github.com/dig-cli/dig/internal/rowfile/infer"
	"github.com/dustin/go-humanize"
)

// The inferred column types of internal tables. A DECIMAL has ten decimal places and 28 digits before them; there is no
// type for binary floating point.
const (
	Varchar   = "VARCHAR"
	Bigint    = "BIGINT"
	Decimal   = "DECIMAL"
	Boolean   = "BOOLEAN"
	Date      = "DATE"
	Timestamp = "TIMESTAMP"
	UUID      = "UUID"
	Clock     = "TIME" // only where a file declares it
)

// clipped is the number of bytes of a value in a message.
const clipped = 40

// kind is the type of a value, inferred from its text.
type kind uint8

const (
	isText    kind = iota
	isWhole        // a bigint
	isDecimal      // a number that DECIMAL represents
	isNumber       // a number that neither represents
	isFlag
	isDate
	isMoment
	isUUID
	isClock
	kinds int = iota
)

// column collects the properties of the values of a column.
type column struct {
	values int64
	counts [kinds]int64
	first  [kinds]sample
	alike  bool       // all text values equal the first of them
	flags  uint8      // the spellings of true and false that occur
	forms  [8]int64   // number of timestamps of each form
	whole  infer.Form // of the first timestamp
	typed  bool       // the file declares the values as text

	declared string // the type that the file declares, "" for most formats
}

// sample is a value and its position in the file.
type sample struct {
	at   int64
	text string
}

// add adds a value. Null values are not added.
func (c *column) add(s []byte, at int64) { c.count(c.kindOf(s), s, at) }

func (c *column) count(k kind, s []byte, at int64) {
	c.values++
	if c.counts[k]++; c.counts[k] == 1 {
		c.first[k] = sample{at, string(s)}
		if k == isText {
			c.alike = true
		}
	} else if k == isText && c.alike && string(s) != c.first[k].text {
		c.alike = false
	}
}

func (c *column) kindOf(s []byte) kind {
	v := infer.Classify(s)
	switch v.Kind {
	case infer.Number:
		if infer.MinusZero(s) {
			return isText
		}
		return numberOf(s, v)
	case infer.Date:
		return isDate
	case infer.Moment:
		if c.counts[isMoment] == 0 {
			c.whole = v.Form
		}
		c.forms[v.Form]++
		return isMoment
	case infer.Flag:
		c.flags |= v.Way
		return isFlag
	case infer.UUID:
		return isUUID
	}
	return isText
}

// numberOf returns the column type that represents a number.
func numberOf(s []byte, v infer.Class) kind {
	switch {
	case v.Scale == 0 && !v.Exponent:
		return isWhole
	case v.Fits(s):
		return isDecimal
	}
	return isNumber
}

// Choice is the type of a column and why it is not a narrower one.
type Choice struct {
	Type   string
	Reason string // "" if the values determine the type
	Null   string // if this value were NULL, the type would be Other
	Other  string
}

// choose returns the type of a column. unit is the unit of the position of a sample.
func (c *column) choose(unit string) Choice {
	n := c.values
	numbers := c.counts[isWhole] + c.counts[isDecimal] + c.counts[isNumber]
	about := func(k kind, is string) string {
		return fmt.Sprintf("%s of %s values %s, first %q in %s %d", humanize.Comma(c.counts[k]), humanize.Comma(n), is,
			clip.Bytes(c.first[k].text, clipped), unit, c.first[k].at)
	}
	switch {
	case n == 0 && c.declaredType() != "":
		return Choice{Type: c.declaredType(), Reason: "no values; the file declares " + c.declared}
	case n == 0:
		return Choice{Type: Varchar, Reason: "no values"}
	case c.declared == "timestamp(9)" && c.counts[isText] > 0:
		return Choice{Type: Varchar, Reason: about(isText, "have more than 6 decimal places of a second")}
	case numbers == n && c.counts[isNumber] > 0:
		return Choice{Type: Varchar, Reason: about(isNumber,
			fmt.Sprintf("have more than %d decimal places or %d digits before them", infer.DecimalPlaces,
				infer.DecimalWhole))}
	case c.counts[isFlag] == n && c.flags&(c.flags-1) != 0:
		return Choice{Type: Varchar, Reason: "true and false are written in more than one way"}
	case c.counts[isMoment] == n && c.forms[c.whole] != n:
		return Choice{Type: Varchar, Reason: "the timestamps are written in more than one form"}
	case c.counts[isMoment] > 0 && c.counts[isDate] > 0 && c.counts[isMoment]+c.counts[isDate] == n:
		return Choice{Type: Varchar, Reason: about(isDate, "are dates without a time")}
	}
	if typ, all := c.most(); all == n {
		ch := Choice{Type: typ}
		if typ == Timestamp && c.whole&infer.FormZ != 0 {
			ch.Reason = "in UTC, stored without the Z"
		}
		return ch
	} else if all*2 >= n { // the type without some of the values
		odd := isText
		for k := range kinds {
			if kind(k) != isText && c.counts[k] > 0 && !fits(kind(k), typ) {
				odd = kind(k)
			}
		}
		if c.counts[isText] > 0 {
			odd = isText
		}
		ch := Choice{Type: Varchar, Reason: about(odd, "are not "+strings.ToLower(typ))}
		if odd == isText && c.alike && c.counts[isText] == n-all && standsForNull(c.first[isText].text) {
			ch.Null, ch.Other = c.first[isText].text, typ
		}
		return ch
	}
	ch := Choice{Type: Varchar}
	if c.counts[isText] > 0 && !c.typed && looksLikeNumber(c.first[isText].text) {
		ch.Reason = about(isText, "would not come back unchanged from a number")
	}
	return ch
}

// most returns the type of most values, and their number.
func (c *column) most() (typ string, n int64) {
	numbers := c.counts[isWhole] + c.counts[isDecimal]
	typ, n = Bigint, numbers
	if c.counts[isDecimal] > 0 {
		typ = Decimal
	}
	for k, t := range map[kind]string{isFlag: Boolean, isDate: Date, isMoment: Timestamp, isUUID: UUID,
		isClock: Clock} {
		if c.counts[k] > n {
			typ, n = t, c.counts[k]
		}
	}
	return typ, n
}

func fits(k kind, typ string) bool {
	switch k {
	case isWhole:
		return typ == Bigint || typ == Decimal
	case isDecimal:
		return typ == Decimal
	case isFlag:
		return typ == Boolean
	case isDate:
		return typ == Date
	case isMoment:
		return typ == Timestamp
	case isUUID:
		return typ == UUID
	case isClock:
		return typ == Clock
	}
	return false
}

// declaredType is the type of a column without values in a file that declares its types; "" if no type of a table is
// like it.
func (c *column) declaredType() string {
	switch base, _, _ := strings.Cut(c.declared, "("); base {
	case "boolean", "date", "time", "timestamp", "uuid", "bigint":
		return strings.ToUpper(base)
	case "integer", "smallint", "tinyint":
		return Bigint
	case "decimal", "double", "real": // each value of them that fits makes a DECIMAL
		return Decimal
	case "timestamp with time zone":
		return Timestamp
	}
	return ""
}

// standsForNull reports whether a text is one that programs write for missing values.
func standsForNull(s string) bool {
	switch strings.ToLower(s) {
	case "", "na", "n/a", "#n/a", "<na>", "nan", "null", "(null)", "none", "nil", "missing", "unknown", `\n`, "-", "--",
		".", "..", "?", "*":
		return true
	}
	return false
}

func looksLikeNumber(s string) bool {
	return strings.ContainsAny(s, "0123456789") && strings.Trim(s, "0123456789+-., eE") == ""
}
