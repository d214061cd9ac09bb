package web

import "github.com/dig-cli/dig/pkg/gateway/fault"

// MayShareInto rejects a project key for another project: such a key gives access to one project, so it must not change
// another one, nor reveal whether that exists.
func (r *Request[B]) MayShareInto(target string) error {
	if !r.Scope.Partner && target != r.Scope.ProjectID {
		return fault.Framework(403, "a project key cannot share into another project: use a partner key")
	}
	return nil
}
