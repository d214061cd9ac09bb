// Package udf adds to DuckDB the functions that translated statements call, and those that bound its own.
package udf
