package connection

import (
	"encoding/json"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
)

// address is what the address of a source says: postgres://reader@db.example.com/shop?sslmode=require.
type address struct {
	typ        string
	credential api.Credential
}

// parseAddress parses an address. It must not contain a password: every user of the machine can read the command line.
func parseAddress(text string) (address, error) {
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
		return a.ofFile(u)
	case "postgres", "mysql":
		return a.ofServer(u)
	}
	return a, exitcode.Usagef("addresses of type %q are not known", u.Scheme).
		WithHint("give postgres://, mysql://, sqlite:, duckdb: or files:, or --type with the fields of the credential")
}

// ofFile takes the path of a file or folder: sqlite:shop.db, sqlite:///var/lib/shop.db.
func (a address) ofFile(u *url.URL) (address, error) {
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
	a.credential["path"] = filepath.FromSlash(path)
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
		if n, err = strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
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
	return a, a.parameters(u.RawQuery)
}

// parameters understands those about encryption, which both databases and their drivers have, and refuses others.
func (a address) parameters(text string) error {
	all, err := url.ParseQuery(text)
	if err != nil { // which would leave out a parameter
		return exitcode.Usagef("the parameters of the address are not of the form NAME=VALUE&NAME=VALUE")
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		value := strings.ToLower(all.Get(name))
		switch strings.ToLower(name) {
		case "sslmode", "ssl-mode", "ssl_mode", "tls", "ssl":
			_, twice := a.credential["useSsl"]
			switch {
			case twice || len(all[name]) > 1:
				return exitcode.Usagef("the address says more than once whether to encrypt")
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
