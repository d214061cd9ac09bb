package sharing

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// processState reports whether a process runs, whether it is stopped, and the processor time that it has used, in
// ticks. All are zero for a process that does not run the given program: process numbers are used again, and in another
// container they belong to other processes.
func processState(pid int, program string) (runs, stopped bool, work int64) {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if name, _, _ := bytes.Cut(line, []byte{0}); err != nil || filepath.Base(string(name)) != program {
		return false, false, 0
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	end := bytes.LastIndexByte(stat, ')') // the name before it may contain any character
	if err != nil || end < 0 {
		return false, false, 0
	}
	f := bytes.Fields(stat[end+1:]) // from the third field on
	if len(f) < 13 {
		return false, false, 0
	}
	for _, ticks := range f[11:13] {
		n, _ := strconv.ParseInt(string(ticks), 10, 64)
		work += n
	}
	return true, string(f[0]) == "T" || string(f[0]) == "t", work
}
