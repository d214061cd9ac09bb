// Package analyze resolves the names and types of a statement in Trino's language as Trino does: the column of each
// name, the type of each expression, the implicit coercions, the signature of each function call, and the errors of a
// statement with Trino's message and position.
//
//	tree, err := trinosql.Parse(text)
//	a, err := analyze.Analyze(tree, analyze.Options{Catalog: catalog, DefaultCatalog: "tpch", DefaultSchema: "tiny"})
//	a.Output // the columns of the result
//
// Only literals are evaluated. Time is linear in the size of the statement; the syntax tree is not changed.
package analyze
