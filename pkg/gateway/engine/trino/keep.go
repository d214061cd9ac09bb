package trino

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/trino/protocol"
)

// Guard is how the cluster keeps projects apart, besides the names that the gateway sends.
type Guard struct {
	// ProjectUser is the user of the cluster whose rights count for the statements of a project, with the id of the
	// project for {project}; "" for the gateway's own user.
	ProjectUser string
	// Rules is the file of the rules of the cluster's file-based access control, which the gateway writes; RulesBase
	// has those of other users. "" if the rules are kept elsewhere.
	Rules, RulesBase string
	Unprotected      bool // serve several projects on a cluster that does not keep them apart
}

const placeholder = "{project}"

func (o Options) check() error {
	before, after, ok := strings.Cut(o.ProjectUser, placeholder)
	switch {
	case o.ProjectUser == "" && o.Rules != "":
		return errors.New("rules of access are for a user of each project, such as dig-" + placeholder)
	case o.Rules == "" && o.RulesBase != "":
		return errors.New("rules of access to begin with are for a file of rules that the gateway writes")
	case o.ProjectUser == "":
		return nil
	case !ok || before+after == "" || strings.Contains(after, placeholder):
		return fmt.Errorf("the user of a project %q is not a name with one %s in it, such as dig-%[2]s", o.ProjectUser,
			placeholder)
	case len(o.User) > len(before+after) && strings.HasPrefix(o.User, before) && strings.HasSuffix(o.User, after):
		return fmt.Errorf("user %q could be that of a project by %q", o.User, o.ProjectUser)
	}
	return nil
}

// userOf is the user of a project, "" for that of the gateway.
func (e *Engine) userOf(project string) string {
	return strings.Replace(e.ProjectUser, placeholder, project, 1)
}

// keeper knows the projects that are kept apart.
type keeper struct {
	mu       sync.Mutex
	known    map[string]bool
	revision string // a user whom the cluster knows when it follows the rules as they are now
}

func (k *keeper) ids() []string { return slices.Sorted(maps.Keys(k.known)) }

// Keep implements engine.Keeper: the rules of access have the projects, the cluster follows them, and it refuses what
// it must. The last is not asked of it for a single project.
func (e *Engine) Keep(ctx context.Context, ids ...string) error {
	k := &e.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	added := map[string]bool{}
	former := maps.Clone(k.known)
	if k.known == nil {
		k.known = map[string]bool{}
	}
	for _, id := range ids {
		if !projectID().MatchString(id) {
			return fmt.Errorf("%q is not a project id", id)
		}
		if !k.known[id] {
			k.known[id], added[id] = true, true
		}
	}
	if len(added) == 0 {
		return nil
	}
	err := e.keep(ctx, slices.Sorted(maps.Keys(added)), len(former) > 1)
	if err != nil {
		k.known = former
		err = errors.Join(err, e.writeRules(former))
	}
	return err
}

func (e *Engine) keep(ctx context.Context, added []string, several bool) error {
	if err := e.writeRules(e.keeper.known); err != nil {
		return err
	}
	if e.ProjectUser != "" {
		if err := e.effective(ctx, added); err != nil {
			return err
		}
	}
	switch {
	case len(e.keeper.known) < 2 || e.Unprotected:
		return nil
	case several: // the cluster was found to be protected
		return e.refuses(ctx, added)
	}
	if err := e.protected(ctx); err != nil {
		return err
	}
	return e.refuses(ctx, e.keeper.ids())
}

// forget removes a project from the rules.
func (e *Engine) forget(id string) error {
	e.keeper.mu.Lock()
	defer e.keeper.mu.Unlock()
	if !e.keeper.known[id] {
		return nil
	}
	delete(e.keeper.known, id)
	if e.lock != nil { // another gateway may have added one; nobody acts as a user of a project that is gone
		return nil
	}
	return e.writeRules(e.keeper.known)
}

// rulesTime is how long the cluster may take to read changed rules.
const rulesTime = 45 * time.Second

// effective waits until the cluster follows the rules, and finds out whether the users of projects are admitted.
func (e *Engine) effective(ctx context.Context, ids []string) error {
	for end := time.Now().Add(rulesTime); e.Rules != ""; {
		err := e.admits(ctx, e.keeper.revision, "SELECT 1")
		if err == nil {
			break
		}
		if !isKind(err, engine.KindNotAllowed) {
			return err
		}
		if time.Now().After(end) {
			return unfit("the cluster does not follow the rules of access in "+e.Rules, "the coordinator needs "+
				"access-control.name=file, security.config-file with this file, and a security.refresh-period of a "+
				"few seconds")
		}
		if retry.Sleep(ctx, 200*time.Millisecond) != nil {
			return engine.Ended(ctx, nil)
		}
	}
	for _, id := range ids {
		for _, catalog := range append(e.catalogsOf(id), e.Catalog) {
			err := e.admits(ctx, e.userOf(id), "EXPLAIN (TYPE VALIDATE) SELECT * FROM "+sqltext.Quote(catalog)+
				".information_schema.schemata")
			if isKind(err, engine.KindNotAllowed) {
				return unfit(fmt.Sprintf("user %q of the cluster cannot act as %q for a project: %v", e.User,
					e.userOf(id), err), "let it impersonate that user, and that user read catalog "+catalog)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// admits runs a statement as a user, with the properties of a session that statements of projects have.
func (e *Engine) admits(ctx context.Context, user, text string) error {
	_, err := e.exec(ctx, protocol.Request{User: user, SQL: text, Session: map[string]string{timeLimit: "1m"}}, false,
		nil)
	return fault(ctx, err)
}

// unfit is the error of a cluster that does not do what several projects need.
func unfit(message, hint string) error {
	return &engine.Error{Kind: engine.KindUnsupported, Message: message, Hint: hint}
}

// protected finds out whether the cluster asks its users who they are, and what it refuses to the user of a project.
func (e *Engine) protected(ctx context.Context) error {
	const anyway = "--trino-unprotected serves several projects nevertheless"
	if err := e.Authenticates(ctx); err != nil {
		return err
	}
	if e.ProjectUser == "" {
		return unfit("the cluster does not keep projects apart: all statements are those of one user",
			"--trino-project-user gives each project a user (docs/cluster.md); "+anyway)
	}
	for _, text := range []string{"CREATE SCHEMA IF NOT EXISTS " + e.canarySchema(),
		"CREATE TABLE IF NOT EXISTS " + e.canary() + " (x integer)"} {
		if _, err := e.exec(ctx, protocol.Request{SQL: text}, false, nil); err != nil {
			return fault(ctx, err)
		}
	}
	id := e.keeper.ids()[0]
	for _, a := range e.attacks() {
		if err := e.refused(ctx, id, a); err != nil {
			return err
		}
	}
	return nil
}

// Authenticates returns an error unless the cluster refuses those who do not prove that they are the gateway.
func (e *Engine) Authenticates(ctx context.Context) error {
	passwords := []string{""}
	if strings.HasPrefix(e.URL, "https:") {
		passwords = append(passwords, "wrong-"+e.newID())
	}
	for _, password := range passwords {
		c := e.client.Alien(password)
		q, err := c.Start(ctx, protocol.Request{SQL: "SELECT 1"})
		if err == nil {
			q.Close()
		}
		c.Close()
		switch answered := (*protocol.Error)(nil); {
		case errors.Is(err, protocol.ErrNotAdmitted):
		case err == nil || errors.As(err, &answered):
			how := "no credential"
			if password != "" {
				how = "a wrong password"
			}
			return unfit(fmt.Sprintf("the cluster does not authenticate its users: it takes %s for user %q", how,
				e.User), "set http-server.authentication.type on the coordinator, and "+
				"--trino-password-file, --trino-token-file or --trino-cert here")
		default:
			return fault(ctx, err)
		}
	}
	return nil
}

// attack is a statement that the cluster must refuse to the user of a project. One that changes something where it does
// not changes the table only that nobody reads.
type attack struct {
	what, text string
	changes    bool
}

// canaryName is the name of the table that no project may read, and, behind the prefix, of its schema.
const canaryName = "canary"

func (e *Engine) canarySchema() string { return sqltext.Quote(e.Catalog, e.prefix()+"_"+canaryName) }
func (e *Engine) canary() string       { return e.canarySchema() + "." + canaryName }

func (e *Engine) attacks() []attack {
	lake, schema := sqltext.Literal(e.Catalog), sqltext.Literal(e.prefix()+"_"+canaryName)
	return []attack{
		{"read the statements of others", "SELECT count(*) FROM system.runtime.queries", false},
		{"list tables of other projects", "SELECT count(*) FROM system.metadata.table_comments WHERE catalog_name = " +
			lake + " AND schema_name = " + schema, false},
		{"list tables of other projects", "SELECT count(*) FROM system.jdbc.tables WHERE table_cat = " + lake +
			" AND table_schem = " + schema, false},
		{"create catalogs", "CREATE CATALOG IF NOT EXISTS " + sqltext.Quote(e.Catalog) + " USING memory", true},
		{"create schemas", "CREATE SCHEMA IF NOT EXISTS " + e.canarySchema(), true},
		{"replace tables of other projects", "CREATE OR REPLACE TABLE " + e.canary() + " (x integer)", true},
		{"add rows to tables of other projects", "INSERT INTO " + e.canary() + " SELECT 1 WHERE false", true},
		{"delete rows of other projects", "DELETE FROM " + e.canary() + " WHERE x = 1", true},
	}
}

// refuses finds out whether the cluster refuses the table of another project to those of some projects.
func (e *Engine) refuses(ctx context.Context, ids []string) error {
	for _, id := range ids {
		read := attack{what: "read tables of other projects", text: "SELECT * FROM " + e.canary()}
		if err := e.refused(ctx, id, read); err != nil {
			return err
		}
		seen := ""
		_, err := e.exec(ctx, protocol.Request{User: e.userOf(id), SQL: "SELECT schema_name FROM " +
			sqltext.Quote(e.Catalog) + ".information_schema.schemata"}, false, func(v []*string) error {
			if v[0] != nil && strings.HasPrefix(*v[0], e.prefix()+"_") && !strings.HasPrefix(*v[0],
				(&project{e: e, id: id}).schema("")) {
				seen = *v[0]
			}
			return nil
		})
		if err != nil {
			return fault(ctx, err)
		}
		if seen != "" {
			return e.allowed(id, "see schema "+seen)
		}
		made, err := e.madeCatalogs(ctx, e.userOf(id), "")
		if err != nil {
			return err
		}
		for _, name := range made {
			if !strings.HasPrefix(name, e.madePrefix(id)) {
				return e.allowed(id, "see catalog "+name+", which is not one of its connections")
			}
		}
		for _, name := range e.catalogsOf("") {
			if slices.Contains(e.catalogsOf(id), name) {
				continue
			}
			if err := e.refused(ctx, id, attack{what: "read catalog " + name + ", which is not one of its connections",
				text: "SELECT count(*) FROM " + sqltext.Quote(name) + ".information_schema.tables"}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *Engine) refused(ctx context.Context, id string, a attack) error {
	_, err := e.exec(ctx, protocol.Request{User: e.userOf(id), SQL: a.text}, false, nil)
	var answered *protocol.Error
	switch {
	case err == nil:
		return e.allowed(id, a.what)
	case errors.As(err, &answered) && answered.Type == "USER_ERROR":
		return nil
	}
	return fault(ctx, err)
}

func (e *Engine) allowed(id, what string) error {
	return unfit(fmt.Sprintf("the cluster does not keep projects apart: user %q of project %s may %s", e.userOf(id), id,
		what), "--trino-rules writes the rules that it needs (docs/cluster.md); --trino-unprotected serves several "+
		"projects nevertheless")
}
