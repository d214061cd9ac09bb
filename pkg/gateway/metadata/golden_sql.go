package metadata

import (
	"context"
	"strings"

	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/fault"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

func goldenOut(p store.Project) func(store.GoldenSQL) api.GoldenSQLEntry {
	return func(s store.GoldenSQL) api.GoldenSQLEntry {
		return api.GoldenSQLEntry{ID: s.ID, Content: s.Prompt, Metadata: api.GoldenSQLEntryMetadata{SQL: s.SQL,
			Prompt: s.Prompt, ProjectID: p.ID}}
	}
}

func (s *Service) listGoldenSQL(ctx context.Context, r *web.Request[web.None]) (api.GoldenSQLList, error) {
	all, err := s.Store.GoldenSQLs(ctx, r.Project.ID)
	return api.GoldenSQLList{Result: each.Map(all, goldenOut(r.Project))}, err
}

func (s *Service) createGoldenSQL(ctx context.Context,
	r *web.Request[api.GoldenSQLRequest]) (api.GoldenSQLEntry, error) {
	switch {
	case strings.TrimSpace(r.Body.Prompt) == "":
		return api.GoldenSQLEntry{}, fault.Missing("prompt")
	case strings.TrimSpace(r.Body.SQL) == "":
		return api.GoldenSQLEntry{}, fault.Missing("sql")
	}
	goldenSQL, err := s.Store.AddGoldenSQL(ctx, r.Project.ID, r.Body.Prompt, r.Body.SQL)
	return goldenOut(r.Project)(goldenSQL), err
}

func (s *Service) deleteGoldenSQL(ctx context.Context, r *web.Request[web.None]) (done, error) {
	id := r.Param("id")
	return done{}, fault.NotFound(s.Store.DeleteGoldenSQL(ctx, r.Project.ID, id), "there is no golden SQL with id: %s",
		id)
}

// mostGolden is the maximum number of golden statements in an answer.
const mostGolden = 10

// queryGoldenSQL finds the most similar questions.
func (s *Service) queryGoldenSQL(ctx context.Context, r *web.Request[web.None]) (api.GoldenSQLMatches, error) {
	out := api.GoldenSQLMatches{Result: []api.GoldenSQLMatchesResult{}}
	if strings.TrimSpace(r.Query("q")) == "" {
		return out, fault.Framework(400, "required query parameter %q is missing", "q")
	}
	all, err := s.Store.GoldenSQLs(ctx, r.Project.ID)
	if err != nil {
		return out, err
	}
	hits := rank(r.Query("q"), each.Map(all, func(goldenSQL store.GoldenSQL) string { return goldenSQL.Prompt }))
	for _, i := range hits[:min(mostGolden, len(hits))] {
		out.Result = append(out.Result, api.GoldenSQLMatchesResult{Question: all[i].Prompt, SQL: all[i].SQL})
	}
	return out, nil
}
