package store

import (
	"context"
	"fmt"
)

// names are the names of a kind of objects, which only one object of a scope should have.
type names struct{ kind, count string }

var (
	workspaceNames = names{"a workspace",
		"SELECT count(*) FROM workspaces WHERE organization_id = ? AND name = ? AND id <> ?"}
	projectNames = names{"a project",
		"SELECT count(*) FROM projects WHERE workspace_id = ? AND name = ? AND id <> ?"}
	connectionNames = names{"a connection",
		"SELECT count(*) FROM connections WHERE project_id = ? AND name = ? AND id <> ?"}
)

// TakenError is the error for a name that another object has; it is an ErrConflict.
type TakenError struct{ kind, name string }

func (e *TakenError) Error() string { return fmt.Sprintf("there is already %s %q", e.kind, e.name) }
func (e *TakenError) Unwrap() error { return ErrConflict }

// free rejects a name that another object of the scope has, unless it may be used again. nil is no new name.
func (n names) free(ctx context.Context, tx dbtx, scope string, name *string, id string, again bool) error {
	if again || name == nil {
		return nil
	}
	others := 0
	if err := tx.QueryRowContext(ctx, n.count, scope, *name, id).Scan(&others); err != nil {
		return err
	}
	if others > 0 {
		return &TakenError{n.kind, *name}
	}
	return nil
}
