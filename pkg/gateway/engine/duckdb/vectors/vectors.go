// Package vectors reads the values in the memory of DuckDB's vectors in place. What it returns is valid until the chunk of the vector is
// destroyed.
package vectors

import "unsafe"

// At returns element i of a vector whose elements are of type T.
func At[T any](data unsafe.Pointer, i int) T {
	var zero T
	return *(*T)(unsafe.Add(data, uintptr(i)*unsafe.Sizeof(zero)))
}

// Text returns element i of a vector of strings, without copying it: up to 12 bytes are inlined, longer ones are referenced by a pointer.
func Text(data unsafe.Pointer, i int) []byte {
	p := unsafe.Add(data, i*16)
	n := *(*uint32)(p)
	if n <= 12 {
		return unsafe.Slice((*byte)(unsafe.Add(p, 4)), n)
	}
	return unsafe.Slice(*(**byte)(unsafe.Add(p, 8)), n)
}

// Null reports whether element i is NULL, by the validity mask of its vector: 64-bit words with a bit for each value that is not NULL; nil
// if none is.
func Null(valid unsafe.Pointer, i int) bool {
	return valid != nil && *(*uint64)(unsafe.Add(valid, i>>6*8))>>(uint(i)&63)&1 == 0
}
