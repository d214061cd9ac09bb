package complete

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/dig-cli/dig/internal/localstate"
	"github.com/dig-cli/dig/pkg/spec"
)

// listing is a kind of name that a listing shows.
type listing struct {
	kind   string
	member string
	in     []string // members that name the catalog and the schema
	below  bool     // the names belong to the object that the arguments name
}

// completable maps an operation to the kinds of names that it lists: the JSON member that holds the name, and the
// members that qualify it.
var completable = map[string][]listing{
	spec.ListOrganizations.ID:  {{kind: "org", member: "name"}},
	spec.ListWorkspaces.ID:     {{kind: "workspace", member: "name"}},
	spec.ListProjects.ID:       {{kind: "project", member: "name"}},
	spec.ListConnections.ID:    {{kind: "connection", member: "name"}},
	spec.ListCatalogs.ID:       {{kind: "catalog", member: "name"}},
	spec.ListSchemas.ID:        {{kind: "schema", member: "schemaName", in: []string{"catalogName"}}},
	spec.ListInternalTables.ID: {{kind: "table", member: "tableName"}},
	spec.ListTables.ID:         {{kind: "table", member: "tableName", in: []string{"catalogName", "schemaName"}}},
	spec.ListBiTables.ID:       {{kind: "bitable", member: "tableName"}},
	spec.ListQueries.ID:        {{kind: "query", member: "name"}, {kind: QueryIDs, member: "id"}},
	spec.ListQueryFolders.ID:   {{kind: "folder", member: "path"}},

	spec.ListConnectionConfigs.ID: {{kind: "type", member: "connectionType"}},
	spec.ListApiKeys.ID:           {{kind: "key", member: "name"}},
	spec.ListAgentThreads.ID:      {{kind: "thread", member: "displayName"}},
	spec.ListRelations.ID:         {{kind: "relation", member: "id", below: true}},
	spec.ListGoldenSqls.ID:        {{kind: "golden", member: "id"}},
	spec.ListExports.ID:           {{kind: "export", member: "id"}},
	spec.ListInternalColumns.ID:   {{kind: "column", member: "name", below: true}},
	spec.ListBiColumns.ID:         {{kind: "bicolumn", member: "name", below: true}},
	spec.ListColumns.ID:           {{kind: "column", member: "name", below: true}},
}

// elsewhere maps operations to the kinds of names that they change, if their path is not that of its listing or of an
// object below it, or if what they delete is listed still.
var elsewhere = map[string]string{
	spec.CreateSemanticCatalog.ID: "catalog",
	spec.CreateSemanticTable.ID:   "table",
	spec.DeleteSemanticTable.ID:   "table",
	spec.CreateParametricTable.ID: "table",
	spec.DeleteParametricTable.ID: "table",
	spec.RenameTable.ID:           "table bitable column bicolumn",
	spec.CopyTable.ID:             "table bitable",
	spec.ImportBi.ID:              "bitable", // it may have created the table
	spec.MoveQuery.ID:             "folder",  // it creates folders
	spec.ExportQuery.ID:           "export",
	spec.ExportTable.ID:           "export",
	spec.CancelExport.ID:          "export",
	spec.AgentChat.ID:             "thread",
}

// QueryIDs is the kind of the ids of saved queries.
const QueryIDs = "query id"

// maxNames is the maximum number of names stored per kind.
const maxNames = 2000

// Stored are the names that listings have shown, in a file.
type Stored struct{ path string }

// In returns the names in a file; "" is none, which knows no names and stores none.
func In(path string) Stored { return Stored{path} }

func readNames(path string) map[string][]string {
	out := map[string][]string{}
	if raw, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(raw, &out) // an unreadable file only means fewer suggestions
	}
	return out
}

// offered returns the stored names that are safe to pass to a shell. The scripts of all shells evaluate the line at
// each TAB, and bash inserts the common prefix of several names unquoted: a name $(...) that somebody else created
// would be executed.
func (n Stored) offered() map[string][]string {
	all := readNames(n.path)
	for kind, names := range all {
		all[kind] = slices.DeleteFunc(names, func(n string) bool { return !plainName(n) })
	}
	return all
}

// plainName reports whether s consists of letters, digits, blanks and characters that have no meaning to any shell, and
// does not start like a flag.
func plainName(n string) bool {
	return !strings.HasPrefix(n, "-") && !strings.ContainsFunc(n, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) &&
			!strings.ContainsRune(" _-./:,+@", r)
	})
}

// Learn stores the names of a listing for completion, and corrects them after a change. It never fails a command.
func (n Stored) Learn(op spec.Op, raw json.RawMessage, args []string) {
	if n.path == "" {
		return
	}
	kinds, listed := completable[op.ID]
	if op.Safe() && !listed {
		return
	}
	all := readNames(n.path)
	store := listed && learn(all, kinds, raw, args) || !listed && correct(all, op, raw, args)
	if !store {
		return
	}
	doc, err := json.Marshal(all)
	if err == nil {
		_ = localstate.WriteFile(n.path, doc)
	}
}

// below is the part of a key that qualifies names by the object that the arguments name.
func below(args []string) string {
	if len(args) == 1 {
		args = strings.Split(args[0], ".")
	}
	return "@" + strings.Join(args, "@")
}

// learn adds the names of a listing.
func learn(all map[string][]string, kinds []listing, raw json.RawMessage, args []string) (store bool) {
	var items []map[string]json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return false
	}
	lists := map[string][]string{}
	for _, what := range kinds {
		if len(what.in) == 0 && !what.below {
			lists[what.kind] = []string{}
		}
		for _, it := range items {
			text := func(member string) (s string) {
				_ = json.Unmarshal(it[member], &s)
				return s
			}
			key := what.kind
			for _, m := range what.in {
				key += "@" + text(m)
			}
			if what.below {
				key += below(args)
			}
			if s := text(what.member); s != "" && len(lists[key]) < maxNames {
				lists[key] = append(lists[key], s)
			}
		}
	}
	for key, names := range lists {
		if key == "schema@peaka" { // two catalogs have this name
			names = append(names, all[key]...)
		}
		slices.Sort(names)
		names = slices.Compact(names)
		store = store || all[key] == nil || !slices.Equal(all[key], names)
		all[key] = names
	}
	return store
}

// changed returns what a listing shows of the objects that an operation changes, and the path of the operation below
// that of the listing; ok is false if no listing shows them.
func changed(op spec.Op) (kinds []listing, rest string, ok bool) {
	longest := ""
	for id, shown := range completable {
		list, _ := spec.Find(id)
		below, found := strings.CutPrefix(op.Path, list.Path)
		if found && (below == "" || below[0] == '/') && len(list.Path) > len(longest) {
			kinds, rest, ok, longest = shown, below, true, list.Path
		}
	}
	return kinds, rest, ok
}

// correct updates the names after a change. Kinds that no listing has stored remain unknown; where the reply and the
// arguments do not say what the names are now, they are unknown afterwards.
func correct(all map[string][]string, op spec.Op, raw json.RawMessage, args []string) (store bool) {
	if kinds := elsewhere[op.ID]; kinds != "" {
		return forget(all, strings.Fields(kinds)...)
	}
	kinds, rest, ok := changed(op)
	if !ok {
		return false
	}
	for _, more := range kinds[1:] {
		store = forget(all, more.kind) || store
	}
	var made map[string]json.RawMessage
	var added, gone string
	if kind := kinds[0]; op.Method != "DELETE" && json.Unmarshal(raw, &made) == nil {
		_ = json.Unmarshal(made[kind.member], &added) // stays empty for null
	}
	if rest != "" && op.Method != "POST" && len(args) > 0 {
		gone = args[0]
	}
	for key := range all { // names that belong to it
		if _, in, ok := strings.Cut(key, "@"); ok && gone != "" && (in == gone || strings.HasPrefix(in, gone+"@")) {
			delete(all, key)
			store = true
		}
	}
	kind, names := kinds[0].kind, all[kinds[0].kind]
	switch known := slices.Contains(names, gone); {
	case len(kinds[0].in) > 0, kinds[0].below, strings.Count(rest, "/") > 1, added == "" && gone == "",
		added == "" && op.Method != "DELETE", gone != "" && !known: // it was given by its id
		return forget(all, kind) || store
	}
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return n == added || gone != "" && (n == gone || strings.HasPrefix(n, gone+"/"))
	})
	if added != "" && len(names) < maxNames {
		names = append(names, added)
		slices.Sort(names)
	}
	if all[kind] != nil && !slices.Equal(names, all[kind]) {
		all[kind] = names
		store = true
	}
	return store
}

// forget makes the names of some kinds unknown.
func forget(all map[string][]string, kinds ...string) (store bool) {
	for key := range all {
		if of, _, _ := strings.Cut(key, "@"); slices.Contains(kinds, of) {
			delete(all, key)
			store = true
		}
	}
	return store
}

// KindOfName reports whether a listing shows names of a kind.
func KindOfName(kind string) bool {
	for _, all := range completable {
		if slices.ContainsFunc(all, func(l listing) bool { return l.kind == kind }) {
			return true
		}
	}
	return false
}
