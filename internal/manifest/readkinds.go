package manifest

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/rowfile"
	"github.com/dig-cli/dig/internal/sqlstmt"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/schedule"
)

// file reads one file. have are the names of the other files in its directory.
func (r *reader) file(top, file, stem string, up []string, have map[string]bool) error {
	raw, err := r.regular(file)
	if raw == nil || err != nil {
		return err
	}
	if strings.HasSuffix(file, endSQL) {
		var sidecar []byte
		if have[stem+endYAML] {
			if sidecar, err = r.regular(path.Join(path.Dir(file), stem+endYAML)); sidecar == nil || err != nil {
				return err
			}
		}
		if fault := api.TextFault(raw); fault != nil { // its other bytes would be stored as U+FFFD
			r.problem(Position{File: file}, "it is %v", fault)
			return nil
		}
		sql := sqlOf(raw)
		if strings.TrimSpace(sql) == "" {
			r.problem(Position{File: file}, "there is no statement in it")
		} else if top == dirQueries {
			r.query(file, stem, up, sql, sidecar)
		} else {
			r.golden(file, stem, sql, sidecar)
		}
		return nil
	}
	if top == dirQueries || top == dirGolden {
		if !have[stem+endSQL] {
			r.problem(Position{File: file}, "%s%s, with the statement, is missing next to it", stem, endSQL)
		}
		return nil
	}
	map[string]func(file, name string, raw []byte){dirConnections: r.connection, dirCatalogs: r.catalog,
		dirSemantic: r.semantic, dirTables: r.table(KindTable), dirBITables: r.table(KindBITable),
		dirParametric: r.parametric, dirCaches: r.caches, dirMetadata: r.metadata, dirRelations: r.relations}[top](file,
		objectName(stem), raw)
	return nil
}

// sqlOf returns the statement in a file: without its terminator, and with line feeds for the line ends of a checkout on
// Windows.
func sqlOf(raw []byte) string {
	raw = bytes.TrimPrefix(raw, []byte(rowfile.Mark))
	if n := bytes.Count(raw, []byte("\n")); n > 0 && n == bytes.Count(raw, []byte("\r\n")) {
		raw = bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n"))
	}
	return SQLText(string(raw))
}

// SQLText returns a statement for comparing and writing: without a semicolon and white space at its end.
func SQLText(sql string) string {
	return strings.TrimRight(sqlstmt.TrimEnd(sql), " \t\r\n")
}

func (r *reader) query(file, stem string, up []string, sql string, sidecar []byte) {
	var f fileQuery
	at, d := Position{File: file}, (*doc)(nil)
	if sidecar != nil {
		yml := strings.TrimSuffix(file, endSQL) + endYAML
		if d = r.decode(yml, sidecar, &f); d == nil {
			return
		}
		at = Position{yml, 1}
	}
	q := &Query{Base: Base{Ref: Ref{KindQuery, cmp.Or(f.Name, objectName(stem))}, RenamedFrom: f.RenamedFrom, At: at},
		Folder: "/" + strings.Join(up, "/"), SQL: sql, Materialized: f.Materialized}
	q.SQLName = sqltext.OfQuery(q.Name)
	if s := f.Schedule; s != nil {
		q.Schedule = Schedule(*s)
		if err := s.check(); err != nil {
			r.problem(d.line("schedule"), "schedule: %v", err)
		} else if !f.Materialized {
			r.problem(d.line("schedule"), "only a materialized query has a schedule: add materialized: true")
		}
	}
	r.add(q)
}

func (s fileSchedule) check() error {
	switch {
	case s.Every != "" && s.Cron != "":
		return fmt.Errorf("every and cron are mutually exclusive")
	case s.Every == "" && s.Cron == "":
		return fmt.Errorf("every or cron is missing")
	case s.Timezone != "" && s.Cron == "":
		return fmt.Errorf("timezone requires cron")
	case s.Every != "":
		_, err := schedule.ParsePeriod(s.Every)
		return err
	}
	z, err := schedule.ParseZone(s.Timezone)
	if err == nil {
		_, err = schedule.ParseCron(s.Cron, z)
	}
	return err
}

// period returns the canonical form of a duration.
func period(text string) string {
	if text == "" {
		return ""
	}
	p, err := schedule.ParsePeriod(text)
	if err != nil {
		return text
	}
	out := "P"
	part := func(n int64, unit string) {
		if n != 0 {
			out += fmt.Sprint(n) + unit
		}
	}
	part(int64(p.Months), "M")
	part(int64(p.Days), "D")
	if p.Time != 0 {
		out += "T"
		part(int64(p.Time/time.Hour), "H")
		part(int64(p.Time%time.Hour/time.Minute), "M")
		if s := p.Time % time.Minute; s != 0 {
			out += strconv.FormatFloat(s.Seconds(), 'f', -1, 64) + "S"
		}
	}
	return out
}

func (r *reader) golden(file, stem, sql string, sidecar []byte) {
	var f fileGolden
	yml := strings.TrimSuffix(file, endSQL) + endYAML
	if sidecar == nil {
		r.problem(Position{File: file}, "%s%s, with the prompt, is missing next to it", stem, endYAML)
		return
	}
	if d := r.decode(yml, sidecar, &f); d != nil {
		if strings.ContainsRune(f.Prompt, 0) {
			r.problem(d.line("prompt"), "a prompt cannot contain NUL")
			return
		}
		r.add(NewGoldenSQL(f.Prompt, sql, Position{yml, 1}))
	}
}

// NewGoldenSQL returns a golden statement.
func NewGoldenSQL(prompt, sql string, at Position) *GoldenSQL {
	sql = SQLText(sql)
	return &GoldenSQL{Base: Base{Ref: Ref{KindGoldenSQL, prompt + "\x00" + sql}, At: at}, Prompt: prompt, SQL: sql}
}

func (r *reader) connection(file, name string, raw []byte) {
	var f fileConnection
	d := r.decode(file, raw, &f)
	if d == nil {
		return
	}
	for _, k := range slices.Sorted(maps.Keys(f.Credential)) {
		text, ok := f.Credential[k].Text()
		if !ok {
			continue
		}
		if _, err := References(text); err != nil {
			r.problem(d.line("credential", k), "%s: %v", k, err)
		}
	}
	r.add(&Connection{Base: Base{Ref: Ref{KindConnection, cmp.Or(f.Name, name)}, RenamedFrom: f.RenamedFrom,
		At: Position{file, 1}}, Type: f.Type, Credential: f.Credential})
}

func (r *reader) catalog(file, name string, raw []byte) {
	var f fileCatalog
	if r.decode(file, raw, &f) == nil {
		return
	}
	name = cmp.Or(f.Name, name)
	r.add(&Catalog{Base: Base{Ref: Ref{KindCatalog, name}, At: Position{file, 1}}, DisplayName: cmp.Or(f.DisplayName,
		name), Connection: f.Connection, Parameters: f.Parameters})
}

func (r *reader) semantic(file, name string, raw []byte) {
	var f fileSemantic
	d := r.decode(file, raw, &f)
	if d == nil {
		return
	}
	name = cmp.Or(f.Name, name)
	r.add(&SemanticCatalog{Base: Base{Ref: Ref{KindSemanticCatalog, name}, At: Position{file, 1}},
		DisplayName: cmp.Or(f.DisplayName, name)})
	for _, t := range slices.Sorted(maps.Keys(f.Tables)) {
		if n, at, ok := r.tableIn(d, t, "tables", t); ok {
			r.add(&SemanticTable{Base: Base{Ref: Ref{KindSemanticTable, JoinName(name, n[0], n[1])}, At: at},
				Catalog: name, Schema: n[0], Table: n[1], Query: f.Tables[t]})
		}
	}
}

// tableIn parses SCHEMA.TABLE, the value of the member at a path.
func (r *reader) tableIn(d *doc, name string, way ...any) (n []string, at Position, ok bool) {
	at = d.line(way...)
	n, err := splitName(name, 2)
	if err != nil {
		r.problem(at, "%v", err)
	}
	return n, at, err == nil
}

// table returns the reader of the files of a kind of tables.
func (r *reader) table(kind Kind) func(file, name string, raw []byte) {
	return func(file, name string, raw []byte) { r.tableFile(kind, file, name, raw) }
}

func (r *reader) tableFile(kind Kind, file, name string, raw []byte) {
	var f fileTable
	d := r.decode(file, raw, &f)
	if d == nil {
		return
	}
	t := &Table{Base: Base{Ref: Ref{kind, cmp.Or(f.Name, name)}, At: Position{file, 1}}}
	for i, c := range f.Columns {
		of, ok := api.ColumnType(c.Type)
		if !ok {
			r.problem(d.line("columns", i, "type"), "type: %q is not one of %s", c.Type,
				strings.ToLower(strings.Join(api.ColumnTypes(), ", ")))
		}
		t.Columns = append(t.Columns, &Column{Base: Base{RenamedFrom: c.RenamedFrom, At: d.line("columns", i)},
			Column: c.Name, Type: of, DisplayName: cmp.Or(c.DisplayName, c.Name),
			Default: c.Default, Description: c.Description, NotNull: c.NotNull, Unique: c.Unique})
	}
	for i, c := range t.Columns {
		if slices.ContainsFunc(t.Columns[:i], func(o *Column) bool { return strings.EqualFold(o.Column, c.Column) }) {
			r.problem(c.At, "there are two columns %s", c.Column)
			return
		}
	}
	r.add(t)
}

func (r *reader) parametric(file, catalog string, raw []byte) {
	var f fileParametric
	d := r.decode(file, raw, &f)
	if d == nil {
		return
	}
	for _, t := range slices.Sorted(maps.Keys(f)) {
		n, at, ok := r.tableIn(d, t, t)
		from, _, fromOK := r.tableIn(d, f[t].From, t, "from")
		if ok && fromOK {
			r.add(&ParametricTable{Base: Base{Ref: Ref{KindParametricTable, JoinName(catalog, n[0], n[1])}, At: at},
				Catalog: catalog, Schema: n[0], Table: n[1],
				FromSchema: from[0], FromTable: from[1], Values: f[t].Values})
		}
	}
}

func (r *reader) caches(file, catalog string, raw []byte) {
	var f fileCaches
	d := r.decode(file, raw, &f)
	if d == nil {
		return
	}
	for _, t := range slices.Sorted(maps.Keys(f)) {
		c := f[t]
		n, at, ok := r.tableIn(d, t, t)
		for _, s := range [][2]string{{"incremental", c.Incremental}, {"full", c.Full}} {
			if s[1] == "" {
				continue
			}
			if _, err := schedule.ParsePeriod(s[1]); err != nil {
				r.problem(d.line(t, s[0]), "%s: %v", s[0], err)
			}
		}
		if len(c.Key) == 0 && (c.UpdatedAt != "" || c.InsertOnly) {
			r.problem(at, "updated-at and insert-only need key")
		}
		if ok {
			r.add(&Cache{Base: Base{Ref: Ref{KindCache, JoinName(catalog, n[0], n[1])}, At: at}, Catalog: catalog,
				Schema: n[0], Table: n[1],
				Incremental: c.Incremental, Full: c.Full, Key: c.Key, UpdatedAt: c.UpdatedAt, InsertOnly: c.InsertOnly})
		}
	}
}

func (r *reader) metadata(file, catalog string, raw []byte) {
	var f fileMetadata
	d := r.decode(file, raw, &f)
	if d == nil {
		return
	}
	for _, t := range slices.Sorted(maps.Keys(f)) {
		n, at, ok := r.tableIn(d, t, t)
		if !ok {
			continue
		}
		m := &Metadata{Base: Base{Ref: Ref{KindMetadata, JoinName(catalog, n[0], n[1])}, At: at}, Catalog: catalog,
			Schema: n[0], Table: n[1],
			Description: f[t].Description, Hidden: f[t].UseWithAI != nil && !*f[t].UseWithAI,
			Columns: map[string]ColumnMetadata{}}
		for k, c := range f[t].Columns {
			m.Columns[k] = ColumnMetadata(c)
		}
		r.add(m)
	}
}

func (r *reader) relations(file, catalog string, raw []byte) {
	var f fileRelations
	d := r.decode(file, raw, &f)
	if d == nil {
		return
	}
	for i, rel := range f {
		from, err := splitName(rel.From, 3)
		if err != nil {
			r.problem(d.line(i, "from"), "from: %v", err)
			continue
		}
		to, err := splitName(rel.To, 4)
		if err != nil {
			r.problem(d.line(i, "to"), "to: %v", err)
			continue
		}
		if !slices.Contains([]string{"MANY_TO_ONE", "ONE_TO_MANY", "ONE_TO_ONE"}, rel.Type) {
			r.problem(d.line(i, "type"), "type: %q is not one of MANY_TO_ONE, ONE_TO_MANY, ONE_TO_ONE", rel.Type)
		}
		r.add(NewRelation([4]string{catalog, from[0], from[1], from[2]}, [4]string(to), rel.Type, d.line(i)))
	}
}

// NewRelation returns a relation.
func NewRelation(source, target [4]string, kind string, at Position) *Relation {
	return &Relation{Base: Base{Ref: Ref{KindRelation, JoinName(source[:]...) + " -> " + JoinName(target[:]...)},
		At: at}, Source: source, Target: target, Type: kind}
}

// check finds mistakes between files.
func (r *reader) check() {
	names := map[string]*Query{}
	for _, q := range Of[*Query](r.p, KindQuery) {
		if other := names[q.SQLName]; other != nil {
			r.problem(q.At, "%s and %s have the same name in SQL, %s", q.Name, other.Name, q.SQLName)
		}
		names[q.SQLName] = q
	}
	r.checkRenames()
	r.checkSpelling()
}
