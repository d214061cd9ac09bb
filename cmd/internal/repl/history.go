package repl

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/internal/localstate"
	"github.com/dig-cli/dig/internal/secret"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/gofrs/flock"
)

const (
	maxEntries = 2000
	maxEntry   = 64 << 10 // longer texts are not kept
)

// history is the input of one project: one JSON string per line of a file that only its owner can read. Several
// shells append to it.
type history struct {
	e    *cli.Env
	path string // "" if nothing is stored between sessions
	list []string
}

// openHistory reads the history of a project. A file that cannot be read is an empty history.
func openHistory(e *cli.Env, project string) *history {
	h := &history{e: e}
	dir, err := config.StateDir(e.Getenv)
	if err != nil || e.Run.Settings.HistoryBytes() == 0 || e.DryRun() {
		return h
	}
	p, err := e.Scope()
	if err != nil {
		return h
	}
	p.Project = project
	h.path = filepath.Join(dir, "shell", p.Key()+".history")
	lines := 0
	if f, err := os.Open(h.path); err == nil {
		defer f.Close()
		in := bufio.NewScanner(f)
		in.Buffer(nil, 8*maxEntry)
		for in.Scan() {
			var entry string
			if lines++; json.Unmarshal(in.Bytes(), &entry) == nil && entry != "" {
				h.list = append(h.list, entry)
			}
		}
	}
	if lines > 2*maxEntries {
		h.shorten()
	}
	if n := len(h.list) - maxEntries; n > 0 {
		h.list = h.list[n:]
	}
	return h
}

// alone runs fn while no other shell changes the file. alone is false if the lock was not obtained in time.
func (h *history) alone(fn func(alone bool)) {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	lock := flock.New(h.path+".lock", flock.SetPermissions(0o600))
	ok, err := lock.TryLockContext(ctx, 5*time.Millisecond)
	if ok = ok && err == nil; ok {
		defer lock.Close()
	}
	fn(ok)
}

// shorten keeps the newest entries of the file, including those that other shells have added since. If it fails, the
// file only stays longer.
func (h *history) shorten() {
	h.alone(func(alone bool) {
		raw, err := os.ReadFile(h.path)
		if err != nil || !alone {
			return
		}
		all := bytes.SplitAfter(raw, []byte("\n"))
		_ = localstate.WriteFile(h.path, bytes.Join(all[max(len(all)-1-maxEntries, 0):], nil))
	})
}

func line(entry string) []byte {
	raw, err := json.Marshal(entry)
	if err != nil {
		return nil // strings always marshal
	}
	return append(raw, '\n')
}

func (h *history) Len() int           { return len(h.list) }
func (h *history) Entry(i int) string { return h.list[i] }

// add stores a text, unless it begins with a blank, repeats the last one or contains a secret.
func (h *history) add(text string) {
	text = strings.TrimRight(text, " \t\n")
	if text == "" || strings.HasPrefix(text, " ") || len(text) > maxEntry || len(h.list) > 0 &&
		h.list[len(h.list)-1] == text || h.secret(text) {
		return
	}
	h.list = append(h.list, text)
	if h.path != "" {
		h.keep(text)
	}
}

// keep adds a text to the file.
func (h *history) keep(text string) {
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return
	}
	h.alone(func(bool) { // appending is safe without the lock
		f, err := os.OpenFile(h.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return
		}
		_, _ = f.Write(line(text)) // in one piece: several shells append
		_ = f.Close()
	})
}

// secret reports whether a text contains a known secret, or a value that looks like one.
func (h *history) secret(text string) bool {
	if h.e.Run.Mask.Masked(text) != text || secret.Statement(text) != text {
		return true
	}
	name, args, ok := commandOf(text)
	if !ok || name != "bind" {
		return false
	}
	if plain, err := unquoted(args, false); err == nil {
		args = plain
	}
	for i, arg := range args {
		key, _, named := strings.Cut(arg, "=")
		if named = named || i+1 < len(args) && strings.HasPrefix(args[i+1], "="); named && secret.Named(key) {
			return true
		}
	}
	return false
}
