// Package postgres connects to PostgreSQL with pgx.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"

	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
)

// Type is the connection type POSTGRES with the fields it has on the hosted zones [O][L].
func Type() connector.Type {
	return connector.Type{
		Key: "POSTGRES", Label: "PostgreSQL", Category: "Database", CatalogType: "peaka_postgres",
		DocsURL: "https://www.postgresql.org/docs/current/libpq-connect.html",
		Fields: []connector.Field{
			{Name: "url", Kind: "text", Required: true, Description: "Host name or address of the server"},
			{Name: "port", Kind: "number", Required: true, Description: "TCP port of the server, usually 5432"},
			{Name: "user", Kind: "text", Required: true,
				Description: "User to log in as; read privileges are sufficient"},
			{Name: "password", Kind: "text", Required: true, Secret: true, Description: "Password of the user"},
			{Name: "databaseName", Kind: "text", Required: true, Description: "Database to read"},
			connector.UseSSL(), connector.CACertificate(),
		},
		Open: open,
	}
}

const connectTimeout = 10 * time.Second

// lockTimeout limits the wait for a table that another session has locked, as ALTER TABLE and LOCK do. The server's own
// wait is unlimited.
var lockTimeout = time.Minute

const lockNotAvailable = "55P03"

type postgres struct {
	cfg  *pgx.ConnConfig
	idle idle
}

func open(c connector.Credential, reach connector.Reach) (connector.Connector, error) {
	host := strings.TrimSpace(c.Text("url"))
	port, err := c.Port("port", 5432)
	if err != nil {
		return nil, err
	}
	if h, p, err := net.SplitHostPort(host); err == nil {
		if n, err := strconv.ParseUint(p, 10, 16); err != nil || uint16(n) != port {
			return nil, fmt.Errorf("credential field \"url\" names port %s, field \"port\" says %d", p, port)
		}
		host = h
	}
	if strings.ContainsAny(host, "/@?, \t") {
		return nil, errors.New(`credential field "url" must be only a host name or address`)
	}
	// The string is fixed so that no setting of this process's environment (PGHOST, PGPASSFILE, PGSERVICE) is used.
	cfg, err := pgx.ParseConfig("host=localhost port=5432 user=none password=none dbname=none sslmode=disable " +
		"target_session_attrs=any")
	if err != nil {
		return nil, err
	}
	cfg.Host, cfg.Port, cfg.User, cfg.Password, cfg.Database = host, port, c.Text("user"), c.Text("password"),
		c.Text("databaseName")
	cfg.Fallbacks, cfg.ConnectTimeout = nil, connectTimeout
	if cfg.TLSConfig, err = connector.TLS(c, host); err != nil {
		return nil, err
	}
	cfg.RuntimeParams = map[string]string{
		"application_name": "dig", "default_transaction_read_only": "on", "timezone": "UTC", "datestyle": "ISO, YMD",
		"intervalstyle": "postgres", "extra_float_digits": "1", "client_encoding": "UTF8",
		"standard_conforming_strings": "on",
		"lock_timeout":                strconv.FormatInt(lockTimeout.Milliseconds(), 10),
	}
	// Cancelling the context asks the server to stop, and closes the connection only if that does not help.
	cfg.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: c, DeadlineDelay: 3 * time.Second}
	}
	cfg.DialFunc = reach.Dialer(connectTimeout)
	cfg.BuildFrontend = frontend
	cfg.AfterConnect = watchClient
	cfg.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	return &postgres{cfg: cfg}, nil
}

// watchClient makes the server end a statement if this process is killed while the statement is not sending rows.
// Servers before version 14, and some systems, do not support it.
func watchClient(ctx context.Context, c *pgconn.PgConn) error {
	version, _, _ := strings.Cut(c.ParameterStatus("server_version"), ".")
	if n, err := strconv.Atoi(version); err == nil && n >= 14 {
		_, err := c.Exec(ctx, "SET client_connection_check_interval = '5s'").ReadAll()
		var refused *pgconn.PgError
		if err != nil && !errors.As(err, &refused) {
			return err
		}
	}
	return nil
}

// Database implements connector.Server.
func (p *postgres) Database() engine.Database {
	return engine.Database{Host: p.cfg.Host, Port: p.cfg.Port, User: p.cfg.User, Password: p.cfg.Password,
		Name: p.cfg.Database, TLS: p.cfg.TLSConfig != nil,
		Authorities: p.cfg.TLSConfig != nil && p.cfg.TLSConfig.RootCAs != nil,
		Product:     func(context.Context) (string, error) { return "postgresql", nil }}
}

// Close closes the idle sessions.
func (p *postgres) Close() error {
	p.idle.close()
	return nil
}

func (p *postgres) connect(ctx context.Context) (*pgx.Conn, error) {
	if c := p.idle.take(ctx); c != nil {
		return c, nil
	}
	c, err := pgx.ConnectConfig(ctx, p.cfg.Copy())
	if err != nil {
		return nil, plain(err)
	}
	return c, nil
}

// hangUp closes a session without waiting long for a server that does not answer.
func hangUp(c *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	_ = c.Close(ctx)
}

// plain formats an error of the server or the network in one line. It names the user and the database but never the
// password.
func plain(err error) error {
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		if pe.Code == lockNotAvailable {
			return fmt.Errorf("another session has locked a table of this statement for more than %s (SQLSTATE %s)",
				lockTimeout, pe.Code)
		}
		err := fmt.Errorf("%s (SQLSTATE %s)", pe.Message, pe.Code)
		if class := pe.Code[:min(2, len(pe.Code))]; class == "28" || class == "3D" { // the user, or the database
			err = engine.Unusable(err)
		}
		return err
	}
	var ce *pgconn.ConnectError
	if errors.As(err, &ce) {
		return errors.New(strings.Join(strings.Fields(ce.Error()), " "))
	}
	return err
}

func (p *postgres) Test(ctx context.Context) error {
	c, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer hangUp(c)
	return plain(c.Ping(ctx))
}

// rows runs a small query and scans every row.
func rows[T any](ctx context.Context, p *postgres, scan pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	c, err := p.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer p.idle.put(c)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rs, err := c.Query(ctx, sql, args...)
	if err != nil {
		return nil, plain(err)
	}
	defer rs.Close()
	var out []T
	size := 0
	for rs.Next() {
		for _, v := range rs.RawValues() {
			size += len(v)
		}
		if len(out) == maxNames || size > maxNamed {
			cancel() // closing rs would read all remaining rows
			return nil, fmt.Errorf("the server lists more than %d schemas, tables or columns, or %d MiB of them",
				maxNames, maxNamed>>20)
		}
		v, err := scan(rs)
		if err != nil {
			return nil, plain(err)
		}
		out = append(out, v)
	}
	return out, plain(rs.Err())
}
