// Package smalldisk gives a test a small disk of its own, on Linux.
package smalldisk
