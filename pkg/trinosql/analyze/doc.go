// Package analyze resolves the names and types of a statement in Trino's language as Trino does: which column a name means, of what
// type each expression is, what is coerced to what, which signature of a function a call means, and what is wrong with a statement,
// in Trino's words and at the place that Trino names.
//
//	tree, err := trinosql.Parse(text)
//	a, err := analyze.Analyze(tree, analyze.Options{Catalog: catalog, DefaultCatalog: "tpch", DefaultSchema: "tiny"})
//	a.Output // the columns of the result
//
// Nothing is evaluated but literals. Time grows with the size of the statement; the tree that was parsed is not changed.
package analyze
