package sync

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dig-cli/dig/internal/manifest"
	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/outcome"
)

// A change is not simply sent again if its reply was lost. The project is read instead, and the run continues with the
// changes that it still lacks. Otherwise a run over a connection that loses replies would end at the first loss.

// run makes the changes of a plan. It calls report for each change that was made and for one that failed. The error is
// that of the failed change.
func (a *applier) run(ctx context.Context, o *options, plan []manifest.Change, report func(ch manifest.Change,
	made bool)) error {
	todo, done, losses := plan, 0, 0
	sent := map[manifest.Ref]bool{}
	for len(todo) > 0 {
		ch := todo[0]
		err := a.make(ctx, ch)
		if a.e.Planned(err) {
			todo = todo[1:]
			continue
		}
		if err == nil {
			sent[ch.Ref] = true
			report(ch, true)
			todo, done, losses = todo[1:], done+1, 0
			continue
		}
		losses++
		var left []manifest.Change
		again := lost(err) && losses <= retry.MostLosses && a.e.Run.Flags.Repeats() > 0
		if again {
			var rerr error
			if left, rerr = a.look(ctx, o, plan, ch, sent); rerr != nil {
				again, err = false, errors.Join(err, rerr)
			}
		}
		if !again {
			report(ch, false)
			return stopped(ctx, ch, done, done+len(todo), err)
		}
		what, found := "was not made, and is sent again", outcome.Refused
		if !has(left, ch.Ref) {
			what, found = "was made", outcome.Done
			sent[ch.Ref] = true
			report(ch, true)
			done, losses = done+1, 0
		}
		a.e.Settled(found)
		fmt.Fprintf(a.e.Err, "note: the reply to %s %s %s was lost; it %s\n", ch.Action, ch.Kind, ch.Title(), what)
		todo = left
	}
	return nil
}

// lost reports whether the reply to a change was lost, or came from a gateway that is overloaded, so that it is unknown
// whether the change was made.
func lost(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Outcome == outcome.Unknown && e.Transient()
}

// look reads the project until it has the change whose reply was lost, but only for some seconds; a gateway may show a
// change late. It returns the remaining changes of the plan, and an error if others have changed the project as well.
func (a *applier) look(ctx context.Context, o *options, plan []manifest.Change, ch manifest.Change,
	sent map[manifest.Ref]bool) (left []manifest.Change, err error) {
	for n := range retry.MostLosses {
		if err := retry.Sleep(ctx, retry.Pause(n, 4*retry.First)); err != nil {
			return nil, err
		}
		_, err = retry.Settle(ctx, func() (bool, error) {
			if err := a.read(ctx); err != nil {
				return false, err
			}
			changes, extra, err := differences(a.live, a.files, a.vault)
			if err != nil {
				return false, err
			}
			if o.secrets {
				due := changes
				for _, c := range manifest.Resend(changes, a.files, a.p) {
					if !sent[c.Ref] && !has(due, c.Ref) {
						due = append(due, c)
					}
				}
				changes = due
			}
			left, _ = steps(o, changes, extra)
			return !has(left, ch.Ref), nil
		})
		if !lost(err) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	for _, c := range left {
		if !follows(plan, c) {
			return nil, changedSince(c)
		}
	}
	return left, nil
}

func has(changes []manifest.Change, ref manifest.Ref) bool {
	return slices.ContainsFunc(changes, func(c manifest.Change) bool { return c.Ref == ref })
}

// follows reports whether a change is in the plan, or is the rest of a change in the plan that was made in part.
func follows(plan []manifest.Change, ch manifest.Change) bool {
	if c, ok := ch.Want.(*manifest.Column); ok {
		table := map[manifest.Kind]manifest.Kind{manifest.KindColumn: manifest.KindTable,
			manifest.KindBIColumn: manifest.KindBITable}[ch.Kind]
		at := slices.IndexFunc(plan, func(p manifest.Change) bool { return p.Kind == table && p.Name == c.Table })
		if at >= 0 && plan[at].Action == manifest.Create {
			return true
		}
	}
	at := slices.IndexFunc(plan, func(p manifest.Change) bool { return p.Ref == ch.Ref })
	if at < 0 {
		return false
	}
	p := plan[at]
	switch {
	case ch.Action == manifest.Create:
		return p.Action == manifest.Create || p.Action == manifest.Replace
	case ch.Action != p.Action:
		return false
	case ch.Action != manifest.Update:
		return same(p.Have, ch.Have)
	}
	was := map[string]string{}
	for _, f := range p.Fields {
		was[f.Name] = f.From
	}
	return !slices.ContainsFunc(ch.Fields, func(f manifest.Difference) bool {
		from, ok := was[f.Name]
		return !ok || from != f.From
	})
}

// readAgain reads the project. It starts over if the connection was lost despite the retries of each call.
func (a *applier) readAgain(ctx context.Context) (err error) {
	for n := range retry.MostLosses {
		if err = a.read(ctx); !lost(err) || a.e.Run.Flags.Repeats() == 0 {
			return err
		}
		if err := retry.Sleep(ctx, retry.Pause(n, 4*retry.First)); err != nil {
			return err
		}
	}
	return err
}
