package rest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// read requests the pages of an endpoint one after the other and yields their rows. between is called after each page
// that has a next one.
func (r *rest) read(ctx context.Context, t *table, vals values, yield func(json.RawMessage) error,
	between func() error) error {
	u, err := r.first(t, vals)
	if err != nil {
		return err
	}
	var seen int64
	places := map[[16]byte]int{} // page numbers by hashes of their addresses
	for n := 1; ; n++ {
		if n > t.Paging.MaxPages {
			return fmt.Errorf("the source has more than %d pages; narrow the query by a parameter or raise maxPages",
				t.Paging.MaxPages)
		}
		places[addressHash(u)] = n
		p, head, err := r.onePage(ctx, t, u, yield)
		if err != nil {
			if n > 1 && !errors.Is(err, errStop) && ctx.Err() == nil {
				err = fmt.Errorf("page %d: %w", n, err)
			}
			return err
		}
		seen += p.rows
		next, err := t.Paging.follow(u, p, head, seen, n)
		if err != nil || next == nil {
			return err
		}
		if err := sameOrigin(r.base, next); err != nil {
			return fmt.Errorf("page %d refers to a next page elsewhere: %w", n, err)
		}
		if k := places[addressHash(next)]; k == n {
			return fmt.Errorf("page %d refers to itself as the next page", n)
		} else if k > 0 {
			return fmt.Errorf("page %d refers to page %d as the next one, so the pages form a cycle", n, k)
		}
		if err := between(); err != nil {
			return err
		}
		u = next
	}
}

func addressHash(u *url.URL) [16]byte {
	sum := sha256.Sum256([]byte(u.String()))
	return [16]byte(sum[:])
}

func (r *rest) onePage(ctx context.Context, t *table, u *url.URL,
	yield func(json.RawMessage) error) (page, http.Header, error) {
	in, header, err := r.http.get(ctx, u)
	if err != nil {
		return page{}, nil, err
	}
	defer in.Close()
	p, err := parsePage(in, t, yield)
	return p, header, err
}

// first returns the address of the first page.
func (r *rest) first(t *table, vals values) (*url.URL, error) {
	path, q := t.Path, url.Values{}
	for k, v := range t.Query {
		q.Set(k, v)
	}
	for i := range t.Parameters {
		p := &t.Parameters[i]
		v, ok := vals[p]
		if !ok {
			continue
		}
		s := textOf(v)
		if !p.inPath {
			q.Set(p.Name, s)
			continue
		}
		if s == "" || s == "." || s == ".." {
			return nil, fmt.Errorf("%q is not a valid value for %s%s, which is part of the path", s,
				paramPrefix, p.Name)
		}
		path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(s))
	}
	pg := t.Paging
	if pg.SizeParam != "" {
		q.Set(pg.SizeParam, strconv.Itoa(pg.Size))
	}
	if pg.Type == "page" || pg.Type == "offset" {
		q.Set(pg.Param, strconv.FormatInt(*pg.First, 10))
	}
	u := r.at(path)
	u.RawQuery = q.Encode()
	return u, nil
}

// follow returns the address of the page after u, nil if u was the last one. seen is the number of rows so far, n the
// number of pages. A page that is shorter than its size is not assumed to be the last one: sources choose sizes as they
// like.
func (p paging) follow(u *url.URL, got page, head http.Header, seen int64, n int) (*url.URL, error) {
	if p.Type == "none" || got.more != nil && !*got.more {
		return nil, nil
	}
	set := func(v string) (*url.URL, error) {
		next := *u
		q := next.Query()
		q.Set(p.Param, v)
		next.RawQuery = q.Encode()
		return &next, nil
	}
	switch p.Type {
	case "cursor":
		if got.next == "" {
			return nil, nil
		}
		return set(got.next)
	case "link":
		to := got.next
		if p.Next == "" {
			to = nextLink(head.Values("Link"))
		}
		if to == "" {
			return nil, nil
		}
		ref, err := url.Parse(to)
		if err != nil {
			return nil, fmt.Errorf("page %d: the address of the next page is invalid", n)
		}
		return u.ResolveReference(ref), nil
	}
	if got.total != nil && seen >= *got.total {
		return nil, nil
	}
	if got.rows == 0 && (got.more == nil || p.Type == "offset") {
		switch {
		case got.total != nil:
			return nil, fmt.Errorf("page %d is empty after %d rows, while its member %q says that there are %d", n,
				seen, p.Total, *got.total)
		case got.more != nil:
			return nil, fmt.Errorf("page %d is empty, while its member %q says that there are more rows", n, p.More)
		}
		return nil, nil
	}
	if p.Type == "page" {
		return set(strconv.FormatInt(*p.First+int64(n), 10))
	}
	return set(strconv.FormatInt(*p.First+seen, 10))
}

// nextLink finds the address with relation next in Link headers (RFC 8288).
func nextLink(headers []string) string {
	for _, h := range headers {
		for {
			_, rest, ok := strings.Cut(h, "<")
			if !ok {
				break
			}
			target, rest, ok := strings.Cut(rest, ">")
			if !ok {
				break
			}
			params, after := linkParams(rest)
			for _, p := range params {
				k, v, _ := strings.Cut(p, "=")
				if strings.EqualFold(strings.TrimSpace(k), "rel") {
					for _, rel := range strings.Fields(strings.Trim(strings.TrimSpace(v), `"`)) {
						if strings.EqualFold(rel, "next") {
							return target
						}
					}
				}
			}
			h = after
		}
	}
	return ""
}

// linkParams parses the parameters after a target up to the comma before the next one.
func linkParams(s string) (params []string, rest string) {
	quoted, start := false, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case !quoted && (c == ';' || c == ','):
			params = append(params, s[start:i])
			start = i + 1
			if c == ',' {
				return params, s[i+1:]
			}
		}
	}
	return append(params, s[start:]), ""
}
