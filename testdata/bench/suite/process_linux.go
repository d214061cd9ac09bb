package main

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

const rssUnit = 1024

// written waits for a process without reaping it and returns the number of bytes it has written to files, pipes and devices.
func written(pid int) (n int64) {
	const byPID, exited, leave = 1, 4, 0x01000000
	var info [128]byte
	for {
		_, _, e := syscall.Syscall6(syscall.SYS_WAITID, byPID, uintptr(pid), uintptr(unsafe.Pointer(&info)), exited|leave, 0, 0)
		if e == 0 {
			break
		}
		if e != syscall.EINTR {
			return 0
		}
	}
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	_, rest, _ := bytes.Cut(raw, []byte("wchar:"))
	_, _ = fmt.Sscan(string(rest), &n) // 0 if the system does not report it
	return n
}
