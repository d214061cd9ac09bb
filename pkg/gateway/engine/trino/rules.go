package trino

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/tempfile"
)

// rule is a rule of Trino's file-based access control. Of the rules of a section the first one counts whose patterns
// match; if there is none, access is denied.
type rule map[string]any

// rules are the sections of the file: the user of each project reads its own schemas, and no other of the gateway's
// users may anything. The gateway's own user has its catalog.
func (e *Engine) rules(ids []string) map[string][]rule {
	quote := regexp.QuoteMeta
	own, lake := quote(e.User), quote(e.Catalog)
	before, after, _ := strings.Cut(e.ProjectUser, placeholder)
	all := quote(before) + ".*" + quote(after)
	out := map[string][]rule{
		"catalogs": {{"user": own, "catalog": lake, "allow": "all"},
			{"user": own, "catalog": "system", "allow": "read-only"}},
		"schemas": {{"user": own, "catalog": lake, "owner": true}},
		"tables": {{"user": own, "catalog": lake, "privileges": []string{"SELECT", "INSERT", "UPDATE", "DELETE",
			"OWNERSHIP"}},
			{"user": own, "catalog": "system", "schema": "metadata", "table": "table_comments",
				"privileges": []string{"SELECT"}}},
		"functions":                  {},
		"procedures":                 {{"user": own, "catalog": lake, "privileges": []string{"EXECUTE"}}},
		"system_session_properties":  {{"user": own, "allow": true}},
		"catalog_session_properties": {{"user": own, "catalog": lake, "allow": true}},
		"queries": {{"user": own, "queryOwner": own + "|" + all, "allow": []string{"view", "kill"}},
			{"user": own, "allow": []string{"execute"}}},
		"impersonation": {},
	}
	add := func(section string, r rule) { out[section] = append(out[section], r) }
	for _, id := range ids {
		user := quote(e.userOf(id))
		add("catalogs", rule{"user": user, "catalog": lake, "allow": "read-only"})
		add("tables", rule{"user": user, "catalog": lake, "schema": quote((&project{e: e, id: id}).schema("")) +
			"[a-z0-9]*", "privileges": []string{"SELECT"}})
		add("system_session_properties", rule{"user": user, "property": timeLimit, "allow": true})
		add("queries", rule{"user": user, "allow": []string{"execute"}})
		add("impersonation", rule{"original_user": own, "new_user": user})
	}
	for _, user := range []string{own, all} {
		add("catalogs", rule{"user": user, "allow": "none"})
		add("schemas", rule{"user": user, "owner": false})
		add("tables", rule{"user": user, "privileges": []string{}})
		add("functions", rule{"user": user, "privileges": []string{}})
		add("procedures", rule{"user": user, "privileges": []string{}})
		add("system_session_properties", rule{"user": user, "allow": false})
		add("catalog_session_properties", rule{"user": user, "allow": false})
		add("queries", rule{"user": user, "allow": []string{}})
		add("impersonation", rule{"original_user": user, "new_user": ".*", "allow": false})
	}
	return out
}

// writeRules replaces the file of the rules. Those of RulesBase follow those of the gateway.
func (e *Engine) writeRules(known map[string]bool) error {
	if e.Rules == "" {
		return nil
	}
	doc := map[string][]any{}
	for section, list := range e.rules(slices.Sorted(maps.Keys(known))) {
		for _, r := range list {
			doc[section] = append(doc[section], r)
		}
	}
	if e.RulesBase != "" {
		raw, err := os.ReadFile(e.RulesBase)
		var base map[string][]any
		if err == nil {
			err = json.Unmarshal(raw, &base)
		}
		if err != nil {
			return fmt.Errorf("the rules of access to begin with: %w", err)
		}
		for section, list := range base {
			doc[section] = append(doc[section], list...)
		}
	}
	raw, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	raw = append(raw, '\n')
	if old, err := os.ReadFile(e.Rules); err == nil && bytes.Equal(old, raw) {
		return nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return tempfile.WriteAll([]string{e.Rules}, func(string) []byte { return raw })
}
