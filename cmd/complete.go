package cmd

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// Names of resources complete from a small file that ordinary list commands refresh; pressing TAB never calls the gateway.

// completable says which lists feed which kind of name, and under which JSON members.
var completable = map[string]struct {
	kind    string
	members []string
}{
	spec.ListOrganizations.ID:  {"org", []string{"name"}},
	spec.ListWorkspaces.ID:     {"workspace", []string{"name"}},
	spec.ListProjects.ID:       {"project", []string{"name"}},
	spec.ListConnections.ID:    {"connection", []string{"name"}},
	spec.ListCatalogs.ID:       {"catalog", []string{"name"}},
	spec.ListSchemas.ID:        {"schema", []string{"schemaName"}},
	spec.ListInternalTables.ID: {"table", []string{"tableName"}},
	spec.ListTables.ID:         {"table", []string{"tableName"}},
	spec.ListBiTables.ID:       {"table", []string{"tableName"}},
	spec.ListQueries.ID:        {"query", []string{"name"}},
	spec.ListQueryFolders.ID:   {"folder", []string{"path"}},
}

// maxNames bounds the names kept of one kind.
const maxNames = 2000

// namesFile is where the names of the place in force are kept: one file per zone, address and project.
func (e *Env) namesFile() string {
	s := e.run.settings
	if s == nil {
		return ""
	}
	dir, err := config.CacheDir(e.Getenv)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{s.Zone.Value, s.BaseURL.Value, s.Project.Value, e.Getenv("DIG_DATA_DIR")}, "\x00")))
	return filepath.Join(dir, "names-"+hex.EncodeToString(sum[:8])+".json")
}

func readNames(path string) map[string][]string {
	out := map[string][]string{}
	if raw, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(raw, &out) // an unreadable file only means fewer suggestions
	}
	return out
}

// remember keeps the names of a listing for completion. It never fails a command.
func (e *Env) remember(op spec.Op, raw json.RawMessage) {
	what, ok := completable[op.ID]
	path := e.namesFile()
	if !ok || path == "" {
		return
	}
	var items []map[string]json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return
	}
	seen := map[string]bool{}
	names := []string{}
	for _, it := range items {
		for _, m := range what.members {
			var s string
			if json.Unmarshal(it[m], &s) == nil && s != "" && !seen[s] && len(names) < maxNames {
				seen[s] = true
				names = append(names, s)
			}
		}
	}
	all := readNames(path)
	if op.ID == spec.ListTables.ID || op.ID == spec.ListBiTables.ID || op.ID == spec.ListSchemas.ID { // lists of one catalog add to those of others
		for _, n := range all[what.kind] {
			if !seen[n] && len(names) < maxNames {
				names = append(names, n)
			}
		}
	}
	sort.Strings(names)
	if strings.Join(all[what.kind], "\x00") == strings.Join(names, "\x00") {
		return
	}
	all[what.kind] = names
	doc, err := json.Marshal(all)
	if err != nil || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	f, err := output.Create(path)
	if err != nil {
		return
	}
	if _, err := f.Write(doc); err != nil {
		_ = f.Abort()
		return
	}
	_ = f.Commit()
}

// complete offers the remembered names of a kind.
func (e *Env) complete(kind string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if _, err := e.Settings(); err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return readNames(e.namesFile())[kind], cobra.ShellCompDirectiveNoFileComp
	}
}

// completeArgs gives a command completion of its arguments by the placeholders of its usage line: `get WORKSPACE` completes
// workspaces, and FILE leaves the shell to complete files.
func (e *Env) completeArgs(c *cobra.Command) {
	if c.ValidArgsFunction != nil || len(c.ValidArgs) > 0 {
		return
	}
	var kinds []string
	for _, word := range strings.Fields(c.Use)[1:] {
		kinds = append(kinds, strings.ToLower(strings.Trim(word, "[].")))
	}
	c.ValidArgsFunction = func(c *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= len(kinds) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if kinds[len(args)] == "file" {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return e.complete(kinds[len(args)])(c, args, prefix)
	}
}

// writeCompletions writes the scripts of all shells for both names into a directory.
func (e *Env) writeCompletions(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"dig", "digctl"} {
		as := *e
		as.Name, as.run = name, session{}
		root := newRootCmd(&as)
		for file, gen := range map[string]func(string) error{
			name + ".bash": func(p string) error { return root.GenBashCompletionFileV2(p, true) },
			"_" + name:     root.GenZshCompletionFile,
			name + ".fish": func(p string) error { return root.GenFishCompletionFile(p, true) },
			name + ".ps1":  root.GenPowerShellCompletionFileWithDesc,
		} {
			if err := gen(filepath.Join(dir, file)); err != nil {
				return err
			}
		}
	}
	return nil
}
