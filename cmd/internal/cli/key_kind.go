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

// keyFacts is what GET /info returned for a key. The kind of a key never changes, so this is stored.
type keyFacts struct {
	Project     string `json:"project,omitempty"` // the project the key belongs to, "" for a partner key
	ProjectName string `json:"projectName,omitempty"`
}

// mayCall rejects a partner operation before it is sent if the key is known to be a project key: the service would
// answer 403, which is hard to tell from other refusals [L].
func (e *Env) mayCall(ctx context.Context, op spec.Op) error {
	if !op.Partner {
		return nil
	}
	facts, known := e.knownKey()
	if !known && e.Run.Flags.Explain { // only look-ups of names are sent
		return nil
	}
	if !known {
		info, err := e.Run.client.Info.Get(ctx)
		if err != nil {
			return nil // !//nolint:nilerr // the call itself reports the problem
		}
		facts = e.learnKey(info)
	}
	if facts.Project == "" {
		return nil
	}
	return &api.Error{Kind: api.KindForbidden, Method: op.Method, Message: "the key is a key of project " + Named{ID: facts.Project, Name: facts.ProjectName}.shown() + ", and " + op.ID +
		" requires a partner key; it was not sent", Hint: "choose a partner key with --profile or DIG_API_KEY; a project key opens its own project only"}
}

func (n Named) shown() string {
	if n.Name == "" || n.Name == n.ID {
		return n.ID
	}
	return n.ID + " (" + n.Name + ")"
}

// keyFile is the file that stores the facts about the current key, named by a hash of key and address so that it
// reveals neither.
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

// learnKey stores the facts about the current key. An error while storing is ignored: the gateway is asked again next
// time.
func (e *Env) learnKey(info api.ProjectInfo) (facts keyFacts) {
	if info.ProjectID != nil {
		facts.Project = *info.ProjectID
	}
	if info.ProjectName != nil {
		facts.ProjectName = *info.ProjectName
	}
	path := e.keyFile()
	if path == "" || e.Tells() || info.UserID == "" && facts.Project == "" { // an answer without facts is not stored
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
