package trino_test

import (
	"strings"
	"testing"

	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/protocol"
)

// TestAttach: a catalog is made for what can only be a place of a database, under a name of its own.
func TestAttach(t *testing.T) {
	open := func(url string, dynamic bool) engine.Mapper {
		e, err := trino.Open(trino.Options{Options: protocol.Options{URL: url, User: "dig"}, Catalog: "lake",
			Dynamic: dynamic}, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.Close() })
		return e.(engine.Mapper)
	}
	e := open("https://trino.example.com", true)
	plain := engine.Database{Project: "p", Connection: "c", Version: []byte("1"), Host: "db.example.com", Port: 5432,
		User: "reader", Password: "secret", Name: "shop"}
	names := map[string]bool{}
	for _, change := range []func(*engine.Database){func(*engine.Database) {},
		func(d *engine.Database) { d.Project = "P" }, func(d *engine.Database) { d.Project = "p_c" },
		func(d *engine.Database) { d.Connection = "d" }, func(d *engine.Database) { d.Version = []byte("2") }} {
		d := plain
		change(&d)
		name := e.Attach(d)
		if !strings.HasPrefix(name, engine.MappedCatalog+"dig_") || name != strings.ToLower(name) || names[name] ||
			name != e.Attach(d) {
			t.Errorf("%v: %q", d, name)
		}
		names[name] = true
	}
	for what, change := range map[string]func(*engine.Database){
		"host with parameters": func(d *engine.Database) { d.Host = "db?socketFactory=x" },
		"host in parentheses":  func(d *engine.Database) { d.Host = "(host=db,allowLoadLocalInfile=true)" },
		"several hosts":        func(d *engine.Database) { d.Host = "db,other" },
		"host with a zone":     func(d *engine.Database) { d.Host = "fe80::1%?x=y" },
		"name with parameters": func(d *engine.Database) { d.Name = "shop?socketFactory=x" },
		"secret as a user":     func(d *engine.Database) { d.User = "${ENV:HOME}" },
		"secret as a password": func(d *engine.Database) { d.Password = "x${ENV:HOME}" },
		"other authorities":    func(d *engine.Database) { d.TLS, d.Authorities = true, true },
		"this machine":         func(d *engine.Database) { d.Host = "LOCALHOST" },
		"this machine, by number": func(d *engine.Database) {
			d.Host = "127.0.0.2"
		},
	} {
		d := plain
		change(&d)
		if got := e.Attach(d); got != "" {
			t.Errorf("%s: %q", what, got)
		}
	}
	here := plain
	here.Host = "::1"
	if open("http://127.0.0.1:8080", true).Attach(here) == "" {
		t.Error("the coordinator is on this machine too")
	}
	if open("https://trino.example.com", false).Attach(plain) != "" {
		t.Error("no catalogs are made without the option")
	}
}
