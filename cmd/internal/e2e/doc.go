// Package e2e runs the end-to-end scripts of testdata/script and the examples of README.md and docs, with dig as a process of its own. It
// has tests only.
package e2e
