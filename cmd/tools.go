package cmd

import (
	"context"
	"fmt"
	"runtime"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/spf13/cobra"
)

func newVersionCmd(e *cli.Env) *cobra.Command {
	show := func(context.Context, []string) (cli.View, error) {
		return cli.Object(versionInfo{cli.BuildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH,
			e.Zone.Available}), nil
	}
	c := cli.Plain[versionInfo](e, &cobra.Command{Use: "version", Short: "Print the version",
		Example: "  " + e.Name + " version -o json",
		Args:    cobra.NoArgs}, show)
	withSettings := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if c.Flags().Changed("output") || c.Flags().Changed("jq") || c.Flags().Changed("columns") ||
			c.Flags().Changed("out") {
			return withSettings(c, args)
		}
		return printVersion(e)
	}
	return c
}

// versionInfo is what -o json prints.
type versionInfo struct {
	Version   string `json:"version"`
	Go        string `json:"go"`
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	LocalZone bool   `json:"localZone"`
}

// printVersion reads no configuration, so it is fast and works even if the configuration is invalid.
func printVersion(e *cli.Env) error {
	kind := "with the local zone"
	if !e.Zone.Available {
		kind = "without the local zone"
	}
	_, err := fmt.Fprintf(e.Out, "dig %s (%s %s/%s, %s)\n", cli.BuildVersion(), runtime.Version(), runtime.GOOS,
		runtime.GOARCH, kind)
	return err
}
