package term

import "golang.org/x/sys/unix"

const getTermios, setTermios, getWaiting = unix.TCGETS, unix.TCSETS, unix.TIOCINQ
