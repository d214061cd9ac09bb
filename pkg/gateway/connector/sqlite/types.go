package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/late"
)

// column is a column of a table. SQLite stores any value in any column; a value that does not fit the type is an error.
type column struct {
	engine.ColumnInfo
	text         bool // SQLite stores every value of the column except a blob as text
	utf16        bool // texts are ordered by the bytes of their UTF-16 form
	width, scale int  // of a decimal
}

func columnOf(name, declared string, notNull bool) column {
	c := column{ColumnInfo: engine.ColumnInfo{Name: name, Type: typeOf(declared), Nullable: !notNull},
		text: isText(declared)}
	_, _ = fmt.Sscanf(c.Type, "decimal(%d,%d)", &c.width, &c.scale) // others have no width
	return c
}

var numericForm = late.Regexp(`^(?:DECIMAL|NUMERIC|DEC) ?\( ?([0-9]{1,4}) ?(?:, ?([0-9]{1,4}) ?)?\)`)

// typeOf maps a declared type. The order of the rules is that of SQLite's affinities, preceded by common type names
// that have more precise types.
func typeOf(declared string) string {
	d := strings.ToUpper(strings.Join(strings.Fields(declared), " "))
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(d, w) {
				return true
			}
		}
		return false
	}
	if m := numericForm().FindStringSubmatch(d); m != nil {
		p, _ := strconv.Atoi(m[1])
		s, _ := strconv.Atoi(m[2])
		if p >= 1 && p <= 38 && s <= p {
			return fmt.Sprintf("decimal(%d,%d)", p, s)
		}
		return "varchar"
	}
	switch name, _, _ := strings.Cut(d, "("); strings.TrimSpace(name) {
	case "BOOL", "BOOLEAN":
		return "boolean"
	case "DATE":
		return "date"
	case "DATETIME", "TIMESTAMP":
		return "timestamp"
	case "UUID":
		return "uuid"
	case "JSON":
		return "json"
	}
	switch {
	case has("INT"):
		return "bigint"
	case has("CHAR", "CLOB", "TEXT"):
		return "varchar"
	case has("BLOB"):
		return "varbinary"
	case has("REAL", "FLOA", "DOUB"):
		return "double"
	}
	return "varchar"
}

// isText reports whether a declared type has text affinity: numbers stored in such a column become strings.
func isText(declared string) bool {
	d := strings.ToUpper(declared)
	return !strings.Contains(d, "INT") && (strings.Contains(d, "CHAR") || strings.Contains(d, "CLOB") ||
		strings.Contains(d, "TEXT"))
}

// columns describes a table. Hidden columns of virtual tables are omitted, generated ones are not.
func (f *file) columns(ctx context.Context, c *sql.Conn, name string) ([]column, error) {
	rows, err := c.QueryContext(ctx, `SELECT name, type, "notnull" <> 0 OR pk > 0 AND upper(type) = 'INTEGER' FROM `+
		`pragma_table_xinfo(?, 'main') WHERE hidden IN (0, 2, 3) ORDER BY cid`, name)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []column
	for rows.Next() {
		var n, declared string
		var notNull bool
		if err := rows.Scan(&n, &declared, &notNull); err != nil {
			return nil, err
		}
		out = append(out, columnOf(n, declared, notNull))
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, errors.New("it has no readable columns")
	}
	var encoding string
	if err := c.QueryRowContext(ctx, `PRAGMA encoding`).Scan(&encoding); err != nil {
		return nil, err
	}
	for i := range out {
		out[i].utf16 = encoding != "UTF-8"
	}
	if !f.inspect {
		return out, nil
	}
	state := f.state()
	f.mu.Lock()
	seen, ok := f.seen[name]
	f.mu.Unlock()
	if ok && seen.state == state && len(seen.cols) == len(out) {
		return seen.cols, nil
	}
	if err := f.look(ctx, c, name, out); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen[name] = inspected{state, out}
	return out, nil
}

// inspected is the result of reading all values.
type inspected struct {
	state string
	cols  []column
}

// state returns a text that changes when the content of the file changes.
func (f *file) state() string {
	s := ""
	for _, p := range []string{f.path, f.path + "-wal"} {
		if info, err := os.Stat(p); err == nil {
			s += fmt.Sprint(info.Size(), info.ModTime().UnixNano(), " ")
		}
	}
	return s
}

// look reads all values. A column with values that do not fit its type gets a type that fits.
func (f *file) look(ctx context.Context, c *sql.Conn, name string, cols []column) error {
	var list []string
	for _, col := range cols {
		list = append(list, "+"+sqltext.Quote(col.Name))
	}
	rows, err := c.QueryContext(ctx, `SELECT `+strings.Join(list, ", ")+` FROM main.`+sqltext.Quote(name))
	if err != nil {
		return err
	}
	defer rows.Close()
	vals, into := make([]any, len(cols)), make([]any, len(cols))
	for i := range vals {
		into[i] = &vals[i]
	}
	misfit := make([]bool, len(cols))
	kinds := make([]map[string]bool, len(cols))
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i, v := range vals {
			if v == nil {
				continue
			}
			if kinds[i] == nil {
				kinds[i] = map[string]bool{}
			}
			kinds[i][kindOf(v)] = true
			if n, whole := v.(int64); whole && (n > 1<<53 || n < -1<<53) {
				kinds[i]["long"] = true // no double represents it
			}
			if !misfit[i] {
				_, err := cols[i].cell(v)
				misfit[i] = err != nil
			}
		}
	}
	for i := range cols {
		k := kinds[i]
		plain := cols[i].Type == "varchar" && !cols[i].text // not a meaningful type
		if !misfit[i] && !plain {
			continue
		}
		switch {
		case len(k) == 0:
		case len(k) == 1 && k["blob"]:
			cols[i].Type = "varbinary"
		case k["integer"] && !k["real"] && !k["text"] && !k["blob"]:
			cols[i].Type = "bigint"
		case !k["text"] && !k["blob"] && !k["long"]:
			cols[i].Type = "double"
		default:
			cols[i].Type = "varchar"
		}
		cols[i].text = cols[i].text && cols[i].Type == "varchar"
		cols[i].width = 0
	}
	return rows.Err()
}

func kindOf(v any) string {
	switch v.(type) {
	case int64:
		return "integer"
	case float64:
		return "real"
	case []byte:
		return "blob"
	}
	return "text"
}

var (
	dateForm   = late.Regexp(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)
	momentForm = late.Regexp(`^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?)?$`)
	uuidForm   = late.Regexp(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
)

var momentLayouts = []string{"2006-01-02 15:04:05.999999", "2006-01-02 15:04", "2006-01-02"}

// cell converts a value to the form of engine.Batches.
func (c column) cell(v any) (any, error) {
	typ := c.Type
	switch x := v.(type) {
	case nil:
		return nil, nil
	case int64:
		switch {
		case typ == "bigint":
			return x, nil
		case typ == "boolean" && (x == 0 || x == 1):
			return x == 1, nil
		case typ == "double" && x <= 1<<53 && x >= -1<<53:
			return float64(x), nil
		case typ == "varchar" || typ == "json":
			return strconv.FormatInt(x, 10), nil
		}
		if d, ok := c.decimal(strconv.FormatInt(x, 10)); ok {
			return d, nil
		}
	case float64:
		s := strconv.FormatFloat(x, 'f', -1, 64)
		switch typ {
		case "double":
			return x, nil
		case "varchar":
			if a := math.Abs(x); a >= 1e21 || a != 0 && a < 1e-6 {
				s = strconv.FormatFloat(x, 'g', -1, 64)
			}
			return s, nil
		}
		if d, ok := c.decimal(s); ok {
			return d, nil
		}
	case string:
		ok := false
		switch typ {
		case "varchar":
			ok = true
		case "json":
			ok = json.Valid([]byte(x))
		case "uuid":
			ok = uuidForm().MatchString(x)
		case "date":
			_, err := time.Parse(time.DateOnly, x)
			ok = err == nil && dateForm().MatchString(x)
		case "timestamp":
			if momentForm().MatchString(x) {
				for _, l := range momentLayouts {
					if t, err := time.Parse(l, strings.Replace(x, "T", " ", 1)); err == nil {
						return t, nil
					}
				}
			}
		default:
			if d, ok := c.decimal(x); ok {
				return d, nil
			}
		}
		if ok {
			return x, nil
		}
	case []byte:
		if typ == "varbinary" {
			return append([]byte{}, x...), nil
		}
		return nil, fmt.Errorf("a blob of %d bytes is not a valid %s", len(x), typ)
	}
	s := fmt.Sprint(v)
	if len(s) > 60 {
		s = strings.ToValidUTF8(s[:60], "") + "..."
	}
	return nil, fmt.Errorf("%q, stored as %s, is not a valid %s", s, kindOf(v), typ)
}

var plainNumber = late.Regexp(`^-?([0-9]+)(?:\.([0-9]+))?$`)

// decimal formats a number with the digits of the column, if that is a decimal that represents it exactly.
func (c column) decimal(s string) (string, bool) {
	scale := c.scale
	if c.width == 0 {
		return "", false
	}
	m := plainNumber().FindStringSubmatch(s)
	if m == nil || len(strings.TrimRight(m[2], "0")) > scale || len(strings.TrimLeft(m[1], "0")) > c.width-scale {
		return "", false
	}
	whole, fraction, _ := strings.Cut(s, ".")
	if scale == 0 {
		return whole, true
	}
	fraction += strings.Repeat("0", max(0, scale-len(fraction)))
	return whole + "." + fraction[:scale], true
}
