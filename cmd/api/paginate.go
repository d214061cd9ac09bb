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
	last []string // the ids of the page before, or the items that have none
	read int      // items of all pages
	most int      // items of the longest page so far
}

// paginate reads a list to its end: by createdBefore for exports, by offset for all others. A gateway may return
// fewer items than requested, so only a page that is shorter than an earlier one is the last, or one that repeats the
// page before, of a path that ignores paging. Pages by time overlap: one with nothing new is the last.
func paginate(ctx context.Context, cl *api.Client, path string, query url.Values,
	header http.Header) (json.RawMessage, error) {
	p := &pages{cl: cl, path: path, query: query, header: header, keyset: strings.HasSuffix(path, "/exports"),
		seen: map[string]bool{}, all: []json.RawMessage{}}
	if query.Get("limit") == "" {
		query.Set("limit", "100")
	}
	for {
		page, err := p.request(ctx)
		if err != nil {
			return nil, err
		}
		fresh, repeated := p.keep(page)
		if repeated || len(page) < p.most || len(page) == 0 || p.keyset && fresh == 0 {
			if p.keyset && fresh == 0 && len(page) > 1 && len(page) >= p.most {
				return nil, &exitcode.Failure{Exit: exitcode.Failed, Code: "failed",
					Msg: fmt.Sprintf("--paginate: %d items or more were created at %s, which is more than the "+
						"page size", len(page), p.query.Get("createdBefore")),
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

func (p *pages) request(ctx context.Context) ([]json.RawMessage, error) {
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
		return nil, exitcode.Usagef("--paginate: the reply is not a list")
	}
	return page, nil
}

// keep adds the items of a page except those that an earlier one had. Where a list shifts while it is read, a page by
// offset begins with items of the page before: those with an id that are equal in all. Pages by time overlap: there
// the id decides, since the rest of an item may have changed, and of equal items without an id as many are repeated as
// were seen.
func (p *pages) keep(page []json.RawMessage) (fresh int, repeated bool) {
	ids := make([]string, len(page))
	for i, item := range page {
		var it struct {
			ID json.RawMessage `json:"id"`
		}
		ids[i] = "item " + string(item)
		if json.Unmarshal(item, &it) == nil && len(it.ID) > 0 && string(it.ID) != "null" {
			ids[i] = "id " + string(it.ID)
		}
	}
	repeated = slices.Equal(ids, p.last)
	p.last = ids
	if repeated {
		return 0, true
	}
	p.read += len(page)
	times := map[string]int{}
	for i, item := range page {
		key, known := ids[i], strings.HasPrefix(ids[i], "id ")
		switch {
		case p.keyset && !known:
			times[key]++
			key = fmt.Sprintf("%d %s", times[key], key)
		case !p.keyset && known:
			key += " " + string(item)
		case !p.keyset:
			key = ""
		}
		if key == "" || !p.seen[key] {
			p.seen[key] = true
			p.all = append(p.all, item)
			fresh++
		}
	}
	return fresh, false
}

// forward prepares the request for the next page.
func (p *pages) forward(page []json.RawMessage) error {
	if !p.keyset {
		p.query.Set("offset", fmt.Sprint(p.read))
		return nil
	}
	var last struct {
		CreatedAt string `json:"createdAt"`
	}
	if json.Unmarshal(page[len(page)-1], &last) != nil || last.CreatedAt == "" {
		return &exitcode.Failure{Exit: exitcode.Failed, Code: "failed",
			Msg: "--paginate: the list has no createdAt, so its next page cannot be requested"}
	}
	before := last.CreatedAt
	if t, err := time.Parse(time.RFC3339, before); err == nil { // others with the same time may be on the next page
		before = t.Add(time.Millisecond).UTC().Format(time.RFC3339Nano)
	}
	p.query.Set("createdBefore", before)
	return nil
}
