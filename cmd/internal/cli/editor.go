package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
)

// ProgramEnv is the environment of programs that dig runs, such as the editor and the pager. It does not contain the
// API key, which they do not need and might pass on.
func ProgramEnv() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.EqualFold(name, "DIG_API_KEY")
	})
}

// program is a program that has the streams of the run if these are files.
func (e *Env) program(ctx context.Context, line []string) *exec.Cmd {
	c := exec.CommandContext(ctx, line[0], line[1:]...)
	c.Env = ProgramEnv()
	// Unless the stream is an *os.File, these stay nil: an interface that holds a nil *os.File is not nil.
	if in := TerminalOf(e.In); in != nil {
		c.Stdin = in
	}
	if out := FileOf(e.Out); out != nil {
		c.Stdout = out
	}
	if errs := FileOf(e.Run.Terminal); errs != nil {
		c.Stderr = errs
	}
	return c
}

// System runs a command of the operating system, or its shell if the command is "".
func (e *Env) System(ctx context.Context, command string) error {
	line := []string{"sh", "-c", command}
	if own := e.Getenv("SHELL"); command == "" && own != "" {
		line = []string{own}
	} else if command == "" {
		line = line[:1]
	}
	if runtime.GOOS == "windows" {
		if line = []string{"cmd"}; command != "" {
			line = append(line, "/c", command)
		}
	}
	c := e.program(ctx, line)
	if e.In != nil && c.Stdin != nil && !e.InTerm { // the statements of a script are not the input of a command
		c.Stdin = nil
	}
	if c.Stdout == nil {
		c.Stdout = e.Out
	}
	if c.Stderr == nil {
		c.Stderr = e.Err
	}
	err := c.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		fmt.Fprintf(e.Err, "(%v)\n", exit)
		return nil
	}
	return err
}

// Edit opens a file in the user's editor, VISUAL or EDITOR, and waits for it.
func (e *Env) Edit(ctx context.Context, path string) error {
	editor := e.Getenv("VISUAL")
	if editor == "" {
		editor = e.Getenv("EDITOR")
	}
	words := strings.Fields(editor)
	if len(words) == 0 {
		if words = []string{"vi"}; runtime.GOOS == "windows" {
			words[0] = "notepad"
		}
	}
	line := append(words, path)
	// quoted, as in emacsclient -a ''
	if runtime.GOOS != "windows" && strings.ContainsAny(editor, "'\"\\$`;&|<>()*?[~#") {
		line = []string{"sh", "-c", editor + ` "$@"`, editor, path}
	}
	if err := e.program(ctx, line).Run(); err != nil {
		return &exitcode.Failure{Exit: exitcode.Failed, Code: "editor", Msg: fmt.Sprintf("%s: %v", words[0], err),
			Hint: "VISUAL or EDITOR names the editor", Err: err}
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return &exitcode.Failure{Exit: exitcode.Failed, Code: "editor", Msg: words[0] +
			" removed the copy that it was to edit; nothing was changed", Hint: "VISUAL or EDITOR names the editor",
			Err: err}
	}
	return nil
}
