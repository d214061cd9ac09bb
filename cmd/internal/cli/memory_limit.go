package cli

import (
	"os"
	"path"
	"strconv"
	"strings"
)

// memoryShare is the share of a container's memory that one project's engine may use; the rest is for everything else.
const memoryShare = 0.6

// MemoryFor returns the engine's memory limit for a process that may use limit bytes: 0, which is the engine's own
// default, unless that default is too high.
func MemoryFor(allowed int64) int64 {
	if allowed <= 0 || allowed >= 2<<30 {
		return 0
	}
	return int64(float64(allowed) * memoryShare)
}

// AllowedMemory returns the memory limit in bytes that the control groups above this process set; 0 if there is no
// limit or no control group.
func AllowedMemory() int64 {
	raw, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return 0
	}
	var least int64
	for _, line := range strings.Split(string(raw), "\n") {
		f := strings.SplitN(line, ":", 3)
		if len(f) != 3 {
			continue
		}
		var root, file string
		switch {
		case f[1] == "":
			root, file = "/sys/fs/cgroup", "memory.max"
		case strings.Contains(","+f[1]+",", ",memory,"):
			root, file = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		for dir := path.Clean("/" + f[2]); ; dir = path.Dir(dir) { // the limit of any parent group applies
			if raw, err := os.ReadFile(path.Join(root, dir, file)); err == nil {
				if n, err := strconv.ParseInt(strings.TrimSpace(string(raw)), 10, 64); err == nil && n > 0 &&
					(least == 0 || n < least) {
					least = n
				}
			}
			if dir == "/" {
				break
			}
		}
	}
	return least
}
