package trino

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/rowfile/csv"
	"github.com/dig-cli/dig/internal/sqltext"
	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/gateway/engine"
	"github.com/dig-cli/dig/pkg/gateway/engine/importer"
	"github.com/dig-cli/dig/pkg/gateway/engine/tabledef"
	"github.com/google/uuid"
)

// ImportCSV implements engine.Tables. The rows are written to a file of Parquet that the cluster can read, which
// becomes a part of the table by one commit.
func (p *project) ImportCSV(ctx context.Context, kind, table string, src io.Reader,
	m engine.Import) (done engine.Imported, err error) {
	if p.e.Stage == "" {
		return done, noStage()
	}
	doc := m.Document
	if doc == nil {
		received, err := p.receive(ctx, src, m.MaxBytes, func() error {
			t, err := p.find(ctx, kind, table)
			if err == nil {
				_, err = importer.Map(t.Name, t.Columns, m)
			}
			return err
		})
		if err != nil {
			return done, err
		}
		defer received.Close()
		size, err := received.Seek(0, io.SeekEnd)
		if err != nil {
			return done, err
		}
		doc = csv.Stored{In: received, Bytes: size}
	}
	if m.Timeout > 0 {
		var over context.CancelFunc
		ctx, over = context.WithTimeoutCause(ctx, m.Timeout, &engine.Error{Kind: engine.KindTimeout,
			Err:     context.DeadlineExceeded,
			Message: fmt.Sprintf("the document was not stored within %s; none of its rows is stored", m.Timeout)})
		defer over()
	}
	if m.ID != "" { // its folder has that name, whichever table it is for
		var unlock func()
		if ctx, unlock, err = p.change(ctx, "import "+p.id+" "+m.ID); err != nil {
			return done, err
		}
		defer unlock()
	}
	ctx, unlock, err := p.changeTables(ctx, p.named(kind, table))
	if err != nil {
		return done, err
	}
	defer unlock()
	if rows, stored, err := p.FindImport(ctx, m.ID); err != nil || stored { // sent again
		return engine.Imported{Rows: rows, Again: stored}, err
	}
	t, err := p.find(ctx, kind, table)
	if err != nil {
		return done, err
	}
	im := &importing{p: p, t: t, m: m, doc: doc}
	defer im.discard()
	for {
		err := im.stage(ctx)
		var wider *importer.WiderError
		if !errors.As(err, &wider) {
			if err != nil || im.rows == 0 && m.Appends() {
				return done, err
			}
			break
		}
		im.widen(wider.Types)
	}
	done = engine.Imported{Rows: im.rows, Inserted: im.rows}
	if m.Appends() {
		if err := im.unique(ctx, "FROM "+p.at(t)); err != nil {
			return done, err
		}
		return done, im.commit(ctx)
	}
	return im.merge(ctx)
}

// longDocument is the size of a document before whose end it is found out whether it can be imported.
const longDocument = 1 << 20

// receive copies a document to a file without a name, so that it can be read twice. check is called during a long one.
func (p *project) receive(ctx context.Context, src io.Reader, limit int64, check func() error) (*tempfile.Unnamed,
	error) {
	if err := os.MkdirAll(p.e.dir, 0o700); err != nil {
		return nil, err
	}
	f, err := tempfile.CreateUnnamed(p.e.dir, "import-*.csv")
	if err != nil {
		return nil, err
	}
	n, checked := int64(0), false
	buf := make([]byte, csv.Window)
	for {
		k, err := src.Read(buf)
		n += int64(k)
		if err == nil && n > longDocument && !checked {
			checked, err = true, check()
			if err != nil {
				f.Close()
				return nil, err
			}
		}
		_, werr := f.Write(buf[:k])
		switch {
		case ctx.Err() != nil:
			err = engine.Ended(ctx, nil)
		case limit > 0 && n > limit:
			err = &engine.Error{Kind: engine.KindLimit, Message: fmt.Sprintf("the document is larger than %d bytes",
				limit)}
		case werr != nil:
			err = werr
		case err == io.EOF:
			return f, nil
		case err != nil:
			err = fmt.Errorf("reading the document: %w", err)
		}
		if err != nil {
			f.Close()
			return nil, err
		}
	}
}

// importing is an import. Its folder holds the file of rows, which belongs to the table after the commit.
type importing struct {
	p       *project
	t       *tabledef.Table
	m       engine.Import
	doc     csv.Document
	name    string // of its folder
	widened bool
	rows    int64
	kept    bool // the file belongs to the table, or may
	merged  bool // its rows are in files of the table's own
}

// intent is what is noted of an import before its commit, beside its folder.
type intent struct {
	Schema string `json:"schema"`
	Table  string `json:"table"` // as the catalog has it
	File   string `json:"file"`  // its address for the cluster, "" if the rows are merged
	Rows   int64  `json:"rows"`
	Stored bool   `json:"stored"` // it is certain that they are
}

// folder is the folder of the project's imports.
func (p *project) folder() string { return filepath.Join(p.e.Stage, p.schema("import")) }

// address is that of a file in a folder of imports, for the cluster.
func (p *project) address(folder, file string) string {
	return strings.TrimRight(p.e.StageLocation, "/") + "/" + path.Join(p.schema("import"), folder, file)
}

func (im *importing) address(file string) string { return im.p.address(im.name, file) }

func (im *importing) dir() string { return filepath.Join(im.p.folder(), im.name) }

// stage reads the document and writes its rows.
func (im *importing) stage(ctx context.Context) error {
	if im.name == "" {
		if im.name = physical(im.m.ID); im.m.ID == "" {
			im.name = physical(uuid.NewString())
		}
		if err := im.makeFolder(); err != nil {
			return err
		}
	}
	targets, err := importer.Map(im.t.Name, im.t.Columns, im.m)
	if err != nil {
		return err
	}
	in := &importer.Reader{Columns: im.t.Columns, Targets: targets, Header: im.m.Header, Key: im.m.Key}
	ids, err := im.p.nextIDs(time.Now(), im.p.at(im.t))
	if err != nil {
		return err
	}
	out, err := newParquet(im.file(), im.t.Columns)
	if err != nil {
		return err
	}
	err = in.With(ctx, im.doc, func() error {
		im.rows, err = out.fill(ctx, in, im.t, &ids)
		return err
	})
	if err != nil {
		return errors.Join(err, out.abandon())
	}
	if err := out.close(); err != nil {
		return err
	}
	return im.p.keepLastID(im.p.at(im.t), ids.Last())
}

// makeFolder makes the folder of the import. What an earlier import of this id has left did not become a part of the
// table.
func (im *importing) makeFolder() error {
	return errors.Join(os.RemoveAll(im.dir()), os.MkdirAll(im.dir(), 0o755))
}

// file is the file of rows.
func (im *importing) file() string { return filepath.Join(im.dir(), rowsFile) }

func noStage() error {
	return &engine.Error{Kind: engine.KindUnsupported, Message: "this gateway has no folder for imported rows",
		Hint: "start it with --trino-stage and --trino-stage-location", Err: engine.ErrNotSupported}
}

// rowsFile is the name of the file of rows in the folder of an import.
const rowsFile = "rows.parquet"

// widen gives columns of decimals more digits.
func (im *importing) widen(wider map[string]string) {
	im.widened = true
	im.t.Columns = slices.Clone(im.t.Columns)
	for i, c := range im.t.Columns {
		if typ := wider[c.Name]; typ != "" {
			im.t.Columns[i].Type = typ
		}
	}
}

// commit makes the file a part of the table.
func (im *importing) commit(ctx context.Context) error {
	if im.widened {
		if err := im.retype(ctx); err != nil {
			return err
		}
	}
	about := intent{Schema: im.p.schema(im.t.Kind), Table: physical(strings.ToLower(im.t.Name)),
		File: im.address(rowsFile),
		Rows: im.rows}
	if err := im.note(about); err != nil {
		return err
	}
	im.kept = true
	_, err := im.p.exec(ctx, im.adding(im.p.at(im.t)), true, nil)
	if err != nil {
		// The reply may be lost and the rows stored.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		stored, ferr := im.p.holds(ctx, about)
		if ferr != nil {
			return errors.Join(err, ferr)
		}
		if !stored {
			im.kept = false
			return err
		}
	}
	about.Stored = true
	return im.note(about)
}

// adding makes the file a part of a table.
func (im *importing) adding(table string) string {
	return "ALTER TABLE " + table + " EXECUTE add_files(location => " + sqltext.Literal(im.address("")) +
		", format => 'PARQUET')"
}

// retype gives the columns of the table the types that the file has. The catalog gives a decimal more digits in place,
// but not behind the point.
func (im *importing) retype(ctx context.Context) error {
	now, err := im.p.find(ctx, im.t.Kind, im.t.Name)
	if err != nil {
		return err
	}
	list := columnsOf(now)
	again := false
	for i, c := range im.t.Columns {
		if c.Type != now.Columns[i].Type {
			list[i] = "CAST(" + list[i] + " AS " + columnType(c.Type) + ")"
			_, was, _ := api.DecimalOf(now.Columns[i].Type)
			_, scale, _ := api.DecimalOf(c.Type)
			again = again || scale != was
		}
	}
	if again {
		return im.p.rewrite(ctx, now, im.t, list)
	}
	for i, c := range im.t.Columns {
		if c.Type == now.Columns[i].Type {
			continue
		}
		if _, err := im.p.exec(ctx, "ALTER TABLE "+im.p.at(im.t)+" ALTER COLUMN "+quoted(c)+" SET DATA TYPE "+
			columnType(c.Type), true, nil); err != nil {
			return fmt.Errorf("column %q cannot get the type %s that its values need: %w", c.Name, c.Type, err)
		}
		if _, err := im.p.exec(ctx, "COMMENT ON COLUMN "+im.p.at(im.t)+"."+quoted(c)+" IS "+comment(im.t, i), true,
			nil); err != nil {
			return err
		}
	}
	return nil
}

func (im *importing) note(about intent) error {
	b, err := json.Marshal(about)
	if err != nil {
		return err
	}
	return tempfile.Write(im.dir()+".json", b)
}

// discard removes the files of an import whose rows are not stored.
func (im *importing) discard() {
	if !im.kept && im.name != "" {
		_ = os.RemoveAll(im.dir())
		if !im.merged {
			_ = os.Remove(im.dir() + ".json")
		}
	}
}

// FindImport implements engine.Tables: an import that is noted and not known to be stored is looked for in its table.
func (p *project) FindImport(ctx context.Context, id string) (int64, bool, error) {
	if id == "" || p.e.Stage == "" {
		return 0, false, nil
	}
	b, err := os.ReadFile(filepath.Join(p.folder(), physical(id)+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	var about intent
	if err == nil {
		err = json.Unmarshal(b, &about)
	}
	if err == nil && !about.Stored {
		about.Stored, err = p.holds(ctx, about)
	}
	if err != nil || !about.Stored {
		return 0, false, err
	}
	return about.Rows, true, nil
}

// holds reports whether a file is a part of its table.
func (p *project) holds(ctx context.Context, about intent) (found bool, err error) {
	if about.File == "" {
		// Rows that were merged are in files of the table's own. Such an import may be sent again: it ends alike.
		return false, nil
	}
	// Of all states: the rows may be in another file by now.
	_, err = p.exec(ctx, "SELECT 1 FROM "+sqltext.Quote(p.e.Catalog, about.Schema, about.Table+"$all_entries")+
		" WHERE data_file.file_path = "+sqltext.Literal(about.File)+" LIMIT 1", false,
		func([]*string) error { found = true; return nil })
	if isKind(err, engine.KindUnknownTable) || isKind(err, engine.KindUnknownSchema) {
		err = nil // it was dropped with its rows
	}
	return found, err
}
