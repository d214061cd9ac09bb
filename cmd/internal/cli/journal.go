package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/jsontext"
	"github.com/dig-cli/dig/internal/localstate"
	"github.com/dig-cli/dig/internal/secret"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/outcome"
)

// Change is a request that changes something, as the journal records it.
type Change struct {
	ID        string    `json:"id"`
	At        time.Time `json:"at"`
	Command   string    `json:"command"` // without arguments, which may contain more than the request
	Operation string    `json:"operation,omitempty"`
	Zone      string    `json:"zone"`
	Profile   string    `json:"profile,omitempty"`
	Address   string    `json:"address,omitempty"` // of the gateway; Data is set instead for the one inside the process
	Data      string    `json:"data,omitempty"`
	Project   string    `json:"project,omitempty"` // that of the path, else the configured one
	Chosen    string    `json:"chosen,omitempty"`  // the project as configured, if spelled differently

	Method      string          `json:"method"`
	Path        string          `json:"path"`
	Query       string          `json:"query,omitempty"`
	ContentType string          `json:"contentType,omitempty"`
	Body        json.RawMessage `json:"body,omitempty"`   // without secrets; a string if it was truncated
	Before      json.RawMessage `json:"before,omitempty"` // the object as the command had read it before

	ChangeEnd
}

// ChangeEnd is the outcome of a change, a separate line of the journal with the id of the change in Of.
type ChangeEnd struct {
	Of      string `json:"of,omitempty"`
	Outcome string `json:"outcome,omitempty"` // done, refused, unknown or not-sent
	Status  int    `json:"status,omitempty"`  // of the reply
	Error   string `json:"error,omitempty"`   // why there was no reply
	Elapsed int64  `json:"elapsed,omitempty"` // milliseconds until the reply began
}

// maxRecorded limits the size of each document in a record.
const maxRecorded = 16 << 10

// record writes a change to the journal, before the reply and without an outcome: a process may be killed before the
// reply. If the journal cannot be written, a warning is printed and the change is not prevented.
func (e *Env) record(line any) {
	err := e.put(line)
	if err == nil {
		return
	}
	e.Run.OutputLock.Lock()
	defer e.Run.OutputLock.Unlock()
	if !e.Run.unrecorded {
		e.Run.unrecorded = true
		fmt.Fprintf(e.Err, "note: the change is not recorded in the journal: %v\n", err)
	}
}

func (e *Env) put(line any) error {
	dir, err := config.StateDir(e.Getenv)
	if err != nil {
		return err
	}
	raw, err := api.Marshal(line)
	if err != nil {
		return err
	}
	return localstate.NewJournal(dir, e.Run.Settings.JournalBytes()).Append(raw)
}

// change describes a request.
func (t *interceptor) change(req *http.Request) *Change {
	e := t.env
	op, path := t.operation(req)
	c := &Change{ID: changeID(), At: e.Now().UTC().Truncate(time.Millisecond), Command: e.Run.Command, Operation: op.ID,
		Zone: e.Run.Settings.Zone.Value, Profile: e.Run.Settings.Profile.Value,
		Address: e.Run.Settings.BaseURL.Value, Project: e.Run.Settings.Project.Value, Method: req.Method, Path: path,
		Query: secret.Query(req.URL.RawQuery), ContentType: req.Header.Get("Content-Type")}
	if place, err := e.Scope(); err == nil {
		c.Data = place.Data
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
		c.Body = recorded(raw)
	}
	if raw := t.seen.before(op, path); raw != nil {
		c.Before = recorded(raw)
	}
	return c
}

func changeID() string {
	b := make([]byte, 5)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// end describes the outcome of a change.
func (e *Env) end(c *Change, resp *http.Response, err error) ChangeEnd {
	out := ChangeEnd{Of: c.ID, Elapsed: max(0, e.Now().Sub(c.At).Milliseconds())} // the clock may have been set back
	switch {
	case err == nil:
		out.Status, out.Outcome = resp.StatusCode, outcome.OfStatus(resp.StatusCode).String()
		return out
	case errors.Is(err, context.Canceled):
		out.Error = "interrupted"
	default:
		out.Error = e.Run.Mask.Masked(secret.Hide(err.Error()))
	}
	out.Outcome = outcome.Of(err).String()
	return out
}

// recorded prepares a JSON document for the journal: it removes secrets and truncates a long document.
func recorded(raw []byte) json.RawMessage {
	v, err := jsontext.Decode([]byte(secret.Document(string(raw)).Text))
	if err != nil || v == nil {
		return nil
	}
	dropCredentials(v)
	out, err := api.Marshal(v)
	if err != nil || len(out) <= maxRecorded {
		return out
	}
	text := strings.ToValidUTF8(string(out[:maxRecorded]), "")
	cut, err := api.Marshal(fmt.Sprintf("%s ... (%d bytes)", text, len(out)))
	if err != nil {
		return nil
	}
	return cut
}

// Changes reads the journal, the oldest change first. skipped counts the lines that are not valid records.
func (e *Env) Changes() (all []*Change, left Left, err error) {
	dir, err := config.StateDir(e.Getenv)
	if err != nil {
		return nil, left, err
	}
	j := localstate.NewJournal(dir, 0)
	byID := map[string]*Change{}
	err = j.Read(func(line []byte) {
		var c Change
		switch err := json.NewDecoder(bytes.NewReader(line)).Decode(&c); {
		case err == nil && c.Of != "":
			if of := byID[c.Of]; of != nil { // otherwise the line of the change was dropped
				of.ChangeEnd = c.ChangeEnd
				of.Of = ""
			}
		case err == nil && c.ID != "" && c.Method != "":
			c.Query = secret.Query(c.Query) // earlier versions recorded it unmasked
			all, byID[c.ID] = append(all, &c), &c
		case errors.Is(err, io.ErrUnexpectedEOF):
			left.Unfinished++
		default:
			left.Damaged++
		}
	})
	return all, left, err
}

// Left is the number of lines of the journal that cannot be read: those that a killed process has not finished, and
// those that were changed since.
type Left struct{ Unfinished, Damaged int }

// dropCredentials removes credentials entirely, including the fields that are not secret.
func dropCredentials(v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			switch strings.ToLower(k) {
			case "credential", "credentials", "extraparameters":
				v[k] = "***"
			default:
				dropCredentials(x)
			}
		}
	case []any:
		for _, x := range v {
			dropCredentials(x)
		}
	}
}

// ChangedHere reports whether a change was made at the target of this run.
func (e *Env) ChangedHere(c *Change) bool {
	s := e.Run.Settings
	place, err := e.Scope()
	return err == nil && c.Zone == s.Zone.Value && c.Address == s.BaseURL.Value && c.Data == place.Data &&
		(s.Project.Value == "" || s.Project.Value == c.Project || s.Project.Value == c.Chosen)
}
