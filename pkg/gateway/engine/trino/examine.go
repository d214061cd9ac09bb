package trino

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/protocol"
)

// Examination is what a check of the installation finds out about a cluster.
type Examination struct {
	Detail  string
	Several bool  // projects have tables there, which it has to keep apart
	Lacks   error // what several projects need and it does not do
}

// mostExamined is the number of projects whose users are tried.
const mostExamined = 20

// Examine finds out whether the cluster admits the gateway and keeps projects apart. It changes nothing there.
func (e *Engine) Examine(ctx context.Context) (Examination, error) {
	out, err := e.examine(ctx)
	if isKind(err, engine.KindUnsupported) {
		out.Lacks, err = err, nil
	}
	return out, err
}

func (e *Engine) examine(ctx context.Context) (Examination, error) {
	var out Examination
	if err := e.admits(ctx, "", "SELECT 1"); err != nil {
		return out, err
	}
	ids, canary, err := e.stored(ctx)
	if err != nil {
		return out, err
	}
	out.Several = len(ids) > 1 && !e.Unprotected
	if err := e.Authenticates(ctx); err != nil {
		return out, err
	}
	if e.ProjectUser == "" {
		return out, unfit("all statements are those of one user", "--trino-project-user gives each project a user "+
			"(docs/cluster.md)")
	}
	for _, id := range ids[:min(len(ids), mostExamined)] {
		if err := e.admits(ctx, e.userOf(id), "SELECT 1"); err != nil {
			return out, err
		}
		for _, a := range e.attacks() {
			if a.changes {
				continue
			}
			if err := e.refused(ctx, id, a); err != nil {
				return out, err
			}
		}
	}
	out.Detail = e.URL + " authenticates its users"
	if len(ids) == 0 {
		out.Detail += "; no project has tables there"
		return out, nil
	}
	out.Detail += fmt.Sprintf("; tried as the users of projects (%d): it refuses the catalog system",
		min(len(ids), mostExamined))
	if canary {
		if err := e.refuses(ctx, ids[:min(len(ids), mostExamined)]); err != nil {
			return out, err
		}
		out.Detail += " and tables of others"
	}
	return out, nil
}

// stored are the projects that have tables on the cluster, by the names of their schemas, and whether there is the
// table that no project may read.
func (e *Engine) stored(ctx context.Context) (ids []string, canary bool, err error) {
	seen := map[string]bool{}
	_, err = e.exec(ctx, protocol.Request{SQL: "SELECT schema_name FROM " + sqltext.Quote(e.Catalog) +
		".information_schema.schemata"}, false, func(v []*string) error {
		if v[0] == nil {
			return nil
		}
		rest, ours := strings.CutPrefix(*v[0], e.prefix()+"_")
		if ours && rest == canaryName {
			canary = true
		}
		i := strings.LastIndexByte(rest, '_')
		if !ours || i < 0 {
			return nil
		}
		id := rest[:i]
		if code, ok := strings.CutPrefix(id, coded); ok {
			raw, err := hex.DecodeString(code)
			if err != nil {
				return nil // not a schema of the gateway
			}
			id = string(raw)
		}
		if projectID().MatchString(id) && (&project{e: e, id: id}).schema(rest[i+1:]) == *v[0] && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
		return nil
	})
	return ids, canary, fault(ctx, err)
}
