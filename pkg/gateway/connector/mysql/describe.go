package mysql

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// relation is a table or a view, opened for reading.
type relation struct {
	s    *server
	name string // quoted
	cols []column
}

// column is a column of a table with the server's description of its type.
type column struct {
	engine.ColumnInfo
	base    string // the type without a length or precision
	data    string // data_type, in lower case
	charset string // "" if the type has none
}

// find returns the server's spelling of a table name.
func (s *server) find(ctx context.Context, schema, table string) (string, string, error) {
	schema, names, err := s.names(ctx, schema)
	if err != nil {
		return "", "", err
	}
	found, err := connector.PickTable(table, names)
	return schema, found, err
}

// Table opens a table or a view for reading.
func (s *server) Table(ctx context.Context, schema, table string) (engine.Scanner, error) {
	t, err := s.relation(ctx, schema, table) // the name usually has the server's spelling
	if err != nil || len(t.cols) > 0 {
		return t, err
	}
	if schema, table, err = s.find(ctx, schema, table); err != nil {
		return nil, err
	}
	if t, err = s.relation(ctx, schema, table); err != nil || len(t.cols) > 0 {
		return t, err
	}
	// A view over missing objects has no columns, and returns the error when it is read.
	broken, err := s.db.QueryContext(ctx, "SELECT * FROM "+t.name+" LIMIT 0")
	if err != nil {
		return nil, err
	}
	defer broken.Close()
	return t, broken.Err()
}

// relation returns the table of exactly that name, without columns if it does not exist.
func (s *server) relation(ctx context.Context, schema, table string) (*relation, error) {
	t := &relation{s: s, name: sqltext.Backtick(schema) + "." + sqltext.Backtick(table)}
	err := s.each(ctx, func(rows *sql.Rows) (int, error) {
		var c column
		var inSchema, inTable, full, nullable, key string
		var precision, scale int
		if err := rows.Scan(&inSchema, &inTable, &c.Name, &c.data, &full, &precision, &scale, &nullable, &c.Comment,
			&c.charset, &key); err != nil {
			return 0, err
		}
		if inSchema != schema || inTable != table { // the collation of names may ignore case
			return 0, nil
		}
		c.data = strings.ToLower(c.data)
		c.Type, c.Nullable = typeOf(c.data, strings.ToLower(full), precision, scale), nullable == "YES"
		c.base = connector.BaseType(c.Type)
		c.Primary, c.Unique = key == "PRI", key == "UNI"
		if t.cols = append(t.cols, c); len(t.cols) > maxColumns {
			return 0, fmt.Errorf("the server lists more than %d columns of a table", maxColumns)
		}
		return len(c.Name) + len(c.data) + len(c.Comment) + len(c.charset), nil
	},
		`SELECT table_schema, table_name, column_name, data_type, column_type, coalesce(numeric_precision, 0), coalesce(numeric_scale, 0),
  is_nullable, column_comment, coalesce(character_set_name, ''), column_key
FROM information_schema.columns WHERE table_schema = ? AND table_name = ? AND `+shownSchema+
			` ORDER BY ordinal_position`, schema, table, s.only, s.only)
	if err != nil {
		return nil, err
	}
	t.alone()
	return t, nil
}

// alone marks a column that is the only column of the primary key.
func (t *relation) alone() {
	last, n := 0, 0
	for i, c := range t.cols {
		if c.Primary {
			last, n = i, n+1
		}
	}
	if n == 1 {
		t.cols[last].Unique = true
	}
}

// ForeignKeys implements connector.Related.
func (s *server) ForeignKeys(ctx context.Context) ([]connector.ForeignKey, error) {
	var out []connector.ForeignKey
	columns := map[string]int{}
	var names []string
	err := s.each(ctx, func(rows *sql.Rows) (int, error) {
		var k connector.ForeignKey
		var name string
		if err := rows.Scan(&k.From.Schema, &k.From.Table, &k.From.Column, &k.To.Schema, &k.To.Table, &k.To.Column,
			&name); err != nil {
			return 0, err
		}
		if s.only != "" && k.To.Schema != s.only {
			return 0, nil
		}
		name = sqltext.Backtick(k.From.Schema) + "." + sqltext.Backtick(k.From.Table) + "." + sqltext.Backtick(name)
		columns[name]++
		out, names = append(out, k), append(names, name)
		return 2*len(name) + len(k.From.Column) + len(k.To.Schema) + len(k.To.Table) + len(k.To.Column), nil
	},
		`SELECT table_schema, table_name, column_name, referenced_table_schema, referenced_table_name, referenced_column_name, constraint_name
FROM information_schema.key_column_usage WHERE referenced_column_name IS NOT NULL AND `+shownSchema+
			` ORDER BY table_schema, table_name, constraint_name, ordinal_position`, s.only, s.only)
	for i, name := range names {
		out[i].Single = columns[name] == 1
	}
	return out, err
}

// typeOf maps a column type to a lower-case Trino name. An unsigned integer becomes the next larger type. A TIME may be
// negative or longer than a day, so it is varchar. Dates that do not exist in the calendar, such as zero dates, are an
// error when they are read.
func typeOf(data, full string, precision, scale int) string {
	unsigned := strings.Contains(full, "unsigned")
	switch data {
	case "tinyint":
		if unsigned {
			return "smallint"
		}
		return "tinyint"
	case "smallint":
		if unsigned {
			return "integer"
		}
		return "smallint"
	case "mediumint", "year":
		return "integer"
	case "int", "integer":
		if unsigned {
			return "bigint"
		}
		return "integer"
	case "bigint":
		if unsigned {
			return "decimal(20,0)"
		}
		return "bigint"
	case "decimal":
		if precision > 38 || precision < 1 {
			return "varchar"
		}
		return fmt.Sprintf("decimal(%d,%d)", precision, scale)
	case "float":
		return "real"
	case "double":
		return "double"
	case "date":
		return "date"
	case "datetime":
		return "timestamp" + places(full)
	case "timestamp":
		return "timestamp" + places(full) + " with time zone"
	case "char", "varchar":
		if strings.HasPrefix(full, data+"(") && full != "char(0)" && full != "varchar(0)" {
			return full[:strings.IndexByte(full, ')')+1]
		}
	case "tinytext":
		return "varchar(255)"
	case "text":
		return "varchar(65535)"
	case "mediumtext":
		return "varchar(16777215)"
	case "json":
		return "json"
	case "uuid":
		return "uuid"
	case "bit":
		if full == "bit(1)" {
			return "boolean"
		}
		return "varbinary"
	case "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob", "vector", "geometry", "point",
		"linestring", "polygon", "multipoint",
		"multilinestring", "multipolygon", "geometrycollection", "geomcollection":
		return "varbinary"
	}
	return "varchar" // longtext, enum, set, time, inet
}

// places is the number of digits of a second in a type: (3) of datetime(3), and (0) of datetime.
func places(full string) string {
	if _, n, ok := strings.Cut(full, "("); ok && n != "" && n[0] >= '0' && n[0] <= '6' {
		return "(" + n[:1] + ")"
	}
	return "(0)"
}

// Columns lists the columns in order.
func (t *relation) Columns(context.Context) ([]engine.ColumnInfo, error) {
	return connector.Infos(t.cols), nil
}
