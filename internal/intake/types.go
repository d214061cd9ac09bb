package intake

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/dig-cli/dig/internal/clip"
	"github.com/dig-cli/dig/internal/rowfile/infer"
	"github.com/dustin/go-humanize"
)

// The inferred column types of internal tables. A DECIMAL without precision has ten decimal places and 28 digits before
// them; there is no type for binary floating point.
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

// kind is the type of a column of a table that represents a value.
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

var kindOf = [infer.Sorts]kind{infer.Wholes: isWhole, infer.Decimals: isDecimal, infer.Exponents: isDecimal,
	infer.Wides: isNumber, infer.Doubles: isNumber, infer.Flags: isFlag, infer.Dates: isDate, infer.Moments: isMoment,
	infer.UUIDs: isUUID, infer.Clocks: isClock} // the others are text

// column counts the values of a column of a file by the types of tables.
type column struct {
	*infer.Column
	counts [kinds]int64
	first  [kinds]infer.Sample
}

func columnOf(of *infer.Column) *column {
	c := &column{Column: of}
	for sort, n := range of.Counts {
		k, sample := kindOf[sort], of.First.Of[sort]
		if n > 0 && (c.counts[k] == 0 || sample.At < c.first[k].At) {
			c.first[k] = sample
		}
		c.counts[k] += n
	}
	return c
}

// Choice is the type of a column and why it is not a narrower one.
type Choice struct {
	Type   string
	Narrow bool   // Type is a decimal with the digits of the values
	Reason string // "" if the values determine the type
	Null   string // if this value were NULL, the type would be Other
	Other  string
}

// EmptyTexts is the beginning of a sentence about n empty texts.
func EmptyTexts(n int64) string {
	if n == 1 {
		return "1 empty text is"
	}
	return humanize.Comma(n) + " empty texts are"
}

// choose returns the type of a column. unit is the unit of the position of a sample.
func choose(of *infer.Column, unit string, narrow bool) Choice {
	c := columnOf(of)
	ch := c.choose(unit)
	if typ := of.Type(); narrow && strings.HasPrefix(typ, "decimal(") {
		ch = Choice{Type: strings.ToUpper(typ), Narrow: true}
		if c.Values == 0 {
			ch.Reason = "no values; the file declares " + c.Declared
		}
	}
	if c.Empty > 0 && ch.Type != Varchar {
		empty := fmt.Sprintf("%s NULL, first in %s %d", EmptyTexts(c.Empty), unit, of.First.Empty.At)
		if ch.Reason != "" {
			empty = ch.Reason + "; " + empty
		}
		ch.Reason = empty
	}
	return ch
}

func (c *column) choose(unit string) Choice {
	n := c.Values
	numbers := c.counts[isWhole] + c.counts[isDecimal] + c.counts[isNumber]
	about := func(k kind, is string) string {
		return fmt.Sprintf("%s of %s values %s, first %q in %s %d", humanize.Comma(c.counts[k]), humanize.Comma(n), is,
			clip.Bytes(c.first[k].Text, clipped), unit, c.first[k].At)
	}
	switch {
	case n == 0 && c.declaredType() != "":
		return Choice{Type: c.declaredType(), Reason: "no values; the file declares " + c.Declared}
	case n == 0 && c.Empty > 0:
		return Choice{Type: Varchar}
	case n == 0:
		return Choice{Type: Varchar, Reason: "no values"}
	case c.Declared == "timestamp(9)" && c.counts[isText] > 0:
		return Choice{Type: Varchar, Reason: about(isText, "have more than 6 decimal places of a second")}
	case c.counts[isText] > 0 && (c.Declared == "date" || strings.HasPrefix(c.Declared, "timestamp")):
		return Choice{Type: Varchar, Reason: about(isText, "are not in the years 1 to 9999")}
	case numbers == n && c.counts[isNumber] > 0:
		return Choice{Type: Varchar, Reason: about(isNumber,
			fmt.Sprintf("have more than %d decimal places or %d digits before them", infer.DecimalPlaces,
				infer.DecimalWhole))}
	case c.counts[isFlag] == n && c.Ways&(c.Ways-1) != 0:
		return Choice{Type: Varchar, Reason: "true and false are written in more than one way"}
	case c.counts[isMoment] == n && c.Forms&(c.Forms-1) != 0:
		return Choice{Type: Varchar, Reason: "the timestamps are written in more than one form"}
	case c.counts[isMoment] > 0 && c.counts[isDate] > 0 && c.counts[isMoment]+c.counts[isDate] == n:
		return Choice{Type: Varchar, Reason: about(isDate, "are dates without a time")}
	}
	if typ, all := c.most(); all == n {
		ch := Choice{Type: typ}
		if form := infer.Form(bits.TrailingZeros8(c.Forms)); typ == Timestamp && form&infer.FormZ != 0 {
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
		alike := !c.First.Mixed && c.counts[isText] == c.Counts[infer.Texts]
		if odd == isText && alike && c.counts[isText] == n-all && standsForNull(c.first[isText].Text) {
			ch.Null, ch.Other = c.first[isText].Text, typ
		}
		return ch
	}
	ch := Choice{Type: Varchar}
	if c.counts[isText] > 0 && !c.Strings && looksLikeNumber(c.first[isText].Text) {
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
	switch base, _, _ := strings.Cut(c.Declared, "("); base {
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
