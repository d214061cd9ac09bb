package sync

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dig-cli/dig/cmd/internal/exitcode"
	"github.com/dig-cli/dig/internal/manifest"
	"github.com/dig-cli/dig/internal/nearest"
	"github.com/dig-cli/dig/pkg/api"
)

// referred finds references to objects that are neither in the files nor in the project.
func (l *live) referred(want *manifest.Project, changes []manifest.Change) error {
	var bad manifest.Invalid
	renamed := map[manifest.Ref]string{}
	for _, ch := range changes {
		if ch.Have != nil {
			if old := manifest.BaseOf(ch.Have).Ref; old.Name != ch.Name && want.Get(old.Kind, old.Name) == nil {
				renamed[old] = ch.Name
			}
		}
	}
	need := func(at manifest.Position, name string, kinds ...manifest.Kind) {
		if to := renamed[manifest.Ref{Kind: kinds[0], Name: name}]; to != "" {
			bad = append(bad, manifest.Problem{Position: at, Text: fmt.Sprintf("the %s %q would be called %q",
				kinds[0], name, to)})
			return
		}
		if slices.ContainsFunc(kinds, func(k manifest.Kind) bool {
			return want.Get(k, name) != nil || l.ids[manifest.Ref{Kind: k, Name: name}] != ""
		}) {
			return
		}
		if slices.Contains(kinds, manifest.KindCatalog) && slices.ContainsFunc(l.catalogs,
			func(c api.Catalog) bool { return c.Name == name }) {
			return
		}
		bad = append(bad, manifest.Problem{Position: at,
			Text: fmt.Sprintf("there is no %s %q, neither in the files nor in the project", kinds[0], name)})
	}
	for _, ch := range changes {
		switch o := ch.Want.(type) {
		case *manifest.Catalog:
			need(o.At, o.Connection, manifest.KindConnection)
		case *manifest.SemanticTable:
			if o.Query == "" {
				bad = append(bad, manifest.Problem{Position: o.At,
					Text: "the query behind the table is missing: the gateway that it was pulled from does not " +
						"report it"})
				continue
			}
			need(o.At, o.Query, manifest.KindQuery)
		case *manifest.ParametricTable:
			need(o.At, o.Catalog, manifest.KindCatalog)
		case *manifest.Cache:
			need(o.At, o.Catalog, manifest.KindCatalog)
		case *manifest.Metadata:
			need(o.At, o.Catalog, manifest.KindCatalog, manifest.KindSemanticCatalog)
		case *manifest.Relation:
			need(o.At, o.Source[0], manifest.KindCatalog, manifest.KindSemanticCatalog)
			need(o.At, o.Target[0], manifest.KindCatalog, manifest.KindSemanticCatalog)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	f := exitcode.Usagef("%s", bad.Error())
	f.Code = "invalid-files"
	return f
}

// sound finds faults that would stop apply midway, and references that apply would break: see manifest.Sound. It also
// finds connections that the gateway does not support, and objects that prune would delete although the files need
// them.
func (l *live) sound(ctx context.Context, o *options, want *manifest.Project, changes, extra []manifest.Change) error {
	var bad manifest.Invalid
	known := maps.Clone(l.only)
	if o.noCheck {
		clear(known)
	}
	var gone []manifest.Change
	if o.prune {
		gone = extra
	}
	bad = append(bad, manifest.Sound(want, l.p, changes, gone, known)...)
	if !o.noCheck {
		faults, err := l.statements(ctx, want, changes, gone, bad)
		if err != nil {
			return err
		}
		bad = append(bad, faults...)
	}
	hint := ""
	if slices.ContainsFunc(bad, func(p manifest.Problem) bool { return p.Reads }) {
		hint = "--no-check saves queries whose tables or columns do not exist"
	}
	bad = append(bad, needed(want, gone)...)
	bad = append(bad, unnamable(changes, func(bi string) bool {
		return want.Get(manifest.KindBITable, bi) != nil || l.p.Get(manifest.KindBITable, bi) != nil
	})...)
	wrong, err := l.connections(ctx, changes)
	if err != nil {
		return err
	}
	if bad = append(bad, wrong...); len(bad) == 0 {
		return nil
	}
	f := exitcode.Usagef("%s", bad.Error())
	f.Code, f.Hint = "invalid-files", hint
	return f
}

// unnamable finds new names of tables and columns that no zone can store.
func unnamable(changes []manifest.Change, taken func(bi string) bool) (bad manifest.Invalid) {
	check := func(k manifest.Kind, at manifest.Position, what, name string) {
		if fault := nameFault(name, k == manifest.KindBITable || k == manifest.KindBIColumn); fault != "" {
			bad = append(bad, manifest.Problem{Position: at, Text: fmt.Sprintf("%s name %.80q %s", what, name, fault)})
			return
		}
		if k != manifest.KindBITable && k != manifest.KindBIColumn {
			return
		}
		if stored := storedBIName(name); stored != name {
			text := fmt.Sprintf("underscores are dropped from the names of BI tables and their columns, so %s %s "+
				"would be stored as %s", what, name, stored)
			if what == "table" && taken(stored) {
				text += ", which is the name of another table"
			}
			bad = append(bad, manifest.Problem{Position: at, Text: text + ": name it without them"})
		}
	}
	for _, ch := range changes {
		switch o := ch.Want.(type) {
		case *manifest.Table:
			if ch.Have != nil {
				continue
			}
			check(ch.Kind, o.At, "table", ch.Name)
			for _, c := range o.Columns {
				check(ch.Kind, c.At, "column", c.Column)
			}
		case *manifest.Column:
			if had, ok := ch.Have.(*manifest.Column); !ok || had.Column != o.Column {
				check(ch.Kind, o.At, "column", o.Column)
			}
		}
	}
	return bad
}

// needed finds objects that prune would delete although objects in the files refer to them.
func needed(want *manifest.Project, gone []manifest.Change) manifest.Invalid {
	deleted := map[manifest.Ref]bool{}
	for _, ch := range gone {
		if ch.Action == manifest.Delete {
			deleted[ch.Ref] = true
		}
	}
	var bad manifest.Invalid
	for _, k := range manifest.Kinds() {
		for _, o := range manifest.Of[manifest.Object](want, k) {
			for _, ref := range refersTo(o) {
				if deleted[ref] {
					b := manifest.BaseOf(o)
					bad = append(bad, manifest.Problem{Position: b.At,
						Text: fmt.Sprintf("%s %s needs the %s %s, which would be deleted", words(k), b.Name,
							words(ref.Kind), ref.Name)})
				}
			}
		}
	}
	return bad
}

func words(k manifest.Kind) string { return strings.ReplaceAll(string(k), "-", " ") }

// refersTo returns the objects that an object refers to by name, except in statements.
func refersTo(o manifest.Object) []manifest.Ref {
	in := func(catalog, schema, table string) []manifest.Ref {
		if strings.EqualFold(catalog, api.InternalCatalogName) {
			for _, k := range []manifest.Kind{manifest.KindTable, manifest.KindBITable} {
				if schema == tableSchema(k) {
					return []manifest.Ref{{Kind: k, Name: table}}
				}
			}
			return nil
		}
		return []manifest.Ref{{Kind: manifest.KindCatalog, Name: catalog}, {Kind: manifest.KindSemanticCatalog,
			Name: catalog}}
	}
	switch o := o.(type) {
	case *manifest.Catalog:
		return []manifest.Ref{{Kind: manifest.KindConnection, Name: o.Connection}}
	case *manifest.SemanticTable:
		return []manifest.Ref{{Kind: manifest.KindQuery, Name: o.Query}}
	case *manifest.ParametricTable:
		return in(o.Catalog, o.FromSchema, o.FromTable)
	case *manifest.Cache:
		return in(o.Catalog, o.Schema, o.Table)
	case *manifest.Metadata:
		return in(o.Catalog, o.Schema, o.Table)
	case *manifest.Relation:
		return append(in(o.Source[0], o.Source[1], o.Source[2]), in(o.Target[0], o.Target[1], o.Target[2])...)
	}
	return nil
}

// connections finds types that the gateway does not support, and missing fields of credentials. Fields that the gateway
// does not list are reported as notes.
func (l *live) connections(ctx context.Context, changes []manifest.Change) (manifest.Invalid, error) {
	var sent []*manifest.Connection
	for _, ch := range changes {
		if c, ok := ch.Want.(*manifest.Connection); ok && ch.Action != manifest.Blocked {
			sent = append(sent, c)
		}
	}
	if len(sent) == 0 {
		return nil, nil
	}
	types, err := l.connectionTypes(ctx)
	if err != nil || len(types) == 0 {
		return nil, err
	}
	var bad manifest.Invalid
	for _, c := range sent {
		i := slices.IndexFunc(types, func(t api.ConnectionConfiguration) bool {
			return strings.EqualFold(t.ConnectionType, c.Type)
		})
		if i < 0 {
			var names []string
			for _, t := range types {
				names = append(names, t.ConnectionType)
			}
			bad = append(bad, manifest.Problem{Position: c.At,
				Text: fmt.Sprintf("this gateway has no connection type %q%s", c.Type, meant(c.Type, names))})
			continue
		}
		var fields []string
		for _, f := range types[i].Configuration {
			fields = append(fields, f.FieldName)
			if _, ok := c.Credential[f.FieldName]; !ok && f.Required && !types[i].RedirectRequired {
				bad = append(bad, manifest.Problem{Position: c.At,
					Text: fmt.Sprintf("credential %s is missing, which a connection of type %s needs",
						f.FieldName, c.Type)})
			}
		}
		for _, name := range slices.Sorted(maps.Keys(c.Credential)) {
			if len(fields) > 0 && !slices.Contains(fields, name) {
				fmt.Fprintf(l.e.Err, "warning: %s: credential %s is not a field of type %s%s\n", c.At.File, name,
					c.Type, meant(name, fields))
			}
		}
	}
	return bad, nil
}

func meant(word string, all []string) string {
	if near := nearest.Of(word, all); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// unread records that the columns of a table cannot be read, such as those of a saved query whose tables no longer
// exist. The metadata of the table is then not compared. Everything else is, so that apply can repair it.
func (l *live) unread(o api.Omission) bool {
	if o.Kind != "columns of" {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lacks == nil {
		l.lacks = map[string]bool{}
	}
	if !l.lacks[o.Name] {
		l.lacks[o.Name] = true
		fmt.Fprintf(l.e.Err, "note: the metadata of %s is left out, its columns cannot be read: %s\n", o.Name, o.Reason)
	}
	return true
}

// unreadIn returns the metadata in a project of tables whose columns cannot be read.
func (l *live) unreadIn(p *manifest.Project) []*manifest.Metadata {
	return slices.DeleteFunc(manifest.Of[*manifest.Metadata](p, manifest.KindMetadata),
		func(m *manifest.Metadata) bool {
			return !l.lacks[m.Catalog+"."+m.Schema+"."+m.Table]
		})
}

// leaveUnread excludes metadata that cannot be read from the comparison.
func (l *live) leaveUnread(want *manifest.Project) {
	for _, p := range []*manifest.Project{want, l.p} {
		for _, m := range l.unreadIn(p) {
			p.Drop(m.Ref)
		}
	}
}
