package gateway

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/pkg/gateway"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/exports/files"
	"github.com/dig-cli/dig/pkg/gateway/store"
	"github.com/dig-cli/dig/pkg/gateway/zone"
)

// share makes a gateway one of several over its store.
func (f *serveFlags) share(e *cli.Env, o *gateway.Options) error {
	o.Moved = f.moved
	switch {
	case f.moved && o.EngineName == "" && o.Postgres == nil:
		return exitcode.Usagef("--moved is for --store or --engine %s", engineTrino)
	case f.exportStore == "" && f.s3Endpoint != "":
		return exitcode.Usagef("--s3-endpoint is for --export-store")
	case f.exportStore != "":
		if o.Postgres == nil {
			return exitcode.Usagef("--export-store is for --store")
		}
		var err error
		o.Bucket, err = files.OpenBucket(files.Options{Address: f.exportStore, Endpoint: f.s3Endpoint,
			Getenv: e.Getenv})
		if err != nil {
			return exitcode.Usagef("--export-store: %v", err).WithHint("the credential is that of AWS_ACCESS_KEY_ID " +
				"and AWS_SECRET_ACCESS_KEY, or a profile of AWS_SHARED_CREDENTIALS_FILE")
		}
	}
	switch {
	case f.sharedDir == "":
		return nil
	case o.Postgres == nil || o.EngineName == "":
		return exitcode.Usagef("--shared-dir: several gateways need --store and --engine %s", engineTrino)
	}
	o.SharedDir, o.Postgres.Shared = e.Abs(f.sharedDir), true
	if err := os.MkdirAll(o.SharedDir, 0o700); err != nil {
		return e.Unread("--shared-dir", f.sharedDir, err)
	}
	return nil
}

// postgres is the database of --store; nil without the flag.
func (f *serveFlags) postgres(e *cli.Env) (*store.Postgres, error) {
	if f.store == "" {
		if f.storePassword != "" {
			return nil, exitcode.Usagef("--store-password-file is for --store")
		}
		return nil, nil
	}
	p := &store.Postgres{Address: f.store}
	if u, err := url.Parse(f.store); err == nil {
		if _, has := u.User.Password(); has || u.Query().Has("password") {
			return nil, exitcode.Usagef("--store: the address has a password, which all users of this machine can " +
				"read").WithHint("--store-password-file, PGPASSWORD or ~/.pgpass has it in private")
		}
	}
	if err := p.Check(); err != nil {
		return nil, exitcode.Usagef("--store: %v", err)
	}
	if f.storePassword == "" {
		return p, nil
	}
	path := e.Abs(f.storePassword)
	st, err := os.Stat(path)
	if err == nil && openToOthers(st) {
		return nil, exitcode.Usagef("--store-password-file: other users can read or change %s", path).
			WithHint("chmod 600 %s", path)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, e.Unread("--store-password-file", f.storePassword, err)
	}
	p.Password = strings.TrimRight(string(raw), "\r\n")
	if p.Password == "" || strings.ContainsAny(p.Password, "\r\n") {
		return nil, exitcode.Usagef("--store-password-file: %s is not one line with a password", path)
	}
	return p, nil
}

// notOpened is the failure of a store or a cluster that a gateway cannot use.
func notOpened(err error) error {
	if err == nil {
		return nil
	}
	f := &exitcode.Failure{Exit: exitcode.Failed, Code: "store", Msg: err.Error(), Err: err}
	var x *zone.Elsewhere
	var unfit *engine.Error
	var place *gateway.PlaceError
	var bucket *files.Error
	switch {
	case errors.As(err, &unfit) && (unfit.Kind == engine.KindSource || unfit.Kind == engine.KindUnsupported):
		f.Code, f.Hint = "cluster", unfit.Hint
		if unfit.Kind == engine.KindSource && !errors.Is(err, engine.ErrUnusable) {
			f.Exit = exitcode.Unavailable
		}
	case errors.As(err, &bucket):
		f.Code = "export-store"
		if bucket.Away {
			f.Exit = exitcode.Unavailable
		}
	case errors.As(err, &x):
		f.Exit, f.Code, f.Hint = exitcode.Conflict, "elsewhere", x.Remedy()
	case errors.As(err, &place):
		f.Exit, f.Code = exitcode.Conflict, "place"
		f.Hint = fmt.Sprintf("with another value tables or files seem to be missing; if they were moved and no other "+
			"gateway is running, --moved records the new %s", place.Flag)
	case errors.Is(err, store.ErrClaimed):
		f.Exit, f.Code, f.Hint = exitcode.Conflict, "in-use", "end the other one: one gateway at a time serves "+
			"the rows of a data directory"
	case errors.Is(err, store.ErrAway):
		f.Exit = exitcode.Unavailable
	case !errors.Is(err, store.ErrPlace):
		return err
	}
	return f
}
