package query

import (
	"strings"

	"github.com/dig-cli/dig/cmd/internal/cli"
	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/secret"
	"github.com/dig-cli/dig/internal/sqlstmt"
)

// bound are the texts of the statements as they are sent, with the values of each.
type bound struct {
	texts  []string
	values [][]string
	hidden []string // the values of parameters that are named like secrets
}

// hide masks the values of parameters that are named like secrets in all further output but results.
func (b *bound) hide(e *cli.Env) {
	for _, v := range b.hidden {
		e.Run.Mask.Hide(v)
	}
}

func (b *bound) of(i int) (string, []string) { return b.texts[i], b.values[i] }

// bindings distributes values over the statements. flag is their source for messages: --bind or \bind.
func bindings(flag string, bind []string, list []given) (*bound, error) {
	b := &bound{}
	params := make([]sqlstmt.Params, len(list))
	named, placed := false, false
	for i, g := range list {
		params[i] = sqlstmt.ParamsOf(g.Text)
		named = named || len(params[i].Names) > 0
		placed = placed || params[i].Placeholders > 0
	}
	byName := len(bind) > 0 && named && !placed
	if len(bind) > 0 && named && placed {
		return nil, exitcode.Usagef("%s: the statements have both ? and :NAME", flag).WithHint("use one of them")
	}
	values, used := map[string]string{}, map[string]bool{}
	if byName {
		for _, v := range bind {
			name, value, ok := strings.Cut(v, "=")
			switch _, twice := values[name]; {
			case !ok:
				return nil, exitcode.Usagef("%s: %q is not NAME=VALUE, and the statement has :%s", flag, v,
					firstName(params))
			case twice:
				return nil, exitcode.Usagef("%s: %s is given twice", flag, name)
			}
			values[name] = value
			if secret.Named(name) {
				b.hidden = append(b.hidden, value)
			}
		}
	}
	rest := bind
	for i, g := range list {
		text, own := g.Text, []string(nil)
		switch {
		case byName:
			for _, name := range params[i].Names {
				value, ok := values[name]
				if !ok {
					return nil, exitcode.Usagef("%s: no value for the parameter :%s", flag, name).
						WithHint("add %s %s=VALUE", flag, name)
				}
				used[name] = true
				own = append(own, value)
			}
			text = params[i].Text
		case len(list) == 1:
			own = bind
		default:
			n := min(params[i].Placeholders, len(rest))
			own, rest = rest[:n], rest[n:]
		}
		b.texts, b.values = append(b.texts, text), append(b.values, own)
	}
	for _, v := range bind {
		if name, _, _ := strings.Cut(v, "="); byName && !used[name] {
			return nil, exitcode.Usagef("%s: no statement has the parameter :%s", flag, name)
		}
	}
	if !byName && len(list) > 1 && len(rest) > 0 {
		return nil, exitcode.Usagef("%s: there are %d values more than ? in the statements", flag, len(rest))
	}
	return b, nil
}

func firstName(params []sqlstmt.Params) string {
	for _, p := range params {
		if len(p.Names) > 0 {
			return p.Names[0]
		}
	}
	return ""
}
