package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/spf13/cobra"
)

// scriptMark is a line of every script that is installed: only files that contain it are replaced or removed.
const scriptMark = "# Written by `dig completion install`; `dig completion uninstall` removes it.\n"

// script is the completion script of a shell for one name of the program, and a line of the printed lists.
type script struct {
	Shell string `json:"shell"`
	Name  string `json:"name"`
	State string `json:"state"` // current, outdated, missing, not ours; after a change: written, removed
	File  string `json:"file"`

	text []byte // what install writes
}

var scriptShape = cli.Shape{ID: "file", Fields: []cli.Field{
	{Path: "shell"},
	{Path: "name"},
	{Path: "state"},
	{Path: "file", Key: true},
}}

func newCompletionInstallCmd(e *cli.Env) *cobra.Command {
	return cli.Plain[[]script](e, &cobra.Command{Use: "install [SHELL]...",
		Short:     "Write the completion scripts to where the shells of this user look for them",
		ValidArgs: completionShells(), Args: anyShells,
		Long: `Write the completion scripts for dig and digctl to where the shells of this user look for them: those
named, or those that are found on this machine. Where a shell needs a line in its start-up file, the
line is printed; such files are not changed. A file of the same name that something else has written is
left alone.`,
		Example: "  " + e.Name + " completion install\n  " + e.Name + " completion install bash zsh"},
		func(_ context.Context, args []string) (cli.View, error) {
			all, err := scripts(e, args)
			if err != nil {
				return cli.View{}, err
			}
			for _, s := range all {
				if s.State == notOurs {
					return cli.View{}, &exitcode.Failure{Exit: exitcode.Conflict, Code: "conflict", Msg: s.File +
						" exists, and was not written by `completion install`",
						Hint: "move that file, or name the other shells"}
				}
			}
			var notes []string
			for i, s := range all {
				if note := startNote(s); !slices.Contains(notes, note) {
					notes = append(notes, note)
				}
				if s.State == current {
					continue
				}
				if err := e.DryRunStep("write %s", s.File); e.Planned(err) {
					continue
				} else if err != nil {
					return cli.View{}, err
				}
				if err := os.MkdirAll(filepath.Dir(s.File), 0o755); err != nil {
					return cli.View{}, exitcode.Usagef("%v", err)
				}
				if err := tempfile.Write(s.File, s.text); err != nil {
					return cli.View{}, exitcode.Usagef("%v", err)
				}
				all[i].State = "written"
			}
			if e.StepCount() > 0 {
				return cli.View{}, cli.ErrDone
			}
			return cli.List(all, "shell", "name", "state", "file").WithNote("%s", strings.Join(notes, "\n")), nil
		})
}

func newCompletionStatusCmd(e *cli.Env) *cobra.Command {
	return cli.Plain[[]script](e, &cobra.Command{Use: "status [SHELL]...",
		Short: "Show which completion scripts are installed for this user", ValidArgs: completionShells(),
		Args: anyShells,
		Long: "Show which completion scripts are installed for this user: current, outdated (written by another " +
			"version), missing, or\nnot ours, which install and uninstall leave alone.",
		Example: "  " + e.Name + " completion status"},
		func(_ context.Context, args []string) (cli.View, error) {
			all, err := scripts(e, args)
			return cli.List(all, "shell", "name", "state", "file"), err
		})
}

func newCompletionUninstallCmd(e *cli.Env) *cobra.Command {
	return cli.Plain[[]script](e, &cobra.Command{Use: "uninstall [SHELL]...",
		Short: "Remove the completion scripts that install has written", ValidArgs: completionShells(), Args: anyShells,
		Long: "Remove the completion scripts that `completion install` has written, of the shells named or of " +
			"all. Other files, and lines in\nstart-up files, stay.",
		Example: "  " + e.Name + " completion uninstall"},
		func(_ context.Context, args []string) (cli.View, error) {
			if len(args) == 0 {
				args = completionShells()
			}
			all, err := scripts(e, args)
			if err != nil {
				return cli.View{}, err
			}
			gone := []script{}
			for _, s := range all {
				if s.State != current && s.State != outdated {
					continue
				}
				if err := e.DryRunStep("remove %s", s.File); e.Planned(err) {
					continue
				} else if err != nil {
					return cli.View{}, err
				}
				if err := os.Remove(s.File); err != nil {
					return cli.View{}, err
				}
				s.State = "removed"
				gone = append(gone, s)
			}
			if e.StepCount() > 0 {
				return cli.View{}, cli.ErrDone
			}
			v := cli.List(gone, "shell", "name", "state", "file")
			if len(gone) == 0 {
				v = v.WithNote("no completion script of this program is installed")
			}
			return v, nil
		})
}

func anyShells(_ *cobra.Command, args []string) error {
	for _, shell := range args {
		if _, err := cli.Word("SHELL", shell, completionShells()); err != nil {
			return err
		}
	}
	return nil
}

// The states of a script.
const (
	current  = "current"
	outdated = "outdated"
	missing  = "missing"
	notOurs  = "not ours"
)

// scripts lists the scripts of the given shells with their states; without shells, those of the shells on this machine.
func scripts(e *cli.Env, shells []string) ([]script, error) {
	if len(shells) == 0 {
		if shells = shellsHere(e); len(shells) == 0 {
			return nil, exitcode.Usagef("no shell was found on this machine").WithHint("name one: %s",
				strings.Join(completionShells(), ", "))
		}
	}
	var all []script
	for _, name := range []string{"dig", "digctl"} {
		root := named(e, name)
		for _, shell := range shells {
			dir, err := scriptDir(e, shell)
			if err != nil {
				return nil, err
			}
			s := script{Shell: shell, Name: name, File: filepath.Join(dir, scriptFile(shell, name))}
			if shell == "bash" { // the package bash-completion looks for the name of the command
				s.File = filepath.Join(dir, name)
			}
			var buf bytes.Buffer
			if err := completionScript(root, shell, &buf); err != nil {
				return nil, err
			}
			s.text = marked(buf.Bytes())
			if s.State, err = stateOf(s); err != nil {
				return nil, err
			}
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b script) int {
		return slices.Index(shells, a.Shell) - slices.Index(shells,
			b.Shell)
	})
	return all, nil
}

// marked inserts scriptMark after the first line, because zsh requires that line to be first.
func marked(text []byte) []byte {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	return slices.Concat(first, []byte("\n"+scriptMark), rest)
}

func stateOf(s script) (string, error) {
	have, err := os.ReadFile(s.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing, nil
	case err != nil:
		return "", exitcode.Usagef("%v", err)
	case bytes.Equal(have, s.text):
		return current, nil
	case bytes.Contains(have, []byte(scriptMark)):
		return outdated, nil
	}
	return notOurs, nil
}

// shellsHere lists the shells of this machine.
func shellsHere(e *cli.Env) []string {
	var found []string
	for _, shell := range completionShells() {
		programs := []string{shell}
		if shell == "powershell" {
			programs = []string{"pwsh", "powershell"}
		}
		if slices.ContainsFunc(programs, func(p string) bool {
			_, err := exec.LookPath(p)
			return err == nil || filepath.Base(e.Getenv("SHELL")) == p
		}) {
			found = append(found, shell)
		}
	}
	return found
}

// scriptDir is the directory of this user for the completion scripts of a shell: the one that the shell searches, or,
// if it searches none, one from which its start-up file can load them.
func scriptDir(e *cli.Env, shell string) (string, error) {
	home := e.Getenv("HOME")
	if runtime.GOOS == "windows" && home == "" {
		home = e.Getenv("USERPROFILE")
	}
	under := func(variable string, rest ...string) (string, error) {
		if dir := e.Getenv(variable); filepath.IsAbs(dir) {
			return dir, nil
		}
		if home == "" {
			return "", exitcode.Usagef("HOME is not set, so the directory for completion scripts is unknown")
		}
		return filepath.Join(append([]string{home}, rest...)...), nil
	}
	if dir := e.Getenv("BASH_COMPLETION_USER_DIR"); shell == "bash" && filepath.IsAbs(dir) {
		return filepath.Join(dir, "completions"), nil
	}
	if shell == "fish" {
		dir, err := under("XDG_CONFIG_HOME", ".config")
		return filepath.Join(dir, "fish", "completions"), err
	}
	dir, err := under("XDG_DATA_HOME", ".local", "share")
	switch shell {
	case "bash":
		return filepath.Join(dir, "bash-completion", "completions"), err
	case "zsh":
		return filepath.Join(dir, "zsh", "site-functions"), err
	}
	return filepath.Join(dir, "dig", "completions"), err
}

// bashPackages are where the package bash-completion is installed.
func bashPackages() []string {
	return []string{"/usr/share/bash-completion/bash_completion", "/usr/local/share/bash-completion/bash_completion",
		"/opt/homebrew/share/bash-completion/bash_completion"}
}

// startNote describes what a start-up file must contain for its shell to find the script.
func startNote(s script) string {
	dir := filepath.Dir(s.File)
	switch s.Shell {
	case "bash":
		for _, p := range bashPackages() {
			if _, err := os.Stat(p); err == nil {
				return "bash: new shells load them through the package bash-completion"
			}
		}
		return fmt.Sprintf("bash: the package bash-completion was not found; add to ~/.bashrc:\n  for f in dig "+
			"digctl; do . %s/$f; done", shell.Quote(dir))
	case "zsh":
		return fmt.Sprintf("zsh: unless ~/.zshrc has it, add before its compinit:\n  fpath=(%s $fpath); autoload -Uz "+
			"compinit && compinit", shell.Quote(dir))
	case "fish":
		return "fish: new shells load them"
	}
	// PowerShell quotes as SQL does
	return fmt.Sprintf("powershell: add to the file in $PROFILE:\n  Get-ChildItem %s | ForEach-Object { . $_ }",
		sqltext.Literal(filepath.Join(dir, "*.ps1")))
}
