package admin

import (
	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/spf13/cobra"
)

// described are the name and the description in a request about a workspace or a project.
type described struct{ name, description **string }

// anotherName is the hint for a name that is not free.
const anotherName = "give another name, or --allow-duplicate"

// create sets them from the arguments and flags of a command that creates the object.
func (d described) create(c *cobra.Command, args []string, description string) error {
	if len(args) == 1 {
		*d.name = &args[0]
	}
	cli.SetIf(c, "description", d.description, description)
	if *d.name == nil {
		return exitcode.Usagef("a name is required")
	}
	return nil
}

// update sets them from the flags of a command that changes the object.
func (d described) update(c *cobra.Command, name, description string) error {
	cli.SetIf(c, "name", d.name, name)
	cli.SetIf(c, "description", d.description, description)
	if *d.name == nil && *d.description == nil {
		return exitcode.Usagef("nothing to change: give --name or --description")
	}
	return nil
}

// keep sets those that are missing to their current values.
func (d described) keep(name string, description *string) {
	if *d.name == nil {
		*d.name = &name
	}
	if *d.description == nil {
		*d.description = description
	}
}
