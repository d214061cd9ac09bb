// Package process supervises the statements of a process: the memory that they use together, those that do not end, and
// what is reported when the engine ends the process.
package process
