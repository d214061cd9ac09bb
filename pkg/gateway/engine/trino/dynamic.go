package trino

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/protocol"
	"github.com/dig-cli/dig/pkg/late"
)

// The name of a catalog that the gateway makes is dig_<gateway>_<project>_<connection>: hashes of where the gateway
// stores rows and of a version of the connection, between them the id of the project.

// madeSuffix matches the end of such a name.
const madeSuffix = "_[0-9a-f]{16}"

// madePrefix begins the names of the catalogs of a project, those of all for "".
func (e *Engine) madePrefix(project string) string {
	out := "dig_" + hash(4, e.Catalog, e.prefix()) + "_"
	if project != "" {
		out += codeOf(project) + "_"
	}
	return out
}

// madeName is the name for a version of a connection. The 1 changes when other properties are given to catalogs.
func (e *Engine) madeName(d engine.Database) string {
	return e.madePrefix(d.Project) + hash(8, "1", d.Project, d.Connection, string(d.Version))
}

func hash(n int, parts ...string) string {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%q", parts)))
	return hex.EncodeToString(sum[:n])
}

var (
	made       = late.Regexp(`^dig_[0-9a-f]{8}_[^_]+` + madeSuffix + `$`)
	plainPlace = late.Regexp(`^[A-Za-z0-9_.-]+$`)
)

// Attach implements engine.Mapper. The catalog is made when it is first read. Addresses that could say more than a
// place to the drivers of the cluster, and texts that it would replace by secrets of its own, are left to the gateway;
// so are those of the gateway's machine, unless the coordinator is there.
func (e *Engine) Attach(d engine.Database) string {
	ip, err := netip.ParseAddr(d.Host)
	switch here := strings.EqualFold(d.Host, "localhost") || ip.IsLoopback() || ip.IsUnspecified(); {
	case !e.Dynamic, d.Authorities,
		err != nil && !plainPlace().MatchString(d.Host), ip.Zone() != "",
		d.Name != "" && !plainPlace().MatchString(d.Name),
		strings.Contains(d.User, "${"), strings.Contains(d.Password, "${"),
		here && !e.local():
		return ""
	}
	name := e.madeName(d)
	if _, known := e.attached.LoadOrStore(name, d); !known {
		e.attached.Range(func(k, v any) bool {
			if o := v.(engine.Database); k != name && o.Project == d.Project && o.Connection == d.Connection {
				e.attached.Delete(k)
			}
			return true
		})
	}
	return engine.MappedCatalog + name
}

// local reports whether the coordinator has an address of this machine.
func (e *Engine) local() bool {
	u, err := url.Parse(e.URL)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback() || strings.EqualFold(u.Hostname(), "localhost")
}

// properties are those of a catalog, for CREATE CATALOG.
func properties(d engine.Database, product string) string {
	// Instants are those of the session, and a TIME that is negative or longer than a day would be another one.
	const utc = "forceConnectionTimeZoneToSession=true"
	varchar := "time"
	address := "jdbc:" + product + "://" + net.JoinHostPort(d.Host, strconv.Itoa(int(d.Port)))
	tls := map[string]string{"postgresql": "sslmode=verify-full&sslfactory=org.postgresql.ssl.DefaultJavaSSLFactory",
		"mysql": "sslMode=VERIFY_IDENTITY", "mariadb": "sslMode=verify-full"}[product]
	switch product {
	case "postgresql":
		address += "/" + d.Name + "?" // the catalogs of the others have all databases of a server
		varchar = ""
	case "mysql":
		address += "?connectionTimeZone=UTC&" + utc
	case "mariadb":
		address += "?timezone=UTC&" + utc
	}
	if d.TLS {
		address += "&" + tls
	}
	var list []string
	for _, p := range [][2]string{{"connection-url", address}, {"connection-user", d.User},
		{"connection-password", d.Password}, {"case-insensitive-name-matching", "true"},
		{"unsupported-type-handling", "CONVERT_TO_VARCHAR"}, {"jdbc-types-mapped-to-varchar", varchar}} {
		list = append(list, sqltext.Quote(p[0])+" = "+sqltext.Literal(p[1]))
	}
	return strings.Join(list, ", ")
}

// makeCatalog makes a catalog that Attach has returned. The message of an error may have the credential.
func (e *Engine) makeCatalog(ctx context.Context, name string) error {
	v, ok := e.attached.Load(name)
	if !ok {
		return &engine.Error{Kind: engine.KindSource, Message: "the connection has just changed", Hint: "try again"}
	}
	d := v.(engine.Database)
	product, err := d.Product(ctx)
	if err != nil {
		return err
	}
	_, err = e.exec(ctx, protocol.Request{SQL: "CREATE CATALOG IF NOT EXISTS " + sqltext.Quote(name) + " USING " +
		product + " WITH (" + properties(d, product) + ")"}, false, nil)
	var answered *protocol.Error
	switch {
	case !errors.As(err, &answered):
		return fault(ctx, err)
	case answered.Name == "ALREADY_EXISTS":
		return nil
	}
	return unmade(answered)
}

func unmade(answered *protocol.Error) error {
	return &engine.Error{Kind: engine.KindUnsupported, Message: "the cluster makes no catalogs for connections (" +
		answered.Name + ")", Hint: "the coordinator needs catalog.management=dynamic and the connectors of the " +
		"databases, and the user of the gateway the right to create catalogs; without --dynamic-catalogs the gateway " +
		"reads the connections"}
}

// masked removes the passwords of databases from an error of the cluster.
func (e *Engine) masked(err error) error {
	var answered *protocol.Error
	if errors.As(err, &answered) {
		e.attached.Range(func(_, v any) bool {
			if secret := v.(engine.Database).Password; len(secret) > 3 { // a shorter one would mask parts of words
				answered.Message = strings.ReplaceAll(answered.Message, secret, "***")
			}
			return true
		})
	}
	return err
}

// madeCatalogs are the catalogs that a user sees of those that the gateway has made for a project, for all for "".
func (e *Engine) madeCatalogs(ctx context.Context, user, project string) (out []string, err error) {
	if !e.Dynamic {
		return nil, nil
	}
	_, err = e.exec(ctx, protocol.Request{User: user, SQL: "SHOW CATALOGS"}, false, func(v []*string) error {
		if v[0] != nil && strings.HasPrefix(*v[0], e.madePrefix(project)) && made().MatchString(*v[0]) {
			out = append(out, *v[0])
		}
		return nil
	})
	return out, fault(ctx, err)
}

// Detach implements engine.Mapper. It fails on a cluster that makes no catalogs.
func (e *Engine) Detach(ctx context.Context, project string,
	current func(context.Context) ([]engine.Database, error)) error {
	if !e.Dynamic {
		return nil
	}
	// Listed before the connections are: a catalog of a connection that is new meanwhile is not among them.
	all, err := e.madeCatalogs(ctx, "", project)
	if err != nil {
		return err
	}
	var wanted []string
	if current != nil {
		list, err := current(ctx)
		if err != nil {
			return err
		}
		for _, d := range list {
			wanted = append(wanted, e.madeName(d))
		}
	}
	// No connection has the first one: whether catalogs can be dropped is known without one.
	for _, name := range append([]string{e.madePrefix("none") + hash(8, "none")}, all...) {
		if slices.Contains(wanted, name) {
			continue
		}
		e.attached.Delete(name)
		_, err := e.exec(ctx, protocol.Request{SQL: "DROP CATALOG IF EXISTS " + sqltext.Quote(name)}, false, nil)
		var answered *protocol.Error
		if errors.As(err, &answered) && answered.Type == "USER_ERROR" {
			return unmade(answered)
		} else if err != nil {
			return fault(ctx, err)
		}
	}
	return nil
}
