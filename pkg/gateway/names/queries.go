package names

import (
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/web"
)

// Props are the values of current_user_props(key) [D].
func Props(s web.Scope, p store.Project) map[string]string {
	return map[string]string{"id": s.UserID, "user": s.UserID, "email": s.Email, "username": s.Email, "firstname": "",
		"lastname": "", "project": p.ID}
}

// Draft is a saved query with its future definition, for checking it before it is saved. It is planned under a separate
// name, so that nobody who runs the query in the meantime gets the unchecked definition.
type Draft struct{ Name, Was, SQL string }

// DraftMark cannot start the name of a saved query.
const DraftMark = "~"

func runState(m *store.Materialized) string {
	switch {
	case m.StartedAt == nil:
		return ""
	case m.Error != nil:
		return ", the latest " + m.Status + ": " + *m.Error
	}
	return ", the latest is " + m.Status
}
