package store

import (
	"context"
	"strings"
	"unicode"

	"github.com/dig-cli/dig/pkg/gateway/zone"
	"github.com/google/uuid"
)

// The identifiers in every new data directory. They are fixed, so that the local zone can be used without a look-up.
const (
	DefaultOrganization = zone.DefaultOrganization
	DefaultWorkspace    = zone.DefaultWorkspace
	DefaultProject      = zone.DefaultProject
	LocalUser           = "00000000-0000-4000-8000-000000000003"
	LocalEmail          = "local@localhost"
)

// Organization is the top of the hierarchy.
type Organization struct {
	ID, Name, Owner, CreatedAt string
	IconFileID, Description    *string
}

// Workspace groups projects.
type Workspace struct {
	ID, OrganizationID, Name, CreatedBy, CreatedAt string
	Description                                    *string
	Default                                        bool
}

// Project is the unit of isolation.
type Project struct {
	ID, WorkspaceID, Name, Domain, Owner, CreatedAt string
	Description                                     *string
}

func (s *Store) seed(ctx context.Context, tx dbtx) error {
	now := s.stamp()
	for _, st := range []struct {
		q    string
		args []any
	}{
		{"INSERT INTO organizations(id, name, owner, created_at, description) VALUES (?, 'local', ?, ?, 'The " +
			"organization of this machine')", []any{DefaultOrganization, LocalUser, now}},
		{"INSERT INTO workspaces(id, organization_id, name, description, created_by, created_at, is_default) VALUES " +
			"(?, ?, 'default', 'Made on first use', ?, ?, TRUE)", []any{DefaultWorkspace, DefaultOrganization,
			LocalUser, now}},
		{"INSERT INTO projects(id, workspace_id, name, description, domain, owner, created_at) VALUES (?, ?, " +
			"'default', 'Made on first use', 'default-locl', ?, ?)", []any{DefaultProject, DefaultWorkspace,
			LocalUser, now}},
	} {
		if _, err := tx.ExecContext(ctx, st.q, st.args...); err != nil {
			return err
		}
	}
	return nil
}

const orgColumns = "id, name, owner, created_at, icon_file_id, description"

func scanOrg(scan func(...any) error) (o Organization, err error) {
	err = scan(&o.ID, &o.Name, &o.Owner, &o.CreatedAt, &o.IconFileID, &o.Description)
	return
}

// Organizations lists all organizations.
func (s *Store) Organizations(ctx context.Context) ([]Organization, error) {
	return queryAll(ctx, s.db, scanOrg, "SELECT "+orgColumns+" FROM organizations ORDER BY created_at, id")
}

// Organization finds an organization.
func (s *Store) Organization(ctx context.Context, id string) (Organization, error) {
	return queryOne(ctx, s.db, scanOrg, "SELECT "+orgColumns+" FROM organizations WHERE id = ?", id)
}

const workspaceColumns = "id, organization_id, name, description, created_by, created_at, is_default"

func scanWorkspace(scan func(...any) error) (w Workspace, err error) {
	err = scan(&w.ID, &w.OrganizationID, &w.Name, &w.Description, &w.CreatedBy, &w.CreatedAt, &w.Default)
	return
}

// Workspaces lists the workspaces of an organization.
func (s *Store) Workspaces(ctx context.Context, org string) ([]Workspace, error) {
	return queryAll(ctx, s.db, scanWorkspace, "SELECT "+workspaceColumns+
		" FROM workspaces WHERE organization_id = ? ORDER BY created_at, id", org)
}

// Workspace finds a workspace within its organization.
func (s *Store) Workspace(ctx context.Context, org, id string) (Workspace, error) {
	return queryOne(ctx, s.db, scanWorkspace, "SELECT "+workspaceColumns+
		" FROM workspaces WHERE organization_id = ? AND id = ?", org, id)
}

// CreateWorkspace adds a workspace.
func (s *Store) CreateWorkspace(ctx context.Context, org, name string, description *string,
	again bool) (Workspace, error) {
	w := Workspace{ID: uuid.NewString(), OrganizationID: org, Name: name, Description: description,
		CreatedBy: LocalUser, CreatedAt: s.stamp()}
	return w, s.tx(ctx, func(tx dbtx) error {
		if err := workspaceNames.free(ctx, tx, org, &name, w.ID, again); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO workspaces("+workspaceColumns+") VALUES (?, ?, ?, ?, ?, ?, FALSE)",
			w.ID, w.OrganizationID, w.Name, w.Description, w.CreatedBy, w.CreatedAt)
		return err
	})
}

// UpdateWorkspace changes name and description; nil keeps the value.
func (s *Store) UpdateWorkspace(ctx context.Context, org, id string, name, description *string,
	again bool) (Workspace, error) {
	if err := s.tx(ctx, func(tx dbtx) error {
		if err := workspaceNames.free(ctx, tx, org, name, id, again); err != nil {
			return err
		}
		return exec(ctx, tx, "UPDATE workspaces SET name = coalesce(?, name), description = coalesce(?, "+
			"description) WHERE organization_id = ? AND id = ?",
			name, description, org, id)
	}); err != nil {
		return Workspace{}, err
	}
	return s.Workspace(ctx, org, id)
}

// DeleteWorkspace removes an empty workspace; ErrInUse if it contains projects.
func (s *Store) DeleteWorkspace(ctx context.Context, org, id string) error {
	return exec(ctx, s.db, "DELETE FROM workspaces WHERE organization_id = ? AND id = ?", org, id)
}

const projectColumns = "id, workspace_id, name, description, domain, owner, created_at"

func scanProject(scan func(...any) error) (p Project, err error) {
	err = scan(&p.ID, &p.WorkspaceID, &p.Name, &p.Description, &p.Domain, &p.Owner, &p.CreatedAt)
	return
}

// Projects lists the projects of a workspace, or all if workspace is empty.
func (s *Store) Projects(ctx context.Context, workspace string) ([]Project, error) {
	return queryAll(ctx, s.db, scanProject, "SELECT "+projectColumns+
		" FROM projects WHERE ? IN ('', workspace_id) ORDER BY created_at, id", workspace)
}

// Project finds a project by id, within a workspace unless that is empty.
func (s *Store) Project(ctx context.Context, workspace, id string) (Project, error) {
	type key struct{ workspace, id string }
	return remembered(ctx, s, key{workspace, id}, func() (Project, error) {
		return queryOne(ctx, s.db, scanProject, "SELECT "+projectColumns+
			" FROM projects WHERE id = ? AND ? IN ('', workspace_id)", id, workspace)
	})
}

// CreateProject adds a project. Its id is 8 alphanumerics; its domain is the lower-cased name and 4 letters [O].
func (s *Store) CreateProject(ctx context.Context, workspace, name string, description *string,
	again bool) (Project, error) {
	p := Project{
		ID: randomText(8, alphanumeric), WorkspaceID: workspace, Name: name, Description: description,
		Domain: domainOf(name) + "-" + randomText(4, "abcdefghijklmnopqrstuvwxyz"), Owner: LocalUser,
		CreatedAt: s.stamp(),
	}
	return p, s.tx(ctx, func(tx dbtx) error {
		if err := projectNames.free(ctx, tx, workspace, &name, p.ID, again); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO projects("+projectColumns+") VALUES (?, ?, ?, ?, ?, ?, ?)",
			p.ID, p.WorkspaceID, p.Name, p.Description, p.Domain, p.Owner, p.CreatedAt)
		return err
	})
}

func domainOf(name string) string {
	d := strings.Map(func(r rune) rune {
		switch r = unicode.ToLower(r); {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		}
		return -1
	}, name)
	if d == "" {
		return "project"
	}
	return d
}

// UpdateProject changes name and description; nil keeps the value.
func (s *Store) UpdateProject(ctx context.Context, p Project, name, description *string, again bool) (Project, error) {
	if err := s.tx(ctx, func(tx dbtx) error {
		if err := projectNames.free(ctx, tx, p.WorkspaceID, name, p.ID, again); err != nil {
			return err
		}
		return exec(ctx, tx,
			"UPDATE projects SET name = coalesce(?, name), description = coalesce(?, description) WHERE id = ?",
			name, description, p.ID)
	}); err != nil {
		return Project{}, err
	}
	return s.Project(ctx, "", p.ID)
}

// DeleteProject removes a project and all its state. The caller removes its rows.
func (s *Store) DeleteProject(ctx context.Context, id string) error {
	return s.tx(ctx, func(tx dbtx) error {
		if err := exec(ctx, tx, "DELETE FROM projects WHERE id = ?", id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM meta WHERE key IN (?, ?)", factData+id, factTidied+id)
		return err
	})
}
