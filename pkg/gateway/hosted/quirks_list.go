package hosted

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/metadata"
	"github.com/dig-cli/dig/pkg/gateway/web"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/spec"
)

// Quirks that are looked up by name.
const (
	quirkCappedScans  = "capped-scans"
	quirkEmptySync    = "empty-while-syncing"
	quirkNullHeader   = "unknown-header-null"
	quirkStuckCache   = "stuck-cache"
	quirkEmptyExport  = "empty-export-fails"
	quirkFlakyExport  = "flaky-exports"
	quirkExpiredLinks = "expired-links"
	quirkParameters   = "parameter-columns"
)

// AllQuirks lists every quirk in the order of docs/testing.md. The facts behind the hosted ones are [L].
func AllQuirks() []Quirk {
	status := []spec.Op{spec.RefreshMaterializedQuery, spec.TriggerFullRefresh, spec.TriggerIncrementalUpdate,
		spec.GetMaterializedStatus, spec.GetCacheStatus}
	return []Quirk{
		{Name: quirkCappedScans},
		{Name: quirkEmptySync},
		{Name: quirkNullHeader},
		{"constraints-dropped", Hosted, []spec.Op{spec.AddInternalColumns, spec.AddBiColumns}, asked(dropConstraints)},
		{"bi-display-name", Hosted, []spec.Op{spec.UpdateBiColumn}, echoColumn},
		{"bi-collision", Hosted, []spec.Op{spec.CreateBiTable}, edited(meetTable)},
		{"late-status", Hosted, status, lateStatus},
		{Name: quirkStuckCache},
		{"metadata-not-active", Hosted, []spec.Op{spec.GetMetadataRefreshStatus}, edited(notActive)},
		{"duplicate-cache-500", Hosted, []spec.Op{spec.CreateCache}, duplicateCache},
		{"early-cancel-500", HarshStaged, []spec.Op{spec.TriggerFullRefresh, spec.CancelFullRefresh}, earlyCancel},
		{"schedule-ignored", Hosted, []spec.Op{spec.UpdateCacheSettings}, edited(ignoreSchedule)},
		{"schedule-wiped", Harsh, []spec.Op{spec.UpdateCacheSettings}, asked(wipeSchedule)},
		{"schema-status-500", Hosted, []spec.Op{spec.ListSchemaCacheStatuses},
			edited(func(_ *Quirks, _ spec.Op, _ *http.Request, a *answer) { a.refuse(500, "Internal Server Error") })},
		{Name: quirkEmptyExport},
		{Name: quirkFlakyExport, Set: Harsh},
		{Name: quirkExpiredLinks, Set: Harsh},
		{"missing-cache-400", Hosted, []spec.Op{spec.TriggerFullRefresh, spec.TriggerIncrementalUpdate},
			edited(func(_ *Quirks, _ spec.Op, _ *http.Request, a *answer) {
				if a.status == 404 {
					a.status = 400
				}
			})},
		{"catalog-create-500", Harsh, []spec.Op{spec.CreateCatalog, spec.CreateCatalogAlt}, func(*Quirks, spec.Op,
			http.HandlerFunc) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				var a answer
				a.refuse(500, "Internal Server Error")
				a.send(w)
			}
		}},
		{"sample-of-nothing", Hosted, []spec.Op{spec.GetSampleCsv},
			edited(func(_ *Quirks, _ spec.Op, _ *http.Request, a *answer) {
				if a.status >= 400 {
					*a = answer{200, http.Header{"Content-Type": {"text/csv"}}, []byte("\n\n\n\n\n")}
				}
			})},
		{"search-ghosts", Hosted, []spec.Op{spec.DeleteCatalog, spec.Search}, searchGhosts},
		{"envelopes", Harsh, []spec.Op{spec.ListWorkspaces, spec.ListCatalogs, spec.ListQueries,
			spec.ListInternalTables}, edited(envelope)},
		{"transpile-query-only", Hosted, []spec.Op{spec.TranspileSql},
			edited(func(_ *Quirks, _ spec.Op, _ *http.Request, a *answer) {
				if m, ok := a.value().(map[string]any); ok {
					delete(m, "result")
					a.set(m)
				}
			})},
		{"leaky-errors", Hosted, []spec.Op{spec.CreateConnection, spec.UpdateConnection}, failed(leak)},
		{"whole-column", Hosted, []spec.Op{spec.UpdateInternalColumn, spec.UpdateBiColumn}, wholeColumn},
		{"broken-large-results", Harsh, []spec.Op{spec.ExecuteQuery}, func(_ *Quirks, _ spec.Op,
			next http.HandlerFunc) http.HandlerFunc {
			return func(w http.ResponseWriter, hr *http.Request) {
				if sw, ok := w.(*web.StatusWriter); ok {
					sw.ResponseWriter = &shortWriter{ResponseWriter: sw.ResponseWriter, left: 1 << 20, clean: true,
						cut: new(bool)}
				}
				next(w, hr)
			}
		}},
		{"counters-lie", Hosted, []spec.Op{spec.GetCacheStatus, spec.ListCacheExecutions, spec.ListCacheStatuses,
			spec.ListCatalogCacheStatuses}, edited(func(_ *Quirks, _ spec.Op, _ *http.Request, a *answer) {
			a.body = counters().ReplaceAllFunc(a.body, lyingCounters)
		})},
		{"number-ids", Harsh, []spec.Op{spec.ListQueries, spec.GetQuery, spec.CreateQuery, spec.ListCatalogs,
			spec.GetCatalog}, edited(func(_ *Quirks, _ spec.Op, _ *http.Request, a *answer) {
			// not observed so far, but clients of the service must handle it [I]
			a.body = quotedID().ReplaceAll(a.body, []byte("$1$2"))
		})},
		{Name: quirkParameters},
		{"undead-cache", HarshStaged, []spec.Op{spec.DeleteCache, spec.GetTableCacheState, spec.ListTables},
			undeadCache},
		{"html-errors", Harsh, nil, failed(htmlErrors)},
		{"first-bad-value", Hosted, []spec.Op{spec.ImportCsv}, failed(firstBadValue)},
		{"cache-own-table", Hosted, []spec.Op{spec.CreateCache}, ownTable},
		{"class-names", Harsh, []spec.Op{spec.ExecuteQuery}, failed(leak)},
		{"bind-args", Harsh, []spec.Op{spec.ExecuteQuery}, asked(otherBindings)}, // [O] writes bindArgs in one place
		{"zone-fields", Hosted, []spec.Op{spec.ListConnectionConfigs, spec.GetConnectionConfig}, edited(zoneFields)},
		{"duplicate-names", Harsh, []spec.Op{spec.CreateWorkspace, spec.UpdateWorkspace, spec.CreateProject,
			spec.CreateProjectLegacy, spec.UpdateProject, spec.UpdateProjectLegacy, spec.CreateConnection,
			spec.CreateConnectionAlt, spec.UpdateConnection}, asked(func(_ *Quirks, _ spec.Op, body any) any {
			if o, ok := body.(map[string]any); ok {
				o["allowDuplicateName"] = true
			}
			return body
		})},
	}
}

var (
	counters = late.Regexp(`"numberOfCachedRecords":\d+,"numberOfInsertedRecords":(\d+),"numberOfUpdatedRecords":\d+,` +
		`"numberOfDeletedRecords":\d+`)
	quotedID = late.Regexp(`("(?:id|catalogId)":)"(\d{15,})"`)
)

// lyingCounters are true for inserted rows only: two are counted as updated and none as deleted, and the rows cached
// are the sum [L].
func lyingCounters(b []byte) []byte {
	inserted, _ := strconv.Atoi(string(counters().FindSubmatch(b)[1]))
	return fmt.Appendf(nil, `"numberOfCachedRecords":%d,"numberOfInsertedRecords":%d,"numberOfUpdatedRecords":2,`+
		`"numberOfDeletedRecords":0`, inserted+2, inserted)
}

func objects(v any) []map[string]any {
	var out []map[string]any
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, x := range list {
		if m, ok := x.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

func dropConstraints(_ *Quirks, _ spec.Op, body any) any {
	for _, col := range objects(body) {
		delete(col, "isUnique")
		delete(col, "isNotNull")
		delete(col, "desc")
	}
	return body
}

// echoColumn answers the update of a column as requested and stores nothing.
func echoColumn(_ *Quirks, _ spec.Op, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, hr *http.Request) {
		body, ok := bodyOf(hr).(map[string]any)
		if name, has := body["displayName"]; ok && has && name != "" {
			body["id"] = "-1"
			a := answer{status: 200, header: http.Header{"Content-Type": {"application/json"}}}
			a.set([]any{body})
			a.send(w)
			return
		}
		next(w, hr)
	}
}

// meetTable answers the creation of an existing table as if it had been created.
func meetTable(_ *Quirks, _ spec.Op, hr *http.Request, a *answer) {
	if a.status == 400 || a.status == 409 {
		a.status = 200
		a.set(map[string]any{"catalogId": api.InternalCatalogID, "catalogName": engine.InternalCatalog,
			"schemaName": engine.SchemaBI, "tableName": strings.ReplaceAll(hr.PathValue("tableName"), "_", ""),
			"isCacheable": false, "isDynamicTable": false, "isCached": false, "supportedCacheTypes": []any{}})
	}
}

// lateStatus serves the previous status twice more after a trigger. Of a cache only the runs are late: its own status
// is that of the present [L].
func lateStatus(q *Quirks, op spec.Op, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, hr *http.Request) {
		id := hr.PathValue("queryId") + hr.PathValue("cacheId")
		if op.Method == http.MethodGet {
			q.mu.Lock()
			old, ok := q.stale[id]
			q.mu.Unlock()
			a := answerOf(next, hr)
			if !ok || a.status != 200 {
				a.send(w)
				return
			}
			if q.count("status "+id)%2 == 1 {
				q.mu.Lock()
				delete(q.stale, id)
				q.mu.Unlock()
			}
			now, isNow := a.value().(map[string]any)
			a.body = old
			if then, ok := a.value().(map[string]any); ok && isNow && hr.PathValue("cacheId") != "" {
				then["status"] = now["status"]
				a.set(then)
			}
			a.send(w)
			return
		}
		look := q.raw[spec.GetMaterializedStatus.ID]
		if hr.PathValue("cacheId") != "" {
			look = q.raw[spec.GetCacheStatus.ID]
		}
		before := answerOf(look, hr.Clone(hr.Context()))
		a := answerOf(next, hr)
		if a.status == 200 && before.status == 200 {
			q.mu.Lock()
			q.stale[id] = before.body
			q.mu.Unlock()
		}
		a.send(w)
	}
}

// zoneFields leaves out the fields of credentials that only zone local has.
func zoneFields(_ *Quirks, _ spec.Op, _ *http.Request, a *answer) {
	v := a.value()
	for _, config := range objects(v) {
		if fields, ok := config["configuration"].([]any); ok {
			config["configuration"] = slices.DeleteFunc(fields, func(f any) bool {
				m, _ := f.(map[string]any)
				return m["fieldName"] == connector.CACertificate().Name
			})
		}
	}
	if v != nil {
		a.set(v)
	}
}

// otherBindings accepts values only as bindArgs.
func otherBindings(_ *Quirks, _ spec.Op, body any) any {
	if m, ok := body.(map[string]any); ok {
		delete(m, "bindings")
	}
	return body
}

// ownTable answers the creation of a cache of an internal table with an error about a name that was not in the request.
func ownTable(_ *Quirks, _ spec.Op, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, hr *http.Request) {
		body, _ := bodyOf(hr).(map[string]any)
		if body["catalogId"] != api.InternalCatalogID {
			next(w, hr)
			return
		}
		a := answer{status: 400, header: http.Header{"Content-Type": {"application/json"}}}
		name := sha256.Sum256(fmt.Append(nil, body["schemaName"], body["tableName"]))
		a.set(map[string]any{"error": "WrongRequestException", "errorCode": nil,
			"message": fmt.Sprintf(`cannot find table or properties: "table%x" in schema: "schemamapper%s%d"`,
				name[:16], strings.ToLower(hr.PathValue("projectId")), binary.BigEndian.Uint64(name[16:])>>1)})
		a.send(w)
	}
}

// notActive is the status of every refresh of metadata that has ended.
func notActive(_ *Quirks, _ spec.Op, _ *http.Request, a *answer) {
	if m, ok := a.value().(map[string]any); ok && m["status"] == metadata.RefreshDone {
		m["status"] = metadata.RefreshNever
		a.set(m)
	}
}

// searchGhosts makes a search find deleted catalogs.
func searchGhosts(q *Quirks, op spec.Op, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, hr *http.Request) {
		if op.ID == spec.DeleteCatalog.ID {
			was, _ := answerOf(q.raw[spec.GetCatalog.ID], hr.Clone(hr.Context())).value().(map[string]any)
			a := answerOf(next, hr)
			if name, ok := was["name"].(string); ok && a.status < 300 {
				q.mu.Lock()
				q.ghost = append(q.ghost, name)
				q.mu.Unlock()
			}
			a.send(w)
			return
		}
		body, _ := bodyOf(hr).(map[string]any)
		text, _ := body["query"].(string)
		a := answerOf(next, hr)
		if m, ok := a.value().(map[string]any); ok && a.status == 200 {
			hits, _ := m["matchedCatalogs"].([]any)
			q.mu.Lock()
			for _, name := range q.ghost {
				if strings.Contains(strings.ToLower(name), strings.ToLower(text)) {
					hits = append(hits, map[string]any{"catalog": name, "schema": "", "table": ""})
				}
			}
			q.mu.Unlock()
			if m["matchedCatalogs"] = hits; len(hits) == 0 {
				m["matchedCatalogs"] = nil
			}
			a.set(m)
		}
		a.send(w)
	}
}

// undeadCache keeps reporting a table as cached after its cache was deleted.
func undeadCache(q *Quirks, op spec.Op, next http.HandlerFunc) http.HandlerFunc {
	name := func(m map[string]any) string {
		return "undead " + fmt.Sprint(m["catalogId"], m["schemaName"], m["tableName"])
	}
	return func(w http.ResponseWriter, hr *http.Request) {
		if op.ID == spec.DeleteCache.ID {
			was, _ := answerOf(q.raw[spec.GetCacheSettings.ID], hr.Clone(hr.Context())).value().(map[string]any)
			a := answerOf(next, hr)
			if a.status < 300 && q.strikes("undead-cache") {
				q.count(name(was))
			}
			a.send(w)
			return
		}
		a := answerOf(next, hr)
		v := a.value()
		q.mu.Lock()
		for _, m := range objects(v) {
			at := map[string]any{"catalogId": hr.PathValue("catalogId"), "schemaName": hr.PathValue("schemaName"),
				"tableName": hr.PathValue("tableName")}
			if op.ID == spec.ListTables.ID {
				at = m
			}
			if a.status == 200 && q.times[name(at)] > 0 {
				m["isCached"] = true
			}
		}
		q.mu.Unlock()
		a.set(v)
		a.send(w)
	}
}

// envelope writes lists in the various forms of documents and service: as one object, in "items" or "result", or as
// null [O].
func envelope(_ *Quirks, op spec.Op, _ *http.Request, a *answer) {
	list, ok := a.value().([]any)
	if !ok || a.status != 200 {
		return
	}
	switch {
	case len(list) == 0:
		a.set(nil)
	case op.ID == spec.ListWorkspaces.ID && len(list) == 1:
		a.set(list[0])
	case op.ID == spec.ListCatalogs.ID:
		a.body = append(append([]byte(`{"items":`), a.body...), '}')
	case op.ID == spec.ListQueries.ID:
		a.body = append(append([]byte(`{"result":`), a.body...), '}')
	}
}

// leak adds internal details of the service to error messages.
func leak(op spec.Op, a *answer) {
	m, ok := a.value().(map[string]any)
	text, has := m["message"].(string)
	if !ok || !has {
		return
	}
	m["message"] = "io.trino.spi.TrinoException: " + text
	if op.ID != spec.ExecuteQuery.ID {
		m["message"] = "/internal/connection-secret/p1Qx7TzA/7d6f3a52-9c40-4f0e-8a61-0f6f2a1f9f11: " + text
	}
	a.set(m)
}

// wholeColumn rejects the update of a column without its type.
func wholeColumn(_ *Quirks, _ spec.Op, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, hr *http.Request) {
		if body, ok := bodyOf(hr).(map[string]any); ok && body["dataType"] == nil {
			var a answer
			a.refuse(400, "Could not resolve subtype: missing type id property 'dataType'")
			a.send(w)
			return
		}
		next(w, hr)
	}
}

// firstBadValue reports only one bad cell of a document.
func firstBadValue(_ spec.Op, a *answer) {
	if m, ok := a.value().(map[string]any); ok {
		text, _, _ := strings.Cut(fmt.Sprint(m["message"]), " (and ")
		a.set(map[string]any{"errorCode": 100, "message": text})
	}
}

// htmlErrors answers the gateway's own failures with the page of a proxy.
func htmlErrors(_ spec.Op, a *answer) {
	if a.status >= 500 && a.status != 501 {
		a.header.Set("Content-Type", "text/html")
		a.body = fmt.Appendf(nil,
			"<html><head><title>%d %s</title></head><body><center><h1>%[1]d %[2]s</h1></center></body></html>\n",
			a.status, http.StatusText(a.status))
	}
}
