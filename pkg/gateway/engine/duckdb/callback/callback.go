//go:build cgo

package callback

/*
#include <stdlib.h>
void dig_free_held(void *);
*/
import "C"

import (
	"fmt"
	"runtime/cgo"
	"unsafe"
)

// Freed is a value that has something to release when DuckDB has no more use for it.
type Freed interface{ Freed() }

// Hold returns a pointer that DuckDB can keep for a Go value until it calls FreeHeld.
func Hold(v any) unsafe.Pointer {
	p := C.malloc(C.size_t(unsafe.Sizeof(cgo.Handle(0))))
	*(*cgo.Handle)(p) = cgo.NewHandle(v)
	return p
}

func Held(p unsafe.Pointer) any { return (*(*cgo.Handle)(p)).Value() }

//export dig_free_held
func dig_free_held(p unsafe.Pointer) {
	if v, ok := Held(p).(Freed); ok {
		v.Freed()
	}
	(*(*cgo.Handle)(p)).Delete()
	C.free(p)
}

// FreeHeld is the function that releases what Hold has returned.
func FreeHeld() unsafe.Pointer { return unsafe.Pointer(C.dig_free_held) }

// Guarded runs a callback; a panic in one would end the process.
func Guarded(fail func(string), f func() error) {
	defer func() {
		if r := recover(); r != nil {
			fail(fmt.Sprintf("a source failed: %v", r))
		}
	}()
	if err := f(); err != nil {
		fail(err.Error())
	}
}
