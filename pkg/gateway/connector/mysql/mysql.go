// Package mysql connects to MySQL and MariaDB.
package mysql

import (
	"context"
	"crypto/tls"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Type is the connection type MYSQL, with the fields of POSTGRES.
func Type() connector.Type {
	return connector.Type{
		Key: "MYSQL", Label: "MySQL and MariaDB", Category: "Database", CatalogType: "peaka_mysql",
		DocsURL: "https://dev.mysql.com/doc/refman/en/connecting.html",
		Fields: []connector.Field{
			{Name: "url", Kind: "text", Required: true, Description: "Host name or address of the server"},
			{Name: "port", Kind: "number", Required: true, Description: "TCP port of the server, usually 3306"},
			{Name: "user", Kind: "text", Required: true,
				Description: "User to log in as; read privileges are sufficient"},
			{Name: "password", Kind: "text", Required: true, Secret: true, Description: "Password of the user"},
			{Name: "databaseName", Kind: "text",
				Description: "The only database to read; by default all that the user may see"},
			connector.UseSSL(), connector.CACertificate(),
		},
		Open: open,
	}
}

const connectTimeout = 10 * time.Second

// lockTimeout limits the wait for a table that another session has locked, as ALTER TABLE and LOCK TABLES do, in whole
// seconds. The servers' own defaults are a day or a year.
var lockTimeout = time.Minute

type server struct {
	db      *sql.DB
	control *sql.DB // for KILL, outside the connection limit of db
	only    string  // the only database, "" for all
	at      engine.Database
}

func open(c connector.Credential, reach connector.Reach) (connector.Connector, error) {
	host := strings.TrimSpace(c.Text("url"))
	port, err := c.Port("port", 3306)
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(host, "/@?, \t") {
		return nil, errors.New(`credential field "url" must be only a host name or address`)
	}
	cfg := mysql.NewConfig()
	cfg.Net, cfg.Addr = "tcp", net.JoinHostPort(host, strconv.Itoa(int(port)))
	cfg.User, cfg.Passwd, cfg.DBName = c.Text("user"), c.Text("password"), c.Text("databaseName")
	cfg.Timeout, cfg.Collation = connectTimeout, "utf8mb4_bin"
	cfg.AllowNativePasswords, cfg.AllowAllFiles, cfg.MultiStatements = true, false, false
	// Dates are sent as text, so that zero dates can be distinguished from real ones. Text results of a session in UTC
	// are exact.
	cfg.ParseTime, cfg.InterpolateParams = false, true
	cfg.Params = map[string]string{"time_zone": "'+00:00'", "sql_mode": "'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'",
		"lock_wait_timeout": strconv.Itoa(int(lockTimeout.Seconds()))}
	outer, err := connector.TLS(c, host)
	if err != nil {
		return nil, err
	}
	var here *tls.Config
	if outer != nil {
		if cfg.TLS, here, err = ends(); err != nil {
			return nil, err
		}
	}
	dial := reach.Dialer(connectTimeout)
	cfg.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		switch {
		case err != nil:
			return nil, err
		case outer != nil:
			return through(ctx, c, outer, here), nil
		}
		told, _ := ctx.Value(verdictKey{}).(*verdict)
		return &bounded{Conn: c, told: told}, nil
	}
	cfg.Logger = silent{}
	conn, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	conn = guarded{conn}
	s := &server{db: sql.OpenDB(conn), control: sql.OpenDB(conn), only: cfg.DBName, at: engine.Database{Host: host,
		Port: port, User: cfg.User, Password: cfg.Passwd, Name: cfg.DBName, TLS: outer != nil,
		Authorities: outer != nil && outer.RootCAs != nil}}
	s.at.Product = s.product
	s.db.SetMaxOpenConns(8)
	for _, db := range []*sql.DB{s.db, s.control} {
		db.SetMaxIdleConns(2)
		db.SetConnMaxIdleTime(10 * time.Second)
	}
	return s, nil
}

// silent prevents the driver from writing to the standard error of the process.
type silent struct{}

func (silent) Print(...any) {}

// Database implements connector.Server.
func (s *server) Database() engine.Database { return s.at }

func (s *server) product(ctx context.Context) (string, error) {
	var version string
	err := s.db.QueryRowContext(ctx, "SELECT version()").Scan(&version)
	if strings.Contains(version, "MariaDB") {
		return "mariadb", err
	}
	return "mysql", err
}

func (s *server) Close() error { return errors.Join(s.db.Close(), s.control.Close()) }

func (s *server) Test(ctx context.Context) error { return s.db.PingContext(ctx) }

// each runs a small query and calls row for each of its rows, which returns how many bytes it keeps.
func (s *server) each(ctx context.Context, row func(*sql.Rows) (int, error), query string, args ...any) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for n, size := 0, 0; rows.Next(); n++ {
		k, err := row(rows)
		if size += k; err == nil && (n == maxNames || size > maxText) {
			err = fmt.Errorf("the server lists more than %d schemas, tables or columns, or %d MiB of them",
				maxNames, maxText>>20)
		}
		if err != nil {
			cancel() // closing rows would read all remaining ones
			return err
		}
	}
	return rows.Err()
}

func (s *server) texts(ctx context.Context, query string, args ...any) (out []string, err error) {
	err = s.each(ctx, func(rows *sql.Rows) (int, error) {
		var t string
		err := rows.Scan(&t)
		out = append(out, t)
		return len(t), err
	}, query, args...)
	return out, err
}

// Schemas lists the databases the user may see, except the server's own.
func (s *server) Schemas(ctx context.Context) ([]string, error) {
	return s.texts(ctx, `SELECT schema_name AS table_schema FROM information_schema.schemata HAVING `+shownSchema+
		` ORDER BY 1`, s.only, s.only)
}

const shownSchema = `table_schema NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys') AND (? = '' OR ` +
	`table_schema = ?)`

func (s *server) schema(ctx context.Context, name string) (string, error) {
	all, err := s.Schemas(ctx)
	if err != nil {
		return "", err
	}
	return connector.PickSchema(name, all)
}

func (s *server) names(ctx context.Context, schema string) (string, []string, error) {
	schema, err := s.schema(ctx, schema)
	if err != nil {
		return "", nil, err
	}
	names, err := s.texts(ctx, `SELECT table_name FROM information_schema.tables WHERE table_schema = ? ORDER BY 1`,
		schema)
	return schema, names, err
}

// Tables lists tables and views.
func (s *server) Tables(ctx context.Context, schema string) ([]connector.Table, error) {
	_, names, err := s.names(ctx, schema)
	return connector.Tables(names), err
}

// Statistics returns the cardinality of indexes for their first columns: the server's estimate of the number of
// distinct values [D]. Other columns are omitted.
func (s *server) Statistics(ctx context.Context, schema, table string) ([]api.ColumnStatistics, error) {
	schema, table, err := s.find(ctx, schema, table)
	if err != nil {
		return nil, err
	}
	out := []api.ColumnStatistics{}
	err = s.each(ctx, func(rows *sql.Rows) (int, error) {
		var c api.ColumnStatistics
		err := rows.Scan(&c.ColumnName, &c.DistinctFraction)
		out = append(out, c)
		return len(c.ColumnName), err
	}, `SELECT column_name, max(cardinality) FROM information_schema.statistics
WHERE table_schema = ? AND table_name = ? AND seq_in_index = 1 AND cardinality IS NOT NULL GROUP BY column_name ORDER BY column_name`, schema, table)
	return out, err
}

// kill ends a statement at the server: the driver only closes the connection, and the server would continue.
func (s *server) kill(id int64) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	_, _ = s.control.ExecContext(ctx, fmt.Sprintf("KILL %d", id)) // it may have ended by itself
}
