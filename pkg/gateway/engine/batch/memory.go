package batch

import "unsafe"

// At returns element i of values of type T.
func At[T any](data unsafe.Pointer, i int) T {
	var zero T
	return *(*T)(unsafe.Add(data, uintptr(i)*unsafe.Sizeof(zero)))
}

// TextAt returns element i of a vector of texts, without copying it: up to 12 bytes are inlined, longer ones are
// referenced by a pointer.
func TextAt(data unsafe.Pointer, i int) []byte {
	p := unsafe.Add(data, i*16)
	n := *(*uint32)(p)
	if n <= 12 {
		return unsafe.Slice((*byte)(unsafe.Add(p, 4)), n)
	}
	return unsafe.Slice(*(**byte)(unsafe.Add(p, 8)), n)
}

// NullAt reports whether element i is NULL, by the validity mask of its vector: 64-bit words with a bit for each value
// that is not NULL; nil if none is.
func NullAt(valid unsafe.Pointer, i int) bool {
	return valid != nil && *(*uint64)(unsafe.Add(valid, i>>6*8))>>(uint(i)&63)&1 == 0
}
