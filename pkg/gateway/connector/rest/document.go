package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/late"
)

// document is the credential field "tables": the tables of the API, and limits on the requests. Unknown members are
// rejected, as a misspelt one would be silently ignored.
type document struct {
	Tables []*table `json:"tables"`
	Test   string   `json:"test"` // path that a valid key may read; default: the tables that need no parameter

	RequestsPerSecond float64 `json:"requestsPerSecond"` // 0: no limit
	// of one request after 429, 5xx or a broken connection; default 4
	Retries *int    `json:"retries"`
	MaxWait float64 `json:"maxWait"` // maximum wait before a retry in seconds; default 60
	// seconds without an answer, or without a byte of it; default 30
	Timeout        float64 `json:"timeout"`
	MaxResponseMiB int64   `json:"maxResponseMiB"` // of one response; default 64
}

// table is one endpoint.
type table struct {
	Name       string            `json:"name"`
	Schema     string            `json:"schema"` // default "rest"
	Comment    string            `json:"comment"`
	Path       string            `json:"path"`   // relative to the base address; {name} stands for a parameter
	Method     string            `json:"method"` // only GET is supported
	Query      map[string]string `json:"query"`  // sent with every request
	Rows       string            `json:"rows"`   // path to the array in the document; "" is the document itself
	Single     bool              `json:"single"` // the value is one object: one row
	Paging     paging            `json:"paging"`
	Parameters []parameter       `json:"parameters"`
	Columns    []declared        `json:"columns"` // all columns; without it they are derived from a sample
	Types      map[string]string `json:"types"`   // types that override those of sampled columns
	Sample     int               `json:"sample"`  // rows of the sample; default 1000
}

// paging describes how to get the next page.
type paging struct {
	Type string `json:"type"` // none (default), page, offset, cursor, link
	// query parameter of the page number, the offset or the cursor; default: the name of the type
	Param     string `json:"param"`
	First     *int64 `json:"first"`     // number of the first page (default 1) or row (default 0)
	SizeParam string `json:"sizeParam"` // query parameter of the page size
	Size      int    `json:"size"`
	// cursor: path to it; link: path to the address of the next page, default the Link header
	Next     string `json:"next"`
	More     string `json:"more"`     // path to a boolean that is false on the last page
	Total    string `json:"total"`    // path to the number of all rows
	MaxPages int    `json:"maxPages"` // limit per scan; default 1000. More pages are an error
}

// parameter is a query parameter, shown as column _q_NAME or, with Column, set by equality on that column.
type parameter struct {
	Name     string `json:"name"`
	Required bool   `json:"required"`
	Type     string `json:"type"`   // varchar (default), bigint, boolean
	Column   string `json:"column"` // a column of the rows that the parameter filters by equality
	Sample   string `json:"sample"` // value used when the columns are looked up
	Comment  string `json:"comment"`

	inPath bool
}

// declared is a column with a declared type.
type declared struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Path    string `json:"path"` // member of the row; default the name
	Comment string `json:"comment"`
}

const (
	defaultSchema  = "rest"
	defaultSample  = 1000
	defaultPages   = 1000
	defaultRetries = 4
	paramPrefix    = "_q_"
)

var (
	nameForm = late.Regexp(`^[A-Za-z0-9_][A-Za-z0-9_ .-]*$`)
	holeForm = late.Regexp(`\{([^{}]*)\}`)
	typeForm = late.Regexp(`^(boolean|smallint|integer|bigint|double|decimal\(([1-9]|[12][0-9]|3[0-8]),` +
		`([0-9]|[12][0-9]|3[0-8])\)|varchar|json|date|timestamp|timestamp with time zone|time|uuid)$`)
)

func parseDocument(text string) (*document, error) {
	var d document
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the document ends early")
		}
		return nil, fmt.Errorf("credential field \"tables\": %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New(`credential field "tables": unexpected data after the document`)
	}
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("credential field \"tables\": %w", err)
	}
	return &d, nil
}

func (d *document) check() error {
	if d.Retries == nil {
		d.Retries = new(int)
		*d.Retries = defaultRetries
	}
	if d.MaxWait == 0 {
		d.MaxWait = 60
	}
	if d.Timeout == 0 {
		d.Timeout = 30
	}
	if d.MaxResponseMiB == 0 {
		d.MaxResponseMiB = 64
	}
	switch {
	case len(d.Tables) == 0:
		return errors.New("tables: at least one is required")
	case d.RequestsPerSecond < 0:
		return errors.New("requestsPerSecond must not be negative")
	case *d.Retries < 0 || *d.Retries > 20:
		return errors.New("retries must be 0 to 20")
	case d.MaxWait < 0 || d.MaxWait > 3600:
		return errors.New("maxWait must be 0 to 3600 seconds")
	case d.Timeout < 0 || d.Timeout > 3600:
		return errors.New("timeout must be 0 to 3600 seconds")
	case d.MaxResponseMiB < 1 || d.MaxResponseMiB > 4096:
		return errors.New("maxResponseMiB must be 1 to 4096")
	}
	if d.Test != "" {
		if err := checkPath(d.Test); err != nil {
			return fmt.Errorf("test: %w", err)
		}
	}
	seen := map[[2]string]bool{}
	for i, t := range d.Tables {
		if t == nil || t.Name == "" {
			return fmt.Errorf("tables[%d]: name is required", i)
		}
		if err := t.check(); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
		key := [2]string{strings.ToLower(t.Schema), strings.ToLower(t.Name)}
		if seen[key] {
			return fmt.Errorf("table %s.%s is defined twice, ignoring case", t.Schema, t.Name)
		}
		seen[key] = true
	}
	return nil
}

func (d *document) timeout() time.Duration { return time.Duration(d.Timeout * float64(time.Second)) }
func (d *document) maxWait() time.Duration { return time.Duration(d.MaxWait * float64(time.Second)) }

func (t *table) check() error {
	if t.Schema == "" {
		t.Schema = defaultSchema
	}
	if t.Sample == 0 {
		t.Sample = defaultSample
	}
	switch {
	case !nameForm().MatchString(t.Name) || !nameForm().MatchString(t.Schema):
		return errors.New("names may contain letters, digits, blanks, underscores, points and dashes")
	case strings.EqualFold(t.Schema, "information_schema"):
		return errors.New("the schema name information_schema is reserved")
	case t.Path == "":
		return errors.New("path is required")
	case t.Method != "" && t.Method != "GET":
		return fmt.Errorf("method %q is not supported; tables are read with GET", t.Method)
	case t.Sample < 1 || t.Sample > 100_000:
		return errors.New("sample must be 1 to 100000 rows")
	case t.Single && t.Paging.Type != "" && t.Paging.Type != "none":
		return errors.New("a single object has no pages")
	case len(t.Columns) > 0 && len(t.Types) > 0:
		return errors.New("columns sets all types; types is for sampled columns")
	}
	if err := checkPath(holeForm().ReplaceAllString(t.Path, "x")); err != nil {
		return err
	}
	if err := t.Paging.check(); err != nil {
		return fmt.Errorf("paging: %w", err)
	}
	for name, typ := range t.Types {
		if !typeForm().MatchString(typ) {
			return fmt.Errorf("types: %q is not a type for column %q", typ, name)
		}
	}
	names := map[string]bool{}
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Path == "" {
			c.Path = "/" + pointerEscape(c.Name)
		}
		switch lower := strings.ToLower(c.Name); {
		case c.Name == "":
			return fmt.Errorf("columns[%d]: name is required", i)
		case names[lower]:
			return fmt.Errorf("column %q is defined twice, ignoring case", c.Name)
		case !typeForm().MatchString(c.Type):
			return fmt.Errorf("column %q: %q is not a type", c.Name, c.Type)
		default:
			names[lower] = true
		}
	}
	return t.checkParameters(names)
}

func (t *table) checkParameters(columns map[string]bool) error {
	holes := map[string]bool{}
	for _, m := range holeForm().FindAllStringSubmatch(t.Path, -1) {
		holes[m[1]] = true
	}
	seen := map[string]bool{}
	for i := range t.Parameters {
		p := &t.Parameters[i]
		if p.Type == "" {
			p.Type = "varchar"
		}
		p.inPath = holes[p.Name]
		switch _, fixed := t.Query[p.Name]; {
		case !nameForm().MatchString(p.Name):
			return fmt.Errorf("parameters[%d]: name %q", i, p.Name)
		case seen[strings.ToLower(p.Name)] || columns[strings.ToLower(paramPrefix+p.Name)]:
			return fmt.Errorf("parameter %q is defined twice, ignoring case", p.Name)
		case fixed || p.Name == t.Paging.Param || p.Name == t.Paging.SizeParam:
			return fmt.Errorf("parameter %q is already set by query or paging", p.Name)
		case !slices.Contains([]string{"varchar", "bigint", "boolean"}, p.Type):
			return fmt.Errorf("parameter %q: type %q is not one of varchar, bigint, boolean", p.Name, p.Type)
		case p.inPath && !p.Required:
			return fmt.Errorf("parameter %q is part of the path and must be required", p.Name)
		case p.Required && p.Column != "":
			return fmt.Errorf("parameter %q: a parameter that is set by a column cannot be required", p.Name)
		case p.Column != "" && len(columns) > 0 && !columns[strings.ToLower(p.Column)]:
			return fmt.Errorf("parameter %q: there is no column %q", p.Name, p.Column)
		case p.Required && p.Sample == "" && len(t.Columns) == 0:
			return fmt.Errorf("parameter %q is required, so the columns cannot be determined: give it a sample "+
				"value, or give columns", p.Name)
		}
		seen[strings.ToLower(p.Name)] = true
		delete(holes, p.Name)
	}
	for name := range holes {
		return fmt.Errorf("the path contains {%s}, which is not a parameter", name)
	}
	return nil
}

func (p *paging) check() error {
	first := int64(0)
	switch p.Type {
	case "", "none":
		p.Type = "none"
		if *p != (paging{Type: "none", MaxPages: p.MaxPages}) {
			return errors.New("a type is required: page, offset, cursor or link")
		}
	case "page":
		first = 1
	case "offset":
	case "cursor":
		if p.Next == "" {
			return errors.New("type cursor requires next, the path to the cursor")
		}
	case "link":
		if p.Param != "" {
			return errors.New("type link does not allow param: the source returns the complete next address")
		}
	default:
		return fmt.Errorf("type %q is not one of none, page, offset, cursor, link", p.Type)
	}
	if p.Param == "" && p.Type != "link" && p.Type != "none" {
		p.Param = p.Type
	}
	if p.First == nil {
		p.First = &first
	}
	if p.MaxPages == 0 {
		p.MaxPages = defaultPages
	}
	switch {
	case p.Size < 0, *p.First < 0:
		return errors.New("size and first must not be negative")
	case p.SizeParam != "" && p.Size == 0:
		return errors.New("sizeParam requires size")
	case p.SizeParam == "" && p.Size != 0:
		return errors.New("size requires sizeParam, the query parameter it is sent as")
	case p.MaxPages < 1 || p.MaxPages > 1_000_000:
		return errors.New("maxPages must be 1 to 1000000")
	case p.Next != "" && p.Type != "cursor" && p.Type != "link":
		return errors.New("next is only for types cursor and link")
	}
	return nil
}

// checkPath rejects paths that could leave the base address.
func checkPath(p string) error {
	u, err := url.Parse(p)
	switch {
	case err != nil:
		return fmt.Errorf("path %q is not a valid path", p)
	case u.Scheme != "" || u.Host != "" || strings.HasPrefix(p, "//"):
		return fmt.Errorf("path %q must be below the base address, without a host", p)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return fmt.Errorf("path %q: give fixed parameters as query", p)
	case strings.Contains(p, `\`) || slices.ContainsFunc(strings.Split(u.Path, "/"),
		func(s string) bool { return s == ".." || s == "." }):
		return fmt.Errorf("path %q must not contain . or .. or a backslash", p)
	}
	return nil
}
