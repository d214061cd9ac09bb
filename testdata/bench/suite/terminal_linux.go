package main

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

// openTerminal opens a pseudo terminal of the given size.
func openTerminal(width, height uint16) (master, slave *os.File, err error) {
	if master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		return nil, nil, err
	}
	ioctl := func(call uintptr, p unsafe.Pointer) {
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), call, uintptr(p)); e != 0 && err == nil {
			err = e
		}
	}
	var lock, number int32
	size := [4]uint16{height, width}
	ioctl(syscall.TIOCSPTLCK, unsafe.Pointer(&lock))
	ioctl(syscall.TIOCGPTN, unsafe.Pointer(&number))
	ioctl(syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	if err == nil {
		slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		master.Close()
		return nil, nil, err
	}
	return master, slave, nil
}
