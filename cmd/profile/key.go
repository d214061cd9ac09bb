package profile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/config"
)

// readKey reads a key from DIG_API_KEY, a hidden prompt or standard input; never from the command line, which others
// can see. hint belongs to the error for a missing key. name is that of the profile. It must not be the key itself,
// because it is stored and shown.
func readKey(e *cli.Env, name string, stdin bool, hint string) (config.Key, error) {
	key, err := givenKey(e, stdin, hint)
	if err == nil && key.Reveal() == name {
		e.Run.Mask.Hide(name)
		return config.Key{}, exitcode.Usagef("the name of the profile is the key itself; nothing was stored or sent").
			WithHint("give another name; the command line, with the key, may be in the history of the shell")
	}
	return key, err
}

func givenKey(e *cli.Env, stdin bool, hint string) (config.Key, error) {
	if v := e.Getenv("DIG_API_KEY"); v != "" && !stdin {
		fmt.Fprintln(e.Err, "taking the key from DIG_API_KEY")
		return config.NewKey(v)
	}
	text, hidden, err := "", false, error(nil)
	if e.InTerm && !stdin {
		fmt.Fprint(e.Err, "API key: ")
		text, hidden, err = e.Ask().Hidden()
	}
	if !hidden {
		in := bufio.NewReader(io.LimitReader(e.In, 8<<10))
		text, err = in.ReadString('\n')
		if err == nil && !e.InTerm { // the key could be the second line
			var rest []byte
			if rest, err = io.ReadAll(in); len(bytes.TrimSpace(rest)) > 0 {
				return config.Key{}, exitcode.Usagef("standard input has more than one line").
					WithHint("give the key alone, in one line")
			}
		}
	}
	switch {
	case errors.Is(err, context.Canceled):
		return config.Key{}, err
	case err != nil && err != io.EOF:
		return config.Key{}, exitcode.Usagef("cannot read the key: %v", err)
	}
	text = strings.TrimPrefix(text, rowfile.Mark) // some shells begin what they pipe with a byte order mark
	if strings.TrimSpace(text) == "" {
		return config.Key{}, exitcode.Usagef("no key given").WithHint("%s", hint)
	}
	return config.NewKey(text)
}
