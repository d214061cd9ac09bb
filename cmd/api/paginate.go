package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/api"
)

// pages reads a list page by page.
type pages struct {
	cl     *api.Client
	path   string
	query  url.Values
	header http.Header
	keyset bool // by createdBefore, else by offset

	all  []json.RawMessage
	seen map[string]bool
	last []json.RawMessage // the page before
	most int               // items of the longest page so far
}

// paginate reads a list to its end: by createdBefore for exports, by offset for all others. A gateway may return fewer
// items than requested, so only a page that is shorter than an earlier one, or that contains nothing new, is the last.
func paginate(ctx context.Context, cl *api.Client, path string, query url.Values, header http.Header) (json.RawMessage, error) {
	p := &pages{cl: cl, path: path, query: query, header: header, keyset: strings.HasSuffix(path, "/exports"), seen: map[string]bool{}, all: []json.RawMessage{}}
	if query.Get("limit") == "" {
		query.Set("limit", "100")
	}
	for {
		page, err := p.read(ctx)
		if err != nil {
			return nil, err
		}
		fresh := p.keep(page)
		if fresh == 0 || len(page) < p.most {
			if p.keyset && fresh == 0 && len(page) > 1 && len(page) >= p.most {
				return nil, &cli.Failure{Exit: exitcode.Failed, Code: "failed", Msg: fmt.Sprintf("--paginate: %d items or more were created at %s, which is more than the page size", len(page), p.query.Get("createdBefore")),
					Hint: "give a larger limit in the address"}
			}
			return api.Marshal(p.all)
		}
		p.most = len(page)
		if err := p.forward(page); err != nil {
			return nil, err
		}
	}
}

func (p *pages) read(ctx context.Context) ([]json.RawMessage, error) {
	ctx, cancel := p.cl.Bounded(ctx)
	defer cancel()
	rep, err := p.cl.Do(ctx, http.MethodGet, p.path, p.query, p.header, nil)
	if err != nil {
		return nil, err
	}
	defer rep.Body.Close()
	if rep.Status != http.StatusOK {
		return nil, api.ReadError(http.MethodGet, p.cl.BaseURL()+p.path, rep)
	}
	raw, err := rep.ReadAll()
	if err != nil {
		return nil, tooLarge(err)
	}
	var page []json.RawMessage
	if json.Unmarshal(raw, &page) != nil || page == nil {
		return nil, cli.Usagef("--paginate: the reply is not a list")
	}
	return page, nil
}

// keep adds the new items: a path that ignores paging returns the same page again, and pages by time overlap. Items without an id may be equal; of
// these a page by time repeats as many as were seen.
func (p *pages) keep(page []json.RawMessage) (fresh int) {
	same := slices.EqualFunc(page, p.last, func(a, b json.RawMessage) bool { return string(a) == string(b) })
	if p.last = page; same {
		return 0
	}
	times := map[string]int{}
	for _, item := range page {
		var it struct {
			ID json.RawMessage `json:"id"`
		}
		key := ""
		if json.Unmarshal(item, &it) == nil && len(it.ID) > 0 && string(it.ID) != "null" { // the rest may change between two pages
			key = "id " + string(it.ID)
		} else if p.keyset {
			times[string(item)]++
			key = fmt.Sprintf("%d %s", times[string(item)], item)
		}
		if key == "" || !p.seen[key] {
			p.seen[key] = true
			p.all = append(p.all, item)
			fresh++
		}
	}
	return fresh
}

// forward prepares the request for the next page.
func (p *pages) forward(page []json.RawMessage) error {
	if !p.keyset {
		p.query.Set("offset", fmt.Sprint(len(p.all)))
		return nil
	}
	var last struct {
		CreatedAt string `json:"createdAt"`
	}
	if json.Unmarshal(page[len(page)-1], &last) != nil || last.CreatedAt == "" {
		return &cli.Failure{Exit: exitcode.Failed, Code: "failed", Msg: "--paginate: the list has no createdAt, so its next page cannot be requested"}
	}
	before := last.CreatedAt
	if t, err := time.Parse(time.RFC3339, before); err == nil { // others with the same time may be on the next page
		before = t.Add(time.Millisecond).UTC().Format(time.RFC3339Nano)
	}
	p.query.Set("createdBefore", before)
	return nil
}
