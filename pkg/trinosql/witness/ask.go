package witness

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

const keptRows, keptBytes = 30, 4000

// Ask describes and runs a statement on the Trino server at an address.
func Ask(base string, s Statement) (*Answer, error) {
	a := &Answer{SQL: s.SQL}
	described, err := post(base, "DESCRIBE OUTPUT q", s.SQL)
	// a statement with a syntax error cannot be prepared, and the reply does not report its position
	if err == nil && described == nil {
		described, err = post(base, s.SQL, "")
	}
	if err != nil || described == nil {
		return a, err
	}
	if a.Error = described.failure(); a.Error != nil {
		return a, nil
	}
	for _, r := range described.Data {
		a.Columns = append(a.Columns, [2]string{r[0].(string), r[4].(string)})
	}
	if s.TypesOnly || s.Parameters() {
		return a, nil
	}
	run, err := post(base, s.SQL, "")
	if err != nil || run == nil {
		return a, err
	}
	a.Failure = run.failure()
	a.keep(run)
	return a, nil
}

// Run runs a statement on the Trino server at an address. An error before it runs is a Failure, too.
func Run(base, sql string) (*Answer, error) {
	run, err := post(base, sql, "")
	if err != nil || run == nil {
		return nil, err
	}
	a := &Answer{SQL: sql, Failure: run.failure()}
	for _, c := range run.Columns {
		a.Columns = append(a.Columns, [2]string{c.Name, c.Type})
	}
	a.Rows = run.Data
	return a, nil
}

// keep stores the rows in the answer unless there are too many.
func (a *Answer) keep(run *reply) {
	if rows, err := json.Marshal(run.Data); err == nil && a.Failure == nil && len(run.Data) <= keptRows &&
		len(rows) <= keptBytes {
		a.Rows = append([][]any{}, run.Data...) // not nil, which would mean too many
	}
}

type reply struct {
	NextURI string `json:"nextUri"`
	Columns []struct{ Name, Type string }
	Data    [][]any
	Error   *struct {
		ErrorName, Message string
		ErrorLocation      struct{ LineNumber, ColumnNumber int }
	}
}

func (r *reply) failure() *[3]string {
	if r.Error == nil {
		return nil
	}
	e := r.Error
	place := ""
	if e.ErrorLocation.LineNumber > 0 {
		place = fmt.Sprintf("%d:%d", e.ErrorLocation.LineNumber, e.ErrorLocation.ColumnNumber)
	}
	return &[3]string{e.ErrorName, place, strings.TrimPrefix(e.Message, "line "+place+": ")}
}

// post runs a statement, with another one prepared as q, and collects all of its rows. The reply is nil if the prepared
// one cannot be parsed.
func post(base, sql, prepared string) (*reply, error) {
	all := &reply{}
	req, err := http.NewRequest(http.MethodPost, base+"/v1/statement", strings.NewReader(sql))
	for err == nil {
		for k, v := range map[string]string{"User": "dig", "Catalog": "tpch", "Schema": "tiny", "Time-Zone": "UTC",
			"Client-Info":         "witness",
			"Client-Capabilities": "PARAMETRIC_DATETIME"} {
			req.Header.Set("X-Trino-"+k, v)
		}
		if prepared != "" {
			req.Header.Set("X-Trino-Prepared-Statement", "q="+url.QueryEscape(prepared))
		}
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err != nil {
			break
		}
		var r reply
		dec := json.NewDecoder(resp.Body)
		dec.UseNumber()
		err = dec.Decode(&r)
		_ = resp.Body.Close()
		if resp.StatusCode == http.StatusBadRequest && prepared != "" {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", resp.Status, err)
		}
		all.Data = append(all.Data, r.Data...)
		if r.Columns != nil {
			all.Columns = r.Columns
		}
		if all.Error = r.Error; r.NextURI == "" {
			return all, nil
		}
		req, err = http.NewRequest(http.MethodGet, r.NextURI, nil)
	}
	return nil, err
}
