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

// change is the effect of an operation on the stored names of a kind.
type change struct {
	kind, member string // the reply has the name of the new object in member
	gone         bool   // the first argument of the command names the deleted or renamed object
	drop         bool   // the names of the kind are unknown afterwards
}

// changed maps operations to their effects on the stored names.
var changed = map[string]change{
	spec.CreateWorkspace.ID:           {kind: "workspace", member: "name"},
	spec.UpdateWorkspace.ID:           {kind: "workspace", member: "name", gone: true},
	spec.DeleteWorkspace.ID:           {kind: "workspace", gone: true},
	spec.CreateProject.ID:             {kind: "project", member: "name"},
	spec.UpdateProject.ID:             {kind: "project", member: "name", gone: true},
	spec.DeleteProject.ID:             {kind: "project", gone: true},
	spec.CreateApiKey.ID:              {kind: "key", member: "name"},
	spec.DeleteApiKey.ID:              {kind: "key", gone: true},
	spec.CreateConnection.ID:          {kind: "connection", member: "name"},
	spec.UpdateConnection.ID:          {kind: "connection", member: "name", gone: true},
	spec.DeleteConnection.ID:          {kind: "connection", gone: true},
	spec.CreateCatalog.ID:             {kind: "catalog", member: "name"},
	spec.CreateSemanticCatalog.ID:     {kind: "catalog", member: "name"},
	spec.DeleteCatalog.ID:             {kind: "catalog", gone: true},
	spec.CreateInternalTable.ID:       {kind: "table", member: "tableName"},
	spec.DeleteInternalTable.ID:       {kind: "table", gone: true},
	spec.CreateBiTable.ID:             {kind: "bitable", member: "tableName"},
	spec.DeleteBiTable.ID:             {kind: "bitable", gone: true},
	spec.ImportCsv.ID:                 {kind: "table", drop: true}, // it may have created the table
	spec.ImportBi.ID:                  {kind: "bitable", drop: true},
	spec.CreateQuery.ID:               {kind: "query", member: "name"},
	spec.UpdateQuery.ID:               {kind: "query", member: "name", gone: true},
	spec.DeleteQuery.ID:               {kind: "query", gone: true},
	spec.MoveQuery.ID:                 {kind: "folder", drop: true}, // it creates folders
	spec.CreateQueryFolder.ID:         {kind: "folder", member: "path"},
	spec.RenameQueryFolder.ID:         {kind: "folder", drop: true},
	spec.MoveQueryFolder.ID:           {kind: "folder", drop: true},
	spec.DeleteQueryFolder.ID:         {kind: "folder", drop: true},
	spec.ExportQuery.ID:               {kind: "export", member: "id"},
	spec.ExportTable.ID:               {kind: "export", member: "id"},
	spec.AddRelation.ID:               {kind: "relation", drop: true},
	spec.DeleteRelation.ID:            {kind: "relation", drop: true},
	spec.CreateGoldenSql.ID:           {kind: "golden", member: "id"},
	spec.DeleteGoldenSql.ID:           {kind: "golden", gone: true},
	spec.AgentChat.ID:                 {kind: "thread", drop: true},
	spec.RenameAgentThread.ID:         {kind: "thread", drop: true},
	spec.DeleteAgentThread.ID:         {kind: "thread", gone: true},
	spec.AddInternalColumns.ID:        {kind: "column", drop: true},
	spec.UpdateInternalColumn.ID:      {kind: "column", drop: true},
	spec.DeleteInternalColumn.ID:      {kind: "column", drop: true},
	spec.AddBiColumns.ID:              {kind: "bicolumn", drop: true},
	spec.UpdateBiColumn.ID:            {kind: "bicolumn", drop: true},
	spec.DeleteBiColumn.ID:            {kind: "bicolumn", drop: true},
	spec.CreateSemanticTable.ID:       {kind: "table", drop: true},
	spec.DeleteSemanticTable.ID:       {kind: "table", drop: true},
	spec.CreateParametricTable.ID:     {kind: "table", drop: true},
	spec.DeleteParametricTable.ID:     {kind: "table", drop: true},
	spec.CompleteOauthConnection.ID:   {kind: "connection", drop: true},
	spec.UpdateQueryFolderContents.ID: {kind: "folder", drop: true},
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
	does, changes := changed[op.ID]
	if !listed && !changes {
		return
	}
	all := readNames(n.path)
	store := changes && correct(all, does, raw, args)
	if listed {
		store = learn(all, kinds, raw, args)
	}
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

// correct updates the names after a change. Kinds that no listing has stored remain unknown.
func correct(all map[string][]string, does change, raw json.RawMessage, args []string) (store bool) {
	if does.drop {
		for key := range all {
			if kind, _, _ := strings.Cut(key, "@"); kind == does.kind {
				delete(all, key)
				store = true
			}
		}
		return store
	}
	names, known := all[does.kind]
	if does.kind == "query" && all[QueryIDs] != nil {
		delete(all, QueryIDs)
		store = true
	}
	if does.gone && len(args) > 0 {
		if known && !slices.Contains(names, args[0]) { // it was given by its id
			delete(all, does.kind)
			return true
		}
		names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == args[0] })
		for key := range all { // names that belong to it
			if _, in, ok := strings.Cut(key, "@"); ok && (in == args[0] || strings.HasPrefix(in, args[0]+"@")) {
				delete(all, key)
				store = true
			}
		}
	}
	var made map[string]json.RawMessage
	if does.member != "" && json.Unmarshal(raw, &made) == nil {
		var name string
		if json.Unmarshal(made[does.member], &name) == nil && name != "" && !slices.Contains(names, name) &&
			len(names) < maxNames {
			names = append(slices.Clone(names), name)
			slices.Sort(names)
		}
	}
	if known && !slices.Equal(names, all[does.kind]) {
		all[does.kind] = names
		store = true
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
