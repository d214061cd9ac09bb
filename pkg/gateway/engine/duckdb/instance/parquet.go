//go:build cgo

package instance

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
)

// ReadParquet calls DuckDB's reader of Parquet for files that Link has named.
func ReadParquet(links []string, options ...string) string {
	list := make([]string, len(links))
	for i, l := range links {
		list[i] = sqltext.Literal(l)
	}
	options = append(options, "hive_partitioning = false", "can_have_nan = true")
	return "read_parquet([" + strings.Join(list, ", ") + "], " + strings.Join(options, ", ") + ")"
}

// ParquetTypes returns the types that DuckDB's reader gives the columns of a file.
func (c *Conn) ParquetTypes(ctx context.Context, link string) (map[string]string, error) {
	found := map[string]string{}
	err := c.Query(ctx, "DESCRIBE SELECT * FROM "+ReadParquet([]string{link}), nil, func(v []*string) error {
		found[*v[0]] = *v[1]
		return nil
	})
	return found, err
}

// sameValues are the conversions, from the types of DuckDB's reader to others, that change no value.
var sameValues = map[[2]string]bool{
	{"TINYINT", "INTEGER"}: true, {"SMALLINT", "INTEGER"}: true, {"UTINYINT", "BIGINT"}: true,
	{"USMALLINT", "BIGINT"}: true, {"UINTEGER", "BIGINT"}: true, {"UBIGINT", "DECIMAL(20,0)"}: true,
	{"TINYINT", "BIGINT"}: true, {"SMALLINT", "BIGINT"}: true, {"INTEGER", "BIGINT"}: true,
	{"TIME WITH TIME ZONE", "TIME"}: true, {"TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ"}: true,
}

// ReadColumn is what reads a column of one of DuckDB's types as another, "" if that could change a value.
func ReadColumn(name, typ, want string) string {
	switch {
	case name == "":
	case typ == want:
		return sqltext.Quote(name)
	case sameValues[[2]string{typ, want}]:
		return "CAST(" + sqltext.Quote(name) + " AS " + want + ")"
	}
	return ""
}
