// Package e2e runs the end-to-end scripts of testdata/script and the examples of README.md and docs, with dig in a
// process of its own. It contains only tests.
package e2e
