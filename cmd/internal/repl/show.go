package repl

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/internal/retry"
	"github.com/dig-cli/dig/internal/rowset"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
)

// show displays rows of the shell itself, such as lists of tables.
func (s *shell) show(ctx context.Context, columns []string, rows [][]any) error {
	m := &rowset.Memory{}
	for _, c := range columns {
		m.Cols = append(m.Cols, api.ResultColumn{Name: c})
	}
	for _, row := range rows {
		cells := make([]api.Cell, len(row))
		for i, v := range row {
			raw, err := api.Marshal(v)
			if err != nil {
				return err
			}
			cells[i] = raw
		}
		m.Cells = append(m.Cells, cells)
		for i, v := range row {
			if _, ok := v.(int); ok {
				m.Cols[i].DataType = "bigint"
			}
		}
	}
	return s.run.Show(ctx, m, Statement{All: true}, output.Chart{})
}

// lastAs shows the last result again.
func (s *shell) lastAs(ctx context.Context, st Statement, chart output.Chart) error {
	res, err := s.last.open()
	if err != nil {
		return err
	}
	return s.run.Show(ctx, res.Rows(), st, chart)
}

func (s *shell) state(what string, on bool) {
	fmt.Fprintf(s.e.Err, "%s: %s\n", what, onOff(on))
}

func (s *shell) showTypes(ctx context.Context, args []string) (err error) {
	if s.types, err = switched(`\types`, strings.Join(args, " "), s.types); err != nil {
		return err
	}
	s.state("types", s.types)
	if s.last == nil {
		return nil
	}
	return s.lastAs(ctx, s.shown(Statement{}), output.Chart{})
}

func (s *shell) switchTiming(_ context.Context, args []string) (err error) {
	if s.timing, err = switched(`\timing`, strings.Join(args, " "), s.timing); err == nil {
		s.state("timing", s.timing)
	}
	return err
}

func (s *shell) bind(_ context.Context, args []string) error {
	if len(args) == 0 {
		fmt.Fprintln(s.e.Err, "no values are bound")
	}
	s.binds = args
	return nil
}

// repeat runs the last statement again, with the same values unless new ones were bound.
func (s *shell) repeat(ctx context.Context) error {
	if s.binds == nil {
		s.binds = s.used
	}
	return s.statement(ctx, s.lastText)
}

func (s *shell) again(ctx context.Context, args []string) error {
	if s.lastText == "" {
		return exitcode.Usagef("there is no last statement")
	}
	return s.going(args, func() error { return s.repeat(ctx) })
}

// going runs what \g runs, with its result in the file that is given.
func (s *shell) going(args []string, run func() error) error {
	if len(args) == 0 {
		return run()
	}
	path, err := unquoted(args, false)
	switch {
	case err != nil:
		return err
	case len(path) > 1:
		return exitcode.Usagef(`\g takes one file, not %d`, len(path))
	case strings.HasPrefix(path[0], "|"):
		return exitcode.Usagef(`\g takes a file, not a command`)
	}
	return s.toFile(path[0], run)
}

// againVertically runs the last statement again, with one line per value.
func (s *shell) againVertically(ctx context.Context, _ []string) error {
	return s.vertically(func() error { return s.again(ctx, nil) })
}

func (s *shell) vertically(run func() error) error {
	defer func(was bool) { s.expanded = was }(s.expanded)
	s.expanded = true
	return run()
}

// watch runs the last statement until an interrupt.
func (s *shell) watch(ctx context.Context, args []string) error {
	if s.lastText == "" {
		return exitcode.Usagef("there is no last statement to run again")
	}
	return s.watching(ctx, args, func() error { return s.repeat(ctx) })
}

// watching runs a statement, which becomes the last one, and repeats it.
func (s *shell) watching(ctx context.Context, args []string, run func() error) error {
	wait := 2 * time.Second
	if len(args) > 0 {
		if len(args) > 1 {
			return exitcode.Usagef(`\watch takes one number of seconds, not %d`, len(args))
		}
		n, err := strconv.ParseFloat(args[0], 64)
		if err != nil || !(n >= 0.1 && n <= 86400) {
			return exitcode.Usagef(`\watch: %q is not a number of seconds from 0.1 to 86400`, args[0])
		}
		wait = time.Duration(n * float64(time.Second))
	}
	for {
		fmt.Fprintf(s.e.Err, "%s (every %v; Ctrl-C ends)\n", s.e.Now().Format("2006-01-02 15:04:05"), wait)
		if err := run(); err != nil {
			return err
		}
		run = func() error { return s.repeat(ctx) }
		if retry.Sleep(ctx, wait) != nil {
			return nil //nolint:nilerr // an interrupt is its regular end
		}
	}
}

func (s *shell) chart(ctx context.Context, args []string) error {
	c := output.Chart{Kind: "bar"}
	if len(args) > 0 {
		c.Kind, args = args[0], args[1:]
	}
	if len(args) > 0 && c.Labelled() {
		c.X, args = args[0], args[1:]
	}
	c.Y = args
	if err := c.Check(); err != nil {
		return err
	}
	err := s.lastAs(ctx, Statement{}, c)
	var ue *cell.UsageError
	if errors.As(err, &ue) {
		ue.Hint = strings.Replace(ue.Hint, "--y-column", `\chart KIND X Y`, 1)
	}
	return err
}

// outFile is the file of the next result, "" for none.
func (s *shell) outFile() string { return strings.ReplaceAll(s.out, "{n}", strconv.Itoa(s.written+1)) }

// wrote reports that a result was written to its file, and counts the numbered files.
func (s *shell) wrote() {
	if s.out == "" {
		return
	}
	name := s.outFile()
	word := "wrote"
	if s.appends {
		word = "appended"
	}
	fmt.Fprintf(s.e.Err, "%s the result to %s\n", word, name)
	if name != s.out {
		s.written++
	}
}

func (s *shell) export(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return exitcode.Usagef(`\export takes one file, such as result.csv or result.parquet`)
	}
	format, err := cli.FormOfPath(args[0])
	if err != nil {
		return err
	}
	if err := output.CheckFile(s.e.Abs(args[0])); err != nil {
		return exitcode.Usagef(`\export: %v`, err)
	}
	if err := s.lastAs(ctx, Statement{Out: args[0], Format: format}, output.Chart{}); err != nil {
		return err
	}
	fmt.Fprintf(s.e.Err, "wrote %s\n", args[0])
	return nil
}
