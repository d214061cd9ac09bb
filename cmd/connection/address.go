package connection

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
)

// address is what the address of a source says: postgres://reader@db.example.com/shop?sslmode=require.
type address struct {
	typ        string
	credential api.Credential
}

// parseAddress parses an address. It must not contain a password: every user of the machine can read the command line.
func parseAddress(e *cli.Env, text string) (address, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" {
		// the error of the parser repeats the text, which may have a password
		return address{}, exitcode.Usagef("the address is not of the form TYPE://USER@HOST:PORT/DATABASE")
	}
	if _, secret := u.User.Password(); secret {
		return address{}, exitcode.Usagef("the address has a password, and a secret on the command line can be seen " +
			"by other users and stays in the shell's history").
			WithHint("leave it out: --credential password=- reads it from standard input, password=@FILE from a " +
				"file, --password-env NAME from a variable; on a terminal it is asked for")
	}
	a := address{typ: u.Scheme, credential: api.Credential{}}
	if to := typeAliases()[u.Scheme]; to != "" {
		a.typ = to
	}
	switch a.typ {
	case "sqlite", "duckdb", "files":
		return a.ofFile(e, u)
	case "postgres", "mysql":
		return a.ofServer(u)
	}
	return a, exitcode.Usagef("addresses of type %q are not known", u.Scheme).
		WithHint("give postgres://, mysql://, sqlite:, duckdb: or files:, or --type with the fields of the credential")
}

// ofFile takes the path of a file or folder: sqlite:shop.db, sqlite:///var/lib/shop.db.
func (a address) ofFile(e *cli.Env, u *url.URL) (address, error) {
	path := u.Opaque
	if path == "" {
		path = u.Path
		if u.Host != "" { // sqlite://shop.db
			path = u.Host + u.Path
		}
	} else if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	if path == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return a, exitcode.Usagef("the address must be %s:PATH", u.Scheme)
	}
	a.credential["path"] = e.Abs(filepath.FromSlash(path))
	return a, nil
}

func (a address) ofServer(u *url.URL) (address, error) {
	host, port := u.Hostname(), u.Port()
	switch {
	case u.Opaque != "" || host == "":
		return a, exitcode.Usagef("the address has no host: %s://USER@HOST:PORT/DATABASE", u.Scheme)
	case strings.Contains(strings.Trim(u.Path, "/"), "/") || u.Fragment != "":
		return a, exitcode.Usagef("the address must end in the name of one database: %s://USER@HOST:PORT/DATABASE",
			u.Scheme)
	}
	n := map[string]uint64{"postgres": 5432, "mysql": 3306}[a.typ]
	if port != "" {
		var err error
		if n, err = strconv.ParseUint(port, 10, 16); err != nil {
			return a, exitcode.Usagef("the port of the address is not a number from 1 to 65535")
		}
	}
	a.credential["url"], a.credential["port"] = host, json.Number(strconv.FormatUint(n, 10))
	if name := u.User.Username(); name != "" {
		a.credential["user"] = name
	}
	if name := strings.Trim(u.Path, "/"); name != "" {
		a.credential["databaseName"] = name
	}
	return a, a.parameters(u.Query())
}

// parameters understands those about encryption, which both databases and their drivers have, and refuses others.
func (a address) parameters(all url.Values) error {
	for name, values := range all {
		value := strings.ToLower(values[len(values)-1])
		switch strings.ToLower(name) {
		case "sslmode", "ssl-mode", "ssl_mode", "tls", "ssl":
			switch {
			case slices.Contains([]string{"disable", "disabled", "false", "0"}, value):
				a.credential["useSsl"] = false
			case slices.Contains([]string{"require", "required", "verify-full", "verify_identity", "true", "1"}, value):
				a.credential["useSsl"] = true
			default:
				return exitcode.Usagef("%s=%s is not known here", name, value).
					WithHint("disable or require; a server with TLS is always verified")
			}
		default:
			return exitcode.Usagef("the parameter %s of the address is not known here", name)
		}
	}
	return nil
}
