package trino

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
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
func (e *Engine) rules(ids []string, revision string) map[string][]rule {
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
	reads := []string{"SELECT"}
	if revision != "" {
		out["system_session_properties"] = append(out["system_session_properties"], rule{"user": quote(revision),
			"property": timeLimit, "allow": true})
		out["queries"] = append(out["queries"], rule{"user": quote(revision), "allow": []string{"execute"}})
		out["impersonation"] = append(out["impersonation"], rule{"original_user": own, "new_user": quote(revision)})
	}
	add := func(section string, r rule) { out[section] = append(out[section], r) }
	for _, name := range e.catalogsOf("") { // for the results that the gateway stores
		add("catalogs", rule{"user": own, "catalog": quote(name), "allow": "read-only"})
		add("tables", rule{"user": own, "catalog": quote(name), "privileges": reads})
	}
	if e.Dynamic {
		made := quote(e.madePrefix("")) + "[^_]+" + madeSuffix
		add("catalogs", rule{"user": own, "catalog": made, "allow": "owner"})
		add("tables", rule{"user": own, "catalog": made, "privileges": reads})
	}
	for _, id := range ids {
		user := quote(e.userOf(id))
		if e.Dynamic {
			made := quote(strings.TrimSuffix(e.madePrefix(id), "_")) + madeSuffix
			add("catalogs", rule{"user": user, "catalog": made, "allow": "read-only"})
			add("tables", rule{"user": user, "catalog": made, "privileges": reads})
		}
		for _, name := range e.catalogsOf(id) {
			add("catalogs", rule{"user": user, "catalog": quote(name), "allow": "read-only"})
			add("tables", rule{"user": user, "catalog": quote(name), "privileges": reads})
		}
		add("catalogs", rule{"user": user, "catalog": lake, "allow": "read-only"})
		add("tables", rule{"user": user, "catalog": lake, "schema": quote((&project{e: e, id: id}).schema("")) +
			"[a-z0-9]*", "privileges": reads})
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

// document is the file with the rules of the gateway, and those of others behind them.
func document(own map[string][]rule, base map[string][]any) ([]byte, error) {
	doc := map[string][]any{}
	for section, list := range own {
		for _, r := range list {
			doc[section] = append(doc[section], r)
		}
	}
	for section, list := range base {
		doc[section] = append(doc[section], list...)
	}
	raw, err := json.MarshalIndent(doc, "", "  ")
	return append(raw, '\n'), err
}

// writeRules replaces the file of the rules. Those of RulesBase follow those of the gateway.
func (e *Engine) writeRules(known map[string]bool) error {
	if e.Rules == "" {
		return nil
	}
	var base map[string][]any
	if e.RulesBase != "" {
		raw, err := os.ReadFile(e.RulesBase)
		if err == nil {
			err = json.Unmarshal(raw, &base)
		}
		if err != nil {
			return fmt.Errorf("the rules of access of others: %w", err)
		}
	}
	ids := slices.Sorted(maps.Keys(known))
	raw, err := document(e.rules(ids, ""), base)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(raw)
	// No project has such a name: an id has no dot.
	e.keeper.revision = e.userOf("rules." + hex.EncodeToString(sum[:8]))
	if raw, err = document(e.rules(ids, e.keeper.revision), base); err != nil {
		return err
	}
	if old, err := os.ReadFile(e.Rules); err == nil && bytes.Equal(old, raw) {
		return nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return tempfile.WriteAll([]string{e.Rules}, func(string) []byte { return raw })
}
