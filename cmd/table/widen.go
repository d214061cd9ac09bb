package table

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/internal/shell"
	"github.com/dig-cli/dig/pkg/api"
)

// remarkWidened names the columns to which the import gave more digits.
func (i *importing) remarkWidened(ctx context.Context, k tableKind) {
	if !slices.ContainsFunc(i.cols, func(c api.ColumnDetail) bool { return c.Widens }) {
		return
	}
	now, err := k.client(i.cl).Columns(ctx, i.project, i.table)
	if err != nil {
		i.remark("the types of its columns cannot be determined: %s", cli.Classify(ctx, err).Msg)
	}
	for _, was := range i.cols {
		at := slices.IndexFunc(now, func(c api.ColumnDetail) bool { return c.ID == was.ID })
		if was.Widens && at >= 0 && now[at].DataType != was.DataType {
			i.remark("column %s is %s now, since values do not fit %s", was.Name, now[at].DataType, was.DataType)
		}
	}
}

// hintWider suggests the type of a column of decimals that has the values which do not fit it.
func (i *importing) hintWider(err error) error {
	var ae *api.Error
	if !errors.As(err, &ae) || ae.Hint != "" {
		return err
	}
	for _, c := range i.cols {
		wider, _ := api.ColumnType(c.DataType)
		was, fits := wider, true
		for _, bad := range ae.BadCells {
			if bad.Column == c.Name && fits {
				wider, fits = api.WidenDecimal(wider, bad.Value)
			}
		}
		if fits && wider != was {
			here := *ae
			here.Hint = fmt.Sprintf("`dig %s column update %s %s --type %s` makes room for them", i.kind,
				shell.Quote(i.table), shell.Quote(c.Name), shell.Quote(wider))
			return &here
		}
	}
	return err
}
