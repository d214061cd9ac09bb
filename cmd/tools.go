package cmd

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// version is set by the linker in release builds.
var version string

// buildVersion is the version of this build: the linker's, else that of the module or the commit it was built from.
func buildVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "devel-" + s.Value[:min(12, len(s.Value))]
		}
	}
	return "devel"
}

func newVersionCmd(e *Env) *cobra.Command {
	show := func(context.Context, []string) (view, error) {
		v := map[string]any{"version": buildVersion(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH, "localZone": localEngine}
		return object(v), nil
	}
	c := e.plain(&cobra.Command{Use: "version", Short: "Print the version", Example: "  " + e.Name + " version -o json", Args: cobra.NoArgs}, show)
	withSettings := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if c.Flags().Changed("output") || c.Flags().Changed("jq") || c.Flags().Changed("columns") || c.Flags().Changed("out") {
			return withSettings(c, args)
		}
		return e.printVersion()
	}
	return c
}

// printVersion reads no configuration, so that it works, and fast, whatever state that is in.
func (e *Env) printVersion() error {
	kind := "with the local zone"
	if !localEngine {
		kind = "without the local zone"
	}
	_, err := fmt.Fprintf(e.Out, "dig %s (%s %s/%s, %s)\n", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH, kind)
	return err
}

func newCompletionCmd(e *Env) *cobra.Command {
	c := &cobra.Command{
		Use: "completion SHELL", Short: "Print a completion script for bash, zsh, fish or powershell", Args: cobra.MatchAll(cobra.MaximumNArgs(1), needShell),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Long: strings.ReplaceAll(`Print a completion script for bash, zsh, fish or powershell. It completes the name it was printed by.

  source <(dig completion bash)
  dig completion zsh > "${fpath[1]}/_dig"
  dig completion fish > ~/.config/fish/completions/dig.fish
  dig completion powershell | Out-String | Invoke-Expression`, "dig ", e.Name+" "),
		Example: "  source <(" + e.Name + " completion bash)",
	}
	var all string
	c.Flags().StringVar(&all, "all", "", "write the scripts of all shells, for dig and digctl, into this directory")
	_ = c.Flags().MarkHidden("all")
	c.RunE = func(c *cobra.Command, args []string) error {
		if all != "" {
			return e.writeCompletions(e.abs(all))
		}
		root := c.Root()
		switch args[0] {
		case "bash":
			return root.GenBashCompletionV2(e.Out, true)
		case "zsh":
			return root.GenZshCompletion(e.Out)
		case "fish":
			return root.GenFishCompletion(e.Out, true)
		case "powershell":
			return root.GenPowerShellCompletionWithDesc(e.Out)
		}
		return usagef("no completion for %q; there are bash, zsh, fish, powershell", args[0])
	}
	return c
}

// needShell wants the name of a shell, unless all scripts are to be written.
func needShell(c *cobra.Command, args []string) error {
	if len(args) == 0 && !c.Flags().Changed("all") {
		return errors.New("name a shell: bash, zsh, fish or powershell")
	}
	return nil
}
