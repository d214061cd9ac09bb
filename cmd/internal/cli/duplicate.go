package cli

import "github.com/spf13/cobra"

// Duplicate is the flag --allow-duplicate of commands that give a name.
type Duplicate bool

// Register adds the flag to a command.
func (d *Duplicate) Register(c *cobra.Command) {
	c.Flags().BoolVar((*bool)(d), "allow-duplicate", false,
		"give the name even if another one has it; commands then need the id")
}

// Allowed reports whether a name that is in use may be given, by the flag or by the member of a body. Zone local has to
// be told; the hosted zones accept such names, and do not know the member.
func (d Duplicate) Allowed(e *Env, member *bool) bool {
	asked := bool(d) || *member
	*member = asked && e.Local()
	return asked
}
