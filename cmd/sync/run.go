package sync

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/manifest"
	"github.com/dig-cli/dig/internal/phrase"
	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
)

// connectionTypes lists the types of connections, if there are connections.
func (l *live) connectionTypes(ctx context.Context) ([]api.ConnectionConfiguration, error) {
	if !l.reads(manifest.KindConnection) {
		return nil, nil
	}
	all, err := l.cl.Connections.ListConfigs(ctx)
	if api.NoRoute(err) {
		err = nil
	}
	return all, err
}

// planned compares the files with the project. It refuses changes that could not all be made, before anything is sent.
func planned(ctx context.Context, e *cli.Env, o *options, dir string) (a *applier, todo, leave []manifest.Change,
	err error) {
	l, want, err := session(ctx, e, o, dir, true)
	if err != nil {
		return nil, nil, nil, err
	}
	s := secrets{e, e.Abs(dir), o.from}
	changes, extra, err := differences(l, want, s)
	if err != nil {
		return nil, nil, nil, err
	}
	if o.secrets {
		changes = manifest.Resend(changes, want, l.p)
	}
	todo, leave = steps(o, changes, extra)
	s.mark(todo, want)
	if err := possible(todo); err != nil {
		return nil, nil, nil, err
	}
	if err := l.sound(ctx, o, want, changes, extra); err != nil {
		return nil, nil, nil, err
	}
	if len(todo) > 0 {
		if err := e.Permit(); err != nil {
			return nil, nil, nil, err
		}
	}
	if err := l.dependants(ctx, todo); err != nil {
		return nil, nil, nil, err
	}
	a = &applier{live: l, vault: s, files: want, plan: todo, noCheck: o.noCheck, allowPart: o.partial}
	return a, todo, leave, a.prepare(ctx, todo)
}

// apply changes the project to match the files.
func apply(ctx context.Context, e *cli.Env, o *options, dir string, opts output.Options) error {
	a, todo, leave, err := planned(ctx, e, o, dir)
	if err != nil {
		return err
	}
	human := forPeople(e, opts)
	if len(todo) == 0 {
		return show(e, opts, nil, leave, false)
	}
	if e.Ask().NeedsConfirmation() && !e.DryRun() {
		if err := lines(e.Err, todo, false); err != nil {
			return err
		}
	}
	if err := a.agree(o.named, todo); err != nil {
		return err
	}
	done := []step{}
	var lost error // an error of the output does not stop the changes
	err = a.run(ctx, o, todo, func(ch manifest.Change, made bool) {
		st := stepOf(ch)
		st.Done = &made
		if done = append(done, st); made && human {
			lost = errors.Join(lost, lines(e.OnScreen(), []manifest.Change{ch}, false))
		}
	})
	if err != nil && !human && e.StepCount() == 0 {
		if perr := e.Print(records(done), nil, opts); perr != nil {
			err = errors.Join(err, perr)
		}
	}
	if err != nil {
		return err
	}
	if e.StepCount() > 0 {
		return cli.ErrDone
	}
	if err := a.verify(ctx, o, todo); err != nil {
		return err
	}
	if lost != nil {
		return lost
	}
	if human {
		fmt.Fprintf(e.Err, "%s\n", phrase.Plural(len(done), "1 change made", "%d changes made"))
		noteLeft(e.Err, leave)
		return nil
	}
	return e.Print(records(done), nil, opts)
}

// records are the attempted changes, for scripts.
func records(done []step) cli.View {
	return cli.List(done, "action", "kind", "name", "done").PrintValue()
}

// deletions describes how much is deleted.
func deletions(todo []manifest.Change) string {
	n := 0
	for _, ch := range todo {
		if ch.Action == manifest.Delete {
			n++
		}
	}
	return phrase.Plural(n, " (one deletes something)", " (%d delete something)")
}

// possible rejects a plan with a change that the service does not support, before anything is sent.
func possible(todo []manifest.Change) error {
	for _, ch := range todo {
		if ch.Action == manifest.Blocked {
			var what []string
			for _, f := range ch.Fields {
				what = append(what, fmt.Sprintf("%s from %s to %s", f.Name, shown(f.From), shown(f.To)))
			}
			return &exitcode.Failure{Exit: exitcode.Conflict, Code: "blocked",
				Msg: fmt.Sprintf("the service cannot change a %s, and %s would change its %s; nothing was sent",
					ch.Kind, ch.Title(), strings.Join(what, " and its ")),
				Hint: "delete it first, with its dependants, and run apply again"}
		}
	}
	return nil
}

// prepare finds missing secrets, which would stop the run midway.
func (a *applier) prepare(ctx context.Context, todo []manifest.Change) error {
	var err error
	if slices.ContainsFunc(todo, func(ch manifest.Change) bool {
		return ch.Kind == manifest.KindConnection &&
			ch.Want != nil
	}) {
		if a.types, err = a.connectionTypes(ctx); err != nil {
			return err
		}
	}
	for _, ch := range todo {
		if ch.Want == nil {
			continue
		}
		switch c := a.files.Get(ch.Kind, ch.Name).(type) {
		case *manifest.Connection:
			if _, _, err := a.vault.credential(c, a.types); err != nil {
				return err
			}
		case *manifest.Catalog:
			for name, v := range c.Parameters {
				if _, err := a.vault.expand(name, v); err != nil {
					return exitcode.Usagef("%s: parameters: %v", c.At.File, err)
				}
			}
		}
	}
	return nil
}

// stopped is the error of a run that failed midway.
func stopped(ctx context.Context, ch manifest.Change, done, all int, err error) error {
	f := cli.Classify(ctx, err)
	f.Err = err
	f.Msg = fmt.Sprintf("%s %s %s: %s (%d of %d changes were made)", ch.Action, ch.Kind, ch.Title(), f.Msg, done, all)
	again := "run apply again to continue"
	switch {
	case strings.Contains(f.Hint, "run apply again"):
	case f.Hint != "":
		f.Hint += "; then " + again
	case f.Exit == exitcode.Failed || f.Exit == exitcode.Usage || f.Exit == exitcode.NotFound:
		f.Hint = "correct that, then " + again
	default:
		f.Hint = again
	}
	return &f
}

// verify reads the project again: a gateway may accept a change and not store it.
func (a *applier) verify(ctx context.Context, o *options, made []manifest.Change) error {
	var left []string
	stored, err := retry.Settle(ctx, func() (bool, error) {
		if err := a.readAgain(ctx); err != nil {
			return false, fmt.Errorf("the changes were applied, but the project cannot be read again: %w", err)
		}
		changes, extra, err := differences(a.live, a.files, a.vault)
		if err != nil {
			return false, err
		}
		again, _ := steps(o, changes, extra)
		left = nil
		for _, ch := range again {
			if slices.ContainsFunc(made, func(m manifest.Change) bool { return m.Ref == ch.Ref }) {
				left = append(left, string(ch.Kind)+" "+ch.Title()+fieldNames(ch))
			}
		}
		return len(left) == 0, nil
	})
	if stored || err != nil {
		return err
	}
	return &exitcode.Failure{Exit: exitcode.Failed, Code: "not-stored",
		Msg: "the gateway accepted changes but did not store them: " + strings.Join(left, ", "),
		Hint: "`dig diff` shows what differs; a field of a credential that the gateway does not return is not " +
			"compared if it is a reference, such as ${env:NAME}"}
}

func fieldNames(ch manifest.Change) string {
	var names []string
	for _, f := range ch.Fields {
		names = append(names, f.Name)
	}
	if ch.Action != manifest.Update || len(names) == 0 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}
