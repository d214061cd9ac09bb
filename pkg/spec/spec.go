// Package spec defines every operation of the gateway once: identifier, group, method and path. The client, the local
// gateway, the commands and the tests refer only to these values, so a path is written in one place only.
package spec

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Op is one operation of the gateway. Values are immutable; Path is relative to the base address and contains
// {parameters}.
type Op struct {
	ID         string   // camelCase identifier, unique
	Group      string   // group in the documents
	Method     string   // HTTP method
	Path       string   // path template relative to the base address, with {name} parameters
	Query      []string // names of the query parameters the operation reads
	Partner    bool     // requires a partner key
	Deprecated bool     // deprecated: the documents name a successor
	Slow       bool     // answered by a language model, which may take minutes
}

type option func(*Op)

func partner(o *Op)    { o.Partner = true }
func deprecated(o *Op) { o.Deprecated = true }
func slow(o *Op)       { o.Slow = true }
func query(names ...string) option {
	return func(o *Op) { o.Query = names }
}

var all []Op

func op(id, group, method, path string, opts ...option) Op {
	o := Op{ID: id, Group: group, Method: method, Path: path}
	for _, set := range opts {
		set(&o)
	}
	all = append(all, o)
	return o
}

// All lists every operation in document order. The slice is a copy.
func All() []Op { return append([]Op(nil), all...) }

// Find returns the operation with the given identifier.
func Find(id string) (Op, bool) {
	for _, o := range all {
		if o.ID == id {
			return o, true
		}
	}
	return Op{}, false
}

// Safe reports whether the operation changes nothing, so that it can be retried if there was no answer: the GETs, and
// the POSTs that are queries.
func (o Op) Safe() bool {
	switch o.ID {
	case ExecuteQuery.ID, Search.ID, TranspileSql.ID:
		return true
	}
	return o.Method == "GET"
}

// Params lists the path parameters in order of appearance, without braces.
func (o Op) Params() []string {
	var names []string
	rest := o.Path
	for {
		i := strings.IndexByte(rest, '{')
		if i < 0 {
			return names
		}
		j := strings.IndexByte(rest[i:], '}')
		names = append(names, rest[i+1:i+j])
		rest = rest[i+j+1:]
	}
}

// Bound is an operation with its path parameters and optionally its query filled in. A Bound with invalid parameters
// carries the error; the client returns it before any request.
type Bound struct {
	Op    Op
	Path  string // escaped, relative to the base address, starts with "/"
	Query url.Values
	Err   error

	// Slash is the error for a parameter that contains a slash or a backslash, if the gateway or a proxy before it is
	// not known to preserve %2F and %5C within a segment: decoded early, it would address another resource.
	Slash error
}

// ErrParam is wrapped by every error about a path parameter.
var ErrParam = errors.New("invalid path parameter")

// At fills the path parameters in order and escapes them. Empty values, ".", "..", values with a control character, and
// a wrong count are rejected: each could address another resource than intended. See Bound for values with a slash.
func (o Op) At(args ...string) Bound {
	b := Bound{Op: o}
	names := o.Params()
	if len(names) != len(args) {
		b.Err = fmt.Errorf("%w: %s takes %d (%s), got %d", ErrParam, o.ID, len(names), strings.Join(names, ", "),
			len(args))
		return b
	}
	path := o.Path
	for i, name := range names {
		if err := checkParam(name, args[i]); err != nil {
			b.Err = err
			return b
		}
		if at := strings.IndexAny(args[i], `/\`); at >= 0 && b.Slash == nil {
			b.Slash = fmt.Errorf("%w: %s contains %q, which is not allowed in a path segment", ErrParam,
				name, args[i][at])
		}
		path = strings.Replace(path, "{"+name+"}", "\x00"+fmt.Sprint(i)+"\x00", 1)
	}
	for i := range names {
		path = strings.Replace(path, "\x00"+fmt.Sprint(i)+"\x00", url.PathEscape(args[i]), 1)
	}
	b.Path = path
	return b
}

func checkParam(name, v string) error {
	switch {
	case v == "":
		return fmt.Errorf("%w: %s is empty", ErrParam, name)
	case v == "." || v == "..":
		return fmt.Errorf("%w: %s is %q, which a server would resolve to another path", ErrParam, name, v)
	}
	for _, r := range v {
		if r < 0x20 || r == 0x7f {
			return fmt.Errorf("%w: %s contains %q, which is not allowed in a path segment", ErrParam, name, r)
		}
	}
	return nil
}

// WithQuery returns a copy of b with the given query parameters.
func (b Bound) WithQuery(q url.Values) Bound {
	for k, vs := range q {
		for _, v := range vs {
			b = b.With(k, v)
		}
	}
	return b
}

// With returns a copy of b with a query parameter added; an empty value is omitted.
func (b Bound) With(name, value string) Bound {
	if value == "" {
		return b
	}
	q := url.Values{}
	for k, v := range b.Query {
		q[k] = append([]string(nil), v...)
	}
	q.Set(name, value)
	b.Query = q
	return b
}

// CreateWholeTable and CreateWholeBi create a table together with its columns, all or nothing, where the service has
// two operations that may be interrupted in between. They exist on zone local only, like ImportBi.
var (
	CreateWholeTable = Op{ID: "createWholeTable", Group: "internal-tables", Method: "POST",
		Path: "/local/projects/{projectId}/table/{tableName}"}
	CreateWholeBi = Op{ID: "createWholeBi", Group: "bi-tables", Method: "POST",
		Path: "/local/projects/{projectId}/bitable/{tableName}"}
)

// DropEmptyTable and DropEmptyBi delete a table only if it has no rows at that moment; the service has no such
// operation. They exist on zone local only.
var (
	DropEmptyTable = Op{ID: "dropEmptyTable", Group: "internal-tables", Method: "DELETE",
		Path: "/local/projects/{projectId}/table/{tableName}"}
	DropEmptyBi = Op{ID: "dropEmptyBi", Group: "bi-tables", Method: "DELETE",
		Path: "/local/projects/{projectId}/bitable/{tableName}"}
)

// DeleteRows, RenameTable and CopyTable change an internal or a BI table; the service has no such operations. They
// exist on zone local only.
var (
	DeleteRows = Op{ID: "deleteRows", Group: "internal-tables", Method: "POST",
		Path: "/local/projects/{projectId}/tables/{schemaName}/{tableName}/delete"}
	RenameTable = Op{ID: "renameTable", Group: "internal-tables", Method: "POST",
		Path: "/local/projects/{projectId}/tables/{schemaName}/{tableName}/rename"}
	CopyTable = Op{ID: "copyTable", Group: "internal-tables", Method: "POST",
		Path: "/local/projects/{projectId}/tables/{schemaName}/{tableName}/copy"}
)

// FindImport reports whether the rows of an import are stored; the service has no such operation. It exists on zone
// local only.
var FindImport = Op{ID: "findImport", Group: "internal-tables", Method: "GET",
	Path: "/local/projects/{projectId}/import/{importId}"}

// ListImports lists the latest imports of a project, stored or failed; the service has no such operation. It exists on
// zone local only.
var ListImports = Op{ID: "listImports", Group: "internal-tables", Method: "GET",
	Path: "/local/projects/{projectId}/imports", Query: []string{"limit"}}

// ImportBi imports a CSV document into a BI table. It exists on zone local only, at an address that the service does
// not have: rows of BI tables can be entered only in the service's web studio. All does not include it.
var ImportBi = Op{ID: "importBi", Group: "bi-tables", Method: "POST",
	Path: "/local/projects/{projectId}/bitable/{tableName}/import"}

// CompactLocal rewrites the files of zone local without their unused space: those of all projects and of the state, or
// that of one project.
var CompactLocal = Op{ID: "compactLocal", Group: "local", Method: "POST", Path: "/local/compact", Partner: true}

// BackupLocal copies the state and the rows of zone local, of one moment, to a directory of the gateway's machine. It
// is for processes of the gateway's user.
var BackupLocal = Op{ID: "backupLocal", Group: "local", Method: "POST", Path: "/local/backup", Partner: true}

// Local lists the operations that only zone local has.
func Local() []Op {
	return []Op{ImportBi, CreateWholeTable, CreateWholeBi, DropEmptyTable, DropEmptyBi, FindImport, ListImports,
		DeleteRows, RenameTable, CopyTable, CompactLocal, BackupLocal}
}
