package cmd

import (
	"io"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/spf13/cobra"
)

// Tree returns the command tree under a program name, for the generator of the man pages and the reference; it is not
// meant to be executed.
func Tree(name string, zone cli.Zone) *cobra.Command {
	return newRootCmd(&cli.Env{Name: name, Zone: zone, In: strings.NewReader(""), Out: io.Discard, Err: io.Discard,
		Getenv: func(string) string { return "" }, Dir: "/", Now: time.Now})
}
