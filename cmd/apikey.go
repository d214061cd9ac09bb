package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// runFunc is what leaf runs.
type runFunc func(ctx context.Context, cl *api.Client, args []string) (view, error)

// withProject runs f in the project in force.
func (e *Env) withProject(f func(ctx context.Context, cl *api.Client, project string, args []string) (view, error)) runFunc {
	return func(ctx context.Context, cl *api.Client, args []string) (view, error) {
		p, err := e.projectID(ctx, cl)
		if err != nil {
			return view{}, err
		}
		return f(ctx, cl, p, args)
	}
}

func newAPIKeyCmd(e *Env) *cobra.Command {
	c := &cobra.Command{Use: "api-key", Aliases: []string{"api-keys", "key"}, Short: "Keys that open one project"}
	ex := "  " + e.Name + " api-key "
	c.AddCommand(
		e.leaf(spec.ListApiKeys, &cobra.Command{Use: "list", Aliases: []string{"ls"}, Short: "List the keys of the project, without their text", Example: ex + "list", Args: cobra.NoArgs},
			e.withProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (view, error) {
				v, err := cl.APIKeys.List(ctx, p)
				return list(v, "apiKeyId", "name", "expiresAt"), err
			})),
		newAPIKeyCreateCmd(e),
		e.leaf(spec.DeleteApiKey, &cobra.Command{Use: "delete KEY", Aliases: []string{"rm", "revoke"}, Short: "Delete a key, by id or name; it is refused from then on", Example: ex + "delete ci --yes", Args: cobra.ExactArgs(1)},
			e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
				id, err := apiKeyID(ctx, cl, p, args[0])
				if err != nil {
					return view{}, err
				}
				who := e.called(args[0], id, func() ([]named, error) {
					all, err := cl.APIKeys.List(ctx, p)
					return mapNamed(all, func(k api.ApiKey) named { return named{id: k.ApiKeyID, name: k.Name} }), err
				})
				if err := e.confirm("delete API key %s? whoever uses it is locked out", who); err != nil {
					return view{}, err
				}
				return note("deleted API key %s", args[0]), cl.APIKeys.Delete(ctx, p, id)
			})),
	)
	return c
}

func apiKeyID(ctx context.Context, cl *api.Client, project, set string) (string, error) {
	if uuidLike().MatchString(set) {
		return set, nil
	}
	keys, err := cl.APIKeys.List(ctx, project)
	if err != nil {
		return "", err
	}
	all := make([]named, len(keys))
	for i, k := range keys {
		all[i] = named{id: k.ApiKeyID, name: k.Name}
	}
	return pick("API key", "", set, all)
}

func newAPIKeyCreateCmd(e *Env) *cobra.Command {
	var expires, keyFile, profile, body string
	c := &cobra.Command{
		Use: "create [NAME]", Short: "Create a key for the project; its text is shown once", Args: cobra.MaximumNArgs(1),
		Long: `Create a key for the project.

The gateway tells the text of a key in this reply only. It is printed unless it is put elsewhere:
--key-file writes it to a new file of mode 0600, --store keeps it as a profile for this address and project.
--expires takes a time (2030-01-31T12:00:00Z), a day (2030-01-31) or a span from now: 12h, 30d, 6w, 1y.`,
		Example: strings.ReplaceAll("  dig api-key create ci --expires 90d --key-file ci.key\n  dig api-key create laptop --store sales", "dig ", e.Name+" "),
	}
	fs := c.Flags()
	fs.StringVar(&expires, "expires", "", "when the key ends; never when not given")
	fs.StringVar(&keyFile, "key-file", "", "write the key to this new file, mode 0600, instead of printing it")
	fs.StringVar(&profile, "store", "", "store the key as a profile of this name instead of printing it")
	bodyFlag(c, &body)
	return e.leaf(spec.CreateApiKey, c, e.withProject(func(ctx context.Context, cl *api.Client, p string, args []string) (view, error) {
		var req api.ApiKeyRequest
		if err := e.body(body, &req); err != nil {
			return view{}, err
		}
		if len(args) == 1 {
			req.Name = &args[0]
		}
		if req.Name == nil {
			return view{}, usagef("a name is required")
		}
		if c.Flags().Changed("expires") {
			t, err := parseExpiry(expires, e.Now())
			if err != nil {
				return view{}, err
			}
			text := t.UTC().Format(time.RFC3339)
			req.ExpiresAt = &text
		}
		var store *config.Store
		if profile != "" {
			var err error
			if store, err = e.profileFree(profile); err != nil {
				return view{}, err
			}
		}
		// The file is made before the key: a key that cannot be kept would be lost.
		var file *os.File
		if keyFile != "" && e.tells() {
			if _, err := os.Lstat(e.abs(keyFile)); !errors.Is(err, os.ErrNotExist) {
				return view{}, usagef("--key-file: %s is there already", keyFile).withHint("it must be a new file")
			}
		} else if keyFile != "" {
			var err error
			if file, err = os.OpenFile(e.abs(keyFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
				return view{}, usagef("--key-file: %v", err).withHint("it must be a new file")
			}
			defer file.Close()
		}
		v, err := cl.APIKeys.Create(ctx, p, req)
		if err != nil {
			if file != nil {
				_ = os.Remove(file.Name())
			}
			return view{}, err
		}
		if v.ApiKey == nil || *v.ApiKey == "" {
			out := object(v).withNote("the gateway did not tell the key's text")
			if file != nil {
				_ = os.Remove(file.Name())
			}
			if file != nil || store != nil {
				out.note = ""
				out.fail = &failure{exit: exitFailed, code: "no-key", msg: "the gateway made the key and did not tell its text", hint: "`dig api-key delete` removes it"}
			}
			return out, nil
		}
		return e.keepKey(v, p, file, store, profile)
	}))
}

// profileFree opens the profiles and checks that a key for the place in force can be stored under a new name.
func (e *Env) profileFree(name string) (*config.Store, error) {
	if e.run.settings.InProcess() {
		return nil, usagef("--store: zone local is answered inside the process and takes no key").withHint("serve it with `dig gateway serve` and give --base-url, or use --key-file")
	}
	st, err := config.OpenStore("", e.Getenv)
	if err != nil {
		return nil, err
	}
	if _, err := st.Get(name); err == nil {
		return nil, &failure{exit: exitConflict, code: "conflict", msg: fmt.Sprintf("--store: there is already a profile %q", name)}
	}
	return st, nil
}

// keepKey puts a new key where it was asked to be. Whatever goes wrong, the key is shown rather than lost.
func (e *Env) keepKey(v api.ApiKey, project string, file *os.File, store *config.Store, profile string) (view, error) {
	var notes []string
	var failed error
	if file != nil {
		_, err := file.WriteString(*v.ApiKey + "\n")
		if err == nil {
			err = errors.Join(file.Sync(), tempfile.SyncDir(filepath.Dir(file.Name())))
		}
		if failed = err; err != nil {
			_ = os.Remove(file.Name())
		} else {
			notes = append(notes, "the key is in "+file.Name()+" (mode 0600)")
		}
	}
	if store != nil && failed == nil {
		key, err := config.NewKey(*v.ApiKey)
		if err == nil {
			s := e.run.settings
			var added config.Added
			p := config.Profile{Name: profile, Zone: s.Zone.Value, BaseURL: s.BaseURL.Value, Project: project}
			if v.ExpiresAt != nil {
				p.KeyExpires = *v.ExpiresAt
			}
			added, err = store.Add(p, key, config.AddOptions{})
			notes = append(notes, fmt.Sprintf("the key is stored as profile %s, in %s", profile, added.Where))
		}
		failed = err
	}
	if failed != nil {
		out := object(v)
		out.fail = &failure{exit: exitFailed, code: "not-kept", msg: fmt.Sprintf("the key was made and could not be kept (%v); it is shown here and never again", failed), err: failed}
		return out, nil
	}
	if len(notes) == 0 {
		return object(v).withNote("this is the only time the key is shown"), nil
	}
	v.ApiKey = nil
	return object(v).mine().withNote("%s", strings.Join(notes, "\n")), nil
}

// keyNotice is how long before the end of a key every command says so.
const keyNotice = 14 * 24 * time.Hour

// warnExpiry says that the key in force ends soon or has ended, as far as its profile knows.
func (e *Env) warnExpiry(s *config.Settings) {
	if s.KeyExpires == "" || e.Now == nil || output.FormatOf(s.Output.Value).JSON() { // there, stderr is for one JSON object
		return
	}
	at, err := time.Parse(time.RFC3339, s.KeyExpires)
	left := at.Sub(e.Now())
	switch {
	case err != nil || left > keyNotice:
		return
	case left <= 0:
		fmt.Fprintf(e.Err, "warning: the key of profile %s ended on %s\n", s.Profile.Value, at.Format(time.DateOnly))
	default:
		fmt.Fprintf(e.Err, "warning: the key of profile %s ends on %s; make another with `%s api-key create --store NAME`\n", s.Profile.Value, at.Format(time.DateOnly), e.Name)
	}
}

var spanLike = late.Regexp(`^([0-9]{1,5})([hdwy])$`)

// parseExpiry reads a time, a day (its first moment, UTC) or a span from now.
func parseExpiry(s string, now time.Time) (time.Time, error) {
	if m := spanLike().FindStringSubmatch(s); m != nil {
		n, _ := strconv.Atoi(m[1])
		switch m[2] {
		case "h":
			return now.Add(time.Duration(n) * time.Hour), nil
		case "d":
			return now.AddDate(0, 0, n), nil
		case "w":
			return now.AddDate(0, 0, 7*n), nil
		}
		return now.AddDate(n, 0, 0), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			if !t.After(now) {
				return t, usagef("--expires %s has passed", s)
			}
			return t, nil
		}
	}
	return time.Time{}, usagef("--expires %q is neither a time (2030-01-31T12:00:00Z), a day (2030-01-31) nor a span (12h, 30d, 6w, 1y)", s)
}
