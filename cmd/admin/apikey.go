// Package admin holds the commands for organizations, workspaces, projects, API keys and embedded sessions.
package admin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/late"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

func NewAPIKey(e *cli.Env) *cobra.Command {
	c := &cobra.Command{Use: "api-key", Aliases: []string{"api-keys", "key"}, Short: "Keys that open one project"}
	ex := "  " + e.Name + " api-key "
	c.AddCommand(
		cli.Leaf[[]api.ApiKey](e, spec.ListApiKeys, &cobra.Command{Use: "list", Aliases: []string{"ls"},
			Short: "List the keys of the project, without the key values", Example: ex + "list", Args: cobra.NoArgs},
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, _ []string) (cli.View, error) {
				v, err := cl.APIKeys.List(ctx, p)
				return cli.List(v, "apiKeyId", "name", "expiresAt"), err
			})),
		newAPIKeyCreateCmd(e), newAPIKeyRotateCmd(e),
		cli.Leaf[cli.Acknowledged](e, spec.DeleteApiKey, &cobra.Command{Use: "delete KEY",
			Aliases: []string{"rm", "revoke"},
			Short:   "Delete a key, by id or name; it is rejected from then on", Example: ex + "delete ci --yes",
			Args: cobra.ExactArgs(1)},
			e.WithProject(func(ctx context.Context, cl *api.Client, p string, args []string) (cli.View, error) {
				id, err := resolve.APIKeyID(ctx, cl, p, args[0])
				if err != nil {
					return cli.View{}, err
				}
				who := e.Called(args[0], id, resolve.APIKeys(ctx, cl, p))
				if err := e.Ask().Confirm("delete API key %s? whoever uses it is locked out", who); err != nil {
					return cli.View{}, err
				}
				return cli.Note("deleted API key %s", args[0]), cl.APIKeys.Delete(ctx, p, id)
			})),
	)
	return c
}

func newAPIKeyCreateCmd(e *cli.Env) *cobra.Command {
	var expires, keyFile, profile, body string
	c := &cobra.Command{
		Use: "create [NAME]", Short: "Create a key for the project; it is shown once", Args: cobra.MaximumNArgs(1),
		Long: `Create a key for the project.

The gateway shows the key itself in this reply only. It is printed unless it is stored:
--key-file writes it to a new file of mode 0600, --store stores it as a profile for this address and project.
--expires accepts a time (2030-01-31T12:00:00Z), a day (2030-01-31) or a duration from now: 12h, 30d, 6w, 1y.`,
		Example: strings.ReplaceAll("  dig api-key create ci --expires 90d --key-file ci.key\n  dig api-key create "+
			"laptop --store sales", "dig ", e.Name+" "),
	}
	fs := c.Flags()
	fs.StringVar(&expires, "expires", "", "when the key expires; never by default")
	fs.StringVar(&keyFile, "key-file", "", "write the key to this new file, mode 0600, instead of printing it")
	fs.StringVar(&profile, "store", "", "store the key as a profile of this name instead of printing it")
	cli.BodyFlag(c, &body)
	return cli.Leaf[api.ApiKey](e, spec.CreateApiKey, c, e.WithProject(func(ctx context.Context, cl *api.Client,
		p string,
		args []string) (cli.View, error) {
		var req api.ApiKeyRequest
		if err := e.Body(body, &req); err != nil {
			return cli.View{}, err
		}
		if len(args) == 1 {
			req.Name = &args[0]
		}
		if req.Name == nil {
			return cli.View{}, exitcode.Usagef("a name is required")
		}
		if c.Flags().Changed("expires") {
			var err error
			if req.ExpiresAt, err = expiresAt(expires, e.Now()); err != nil {
				return cli.View{}, err
			}
		}
		if err := resolve.APIKeys(ctx, cl, p).Free("an API key", *req.Name, "",
			"give another name, or delete that key with `dig api-key delete` first"); err != nil {
			return cli.View{}, err
		}
		var store *config.Store
		if profile != "" {
			var err error
			if store, err = profileFree(e, profile); err != nil {
				return cli.View{}, err
			}
		}
		// The file is created before the key: a key that cannot be stored would be lost.
		var file *os.File
		if keyFile != "" {
			if _, err := os.Lstat(e.Abs(keyFile)); err == nil {
				return cli.View{}, exitcode.Usagef("--key-file: %s already exists",
					keyFile).WithHint("the file must not exist yet")
			}
		}
		if keyFile != "" && !e.DryRun() {
			var err error
			if file, err = os.OpenFile(e.Abs(keyFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
				return cli.View{}, e.Named("--key-file", err)
			}
			defer file.Close()
		}
		v, err := cl.APIKeys.Create(ctx, p, req)
		if err != nil {
			if file != nil {
				_ = os.Remove(file.Name())
			}
			return cli.View{}, err
		}
		if api.OrEmpty(v.ApiKey) == "" {
			out := cli.Object(v).WithNote("the gateway did not return the key")
			if file != nil {
				_ = os.Remove(file.Name())
			}
			if file != nil || store != nil {
				out.Note = ""
				out.Fail = &exitcode.Failure{Exit: exitcode.Failed, Code: "no-key",
					Msg: "the gateway created the key but did not return it", Hint: "`dig api-key delete` removes it"}
			}
			return out, nil
		}
		return keepKey(e, v, p, file, store, profile)
	}))
}

// profiles opens the profiles, one of which gets a key for the current target.
func profiles(e *cli.Env) (*config.Store, error) {
	if e.Run.Settings.InProcess() {
		return nil, exitcode.Usagef("--store: zone local runs inside the process and uses no key").
			WithHint("serve it with `dig gateway serve` and give --base-url, or use --key-file")
	}
	return config.OpenStore("", e.Getenv)
}

// profileFree opens the profiles and checks that a key for the current target can be stored under a new name.
func profileFree(e *cli.Env, name string) (*config.Store, error) {
	st, err := profiles(e)
	if err != nil {
		return nil, err
	}
	if _, err := st.Get(name); err == nil {
		return nil, &exitcode.Failure{Exit: exitcode.Conflict, Code: "conflict",
			Msg: fmt.Sprintf("--store: there is already a profile %q", name)}
	}
	return st, nil
}

// keepKey stores a new key where requested. If that fails, the key is printed rather than lost.
func keepKey(e *cli.Env, v api.ApiKey, project string, file *os.File, store *config.Store,
	profile string) (cli.View, error) {
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
			s := e.Run.Settings
			var added config.Added
			p := config.Profile{Name: profile, Zone: s.Zone.Value, BaseURL: s.BaseURL.Value, Project: project,
				KeyExpires: api.OrEmpty(v.ExpiresAt)}
			added, err = store.Add(p, key, config.AddOptions{})
			notes = append(notes, fmt.Sprintf("the key is stored as profile %s, in %s", profile, added.Where))
		}
		failed = err
	}
	if failed != nil {
		out := cli.Object(v)
		out.Fail = &exitcode.Failure{Exit: exitcode.Failed, Code: "not-kept",
			Msg: fmt.Sprintf("the key was created but could not be stored (%v); it is shown here and never again",
				failed), Err: failed}
		return out, nil
	}
	if len(notes) == 0 {
		return cli.Object(v).WithNote("this is the only time the key is shown"), nil
	}
	v.ApiKey = nil
	return cli.Object(v).PrintValue().WithNote("%s", strings.Join(notes, "\n")), nil
}

// expiresAt is the moment that --expires names, as a request has it.
func expiresAt(flag string, now time.Time) (*string, error) {
	t, err := parseExpiry(flag, now)
	if err != nil {
		return nil, err
	}
	text := t.UTC().Format(time.RFC3339)
	return &text, nil
}

var spanLike = late.Regexp(`^([0-9]{1,5})([hdwy])$`)

// parseExpiry parses a time, a day (its first moment, UTC) or a duration from now.
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
				return t, exitcode.Usagef("--expires %s has passed", s)
			}
			return t, nil
		}
	}
	return time.Time{}, exitcode.Usagef(
		"--expires %q is not a time (2030-01-31T12:00:00Z), a day (2030-01-31) or a duration (12h, 30d, 6w, 1y)", s)
}
