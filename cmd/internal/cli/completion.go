package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/complete"
	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/spec"
)

// Completion completes command lines.
func (e *Env) Completion() *complete.Completer {
	return &complete.Completer{
		Args: e.Args,
		Names: func() (complete.Stored, error) {
			_, err := e.Settings()
			return e.stored(), err
		},
		Ask:      e.askLocal,
		Profiles: e.profiles,
		Fields:   e.Fields,
	}
}

// profiles are the names of the profiles. They are chosen by the user, so they are safe to complete.
func (e *Env) profiles() ([]string, error) {
	st, err := config.OpenStore("", e.Getenv)
	if err != nil {
		return nil, err
	}
	all, _, err := st.List()
	return each.Map(all, func(p config.Profile) string { return p.Name }), err
}

// stored are the names of the current target: one file per zone, address and project.
func (e *Env) stored() (none complete.Stored) {
	s := e.Run.Settings
	if s == nil {
		return none
	}
	dir, p, err := e.CacheScope()
	if err != nil {
		return none
	}
	p.Project = s.Project.Value
	return complete.In(filepath.Join(dir, "names-"+p.Key()+".json"))
}

// completionTime is how long a completion may wait for zone local, unless DIG_COMPLETION_TIMEOUT is set.
const completionTime = 500 * time.Millisecond

func (e *Env) completionTime() time.Duration {
	if d, err := time.ParseDuration(e.Getenv("DIG_COMPLETION_TIMEOUT")); err == nil && d > 0 {
		return d
	}
	return completionTime
}

// errUnasked is returned if zone local was not asked.
var errUnasked = errors.New("names are read from zone local in this process only")

// askLocal reads the names under a key from zone local, and stores them. It does not ask other zones, or a zone local
// whose data directory does not exist yet: a completion must not create files.
func (e *Env) askLocal(ctx context.Context, key string) error {
	s, err := e.Settings()
	if err != nil {
		return err
	}
	dir, err := config.DataDir(e.Getenv)
	if err != nil {
		return err
	}
	if _, err := os.Stat(dir); err != nil || !s.InProcess() || e.DryRun() {
		return errUnasked
	}
	ctx, cancel := context.WithTimeout(ctx, e.completionTime())
	defer cancel()
	cl, err := e.Client()
	if err != nil {
		return err
	}
	project := ""
	if kind, _, _ := strings.Cut(key, "@"); kind != "org" && kind != "workspace" && kind != "project" &&
		kind != "type" {
		if project, err = e.Target().ProjectID(ctx, cl); err != nil {
			return err
		}
	}
	kept := api.Capture{}
	args, err := complete.List(ctx, cl, e.Target(), project, key, &kept)
	if err != nil {
		return err
	}
	e.learn(kept.Op, kept.Raw, args)
	return nil
}

// learn stores the names of a reply for completion. It never fails a command.
func (e *Env) learn(op spec.Op, raw json.RawMessage, args []string) {
	if !e.DryRun() {
		e.stored().Learn(op, raw, args)
	}
}

// replyOf returns the reply to a listing. A listing that was read in several requests has no single reply; its view is
// encoded instead.
func replyOf(v View, kept json.RawMessage) (json.RawMessage, error) {
	if kept != nil || v.Value == nil {
		return kept, nil
	}
	return api.Marshal(v.Value)
}
