//go:build !linux

package main

const rssUnit = 1

// written is 0 where the system does not tell.
func written(pid int) int64 { return 0 }
