package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
)

// keyFacts is what GET /info has once said about a key. A key never changes its kind, so this is kept.
type keyFacts struct {
	Project     string `json:"project,omitempty"` // that the key opens, "" for a partner key
	ProjectName string `json:"projectName,omitempty"`
}

// mayCall refuses a partner's operation before it is sent when the key is known to be a project's: the service would answer 403 with
// little to tell it from other refusals [L].
func (e *Env) mayCall(ctx context.Context, op spec.Op) error {
	if !op.Partner {
		return nil
	}
	facts, known := e.knownKey()
	if !known && e.Run.Flags.Explain { // which sends look-ups of names alone
		return nil
	}
	if !known {
		info, err := e.Run.client.Info.Get(ctx)
		if err != nil {
			return nil //nolint:nilerr // the call itself will say what is wrong
		}
		facts = e.learnKey(info)
	}
	if facts.Project == "" {
		return nil
	}
	return &api.Error{Kind: api.KindForbidden, Method: op.Method, Message: "the key is a key of project " + Named{ID: facts.Project, Name: facts.ProjectName}.shown() + ", and " + op.ID +
		" takes a partner key only; it was not sent", Hint: "choose a partner key with --profile or DIG_API_KEY; a project key opens its own project only"}
}

func (n Named) shown() string {
	if n.Name == "" || n.Name == n.ID {
		return n.ID
	}
	return n.ID + " (" + n.Name + ")"
}

// keyFile is where the facts about the key in use are kept: by a hash of the key and the address, and so without either.
func (e *Env) keyFile() string {
	s := e.Run.Settings
	dir, err := config.CacheDir(e.Getenv)
	if err != nil || s.Key.IsZero() {
		return ""
	}
	return filepath.Join(dir, "keys", s.Key.Fingerprint(s.BaseURL.Value)+".json")
}

func (e *Env) knownKey() (facts keyFacts, known bool) {
	path := e.keyFile()
	if path == "" {
		return facts, false
	}
	raw, err := os.ReadFile(path)
	return facts, err == nil && json.Unmarshal(raw, &facts) == nil
}

// learnKey notes what the gateway says about the key in use. That it cannot be noted is no failure: it is asked again.
func (e *Env) learnKey(info api.ProjectInfo) (facts keyFacts) {
	if info.ProjectID != nil {
		facts.Project = *info.ProjectID
	}
	if info.ProjectName != nil {
		facts.ProjectName = *info.ProjectName
	}
	path := e.keyFile()
	if path == "" || e.Tells() || info.UserID == "" && facts.Project == "" { // an answer that tells nothing is not kept
		return facts
	}
	if raw, err := json.Marshal(facts); err == nil && os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		if f, err := output.Create(path); err == nil {
			if _, err = f.Write(raw); err == nil {
				err = f.Commit()
			}
			if err != nil {
				_ = f.Abort()
			}
		}
	}
	return facts
}
