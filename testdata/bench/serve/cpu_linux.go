package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// cpuOf is the processor time of a process and its children, in seconds.
func cpuOf(pid int) float64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	var ticks float64
	f := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	for _, text := range f[11:13] {
		n, _ := strconv.ParseFloat(text, 64)
		ticks += n
	}
	seconds := ticks / 100
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, thread := range threads {
		children, _ := os.ReadFile(thread)
		for _, child := range strings.Fields(string(children)) {
			if n, err := strconv.Atoi(child); err == nil {
				seconds += cpuOf(n)
			}
		}
	}
	return seconds
}
