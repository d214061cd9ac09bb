//go:build cgo

package blocks

/*
#cgo LDFLAGS: -Wl,--wrap=duckdb_je_malloc -Wl,--wrap=duckdb_je_realloc -Wl,--wrap=_Znwm

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

// DuckDB has an allocator of its own; where it is built without, these are not called.
extern void *__real_duckdb_je_malloc(size_t) __attribute__((weak));
extern void *__real_duckdb_je_realloc(void *, size_t) __attribute__((weak));
extern int duckdb_je_mallctl(const char *, void *, size_t *, void *, size_t) __attribute__((weak));
extern void *__real__Znwm(size_t);
extern void _ZSt17__throw_bad_allocv(void); // std::__throw_bad_alloc

static atomic_llong dig_bound;

// A thread inherits the name of the one that starts it: this is the name of all threads that work on a file of others.
static const char dig_guest[16] = "dig-guest";

static int dig_is_guest(void) {
	char name[16];
	return prctl(PR_GET_NAME, name) == 0 && strcmp(name, dig_guest) == 0;
}

// A large block must fit into the limit of the process. A guest is given none of more than 256 MiB, and must fit with smaller ones too: one
// function may fill thousands of them before it notices an interrupt.
static int dig_refuses(size_t n) {
	long long bound, resident = 0, shared = 0;
	char text[128];
	ssize_t k;
	int f;
	if (n < (256ul << 10)) {
		return 0;
	}
	if (dig_is_guest()) {
		if (n > (256ul << 20)) {
			return 1;
		}
	} else if (n < (1ul << 20)) {
		return 0;
	}
	if ((bound = atomic_load_explicit(&dig_bound, memory_order_relaxed)) == 0) {
		return 0;
	}
	if ((f = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) < 0) {
		return 0;
	}
	k = read(f, text, sizeof text - 1);
	close(f);
	if (k <= 0) {
		return 0;
	}
	text[k] = 0;
	if (sscanf(text, "%*s %lld %lld", &resident, &shared) != 2) {
		return 0;
	}
	return n > (size_t)bound || (resident - shared) * sysconf(_SC_PAGESIZE) > bound - (long long)n;
}

void *__wrap_duckdb_je_malloc(size_t n) {
	if (dig_refuses(n)) {
		errno = ENOMEM;
		return NULL;
	}
	return __real_duckdb_je_malloc(n);
}

void *__wrap_duckdb_je_realloc(void *p, size_t n) {
	if (dig_refuses(n)) {
		errno = ENOMEM;
		return NULL;
	}
	return __real_duckdb_je_realloc(p, n);
}

// operator new
void *__wrap__Znwm(size_t n) {
	if (dig_refuses(n)) {
		_ZSt17__throw_bad_allocv();
	}
	return __real__Znwm(n);
}

static void dig_set_bound(long long n) { atomic_store_explicit(&dig_bound, n, memory_order_relaxed); }

static void dig_enter(char *before) {
	prctl(PR_GET_NAME, before);
	prctl(PR_SET_NAME, dig_guest);
}

static void dig_leave(const char *before) { prctl(PR_SET_NAME, before); }

static void dig_trim(void) {
#ifdef __GLIBC__
	malloc_trim(0);
#endif
	if (duckdb_je_mallctl) {
		duckdb_je_mallctl("arena.4096.purge", NULL, NULL, NULL, 0); // 4096 is all of them
	}
}
*/
import "C"

import "runtime"

// Bound sets the memory of the process in bytes beyond which no large blocks are allocated; 0 is no limit.
func Bound(n int64) { C.dig_set_bound(C.longlong(n)) }

// Trim returns released memory to the system.
func Trim() { C.dig_trim() }

// Guest calls a function that works on a file of others. Neither it nor the threads that it starts are given blocks of
// more than 256 MiB.
func Guest(do func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var name [16]C.char
	C.dig_enter(&name[0])
	defer C.dig_leave(&name[0])
	do()
}
