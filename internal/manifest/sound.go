package manifest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
)

// Sound finds faults that a gateway would reject only while the changes are applied, or that would break something:
// names of saved queries that are not valid in SQL, cycles of queries, and statements that read tables or queries that
// will not exist. have is the project; gone are the changes that delete objects of it; known reports the kinds of which
// all objects are known.
func Sound(want, have *Project, changes, gone []Change, known map[Kind]bool) Invalid {
	var bad Invalid
	problem := func(at Position, format string, args ...any) {
		bad = append(bad, Problem{Position: at, Text: fmt.Sprintf(format, args...)})
	}
	changed := map[string]bool{}
	for _, ch := range changes {
		q, ok := ch.Want.(*Query)
		if !ok {
			continue
		}
		changed[q.Name] = true
		if ch.Have == nil || ch.Have.(*Query).SQL != q.SQL {
			at := Position{File: q.StatementFile()}
			if err := sqlstmt.Fault(q.SQL); err != nil {
				at.Line = err.At.Line
				bad = append(bad, Problem{Position: at, Column: err.At.Col, Text: err.Msg})
			} else if kind := sqlstmt.Other(q.SQL); kind != "" {
				problem(at, "a saved query can only read, and the statement is one of the kind %s", kind)
			}
		}
		switch {
		case ch.Have != nil && ch.Have.base().Name == q.Name:
		case strings.ContainsRune(q.Name, 0):
			problem(q.At, "the name of a query cannot contain NUL")
		case !sqltext.IsQueryName(q.SQLName):
			problem(q.At, "%.60q cannot be the name of a query: in SQL it must contain a letter or a digit, and at "+
				"most %d characters", q.Name, sqltext.MaxQueryName)
		}
	}
	bad = append(bad, circles(want, changed)...)
	deleted, renamed := map[Ref]bool{}, map[string]string{}
	for _, ch := range gone {
		if ch.Action == Delete {
			deleted[ch.Ref] = true
		}
	}
	for _, ch := range changes {
		if q, ok := ch.Want.(*Query); ok && ch.Have != nil && ch.Have.(*Query).SQLName != q.SQLName {
			deleted[ch.Have.base().Ref] = true
			renamed[ch.Have.(*Query).SQLName] = q.SQLName
		}
	}
	there := namesInSQL(want, have, deleted)
	for _, q := range Of[*Query](want, KindQuery) {
		for _, t := range sqlstmt.Tables(q.SQL) {
			if !strings.EqualFold(t.Catalog, api.InternalCatalogName) {
				continue
			}
			schema := strings.ToLower(t.Schema)
			kind, ok := map[string]Kind{api.SchemaTable: KindTable, api.SchemaBI: KindBITable,
				api.SchemaQuery: KindQuery, api.SchemaMtQuery: KindQuery}[schema]
			name := Ref{kind, strings.ToLower(t.Table)}
			if !ok || !known[kind] || there[name] == stays {
				continue
			}
			text := "%s reads %s, which is neither in the files nor in the project"
			if there[name] == goes {
				text = "%s reads %s, which would be deleted"
				if to := renamed[name.Name]; to != "" && kind == KindQuery {
					text = "%s reads %s, which would be called " + to
				}
			} else if !changed[q.Name] {
				continue
			}
			bad = append(bad, Problem{Position: q.At, Text: fmt.Sprintf(text, q.Name, t), Reads: true})
		}
	}
	slices.SortStableFunc(bad, func(a, b Problem) int { return strings.Compare(a.File, b.File) })
	return bad
}

// presence reports whether a name will exist after the changes.
type presence int

const (
	absent presence = iota
	goes
	stays
)

// namesInSQL returns the tables and saved queries that statements can name, in lower case.
func namesInSQL(want, have *Project, deleted map[Ref]bool) map[Ref]presence {
	there := map[Ref]presence{}
	for _, p := range []*Project{have, want} {
		for _, k := range []Kind{KindTable, KindBITable, KindQuery} {
			for _, o := range Of[Object](p, k) {
				name := o.base().Name
				if q, ok := o.(*Query); ok {
					name = q.SQLName
				}
				ref := Ref{k, strings.ToLower(name)}
				if p == have && deleted[o.base().Ref] {
					there[ref] = max(there[ref], goes)
				} else {
					there[ref] = stays
				}
			}
		}
	}
	return there
}

// circles finds saved queries that read each other, if one of them changes.
func circles(p *Project, changed map[string]bool) Invalid {
	reads, done := readers(p), map[string]bool{}
	var bad Invalid
	var walk func(q *Query, way []string)
	walk = func(q *Query, way []string) {
		if at := slices.Index(way, q.Name); at >= 0 {
			if circle := way[at:]; slices.ContainsFunc(circle, func(name string) bool { return changed[name] }) {
				bad = append(bad, Problem{Position: q.At, Text: "queries read each other: " +
					strings.Join(append(slices.Clone(circle), q.Name), " -> ")})
			}
			return
		}
		if done[q.Name] {
			return
		}
		for _, o := range reads[q.Name] {
			walk(o, append(slices.Clone(way), q.Name))
		}
		done[q.Name] = true
	}
	for _, q := range Of[*Query](p, KindQuery) {
		walk(q, nil)
	}
	return bad
}
