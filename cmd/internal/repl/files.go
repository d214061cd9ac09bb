package repl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/tempfile"
)

// maxDepth limits how deep files that include files may nest.
const maxDepth = 16

// inFile marks an error whose message names its file.
type inFile struct{ error }

func (e *inFile) Unwrap() error { return e.error }

// include runs the statements and commands of a file, until one fails.
func (s *shell) include(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return exitcode.Usagef(`\i takes one file, not %d`, len(args))
	}
	if s.depth == maxDepth {
		return exitcode.Usagef("%s: files include each other more than %d deep", args[0], maxDepth)
	}
	raw, err := s.e.ReadText(`\i`, args[0])
	if err != nil {
		return err
	}
	s.depth++
	defer func() { s.depth-- }()
	for n, piece := range pieces(string(raw)) {
		if err := s.performPiece(ctx, piece); err != nil {
			var inner *inFile
			if errors.As(err, &inner) { // of a file that this one includes
				return err
			}
			f := cli.Classify(ctx, err)
			f.Err = &inFile{err}
			f.Msg = fmt.Sprintf("%s, statement that ends on line %d: %s", args[0], n, f.Msg)
			return &f
		}
	}
	return nil
}

// edit opens the last statement in an editor, and runs the saved text.
func (s *shell) edit(ctx context.Context, _ []string) error {
	if s.editor == nil {
		return exitcode.Usagef(`\e needs a terminal`)
	}
	dir, remove, err := tempfile.MkdirTemp("dig-edit-")
	if err != nil {
		return err
	}
	defer remove()
	name := filepath.Join(dir, "statement.sql")
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	text := s.lastText
	if text != "" {
		text += ";\n"
	}
	_, err = f.WriteString(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	if s.quiet != nil { // the editor may read from the terminal
		s.quiet.End()
	}
	err = s.e.Edit(ctx, name)
	if s.quiet != nil {
		s.quiet.Begin()
	}
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	edited := strings.TrimSpace(string(raw))
	if edited == "" || edited == strings.TrimSpace(text) {
		fmt.Fprintln(s.e.Err, "nothing was changed")
		return nil
	}
	fmt.Fprintln(s.e.Err, edited)
	s.history.add(edited)
	if s.binds == nil {
		s.binds = s.used
	}
	return s.performIn(ctx, edited)
}
