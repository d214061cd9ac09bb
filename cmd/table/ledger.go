package table

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/contents"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/localstate"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/config"
	"github.com/dig-cli/dig/pkg/outcome"
)

// An import appends, and hosted zones cannot delete rows: the same document twice doubles the table [L]. Before dig
// sends a document, it records the import and the number of rows of the table in the state directory. The gateway's
// answer settles the record. If the answer is missing or unclear, the rows are counted again. The next run of the same
// import starts from the record.

// importing is one import with its ledger record.
type importing struct {
	cl                   *api.Client
	project, kind, table string // kind is the schema
	doc                  *document
	req                  api.ImportRequest
	cols                 []api.ColumnDetail // of the table, before the import

	ledger  *localstate.Imports
	key     string
	note    localstate.Import
	id      string // by which zone local knows the import, "" elsewhere
	patient bool   // questions are asked again while their replies are lost

	result  bool // the document is the result of a statement, which another run need not have
	onlyNew bool // the table must be created by this run

	nothing bool     // nothing was stored, with certainty
	remarks []string // for the note on the result
}

// remark adds a line to the note on the result.
func (i *importing) remark(format string, args ...any) {
	i.remarks = append(i.remarks, fmt.Sprintf(format, args...))
}

// imports returns the ledger of the target and project.
func imports(e *cli.Env, project string) (*localstate.Imports, error) {
	state, p, err := e.Ledgers(project)
	if err != nil {
		return nil, err
	}
	return localstate.NewImports(state, p, oldLedgers(e, project)...), nil
}

// oldLedgers returns the path of the ledger that earlier releases wrote for the target in the cache directory. Its name
// depends on the value of DIG_DATA_DIR. For a relative path it is unknown, because the working directory at that time
// is.
func oldLedgers(e *cli.Env, project string) []string {
	dir, err := config.CacheDir(e.Getenv)
	data := e.Getenv("DIG_DATA_DIR")
	s := e.Run.Settings
	if err != nil || s.InProcess() && data != "" && !filepath.IsAbs(data) {
		return nil
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{s.Zone.Value, s.BaseURL.Value, project, data}, "\x00")))
	return []string{filepath.Join(dir, "imports-"+hex.EncodeToString(sum[:8])+".json")}
}

// forgetImports removes the records of a deleted table. Records that remain are harmless: an empty table accepts any
// document.
func forgetImports(e *cli.Env, project, kind, table string) {
	if l, err := imports(e, project); err == nil {
		_ = l.Forget(kind, table)
	}
}

// begin checks what was sent before and writes the record. It returns a view if there is nothing left to send. fresh
// means that this run created the table.
func begin(ctx context.Context, e *cli.Env, i *importing, again, fresh bool) (*cli.View, error) {
	var err error
	if i.ledger, err = imports(e, i.project); err != nil {
		return nil, err
	}
	i.key = localstate.ImportKey(i.kind, i.table, i.doc.key)
	notes, err := i.ledger.Read()
	if err != nil {
		return nil, &exitcode.Failure{Exit: exitcode.Failed, Code: "bad-ledger",
			Msg:  "nothing was sent, because it is unknown what was imported before: " + err.Error(),
			Hint: "move that file away to continue without it"}
	}
	was, known := notes[i.key]
	if !known {
		if was, known = notes[i.kind+"\x00"+i.table+"\x00"+i.doc.oldKey(i.req)]; known {
			was.Open = false
		}
	}
	from := e.Now().UTC()
	var before int64
	if !fresh {
		if before, err = i.count(ctx); err != nil {
			return nil, notSent("the rows of "+i.table+" cannot be counted", err)
		}
	}
	if known && !was.Open && before > 0 && !again && i.gone(ctx, was) {
		i.remark("the rows that %s had on %s are not in the data any more", was.File, was.At.Format("2006-01-02 15:04"))
		again = true
	}
	if known && before > 0 && !again {
		if !was.Open {
			hint := "give --again to import it again"
			if e.Local() {
				hint += ", or --mode replace to replace all rows by its rows"
			}
			return nil, &exitcode.Failure{Exit: exitcode.Conflict, Code: "imported-before",
				Msg: fmt.Sprintf("%s was imported into %s on %s (%d rows); importing it again would store its rows "+
					"twice", was.File, i.table, was.At.Format("2006-01-02 15:04"), was.Rows),
				Hint: hint}
		}
		switch stored, known := i.storedRows(ctx, notes, was, before); {
		case known && stored == 0:
			i.remark("the run of %s had not stored a row of %s", was.At.Format("2006-01-02 15:04"), was.File)
		case known && i.doc.Stored(stored):
			was.Open, was.Rows, was.Done = false, stored, e.Now().UTC()
			if err := i.ledger.Put(i.key, was); err != nil {
				return nil, err
			}
			v := cli.Object(api.ImportJob{Status: api.ImportCompleted, StartTime: was.At.UnixMilli(),
				EndTime: e.Now().UnixMilli(), Progress: 100, Result: api.ImportJobResult{Processed: stored}}).
				PrintValue().WithNote("nothing was sent: the run of %s stored the %d rows of %s, according to the "+
				"number of rows before and now", was.At.Format("2006-01-02 15:04"), stored, was.File)
			return &v, nil
		default:
			return nil, i.undecided(was, before)
		}
	}
	if known && was.Open && before == 0 && !fresh {
		i.remark("the run of %s was interrupted before it stored a row of %s", was.At.Format("2006-01-02 15:04"),
			was.File)
	}
	if known && was.Open && was.ID != "" && i.id != "" && !again {
		found, err := i.rowsOf(ctx, was.ID)
		if err != nil {
			at := was.At.Format("2006-01-02 15:04")
			return nil, notSent("it is unknown whether the run of "+at+" stored "+was.File, err)
		}
		if found == 0 { // the former run's may still be stored: one of both is
			i.id, i.req.ID = was.ID, was.ID
		}
	}
	i.note = localstate.Import{File: sourceName(i.doc.Path), Rows: i.doc.Rows, At: e.Now().UTC(), From: from,
		Open: true, Before: &before, ID: i.id, Created: fresh}
	if known && was.ID == i.id {
		i.note.Former = was.Former
	} else if known && (!was.Open || again) {
		i.note.Former = was.Sent()
	}
	if err := i.ledger.Begin(ctx, i.key, i.note); ctx.Err() != nil && err != nil {
		return nil, err
	} else if err != nil {
		return nil, &exitcode.Failure{Exit: exitcode.Failed, Code: "ledger",
			Msg:  "nothing was sent, because no record of it can be written: " + err.Error(),
			Hint: "DIG_STATE_DIR sets the directory for these records", Err: err}
	}
	return nil, nil
}

// sourceName is the name of a document in messages.
func sourceName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return filepath.Base(path)
}

// notSent formats an error that occurred before anything was sent.
func notSent(why string, err error) error {
	f := cli.Classify(context.Background(), err)
	if f.Exit == exitcode.Interrupted {
		return err
	}
	f.Msg = "nothing was sent: " + why + ": " + f.Msg
	return &f
}

// storedRows returns how many rows of a recorded import are in the table. Zone local knows that by the id of the
// import. Elsewhere it is the number of rows that were added since the record was written, without those of other
// recorded imports; with concurrent imports it is not known, nor if other rows were replaced.
func (i *importing) storedRows(ctx context.Context, notes map[string]localstate.Import, was localstate.Import,
	now int64) (rows int64, known bool) {
	if found, ok := i.storedByID(ctx, was); ok {
		return found, true
	}
	if was.Before == nil || !i.req.Appends() || localstate.Overlapped(notes, i.key, was) {
		return 0, false
	}
	return now - *was.Before - localstate.Since(notes, i.key, was.At), true
}

// count counts the rows of the table.
func (i *importing) count(ctx context.Context) (int64, error) {
	return i.askAgain(ctx, func() (int64, error) { return contents.Rows(ctx, i.cl, i.project, i.kind, i.table) })
}

// storedByID returns how many rows zone local has stored for a recorded import.
func (i *importing) storedByID(ctx context.Context, was localstate.Import) (rows int64, known bool) {
	if was.ID == "" {
		return 0, false
	}
	rows, err := i.rowsOf(ctx, was.ID)
	return rows, err == nil
}

// rowsOf returns how many rows zone local has stored for the import of an ID.
func (i *importing) rowsOf(ctx context.Context, id string) (int64, error) {
	return i.askAgain(ctx, func() (int64, error) {
		found, err := i.cl.FindImport(ctx, i.project, id)
		return found.Rows, err
	})
}

// gone reports whether a document that zone local has stored is not in its data, since these were restored or are
// others: it would know the import, and does not. Where that is not certain, the document counts as stored.
func (i *importing) gone(ctx context.Context, was localstate.Import) bool {
	if i.id == "" {
		return false
	}
	for _, s := range was.Sent() {
		if s.ID == "" || s.Ended == 0 {
			return false
		}
		found, err := i.cl.FindImport(ctx, i.project, s.ID)
		if err != nil || found.Rows > 0 || found.KnownFrom == nil || s.Ended <= *found.KnownFrom {
			return false
		}
	}
	return true
}

func (i *importing) undecided(was localstate.Import, now int64) error {
	before := "an unknown number of rows"
	if was.Before != nil {
		before = fmt.Sprintf("%d rows", *was.Before)
	}
	return &exitcode.Failure{Exit: exitcode.Conflict, Code: "import-unsettled",
		Msg: fmt.Sprintf("cannot determine whether the run of %s stored %s in %s: the table had %s before, has %d "+
			"now, and the file has %d",
			was.At.Format("2006-01-02 15:04"), was.File, i.table, before, now, i.doc.Rows),
		Hint: "check the rows of the table; --again sends the file again"}
}

// settle evaluates the answer to an import. Unless the gateway states that all rows of the document are stored, only a
// row count makes it a success.
func settle(ctx context.Context, e *cli.Env, i *importing, job api.ImportJob, err error) (cli.View, error) {
	if err == nil && strings.EqualFold(job.Status, api.ImportCompleted) && i.doc.Stored(job.Result.Processed) {
		if short := i.countAfter(ctx, e, job.Result.Processed); short != nil {
			return cli.View{}, short
		}
		return settled(e, i, job, job.Result.Processed, "")
	}
	if refused(err) {
		i.nothing = true
		if rm := i.ledger.Remove(i.key); rm != nil {
			return cli.View{}, errors.Join(err, rm)
		}
		if bad := i.doc.Unread(); bad != nil {
			return cli.View{}, ofFile(i.doc.Path, bad)
		}
		return cli.View{}, i.hintWider(i.doc.located(ctx, err))
	}
	if ctx.Err() != nil { // the record stays open
		return cli.View{}, errors.Join(err, ctx.Err())
	}
	stored, known := i.storedByID(ctx, i.note)
	if !known {
		now, cerr := i.count(ctx)
		notes, rerr := i.ledger.Read()
		if cerr == nil && rerr == nil {
			stored, known = i.storedRows(ctx, notes, i.note, now)
		}
	}
	if known {
		switch {
		case stored > 0 && i.doc.Stored(stored):
			why := "the gateway returned no usable answer"
			switch {
			case err != nil:
				why = cli.Classify(ctx, err).Msg
			case job.Status != "":
				why = fmt.Sprintf("the gateway answered %s and %d rows", job.Status, job.Result.Processed)
			}
			job.Status, job.Progress, job.Result.Processed = api.ImportCompleted, 100, stored
			if job.StartTime == 0 {
				job.StartTime, job.EndTime = i.note.At.UnixMilli(), e.Now().UnixMilli()
			}
			e.Settled(outcome.Done)
			return settled(e, i, job, stored, why)
		case stored == 0 && e.Local() && fullDisk(err):
			f := cli.Classify(ctx, err)
			f.Hint = "free some space and run the same command again: nothing was stored"
			i.nothing = true
			return cli.View{}, errors.Join(&f, i.ledger.Remove(i.key))
		case stored == 0 && e.Local() && i.doc.Unread() != nil: // a gateway stores no document without its end
			i.nothing = true
			return cli.View{}, errors.Join(ofFile(i.doc.Path, i.doc.Unread()), i.ledger.Remove(i.key))
		case stored == 0 && err == nil && strings.EqualFold(job.Status, api.ImportFailed):
			f := &exitcode.Failure{Exit: exitcode.Job, Code: "import-failed",
				Msg: fmt.Sprintf("the gateway reports that the import of %s failed, and %s has as many rows as before",
					i.doc.Path, i.table)}
			i.nothing = true
			return cli.View{}, errors.Join(f, i.ledger.Remove(i.key))
		case stored != 0:
			return cli.View{}, &exitcode.Failure{Exit: exitcode.Job, Code: "import-partial", Err: err,
				Msg: fmt.Sprintf("%s holds %d rows, and %d were added to %s: %s", i.doc.Path, i.doc.Rows, stored,
					i.table, i.said(ctx, job, err)),
				Hint: "check the rows of the table: some may be from the file, others not"}
		}
	}
	f := exitcode.Failure{Exit: exitcode.Unavailable, Code: "unsettled", Msg: i.said(ctx, job, nil)}
	if err != nil {
		f = cli.Classify(ctx, err)
	} else if job.Status != "" && !strings.EqualFold(job.Status, api.ImportCompleted) {
		f.Exit = exitcode.Pending
	}
	f.Hint = "it may have succeeded nevertheless; run the same command again: it counts the rows before it sends"
	if i.result {
		f.Hint = "it may have succeeded nevertheless: look at the rows of " + i.table +
			" before you run the command again"
	}
	return cli.View{}, &f
}

// countAfter counts the rows of the table after a hosted zone has reported that all rows are stored. If there are fewer
// it returns an error, and the record stays open. There may be more if others have added rows.
func (i *importing) countAfter(ctx context.Context, e *cli.Env, rows int64) error {
	if !e.MayDropRows() {
		return nil
	}
	now, err := i.count(ctx)
	if err != nil {
		i.remark("the rows were not counted afterwards: %s", cli.Classify(ctx, err).Msg)
		return nil
	}
	notes, err := i.ledger.Read()
	if err != nil {
		return err
	}
	switch stored, known := i.storedRows(ctx, notes, i.note, now); {
	case !known:
		i.remark("the rows cannot be counted afterwards, because other files are imported into %s at the same time",
			i.table)
	case stored < rows:
		return &exitcode.Failure{Exit: exitcode.Job, Code: "import-partial",
			Msg: fmt.Sprintf("the gateway reports that the %d rows of %s are stored, but %d were added to %s", rows,
				i.doc.Path, stored, i.table),
			Hint: "try again, rows may appear with a delay; `dig query execute` reads the table"}
	case stored > rows:
		i.remark("%d rows were added to %s in the meantime, %d more than from this file", stored, i.table, stored-rows)
	}
	return nil
}

// said describes the answer of the gateway.
func (i *importing) said(ctx context.Context, job api.ImportJob, err error) string {
	switch {
	case err != nil:
		return cli.Classify(ctx, err).Msg
	case job.Status == "":
		return "the gateway answered the import with an empty reply"
	}
	return fmt.Sprintf("the gateway reports that the import of %d rows is %s with %d of them", i.doc.Rows, job.Status,
		job.Result.Processed)
}

// fullDisk reports whether zone local answered that the disk is full. Zone local has then ended the import, whereas a
// hosted zone may still be running it.
func fullDisk(err error) bool {
	var ae *api.Error
	return errors.As(err, &ae) && ae.Status == http.StatusInsufficientStorage
}

// refused reports whether a failure guarantees that nothing was stored.
func refused(err error) bool { return outcome.Of(err).Undone() }

func settled(e *cli.Env, i *importing, job api.ImportJob, rows int64, why string) (cli.View, error) {
	i.note.Open, i.note.Rows, i.note.Done = false, rows, e.Now().UTC()
	if i.id != "" && why == "" && job.ID != "" { // the gateway's end, and recorded by it
		i.note.Ended = job.EndTime
	}
	var err error
	if i.req.Mode == api.ImportReplace { // the rows of other documents are gone
		err = i.ledger.ForgetSettled(i.kind, i.table)
	}
	err = errors.Join(err, i.ledger.Put(i.key, i.note))
	if rows == 0 {
		err = i.ledger.Remove(i.key)
	}
	if err != nil { // the rows are stored nevertheless
		i.remark("cannot record the import as done: %v", err)
	}
	v := showImport(e, job)
	say := changed(i.req.ImportMode, i.table, rows, job.Result)
	if why != "" {
		v = v.PrintValue()
		say += ", according to the number of rows before and after: " + why
	}
	return v.WithNote("%s", strings.Join(append([]string{say}, i.remarks...), "\n")), nil
}
