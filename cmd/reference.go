package cmd

import (
	"io"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/spf13/cobra"
)

// Tree is the tree of commands under a name of the program, for the generator of man pages and of the reference; it is not to be run.
func Tree(name string) *cobra.Command {
	return newRootCmd(&cli.Env{Name: name, In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Getenv: func(string) string { return "" }, Dir: "/", Now: time.Now})
}
