package hosted

import (
	"fmt"
	"net/http"

	"github.com/dig-cli/dig/pkg/gateway/caches/states"
	"github.com/dig-cli/dig/pkg/spec"
)

// duplicateCache answers 500 to the creation of a cache that is being filled.
func duplicateCache(q *Quirks, _ spec.Op, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, hr *http.Request) {
		body, _ := bodyOf(hr).(map[string]any)
		list := hr.Clone(hr.Context())
		list.Body = http.NoBody
		for _, c := range objects(answerOf(q.raw[spec.ListCacheStatuses.ID], list).value()) {
			if c["status"] == states.Running && tableOf(c) == tableOf(body) {
				var a answer
				a.refuse(500, "Internal Server Error")
				a.send(w)
				return
			}
		}
		next(w, hr)
	}
}

// tableOf is the table that an object names.
func tableOf(m map[string]any) [3]string {
	return [3]string{fmt.Sprint(m["catalogId"]), fmt.Sprint(m["schemaName"]), fmt.Sprint(m["tableName"])}
}

// earlyCancel answers 500 to the first cancel after a trigger.
func earlyCancel(q *Quirks, op spec.Op, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, hr *http.Request) {
		id := "trigger " + hr.PathValue("cacheId")
		q.mu.Lock()
		early := q.times[id] > 0
		q.times[id] = 0
		if op.ID == spec.TriggerFullRefresh.ID {
			q.times[id] = 1
		}
		q.mu.Unlock()
		if op.ID == spec.CancelFullRefresh.ID && early && q.strikes("early-cancel-500") {
			var a answer
			a.refuse(500, "Internal Server Error")
			a.send(w)
			return
		}
		next(w, hr)
	}
}

// ignoreSchedule answers an invalid schedule with the current one.
func ignoreSchedule(q *Quirks, _ spec.Op, hr *http.Request, a *answer) {
	if a.status == 400 {
		get := hr.Clone(hr.Context())
		get.Body = http.NoBody
		*a = answerOf(q.raw[spec.GetCacheSettings.ID], get)
	}
}

// wipeSchedule treats an omitted schedule as none [O].
func wipeSchedule(_ *Quirks, _ spec.Op, body any) any {
	if m, ok := body.(map[string]any); ok {
		for _, k := range []string{"incrementalCacheSchedule", "fullRefreshCacheSchedule"} {
			if m[k] == nil {
				m[k] = map[string]any{"type": "NONE"}
			}
		}
	}
	return body
}
