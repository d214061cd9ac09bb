// Package running runs statements: it writes them for DuckDB, plans and starts them, returns or stores their rows, and
// has DuckDB read the rows of sources.
package running
