package table

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/localstate"
	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/outcome"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// longestName is the maximum length of a column name in bytes.
const longestName = 63

func newTableImportCmd(e *cli.Env, k tableKind) *cobra.Command {
	var maps, columns []string
	var create, text, again, check, noCheck, result bool
	var modes modeFlags
	bi := k.bi()
	c := &cobra.Command{
		Use: "import TABLE FILE", Short: "Import the rows of a file, all or none", Args: cobra.ExactArgs(2),
		Long: `Import the rows of a file into a table, all or none. FILE is CSV, with fields that are separated by
commas, semicolons, tabs or vertical bars, in UTF-8 or UTF-16; or JSON, objects in a list or one on each
line; or Parquet; or a workbook of Excel (.xlsx). It may be packed with gzip or zstd, and "-" is stdin.

In fields separated by tabs, as -o tsv and COPY write them, a backslash begins an escape (\t, \n, \r,
\\, and \N for NULL) if a field is \N or the file is named .tsv or .tab, no field begins with a quote,
and no backslash begins anything else. This is printed. In other files backslashes are text. --escape
backslash or none decides it.

Without --map, every column of the file goes to the table's column of the same name; a header that matches
no column is rejected before anything is sent. --map COLUMN=HEADER selects another column of the file,
--map COLUMN=#2 the third (they count from zero, the only form for files that --header-row none says to have
no header).

--create creates the table first, with a column for each header or, with --map, for each COLUMN. Their types
are inferred from all rows, such that no value changes: BIGINT, DECIMAL, BOOLEAN, DATE, TIMESTAMP, TIME (of
Parquet), UUID, else VARCHAR. They are printed. --column NAME:TYPE sets the type of a column, --text makes all
VARCHAR. If the import fails, the table that it created is removed.

An import appends: a file that was imported into the table before is rejected unless --again is given. On
zone local, --mode replace stores its rows instead of all others, and --mode upsert --key COLUMNS updates the
rows with the same values in these columns and adds the others; --delete-missing deletes those that are not
in the file. Either is one step: readers have the former rows until then.

--check checks the file by the rules of zone local, on this machine, and lists every value that does not fit;
nothing is sent. Before a file is sent to a hosted zone it is checked in the same way, since an error there
costs a whole upload and names one value; --no-check skips this check.`,
		Example: "  " + e.Name + " " + k.noun + " import people people.csv --create\n  " + e.Name + " " + k.noun +
			` import people export.csv.gz --map name="Full name" --map age=#3` + "\n  " + e.Name + " " + k.noun +
			` import people people.csv --mode upsert --key id`,
	}
	c.Flags().StringArrayVar(&maps, "map", nil, "COLUMN=HEADER or COLUMN=#INDEX; repeat")
	how := cli.AddReadFlags(c, rowfile.ByFlag, false)
	c.Flags().BoolVar(&create, "create", false,
		"create the table, if it does not exist, with the types that all rows have")
	c.Flags().StringArrayVar(&columns, "column", nil,
		"with --create: a column as NAME:TYPE[:notnull][:unique][:default=VALUE]; repeat")
	c.Flags().BoolVar(&text, "text", false, "with --create: every column is VARCHAR, except those of --column")
	modes.register(c)
	c.Flags().BoolVar(&again, "again", false, "import the file even if it was imported into this table before")
	c.Flags().BoolVar(&check, "check", false, "only check the file on this machine against the table's columns")
	c.Flags().BoolVar(&noCheck, "no-check", false, "send the file to a hosted zone without checking its values first")
	c.Flags().BoolVar(&result, "result", false, "the file is the result of a statement of --into: with --create, the "+
		"table must not exist")
	_ = c.Flags().MarkHidden("result") // the flag exists
	c.MarkFlagsMutuallyExclusive("check", "no-check")
	op := spec.ImportCsv
	if bi {
		op = spec.ImportBi
		c.Short += " (zone local)"
		c.Long += "\n\nOn the hosted zones, rows of BI tables can be entered in the web studio only, so this works on zone local only."
	}
	cli.Annotate(c, k.create, k.add, k.list, k.columns, k.del)
	return cli.Leaf[api.ImportJob](e, op, c, func(ctx context.Context, cl *api.Client, args []string) (_ cli.View,
		err error) {
		defer func() {
			if result {
				err = ofResult(err)
			}
		}()
		if bi && !e.Local() {
			return cli.View{}, exitcode.Usagef(
				"BI tables do not support CSV import on %s: their rows are entered in the web studio",
				e.Run.Settings.Where()).WithHint("import into an internal table with `dig table import`")
		}
		if create && check {
			return cli.View{}, exitcode.Usagef("--check and --create are mutually exclusive")
		}
		if !create && (text || len(columns) > 0) {
			return cli.View{}, exitcode.Usagef("--text and --column require --create")
		}
		mode, err := modes.read(e)
		if err != nil {
			return cli.View{}, err
		}
		o, err := how.Options()
		if err != nil {
			return cli.View{}, err
		}
		if err := checkMaps(maps, !o.NoHeader()); err != nil {
			return cli.View{}, err
		}
		doc, err := openDocument(ctx, e, args[1], o)
		if err != nil {
			return cli.View{}, err
		}
		defer doc.Close()
		if result {
			doc.Path = "the result"
		}
		if create && o.NoHeader() && len(maps) == 0 { // the columns have the names that a statement gives them
			numbered, _ := doc.Distinct()
			for i, name := range numbered {
				maps = append(maps, fmt.Sprintf("%s=#%d", name, i))
			}
		}
		header := doc.Header
		names, renamed := rowfile.Names(header, longestName,
			func(name string) string { return rowfile.Same(k.stored(name)) }, systemName)
		if len(maps) > 0 {
			renamed = nil
		}
		for _, r := range append(doc.Remarks, renamed...) {
			fmt.Fprintln(e.Err, r)
		}
		if doc.Format != rowfile.JSON && doc.Format != rowfile.Parquet && !c.Flags().Changed("header-row") &&
			onlyIndexes(maps) {
			fmt.Fprintf(e.Err, "note: the first row is the header (%s); --header-row none makes it one of the rows\n",
				strings.Join(header, ", "))
		}
		made := &newColumns{}
		if create && len(header)+len(maps) == 0 {
			return cli.View{}, &exitcode.Failure{Exit: exitcode.Failed, Code: "failed",
				Msg:  fmt.Sprintf("%s: %v", args[1], doc.NoColumns()),
				Hint: "without --create a file without records is imported into a table that exists"}
		}
		if create {
			if made, err = importColumns(k, maps, header, names); err != nil {
				return cli.View{}, err
			}
			if err := errors.Join(made.override(k, columns), checkNarrow(e, "--column", made.defs...)); err != nil {
				return cli.View{}, err
			}
		}
		p, err := e.Target().ProjectID(ctx, cl)
		if err != nil {
			return cli.View{}, err
		}
		m, err := newTableCreation(e, k, cl, p, args[0], made.defs)
		if err != nil {
			return cli.View{}, err
		}
		cols, fresh, err := m.target(ctx, create, func() error {
			if text {
				return nil
			}
			if err := doc.learn(ctx, true); err != nil {
				return err
			}
			made.printTypes(e.Err, k.stored(args[0]), doc.Rows+doc.Blank, made.infer(doc.Choices(e.Local())))
			return nil
		})
		if err != nil {
			return cli.View{}, err
		}
		onlyNew := result && create && mode.Appends()
		if onlyNew && !fresh {
			return cli.View{}, m.taken()
		}
		if doc.Header != nil && doc.Width == 0 && doc.Rows+doc.Blank == 0 { // an empty list of JSON
			if mode.Mode == api.ImportReplace || mode.DeleteMissing {
				return cli.View{}, emptying(k, mode, args[1], k.stored(args[0]))
			}
			fmt.Fprintf(e.Err, "imported 0 rows into %s: %s has none, and nothing was sent\n",
				k.stored(args[0]), args[1])
			return cli.View{}, nil
		}
		if err := made.differs(k, args[0], cols); err != nil {
			return cli.View{}, err
		}
		req, err := importMapping(k, maps, names, !o.NoHeader(), doc, cols)
		if err != nil {
			return cli.View{}, err
		}
		if err := doc.learn(ctx, false); err != nil {
			return cli.View{}, err
		}
		req.ImportMode = mode
		if req.Key, err = checkKey(k, mode.Key, cols, req); err != nil {
			return cli.View{}, err
		}
		if doc.Rows+doc.Blank == 0 && (mode.Mode == api.ImportReplace || mode.DeleteMissing) {
			return cli.View{}, emptying(k, mode, args[1], k.stored(args[0]))
		}
		if notes, err := doc.aim(ctx, req, cols); err != nil {
			return cli.View{}, err
		} else if !fresh {
			for _, note := range notes {
				fmt.Fprintln(e.Err, note)
			}
		}
		if check {
			return checkImport(ctx, e, cols, req, doc)
		}
		if !again {
			if err := doc.refuseExamples(ctx); err != nil {
				return cli.View{}, err
			}
		}
		if err := doc.identify(req); err != nil {
			return cli.View{}, err
		}
		if !noCheck {
			if err := checkBefore(ctx, e, cols, req, doc); err != nil {
				return cli.View{}, err
			}
		}
		i := &importing{cl: cl, project: p, kind: k.noun, table: k.stored(args[0]), doc: doc, req: req, cols: cols,
			result: result, onlyNew: onlyNew}
		if out := leftOut(maps, header); len(out) > 0 {
			i.remark("skipped, since the system sets them: %s", strings.Join(out, ", "))
		}
		return importDocument(ctx, e, i, m, fresh, again)
	})
}

// target returns the columns of the table of an import: those it has, or those that this run will create. fresh reports
// whether this run will create the table. types determines the types of new columns.
func (m *tableCreation) target(ctx context.Context, create bool,
	types func() error) (cols []api.ColumnDetail, fresh bool, err error) {
	if !create {
		cols, err = m.k.client(m.cl).Columns(ctx, m.project, m.name)
		if err != nil {
			err = hintCreate(ctx, m.k.client(m.cl), m.project, m.name, m.k, err)
		}
		return cols, false, err
	}
	t, ok, err := m.standing(ctx)
	if err != nil {
		return nil, false, err
	}
	if ok {
		gone, err := m.without(ctx, t)
		if err != nil {
			return nil, false, err
		}
		ok = !gone
	}
	if !ok {
		err := types()
		return asListed(m.k, m.defs), true, err
	}
	if begun, err := m.begun(); err != nil {
		return nil, false, err
	} else if begun {
		if err := types(); err != nil {
			return nil, false, err
		}
		if err := m.finish(ctx, t); m.e.Planned(err) {
			return asListed(m.k, m.defs), false, nil
		} else if err != nil {
			return nil, false, err
		}
	}
	cols, err = m.k.client(m.cl).Columns(ctx, m.project, m.name)
	return cols, false, err
}

// importDocument creates the table if necessary, sends the document and checks the answer. A table created by this run
// is removed if the import is rejected.
func importDocument(ctx context.Context, e *cli.Env, i *importing, m *tableCreation, fresh,
	again bool) (cli.View, error) {
	send := i.cl.Tables.Import
	if m.k.bi() {
		send = i.cl.ImportBI
	}
	if e.DryRun() {
		if fresh {
			if _, err := m.create(ctx); err != nil && !e.Planned(err) {
				return cli.View{}, err
			}
		}
		text, err := i.doc.Text(ctx)
		if err != nil {
			return cli.View{}, ofFile(i.doc.Path, err)
		}
		defer text.Close()
		job, err := send(ctx, i.project, m.name, i.req, i.doc.Name, text)
		return showImport(e, job), err
	}
	ledger, err := imports(e, i.project)
	if err != nil {
		return cli.View{}, err
	}
	i.ledger, i.key = ledger, localstate.ImportKey(i.kind, i.table, i.doc.key)
	if e.Local() {
		i.id = uuid.NewString()
		i.req.ID = i.id
		i.patient = e.Run.Flags.Repeats() > 0
	}
	release, err := ledger.Hold(i.key)
	if errors.Is(err, localstate.ErrBusy) {
		return cli.View{}, &exitcode.Failure{Exit: exitcode.Conflict, Code: "import-running",
			Msg: localstate.ErrBusy.Error() + "; nothing was sent", Hint: "wait for it to end"}
	}
	if err != nil {
		return cli.View{}, err
	}
	defer release()
	if done, err := begin(ctx, e, i, again || !i.req.Appends(), fresh); err != nil {
		return cli.View{}, err
	} else if done != nil {
		return *done, nil
	}
	if fresh {
		made, err := m.createOrFind(ctx)
		if err == nil && !made && i.onlyNew {
			err = m.taken()
		}
		if err != nil {
			return cli.View{}, errors.Join(err, i.ledger.Remove(i.key))
		}
		fresh = made
	}
	bar := e.Progress()
	defer bar.Stop()
	bar.Part(i.doc.Part)
	var job api.ImportJob
	for try := 0; ; try++ {
		job, i.doc.asRows, err = cli.ImportDocument(ctx, send, i.project, m.name, i.req, i.doc.Document,
			e.Run.Flags.Repeats(), bar.Reader)
		if try >= i.tries(e) || !i.mayResend(ctx, err) {
			break
		}
		e.Settled(outcome.Refused)
	}
	bar.Stop()
	if err == nil {
		i.remarkWidened(ctx, m.k)
	}
	v, err := settle(ctx, e, i, job, err)
	if i.nothing {
		e.Settled(outcome.Refused)
	}
	if fresh && (i.nothing || err != nil && ctx.Err() != nil) {
		err = i.undo(ctx, m, err)
	}
	return v, err
}

// tries is how often a lost import may be sent again, or asked for: as often as a change of apply, since zone local
// stores an import with an ID once.
func (i *importing) tries(e *cli.Env) int {
	if i.id == "" || e.Run.Flags.Repeats() == 0 {
		return 0
	}
	return max(e.Run.Flags.Repeats(), retry.MostLosses)
}

// mayResend reports whether a document can be sent again after a broken connection: zone local has not stored it. Only
// documents that were lost count as tries, as they may be what ends the gateway.
func (i *importing) mayResend(ctx context.Context, err error) bool {
	if !lost(err) || ctx.Err() != nil || retry.Sleep(ctx, retry.Pause(0, 4*retry.First)) != nil {
		return false
	}
	found, err := i.rowsOf(ctx, i.id)
	return err == nil && found == 0
}

// askAgain asks zone local a question again while the reply is lost, as when a gateway is restarted.
func (i *importing) askAgain(ctx context.Context, ask func() (int64, error)) (n int64, err error) {
	for lost := range retry.MostLosses {
		if n, err = ask(); !i.patient || !broken(err) || retry.Sleep(ctx, retry.Pause(lost, 4*retry.First)) != nil {
			break
		}
	}
	return n, err
}

// broken reports whether the connection broke before there was a whole reply.
func broken(err error) bool {
	var ae *api.Error
	return errors.As(err, &ae) && ae.Transient()
}

// lost reports whether it is unknown what became of a request, and it may be answered if it is sent again.
func lost(err error) bool {
	var ae *api.Error
	return errors.As(err, &ae) && ae.Outcome == outcome.Unknown && ae.Transient()
}

// undo removes the table that this run created if its rows were not stored. After an interrupt it has a few seconds,
// and it removes the table only if it has no rows: the gateway may have stored them before it noticed the interrupt.
func (i *importing) undo(ctx context.Context, m *tableCreation, err error) error {
	interrupted, limit := ctx.Err() != nil, time.Minute // a cluster may take longer than one waits after an interrupt
	if interrupted {
		limit = 5 * time.Second
	}
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	why := m.remove(after, i.table)
	if why != "" {
		if ctx.Err() != nil {
			fmt.Fprintf(m.e.Err, "the table %s was created and remains: %s\n", i.table, why)
			return err
		}
		return usageWrap(err, fmt.Sprintf("the table %s was created and remains: %s", i.table, why))
	}
	if ctx.Err() != nil {
		fmt.Fprintf(m.e.Err, "the table %s, which this run created, was removed\n", i.table)
		return errors.Join(err, i.ledger.Remove(i.key))
	}
	return err
}

// showImport returns the view of a job. On a terminal, unless output flags are set, it prints nothing, because the note
// about the rows is sufficient. In tables it formats the times, which are in milliseconds.
func showImport(e *cli.Env, job api.ImportJob) cli.View {
	if e.Run.Flags.Output != output.Table {
		return cli.Object(job)
	}
	if e.OutTerm && e.ErrTerm && e.Run.Settings.Output.From == "default" && len(e.Run.Flags.Columns) == 0 &&
		e.Run.Flags.Out == "" && !e.DryRun() {
		return cli.View{Printed: true}
	}
	at := func(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }
	return cli.Object(struct {
		ID        string              `json:"id"`
		Status    string              `json:"status"`
		StartTime string              `json:"startTime"`
		EndTime   string              `json:"endTime"`
		Progress  int64               `json:"progress"`
		Result    api.ImportJobResult `json:"result"`
	}{job.ID, job.Status, at(job.StartTime), at(job.EndTime), job.Progress, job.Result}).PrintValue()
}
