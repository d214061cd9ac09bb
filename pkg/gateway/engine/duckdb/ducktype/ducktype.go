// Package ducktype has the types of DuckDB for those of Trino, and the forms in which their values are stored.
package ducktype

import (
	"fmt"
	"strconv"
	"strings"
)

// Of is the DuckDB type for a lower-case Trino type name, VARCHAR if there is none. Times that are more precise than
// DuckDB's are texts.
func Of(trino string) string {
	t := strings.ToLower(strings.TrimSpace(trino))
	base, args, _ := strings.Cut(t, "(")
	base = strings.TrimSpace(base)
	tail := ""
	if i := strings.LastIndexByte(args, ')'); i >= 0 {
		args, tail = args[:i], strings.TrimSpace(args[i+1:])
	}
	if tail != "" {
		base += " " + tail
	}
	digits, err := strconv.Atoi(strings.TrimSpace(args))
	switch base {
	case "time", "timestamp", "timestamp with time zone":
		switch {
		case args != "" && err != nil:
			return "VARCHAR"
		case base == "timestamp" && digits > 6 && digits <= 9:
			return "TIMESTAMP_NS"
		case digits > 6:
			return "VARCHAR"
		}
	}
	switch base {
	case "boolean", "tinyint", "smallint", "integer", "bigint", "double", "real", "date", "uuid", "time", "timestamp", "json":
		return strings.ToUpper(base)
	case "int":
		return "INTEGER"
	case "varbinary":
		return "BLOB"
	case "timestamp with time zone":
		return "TIMESTAMPTZ"
	case "decimal":
		p, s, _ := strings.Cut(args, ",")
		pn, err1 := strconv.Atoi(strings.TrimSpace(p))
		sn, err2 := strconv.Atoi(strings.TrimSpace(s))
		if args == "" {
			pn, sn, err1, err2 = 38, 0, nil, nil
		} else if s == "" {
			sn, err2 = 0, nil
		}
		if err1 == nil && err2 == nil && pn >= 1 && pn <= 38 && sn >= 0 && sn <= pn {
			return fmt.Sprintf("DECIMAL(%d,%d)", pn, sn)
		}
	}
	return "VARCHAR"
}
