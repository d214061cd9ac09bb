package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/localstate"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/outcome"
	"github.com/dig-cli/dig/pkg/spec"
)

// keyFacts is the reply of GET /info for a key. The kind of a key never changes, so this is stored.
type keyFacts struct {
	Project     string `json:"project,omitempty"` // the project the key belongs to, "" for a partner key
	ProjectName string `json:"projectName,omitempty"`
	User        string `json:"user,omitempty"`
}

// FactsOf converts the reply of GET /info.
func FactsOf(info api.ProjectInfo) config.KeyFacts {
	f := config.KeyFacts{Kind: config.KindPartner, User: info.Email}
	if f.User == "" {
		f.User = info.UserID
	}
	if info.ProjectID != nil && *info.ProjectID != "" {
		f.Kind, f.Project = config.KindProject, *info.ProjectID
		if info.ProjectName != nil {
			f.ProjectName = *info.ProjectName
		}
	}
	return f
}

// KeyFacts returns the stored facts about the current key, without asking the gateway; Kind is "" for unknown.
func (e *Env) KeyFacts() config.KeyFacts {
	if s := e.Run.Settings; s.KeyFacts.Kind != "" {
		return s.KeyFacts
	}
	facts, known := e.storedFacts()
	switch {
	case !known:
		return config.KeyFacts{}
	case facts.Project == "":
		return config.KeyFacts{Kind: config.KindPartner, User: facts.User}
	}
	return config.KeyFacts{Kind: config.KindProject, User: facts.User, Project: facts.Project,
		ProjectName: facts.ProjectName}
}

// mayCall rejects a partner operation before it is sent if the key is known to be a project key: the service would
// answer 403, which is hard to distinguish from other refusals [L].
func (e *Env) mayCall(ctx context.Context, op spec.Op) error {
	if !op.Partner || e.Run.Settings.InProcess() {
		return nil
	}
	facts := e.KeyFacts()
	if facts.Kind == "" && e.Run.Flags.Explain { // only look-ups of names are sent
		return nil
	}
	if facts.Kind == "" {
		info, err := e.Run.client.Info.Get(ctx)
		if err != nil {
			return nil // !//nolint:nilerr // the call itself reports the problem
		}
		facts = e.LearnKey(info)
	}
	if facts.Kind == config.KindPartner {
		return nil
	}
	return &api.Error{Kind: api.KindForbidden, Outcome: outcome.NotSent, Method: op.Method,
		Message: "the key is a key of project " + resolve.Named{ID: facts.Project, Name: facts.ProjectName}.String() +
			", and " +
			op.ID +
			" requires a partner key; it was not sent",
		Hint: "choose a partner key with --profile or DIG_API_KEY; a project key opens its own project only"}
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

func (e *Env) storedFacts() (facts keyFacts, known bool) {
	path := e.keyFile()
	if path == "" {
		return facts, false
	}
	raw, err := os.ReadFile(path)
	return facts, err == nil && json.Unmarshal(raw, &facts) == nil
}

// askLimit is how long a gateway may take to return the owner of a key.
const askLimit = 15 * time.Second

// OwnerOf asks the gateway at an address for the owner of a key.
func (e *Env) OwnerOf(ctx context.Context, s NetworkSettings, address string, key config.Key) (api.ProjectInfo, error) {
	n, err := e.NetworkOf(s)
	if err != nil {
		return api.ProjectInfo{}, err
	}
	cl, err := api.New(api.Options{BaseURL: address, Key: key.Reveal(), UserAgent: "dig/" + BuildVersion(),
		Timeout: askLimit, Network: n})
	if err != nil {
		return api.ProjectInfo{}, err
	}
	return cl.Info.Get(ctx)
}

// LearnKey stores the facts about the current key. An error while storing is ignored: the gateway is asked again next
// time.
func (e *Env) LearnKey(info api.ProjectInfo) config.KeyFacts {
	facts := FactsOf(info)
	path := e.keyFile()
	if path == "" || e.DryRun() || info.UserID == "" && facts.Project == "" { // an answer without facts is not stored
		return facts
	}
	if raw, err := json.Marshal(keyFacts{facts.Project, facts.ProjectName, facts.User}); err == nil {
		_ = localstate.WriteFile(path, raw)
	}
	return facts
}

// ForgetKey removes the stored facts about the current key.
func (e *Env) ForgetKey() error {
	if path := e.keyFile(); path != "" {
		return tempfile.Remove(path)
	}
	return nil
}
