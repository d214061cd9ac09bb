// Package journal records the requests of commands that change something.
package journal

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
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
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
	Error   string `json:"error,omitempty"`   // why there was no complete reply
	Elapsed int64  `json:"elapsed,omitempty"` // milliseconds until the reply began
}

// Log is the journal in the directory of the state.
type Log struct{ *localstate.Journal }

// Open returns the journal in a directory, which is limited to a number of bytes.
func Open(dir string, bytes int64) Log { return Log{localstate.NewJournal(dir, bytes)} }

// Record appends a change, before the reply and without an outcome, because a process may be killed before the reply,
// or the end of a change.
func (l Log) Record(line any) error {
	raw, err := api.Marshal(line)
	if err != nil {
		return err
	}
	return l.Append(raw)
}

// maxRecorded limits the size of each document in a record.
const maxRecorded = 16 << 10

// NewID returns an identifier of a change.
func NewID() string {
	b := make([]byte, 5)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// End describes the outcome of a change: its reply, which began at now, or why there is none that is complete. mask
// hides the secrets of the run.
func (c *Change) End(now time.Time, resp *http.Response, err error, mask func(string) string) ChangeEnd {
	out := ChangeEnd{Of: c.ID, Elapsed: max(0, now.Sub(c.At).Milliseconds())} // the clock may have been set back
	if resp != nil {
		out.Status = resp.StatusCode
	}
	switch {
	case err == nil:
		out.Outcome = outcome.OfStatus(resp.StatusCode).String()
		return out
	case errors.Is(err, context.Canceled):
		out.Error = "interrupted"
	default:
		out.Error = mask(secret.Hide(err.Error()))
	}
	out.Outcome = outcome.Of(err).String()
	return out
}

// Document prepares a JSON document for the journal: it removes secrets and truncates a long document.
func Document(raw []byte) json.RawMessage {
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

// Changes reads the journal, the oldest change first. left counts the lines that are not valid records.
func (l Log) Changes() (all []*Change, left Left, err error) {
	byID := map[string]*Change{}
	err = l.Read(func(line []byte) {
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

// Statement prepares the body of a statement for the journal: without literals, comments and bindings, which may be
// secrets.
func Statement(raw []byte) json.RawMessage {
	var body struct {
		Statement string `json:"statement"`
	}
	if json.Unmarshal(raw, &body) != nil {
		return nil
	}
	var b strings.Builder
	at := 0
	sqltext.Scan(body.Statement, true, func(from, to int) {
		if from > at && b.Len() > 0 {
			b.WriteByte(' ')
		}
		at = to
		switch w := body.Statement[from:to]; {
		case strings.HasPrefix(w, "$"), strings.HasSuffix(w, "'"), strings.HasPrefix(w, "'"), len(w) > 1 &&
			w[1] == '\'':
			b.WriteString("'***'")
		case w[0] >= '0' && w[0] <= '9':
			b.WriteString("***")
		default:
			b.WriteString(w)
		}
	})
	out, err := api.Marshal(map[string]string{"statement": b.String()})
	if err != nil {
		return nil
	}
	return Document(out)
}
