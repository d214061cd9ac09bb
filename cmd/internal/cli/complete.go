package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/dig-cli/dig/internal/localstate"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// Names of resources are completed from a small file that ordinary list commands update; pressing TAB never calls the
// gateway.

// completable maps a kind of name to the operations that list it, the JSON member that holds it, and the names it is
// qualified by.
var completable = map[string][]struct {
	kind   string
	member string
	in     []string // members that name the catalog and the schema
}{
	spec.ListOrganizations.ID:  {{"org", "name", nil}},
	spec.ListWorkspaces.ID:     {{"workspace", "name", nil}},
	spec.ListProjects.ID:       {{"project", "name", nil}},
	spec.ListConnections.ID:    {{"connection", "name", nil}},
	spec.ListCatalogs.ID:       {{"catalog", "name", nil}},
	spec.ListSchemas.ID:        {{"schema", "schemaName", []string{"catalogName"}}},
	spec.ListInternalTables.ID: {{"table", "tableName", nil}},
	spec.ListTables.ID:         {{"table", "tableName", []string{"catalogName", "schemaName"}}},
	spec.ListBiTables.ID:       {{"bitable", "tableName", nil}},
	spec.ListQueries.ID:        {{"query", "name", nil}, {QueryIDs, "id", nil}},
	spec.ListQueryFolders.ID:   {{"folder", "path", nil}},
}

// QueryIDs is the kind of the ids of saved queries.
const QueryIDs = "query id"

// maxNames is the maximum number of names stored per kind.
const maxNames = 2000

// namesFile is the file that stores the names of the current target: one file per zone, address and project.
func (e *Env) namesFile() string {
	s := e.Run.Settings
	if s == nil {
		return ""
	}
	dir, p, err := e.CachePlace()
	if err != nil {
		return ""
	}
	p.Project = s.Project.Value
	return filepath.Join(dir, "names-"+p.Key()+".json")
}

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
func (e *Env) offered() map[string][]string {
	all := readNames(e.namesFile())
	for kind, names := range all {
		all[kind] = slices.DeleteFunc(names, func(n string) bool { return !plainName(n) })
	}
	return all
}

// plainName reports whether s consists of letters, digits, blanks and characters that have no meaning to any shell, and
// does not start like a flag.
func plainName(n string) bool {
	return !strings.HasPrefix(n, "-") && !strings.ContainsFunc(n, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune(" _-./:,+@", r)
	})
}

// remember stores the names of a listing for completion. It never fails a command.
func (e *Env) remember(op spec.Op, raw json.RawMessage) {
	kinds, ok := completable[op.ID]
	path := e.namesFile()
	if !ok || path == "" || e.Tells() {
		return
	}
	var items []map[string]json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return
	}
	all := readNames(path)
	lists := map[string][]string{}
	for _, what := range kinds {
		if len(what.in) == 0 {
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
			if s := text(what.member); s != "" && len(lists[key]) < maxNames {
				lists[key] = append(lists[key], s)
			}
		}
	}
	changed := false
	for key, names := range lists {
		if key == "schema@peaka" { // two catalogs have this name
			names = append(names, all[key]...)
		}
		sort.Strings(names)
		names = slices.Compact(names)
		changed = changed || !slices.Equal(all[key], names)
		all[key] = names
	}
	if !changed {
		return
	}
	doc, err := json.Marshal(all)
	if err == nil {
		_ = localstate.WriteFile(path, doc)
	}
}

// CompleteFlag completes the values of a flag with f, but only in a completion run: cobra keeps registered functions,
// and thus the whole command tree, for the life of the process.
func (e *Env) CompleteFlag(c *cobra.Command, flag string, f cobra.CompletionFunc) {
	if slices.ContainsFunc(e.Args, func(arg string) bool { return strings.HasPrefix(arg, cobra.ShellCompRequestCmd) }) {
		_ = c.RegisterFlagCompletionFunc(flag, f)
	}
}

// Fixed completes the values of a flag from a fixed list.
func (e *Env) Fixed(c *cobra.Command, flag string, values ...cobra.Completion) {
	e.CompleteFlag(c, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// Complete offers the stored names of a kind.
func (e *Env) Complete(kind string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if _, err := e.Settings(); err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return e.offered()[kind], cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteArgs completes the arguments of a command by the placeholders of its usage line: `get WORKSPACE` completes
// workspaces, and FILE leaves completion to the shell.
func (e *Env) CompleteArgs(c *cobra.Command) {
	if c.ValidArgsFunction != nil || len(c.ValidArgs) > 0 {
		return
	}
	var kinds []string
	for _, word := range strings.Fields(c.Use)[1:] {
		word = strings.NewReplacer("[", "", "]", "").Replace(strings.ToLower(word))
		if word = strings.Trim(word, "."); word == "table" && c.Parent() != nil && strings.Contains(c.CommandPath(), " bitable") {
			word = "bitable"
		}
		kinds = append(kinds, word)
	}
	c.ValidArgsFunction = func(c *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= len(kinds) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		kind := kinds[len(args)]
		if kind == "file" {
			return nil, cobra.ShellCompDirectiveDefault
		}
		if _, err := e.Settings(); err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		above := "" // the catalog and schema given before
		for i, a := range args {
			if k := kinds[i]; k == "catalog" || k == "schema" {
				above += "@" + a
			}
		}
		return inParts(e.offered(), strings.Split(kind, "."), above, prefix)
	}
}

// inParts completes a dotted argument one part at a time: first the schemas of the catalog that has been typed, then
// its tables.
func inParts(names map[string][]string, kinds []string, above, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	typed := ""
	for len(kinds) > 1 {
		part, rest, ok := strings.Cut(prefix, ".")
		if !ok {
			break
		}
		above, typed, prefix, kinds = above+"@"+part, typed+part+".", rest, kinds[1:]
	}
	key := kinds[0]
	if key == "schema" || key == "table" {
		key += above
	}
	end, how := "", cobra.ShellCompDirectiveNoFileComp
	if len(kinds) > 1 {
		end, how = ".", how|cobra.ShellCompDirectiveNoSpace
	}
	var out []cobra.Completion
	for _, n := range names[key] {
		if strings.HasPrefix(n, prefix) {
			out = append(out, typed+n+end)
		}
	}
	return out, how
}

// CompleteProfiles completes the first argument of a command with the names of profiles.
func (e *Env) CompleteProfiles(c *cobra.Command) { c.ValidArgsFunction = e.Profiles }

// Profiles offers the names of profiles, which the user has chosen.
func (e *Env) Profiles(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	st, err := config.OpenStore("", e.Getenv)
	if err == nil && len(args) == 0 {
		var all []config.Profile
		all, _, err = st.List()
		for _, p := range all {
			names = append(names, p.Name)
		}
	}
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
