// Package rest reads JSON APIs: each endpoint that the connection's document describes is a table.
//
// Only the host of the base address is accessible, also for redirects and links to next pages; see connector.Network
// for the addresses that are rejected after name resolution.
package rest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/internal/loopback"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"golang.org/x/net/http/httpguts"
)

// Type is the connection type rest.
func Type() connector.Type {
	return connector.Type{
		Key: "rest", Label: "REST JSON API", Category: "API", CatalogType: "rest", Cacheable: true,
		Fields: []connector.Field{
			{Name: "baseUrl", Kind: "text", Required: true,
				Description: "Base address, such as https://api.example.com/v1; no other host is accessible"},
			{Name: "tables", Kind: "text", Required: true, JSON: true,
				Description: "JSON document that describes the endpoints; @FILE reads it from a file"},
			{Name: "header", Kind: "text", Description: "Name of the header with the key, Authorization by default"},
			{Name: "secret", Kind: "text", Secret: true,
				Description: "Value of that header, such as Bearer followed by the key"},
			{Name: "allowLinkLocal", Kind: "boolean",
				Description: "Allow link-local and cloud metadata addresses too; requires a partner key"},
		},
		Open: open,
	}
}

type rest struct {
	base *url.URL
	doc  *document
	http *client

	mu    sync.Mutex
	known map[*table]sampled
}

// sampled holds the columns of a table that were derived from a sample, and the time of the sample.
type sampled struct {
	cols []column
	at   time.Time
}

const sampleAge = 5 * time.Minute

func open(c connector.Credential, reach connector.Reach) (connector.Connector, error) {
	base, err := parseBase(c.Text("baseUrl"))
	if err != nil {
		return nil, fmt.Errorf("credential field \"baseUrl\" %w", err)
	}
	header, secret := strings.TrimSpace(c.Text("header")), c.Text("secret")
	if header == "" {
		header = "Authorization"
	} else if secret == "" {
		return nil, errors.New(`credential field "header" requires field "secret", its value`)
	}
	if !httpguts.ValidHeaderFieldName(header) || slices.Contains([]string{"host", "content-length", "transfer-encoding",
		"connection", "accept-encoding"}, strings.ToLower(header)) {
		return nil, fmt.Errorf("credential field \"header\": %q is not allowed for a key", header)
	}
	if !httpguts.ValidHeaderFieldValue(secret) {
		return nil,
			errors.New(`credential field "secret" contains characters that are not allowed in a header, such as a ` +
				`line break`)
	}
	if secret != "" && base.Scheme == "http" && !loopback.Is(base.Hostname()) {
		return nil, errors.New(`credential field "baseUrl" must start with https:// because a key is sent`)
	}
	doc, err := parseDocument(c.Text("tables"))
	if err != nil {
		return nil, err
	}
	r := &rest{base: base, doc: doc, known: map[*table]sampled{}}
	r.http = newClient(base, doc, header, secret, reach)
	return r, nil
}

func parseBase(s string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(s))
	switch {
	case err != nil:
		return nil, errors.New("is not an address")
	case u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return nil, errors.New("must be an address that starts with https://")
	case u.User != nil:
		return nil, errors.New("must not contain a user or password; the key has a separate field")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("must not contain a query or fragment; they belong to the tables")
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + "/"
	u.RawPath = ""
	return u, nil
}

// Close closes the idle connections.
func (r *rest) Close() error {
	r.http.close()
	return nil
}

const testedTables = 10

// Test requests the test path, or the first row of the tables that can be read without a condition.
func (r *rest) Test(ctx context.Context) error {
	if r.doc.Test != "" {
		body, _, err := r.http.get(ctx, r.at(r.doc.Test))
		if err != nil {
			return err
		}
		return body.Close()
	}
	tested := 0
	for _, t := range r.doc.Tables {
		vals, ok := t.sampleValues()
		if !ok || tested == testedTables {
			continue
		}
		tested++
		if err := r.firstRows(ctx, t, vals, 1, func(row) error { return nil }); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	if tested == 0 {
		return errors.New(`the connection cannot be tested: every table needs a parameter; give one a sample value, ` +
			`or give "test", a path that the key may read`)
	}
	return nil
}

// Schemas lists the schemas of the document in order.
func (r *rest) Schemas(context.Context) ([]string, error) {
	var out []string
	for _, t := range r.doc.Tables {
		if !slices.Contains(out, t.Schema) {
			out = append(out, t.Schema)
		}
	}
	return out, nil
}

func (r *rest) schema(ctx context.Context, name string) (string, error) {
	all, _ := r.Schemas(ctx)
	found, ok, err := connector.Pick("schema", name, all)
	if err == nil && !ok {
		err = connector.ErrNoSchema
	}
	return found, err
}

// Tables lists the tables of one schema.
func (r *rest) Tables(ctx context.Context, schema string) ([]connector.Table, error) {
	schema, err := r.schema(ctx, schema)
	if err != nil {
		return nil, err
	}
	var out []connector.Table
	for _, t := range r.doc.Tables {
		if t.Schema == schema {
			out = append(out, connector.Table{Name: t.Name, Dynamic: t.dynamic()})
		}
	}
	return out, nil
}

// dynamic reports whether the table requires conditions on its parameters.
func (t *table) dynamic() bool {
	return slices.ContainsFunc(t.Parameters, func(p parameter) bool { return p.Required })
}

// Table opens an endpoint for reading.
func (r *rest) Table(ctx context.Context, schema, name string) (engine.Scanner, error) {
	schema, err := r.schema(ctx, schema)
	if err != nil {
		return nil, err
	}
	for _, t := range r.doc.Tables {
		if t.Schema != schema || !strings.EqualFold(t.Name, name) {
			continue
		}
		cols, err := r.columns(ctx, t)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", t.Name, err)
		}
		return &endpoint{r, t, cols}, nil
	}
	return nil, connector.ErrNoTable
}

// Statistics are not available for APIs.
func (r *rest) Statistics(context.Context, string, string) ([]api.ColumnStatistics, error) {
	return nil, connector.ErrNoStatistics
}

// at returns the address of a path relative to the base.
func (r *rest) at(path string) *url.URL {
	u := *r.base
	return u.JoinPath(path)
}
