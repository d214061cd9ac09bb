package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/cmd/internal/resolve"
	"github.com/dig-cli/dig/internal/each"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// rotation replaces a key: the new one is created, tested and stored, and only then the old one is deleted.
type rotation struct {
	e                         *cli.Env
	expires, keyFile, profile string
	old                       api.ApiKey
	before                    config.Key // that the profile has had, if it is to have the new one
}

func newAPIKeyRotateCmd(e *cli.Env) *cobra.Command {
	r := rotation{e: e}
	c := &cobra.Command{Use: "rotate KEY", Short: "Replace a key, by id or name, with a new one of the same name",
		Args: cobra.ExactArgs(1),
		Long: `Replace a key with a new one of the same name. The new key is created, tested and stored, and the old one
is deleted last, so that after a failure the old key still works, and the new one is deleted or named.

--store stores the new key in the profile that has the old one, --key-file writes it to a file of mode 0600, which it
replaces. If the old key expires, the new one needs --expires. Keys are replaced with a partner key.`,
		Example: strings.ReplaceAll("  dig api-key rotate laptop --store laptop\n  dig api-key rotate ci "+
			"--key-file ci.key --expires 90d --yes", "dig ", e.Name+" ")}
	fs := c.Flags()
	fs.StringVar(&r.expires, "expires", "", "when the new key expires")
	fs.StringVar(&r.keyFile, "key-file", "", "write the new key to this file, mode 0600, which is replaced")
	fs.StringVar(&r.profile, "store", "", "store the new key in this profile, instead of its key")
	c.MarkFlagsMutuallyExclusive("key-file", "store")
	c.MarkFlagsOneRequired("key-file", "store")
	return cli.Annotate(cli.Leaf[api.ApiKey](e, spec.CreateApiKey, c, e.WithProject(r.run)), spec.ListApiKeys,
		spec.DeleteApiKey, spec.GetKeyInfo)
}

func (r *rotation) run(ctx context.Context, cl *api.Client, p string, args []string) (cli.View, error) {
	all, err := cl.APIKeys.List(ctx, p)
	if err != nil {
		return cli.View{}, err
	}
	id, err := resolve.Pick("API key", "", args[0], each.Map(all, func(k api.ApiKey) resolve.Named {
		return resolve.Named{ID: k.ApiKeyID, Name: k.Name}
	}))
	if err != nil {
		return cli.View{}, err
	}
	r.old = all[slices.IndexFunc(all, func(k api.ApiKey) bool { return k.ApiKeyID == id })]
	req := api.ApiKeyRequest{Name: &r.old.Name}
	switch {
	case r.expires != "":
		if req.ExpiresAt, err = expiresAt(r.expires, r.e.Now()); err != nil {
			return cli.View{}, err
		}
	case r.old.ExpiresAt != nil:
		return cli.View{}, exitcode.Usagef("--expires is required: key %s expires at %s, and the new one would not",
			r.old.Name, *r.old.ExpiresAt)
	}
	store, err := r.place(p)
	if err != nil {
		return cli.View{}, err
	}
	where := "file " + r.keyFile
	if store != nil {
		where = "profile " + r.profile
	}
	if err := r.e.Ask().Confirm("replace API key %s (%s)? %s gets the new one; whoever else uses the old one is "+
		"locked out", r.old.Name, id, where); err != nil {
		return cli.View{}, err
	}
	made, err := cl.APIKeys.Create(ctx, p, req)
	if err != nil {
		if !r.e.Planned(err) && !api.Answered(err) {
			return cli.View{}, r.lost(ctx, cl, p, all, err)
		}
		return cli.View{}, err
	}
	if api.OrEmpty(made.ApiKey) == "" {
		return cli.View{}, r.undo(ctx, cl, p, made, errors.New("the gateway did not return the new key"))
	}
	key, err := config.NewKey(*made.ApiKey)
	if err != nil {
		return cli.View{}, r.undo(ctx, cl, p, made, err)
	}
	r.e.Run.Mask.Hide(key.Reveal())
	if err := r.test(ctx, p, key); err != nil {
		return cli.View{}, r.undo(ctx, cl, p, made, fmt.Errorf("the new key does not work: %w", err))
	}
	err = r.keep(store, p, made, key)
	if now := r.inPlace(store); now.Reveal() != key.Reveal() { // otherwise the new key must not be deleted
		return cli.View{}, r.undo(ctx, cl, p, made, fmt.Errorf("the new key could not be stored: %w",
			cmp.Or(err, errors.New("it reads differently"))))
	}
	made.ApiKey = nil
	v := cli.Object(made).PrintValue().WithNote("the new key is in %s", where)
	if err == nil {
		err = r.remove(ctx, cl, p)
	}
	if err != nil {
		v.Fail = &exitcode.Failure{Exit: cli.Classify(ctx, err).Exit, Code: "not-deleted", Err: err,
			Msg:  fmt.Sprintf("the new key is in %s and works; the old one, %s, was not deleted: %v", where, id, err),
			Hint: "`" + r.e.Name + " api-key delete " + id + "` deletes it"}
	}
	return v, nil
}

// place finds where the new key is stored, and makes sure that it can be.
func (r *rotation) place(project string) (*config.Store, error) {
	if r.keyFile != "" {
		path := r.e.Abs(r.keyFile)
		if st, err := os.Lstat(path); err == nil && !st.Mode().IsRegular() {
			return nil, exitcode.Usagef("--key-file: %s is not a regular file, which could be replaced", r.keyFile)
		}
		probe, err := tempfile.Create(path, 0o600)
		if err != nil {
			return nil, r.e.Named("--key-file", err)
		}
		return nil, errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	s := r.e.Run.Settings
	st, err := profiles(r.e)
	if err != nil {
		return nil, err
	}
	stored, err := st.Get(r.profile)
	if err != nil {
		return nil, err
	}
	if stored.Address() != s.BaseURL.Value && !config.SameKeyScope(stored.Address(), s.BaseURL.Value) {
		return nil, exitcode.Usagef("profile %s is for another address than %s", r.profile, s.BaseURL.Value).
			WithHint("--store names a profile for this one, --key-file a file")
	}
	if stored.KeyKind == config.KindPartner || stored.KeyProject != "" && stored.KeyProject != project {
		return nil, exitcode.Usagef("the key of profile %s is not one of this project, and would be replaced by it",
			r.profile).WithHint("--store names another profile, --key-file a file")
	}
	if has, err := st.Key(stored); err == nil {
		r.before = has.Key
	} else if !errors.Is(err, config.ErrNotAllowed) {
		return nil, err
	}
	return st, nil
}

// test uses the new key, which the gateway must know as one of the project. The gateway in this process asks for none.
func (r *rotation) test(ctx context.Context, project string, key config.Key) error {
	s := r.e.Run.Settings
	if s.InProcess() {
		return nil
	}
	info, err := r.e.OwnerOf(ctx, cli.NetworkSettingsOf(s), s.BaseURL.Value, key)
	if err == nil && cli.FactsOf(info).Project != project {
		err = errors.New("the gateway does not know it as a key of the project")
	}
	return err
}

// keep stores the new key.
func (r *rotation) keep(store *config.Store, project string, made api.ApiKey, key config.Key) error {
	if store == nil {
		return tempfile.Write(r.e.Abs(r.keyFile), []byte(key.Reveal()+"\n"))
	}
	stored, err := store.Get(r.profile)
	if err != nil {
		return err
	}
	_, err = store.Add(stored, key, config.AddOptions{Replace: true, Merge: func(p *config.Profile) error {
		now, err := store.Key(*p)
		if err == nil && now.Key.Reveal() != r.before.Reveal() {
			return fmt.Errorf("another key was stored for profile %s in the meantime", p.Name)
		}
		p.Project, p.KeyExpires = project, api.OrEmpty(made.ExpiresAt)
		return nil
	}})
	return err
}

// inPlace reads the key from where the new one is stored; zero if there is none.
func (r *rotation) inPlace(store *config.Store) config.Key {
	if store == nil {
		raw, err := os.ReadFile(r.e.Abs(r.keyFile))
		if err != nil {
			return config.Key{}
		}
		key, _ := config.NewKey(string(raw)) // another text is not the new key
		return key
	}
	p, err := store.Get(r.profile)
	if err != nil {
		return config.Key{}
	}
	k, err := store.Key(p)
	if err != nil {
		return config.Key{}
	}
	return k.Key
}

// remove deletes the old key. If the reply is lost, the list shows if it was.
func (r *rotation) remove(ctx context.Context, cl *api.Client, project string) error {
	err := cl.APIKeys.Delete(ctx, project, r.old.ApiKeyID)
	if err == nil {
		return nil
	}
	left, listed := cl.APIKeys.List(ctx, project)
	if listed != nil || slices.ContainsFunc(left, func(k api.ApiKey) bool { return k.ApiKeyID == r.old.ApiKeyID }) {
		return err
	}
	return nil
}

// undo deletes the new key after a failure. The old one was not touched.
func (r *rotation) undo(ctx context.Context, cl *api.Client, project string, made api.ApiKey, why error) error {
	f := cli.Classify(ctx, why)
	f.Err, f.Msg = why, fmt.Sprintf("%v; the old key, %s, still works", why, r.old.ApiKeyID)
	if err := cl.APIKeys.Delete(ctx, project, made.ApiKeyID); err != nil {
		f.Msg += fmt.Sprintf(", and the new one, %s, could not be deleted: %v", made.ApiKeyID, err)
		f.Hint = "`" + r.e.Name + " api-key delete " + made.ApiKeyID + "` deletes it"
	}
	return &f
}

// lost is the error for a creation whose reply is lost. A key that it has created is of no use to anyone, so it is
// deleted: one of the same name that was not there before.
func (r *rotation) lost(ctx context.Context, cl *api.Client, project string, before []api.ApiKey, why error) error {
	now, err := cl.APIKeys.List(ctx, project)
	if err != nil {
		f := cli.Classify(ctx, why)
		f.Err, f.Hint = why, "the old key still works; `"+r.e.Name+" api-key list` shows whether there is a new one"
		return &f
	}
	for _, k := range now {
		had := slices.ContainsFunc(before, func(b api.ApiKey) bool { return b.ApiKeyID == k.ApiKeyID })
		if k.Name == r.old.Name && !had {
			return r.undo(ctx, cl, project, k, fmt.Errorf("the reply with the new key was lost: %w", why))
		}
	}
	return why
}
