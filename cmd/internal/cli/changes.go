package cli

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/journal"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/internal/secret"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/outcome"
)

// Journal is the journal of changes.
func (e *Env) Journal() (journal.Log, error) {
	dir, err := config.StateDir(e.Getenv)
	if err != nil {
		return journal.Log{}, err
	}
	var limit int64
	if s := e.Run.Settings; s != nil {
		limit = s.JournalBytes()
	}
	return journal.Open(dir, limit), nil
}

// Changes reads the journal. note describes problems with it.
func (e *Env) Changes() (all []*journal.Change, note string, err error) {
	l, err := e.Journal()
	if err != nil {
		return nil, "", err
	}
	all, left, err := l.Changes()
	switch {
	case err != nil:
		return nil, "", &exitcode.Failure{Exit: exitcode.Failed, Code: "journal", Msg: "the journal cannot be read: " +
			err.Error(), Err: err}
	case e.Run.Settings.JournalBytes() == 0:
		note = fmt.Sprintf("note: the journal is off (%s): changes are not recorded", e.Run.Settings.Journal.From)
	case left.Damaged > 0:
		note = phrase.Plural(left.Damaged, "note: 1 line of the journal is damaged and is left out",
			"note: %d lines of the journal are damaged and are left out")
	case left.Unfinished > 0:
		note = phrase.Plural(left.Unfinished, "note: 1 line of the journal was not finished and is left out",
			"note: %d lines of the journal were not finished and are left out")
	}
	return all, note, nil
}

// record writes a change to the journal, before the reply and without an outcome: a process may be killed before the
// reply. If the journal cannot be written, a warning is printed and the change is not prevented.
func (e *Env) record(line any) {
	l, err := e.Journal()
	if err == nil {
		err = l.Record(line)
	}
	if err == nil {
		return
	}
	e.Run.said.Lock()
	defer e.Run.said.Unlock()
	if !e.Run.said.unrecorded {
		e.Run.said.unrecorded = true
		fmt.Fprintf(e.Err, "note: the change is not recorded in the journal: %v\n", err)
	}
}

// ended records the end of a change.
func (e *Env) ended(end journal.ChangeEnd) {
	e.record(end)
	if end.Outcome == outcome.Unknown.String() {
		e.Run.said.Lock()
		e.Run.said.unknown = append(e.Run.said.unknown, end)
		e.Run.said.Unlock()
	}
}

// Settled records what was found out afterwards about the changes of this run whose outcome was unknown.
func (e *Env) Settled(found outcome.Outcome) {
	e.Run.said.Lock()
	unknown := e.Run.said.unknown
	e.Run.said.unknown = nil
	e.Run.said.Unlock()
	for _, end := range unknown {
		end.Outcome = found.String()
		e.record(end)
	}
}

// change describes a request.
func (t *interceptor) change(req *http.Request) *journal.Change {
	e := t.env
	op, path := t.operation(req)
	c := &journal.Change{ID: journal.NewID(), At: e.Now().UTC().Truncate(time.Millisecond), Operation: op.ID,
		Command: cmp.Or(e.Run.command.outer, e.Run.command.path), Zone: e.Run.Settings.Zone.Value,
		Profile: e.Run.Settings.Profile.Value, Address: e.Run.Settings.BaseURL.Value,
		Project: e.Run.Settings.Project.Value, Method: req.Method, Path: path, Query: secret.Query(req.URL.RawQuery),
		ContentType: req.Header.Get("Content-Type")}
	if scope, err := e.Scope(); err == nil {
		c.Data = scope.Data
	}
	names, segments := strings.Split(op.Path, "/"), strings.Split(path, "/")
	for i, name := range names {
		if name == "{projectId}" && len(names) == len(segments) {
			c.Project = segments[i]
		}
	}
	if set := e.Run.Settings.Project.Value; set != c.Project {
		c.Chosen = set
	}
	if raw := bodyOf(req); raw != nil {
		c.Body = journal.Document(raw)
	}
	if raw := t.seen.Before(op, path); raw != nil {
		c.Before = journal.Document(raw)
	}
	return c
}
