package analyze

import (
	"github.com/dig-cli/dig/pkg/trinosql"
	"github.com/dig-cli/dig/pkg/trinosql/functions"
	"github.com/dig-cli/dig/pkg/trinosql/types"
)

// Analyze resolves a query, or the query of an EXPLAIN. The error is an *Error.
func Analyze(s trinosql.Statement, o Options) (a *Analysis, err error) {
	for e, ok := s.(*trinosql.Explain); ok; e, ok = s.(*trinosql.Explain) {
		s = e.Statement
	}
	q, ok := s.(*trinosql.Query)
	if !ok {
		return nil, &Error{Kind: "NOT_SUPPORTED", At: s.Pos(), Msg: "a statement that is not a query",
			Unsupported: true}
	}
	z := newAnalyzer(o)
	err = z.guard(func() {
		z.routines(q.Routines)
		fields := z.query(q, &scope{relation: noFields})
		z.an.Output = output(newRelation(fields).visible())
	})
	if err != nil {
		return nil, err
	}
	return z.an, nil
}

type analyzer struct {
	opt   Options
	an    *Analysis
	rec   *Expressions // where the analysis of expressions is recorded
	calls map[callKey]*functions.Bound
	casts map[[2]string]bool
	// lambdas has the analyses of lambda bodies, one for each list of parameter types.
	lambdas map[*trinosql.Lambda][]*lambdaBody
	// recursive has the reference of a query of WITH RECURSIVE to itself, while its step is analyzed.
	recursive map[*trinosql.TableRef]*named
	sel       *selectState // the innermost SELECT, for named windows
	windows   map[*trinosql.Func]*window
	open      []*openQuery                     // the enclosing queries, outermost first
	outer     map[*trinosql.Query][]outerRef   // the columns of outer queries that a query uses
	noOuter   bool                             // columns of outer queries are rejected
	declares  map[string][]*functions.Function // the functions of WITH FUNCTION
}

func newAnalyzer(o Options) *analyzer {
	z := &analyzer{
		opt: o, rec: newExpressions(), calls: map[callKey]*functions.Bound{}, casts: map[[2]string]bool{},
		lambdas: map[*trinosql.Lambda][]*lambdaBody{}, recursive: map[*trinosql.TableRef]*named{},
		windows: map[*trinosql.Func]*window{}, outer: map[*trinosql.Query][]outerRef{},
		declares: map[string][]*functions.Function{},
	}
	z.an = &Analysis{Expressions: *z.rec,
		Predicates: map[trinosql.Expr]*Predicate{}, Windows: map[*trinosql.Func]*Window{},
		FrameOffsets: map[trinosql.Expr]*FrameOffset{},
		Selects:      map[*trinosql.Select]*Select{}, Queries: map[*trinosql.Query]*Query{},
		Bodies:    map[trinosql.QueryBody]*Body{},
		Relations: map[trinosql.Relation]*Relation{}, Tables: map[trinosql.Node]*TableUse{},
		Recursive: map[*trinosql.NamedQuery]*Recursion{},
	}
	return z
}

func newExpressions() *Expressions {
	return &Expressions{
		Types: map[trinosql.Expr]*types.Type{}, Coercions: map[trinosql.Expr]*types.Type{},
		Columns: map[trinosql.Expr]*ColumnRef{},
		Fields:  map[trinosql.Expr]int{}, Lambdas: map[*trinosql.Ident]*LambdaRef{},
		Calls:    map[trinosql.Expr]*functions.Bound{},
		Specials: map[*trinosql.Func]string{}, Operators: map[trinosql.Expr]*functions.Bound{},
	}
}

// guard converts a failure to an error.
func (z *analyzer) guard(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.err
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

func output(fields []*Field) []Column {
	list := make([]Column, len(fields))
	for i, f := range fields {
		list[i] = Column{f.Name, f.Type}
		if f.Name == "" {
			list[i].Name = "_col" + itoa(i)
		}
	}
	return list
}
