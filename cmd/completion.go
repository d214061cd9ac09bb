package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/spf13/cobra"
)

// completionShells are the shells for which scripts exist.
func completionShells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

func newCompletionCmd(e *cli.Env) *cobra.Command {
	c := &cobra.Command{
		Use: "completion SHELL", Short: "Print a completion script for bash, zsh, fish or powershell, or install them",
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), needShell),
		ValidArgs: completionShells(),
		Long: strings.ReplaceAll(`Print a completion script for bash, zsh, fish or powershell. It completes the name it
was printed by. "completion install" writes the scripts for both names to where the
shells of this machine look for them.

  source <(dig completion bash)
  dig completion zsh > "${fpath[1]}/_dig"
  dig completion fish > ~/.config/fish/completions/dig.fish
  dig completion powershell | Out-String | Invoke-Expression

The script for bash works with and without the package bash-completion.`, "dig ", e.Name+" "),
		Example: "  source <(" + e.Name + " completion bash)\n  " + e.Name + " completion install",
	}
	var all string
	c.Flags().StringVar(&all, "all", "", "write the scripts of all shells, for dig and digctl, to this directory")
	_ = c.Flags().MarkHidden("all")
	c.RunE = func(c *cobra.Command, args []string) error {
		if all != "" {
			return writeCompletions(e, e.Abs(all))
		}
		return completionScript(c.Root(), args[0], e.Out)
	}
	c.AddCommand(newCompletionInstallCmd(e), newCompletionStatusCmd(e), newCompletionUninstallCmd(e))
	e.Displays(&scriptShape, script{})
	cli.Prints[cli.Text](e, c)
	return c
}

// needShell requires the name of a shell unless all scripts are to be written.
func needShell(c *cobra.Command, args []string) error {
	if len(args) == 0 && !c.Flags().Changed("all") {
		return errors.New("name a shell: bash, zsh, fish or powershell; or install, status, uninstall")
	}
	return nil
}

// completionScript writes the script of a shell for the program that root is named after.
func completionScript(root *cobra.Command, shell string, w io.Writer) error {
	var buf bytes.Buffer
	var err error
	switch shell {
	case "bash":
		if err = root.GenBashCompletionV2(&buf, true); err == nil {
			err = bareBash(&buf, root.Name())
		}
	case "zsh":
		if err = root.GenZshCompletion(&buf); err == nil {
			err = bareZsh(&buf, root.Name())
		}
	case "fish":
		err = root.GenFishCompletion(&buf, true)
	case "powershell":
		err = root.GenPowerShellCompletionWithDesc(&buf)
	default:
		return exitcode.Usagef("no completion for %q; there are %s", shell, strings.Join(completionShells(), ", "))
	}
	if err != nil {
		return err
	}
	_, err = w.Write(buf.Bytes())
	return err
}

// replaceOnce replaces a line of a script that cobra has written.
func replaceOnce(buf *bytes.Buffer, old, now string) error {
	text := buf.String()
	if strings.Count(text, old) != 1 {
		return fmt.Errorf("the completion script does not contain %q once", old)
	}
	buf.Reset()
	buf.WriteString(strings.Replace(text, old, now, 1))
	return nil
}

// bareBash makes the script independent of the package bash-completion. Bash splits words at = and :, which
// COMP_WORDBREAKS lists, and the program must get them as they were typed.
func bareBash(buf *bytes.Buffer, name string) error {
	return replaceOnce(buf, `    _get_comp_words_by_ref "$@" cur prev words cword
}
`, strings.ReplaceAll(`    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
    else
        __dig_words
    fi
}

# Sets cur, prev, words and cword up to the cursor, for a shell without the package bash-completion: bash splits words
# at = and : too, and the parts are joined again.
__dig_words()
{
    local line word last="" blank i
    local LC_ALL=C # the cursor is counted in bytes
    line=${COMP_LINE:0:COMP_POINT}
    words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        blank=""
        while [[ $line == [[:blank:]]* ]]; do
            line=${line:1}
            blank=1
        done
        word=${COMP_WORDS[i]}
        if ((i == COMP_CWORD)); then
            word=$line
        fi
        line=${line#"$word"}
        if [[ -z $blank && ${#words[@]} -gt 0 && ( $word =~ ^[=:]+$ || $last =~ ^[=:]+$ ) ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        last=$word
    done
    cword=$((${#words[@]} - 1))
    cur=${words[cword]}
    prev=""
    if ((cword > 0)); then
        prev=${words[cword-1]}
    fi
}
`, "__dig_", "__"+name+"_"))
}

// bareZsh makes the script start the completion system of zsh if it is not running: the compdef line requires it.
func bareZsh(buf *bytes.Buffer, name string) error {
	return replaceOnce(buf, "#compdef "+name+"\ncompdef _"+name+" "+name+"\n", "#compdef "+name+
		"\n(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }\ncompdef _"+name+" "+name+"\n")
}

// named returns the tree of commands of the program under one of its names.
func named(e *cli.Env, name string) *cobra.Command {
	as := *e
	as.Name, as.Run = name, cli.Session{}
	return newRootCmd(&as)
}

// scriptFile is the name of the file of a script.
func scriptFile(shell, name string) string {
	switch shell {
	case "zsh":
		return "_" + name
	case "powershell":
		return name + ".ps1"
	}
	return name + "." + shell
}

// writeCompletions writes the scripts of all shells for both names into a directory.
func writeCompletions(e *cli.Env, dir string) error {
	if err := e.DryRunStep("write the completion scripts of all shells into %s", dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"dig", "digctl"} {
		root := named(e, name)
		for _, shell := range completionShells() {
			var buf bytes.Buffer
			if err := completionScript(root, shell, &buf); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, scriptFile(shell, name)), buf.Bytes(), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
