package cli

import (
	"strings"

	"github.com/dig-cli/dig/cmd/internal/prompt"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// Ask asks the user.
func (e *Env) Ask() *prompt.Prompter {
	return &prompt.Prompter{In: e.In, Out: e.Err, InTerm: e.InTerm, OutTerm: e.ErrTerm, Yes: e.Run.Flags.Yes,
		DryRun: e.DryRun(), Where: e.Where, Permit: e.Permit, Agreed: &e.Run.consent.agreed, Unasked: e.Run.unasked}
}

// Where describes the zone, organization, workspace and project of this run for a prompt.
func (e *Env) Where() string {
	s := e.Run.Settings
	if s == nil {
		return "zone local"
	}
	parts := []string{"zone " + s.Zone.Value}
	if s.BaseURL.Value != "" && config.ZoneOfAddress(s.BaseURL.Value) == "" {
		parts[0] += " at " + s.BaseURL.Value
	}
	for _, v := range []struct{ what, is string }{{"profile", s.Profile.Value}, {"organization", s.Org.Value},
		{"workspace", s.Workspace.Value}} {
		if v.is != "" {
			parts = append(parts, v.what+" "+v.is)
		}
	}
	if e.Run.command.aboveProjects {
		return strings.Join(parts, ", ")
	}
	switch facts := e.KeyFacts(); {
	case s.Project.Value != "":
		parts = append(parts, "project "+s.Project.Value)
	case s.InProcess():
		parts = append(parts, "project "+zone.DefaultProject)
	case facts.Project != "":
		parts = append(parts, "project "+resolve.Named{ID: facts.Project, Name: facts.ProjectName}.String())
	}
	return strings.Join(parts, ", ")
}
