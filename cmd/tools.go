package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/spf13/cobra"
)

func newVersionCmd(e *cli.Env) *cobra.Command {
	show := func(context.Context, []string) (cli.View, error) {
		v := map[string]any{"version": cli.BuildVersion(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH, "localZone": cli.LocalEngine}
		return cli.Object(v), nil
	}
	c := e.Plain(&cobra.Command{Use: "version", Short: "Print the version", Example: "  " + e.Name + " version -o json", Args: cobra.NoArgs}, show)
	withSettings := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if c.Flags().Changed("output") || c.Flags().Changed("jq") || c.Flags().Changed("columns") || c.Flags().Changed("out") {
			return withSettings(c, args)
		}
		return printVersion(e)
	}
	return c
}

// printVersion reads no configuration, so that it works, and quickly, whatever state the configuration is in.
func printVersion(e *cli.Env) error {
	kind := "with the local zone"
	if !cli.LocalEngine {
		kind = "without the local zone"
	}
	_, err := fmt.Fprintf(e.Out, "dig %s (%s %s/%s, %s)\n", cli.BuildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH, kind)
	return err
}

func newCompletionCmd(e *cli.Env) *cobra.Command {
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
	c.Flags().StringVar(&all, "all", "", "write the scripts of all shells, for dig and digctl, to this directory")
	_ = c.Flags().MarkHidden("all")
	c.RunE = func(c *cobra.Command, args []string) error {
		if all != "" {
			return writeCompletions(e, e.Abs(all))
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
		return cli.Usagef("no completion for %q; there are bash, zsh, fish, powershell", args[0])
	}
	return c
}

// needShell requires the name of a shell unless all scripts are to be written.
func needShell(c *cobra.Command, args []string) error {
	if len(args) == 0 && !c.Flags().Changed("all") {
		return errors.New("name a shell: bash, zsh, fish or powershell")
	}
	return nil
}

// writeCompletions writes the scripts of all shells for both names into a directory.
func writeCompletions(e *cli.Env, dir string) error {
	if err := e.Would("write the completion scripts of all shells into %s", dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"dig", "digctl"} {
		as := *e
		as.Name, as.Run = name, cli.Session{}
		root := newRootCmd(&as)
		for file, gen := range map[string]func(string) error{
			name + ".bash": func(p string) error { return root.GenBashCompletionFileV2(p, true) },
			"_" + name:     root.GenZshCompletionFile,
			name + ".fish": func(p string) error { return root.GenFishCompletionFile(p, true) },
			name + ".ps1":  root.GenPowerShellCompletionFileWithDesc,
		} {
			if err := gen(filepath.Join(dir, file)); err != nil {
				return err
			}
		}
	}
	return nil
}
