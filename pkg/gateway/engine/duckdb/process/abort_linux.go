//go:build cgo

package process

/*
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int dig_abort_code;

static void dig_say(const char *text) {
	ssize_t n = write(2, text, strlen(text));
	(void)n;
}

// Errors that the engine throws where nothing catches them end the process: with these words, not with a trace.
static void dig_ended(void) {
	dig_say("dig: the engine has ended this process, because it could not open or read a file, or had no memory left\n"
		"hint: what was reported as done is stored; see `ulimit -n`, `ulimit -v` and the disk, and check the data by `dig gateway verify`\n");
	_exit(dig_abort_code);
}

static void dig_aborted(int sig) {
	(void)sig;
	dig_ended();
}

extern void *_ZSt13set_terminatePFvvE(void (*)(void)); // std::set_terminate

static void dig_on_abort(int code) {
	struct sigaction a;
	dig_abort_code = code;
	memset(&a, 0, sizeof a);
	a.sa_handler = dig_aborted;
	a.sa_flags = SA_ONSTACK; // as Go requires
	sigaction(SIGABRT, &a, NULL);
	_ZSt13set_terminatePFvvE(dig_ended);
}

// Below these limits the process would end before it can say why: this runs before Go's runtime begins.
__attribute__((constructor)) static void dig_limits(void) {
	struct rlimit l;
	char text[200];
	if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_max != RLIM_INFINITY && l.rlim_max < 20) {
		snprintf(text, sizeof text, "dig: this process may open only %lu files\nhint: raise the limit with `ulimit -n`\n", (unsigned long)l.rlim_max);
	} else if (getrlimit(RLIMIT_AS, &l) == 0 && l.rlim_cur != RLIM_INFINITY && l.rlim_cur < 1100ul << 20) {
		snprintf(text, sizeof text, "dig: this process may use only %lu MiB of address space\nhint: raise the limit with `ulimit -v`; dig reserves more than it uses\n",
			(unsigned long)(l.rlim_cur >> 20));
	} else {
		return;
	}
	dig_say(text);
	_exit(1);
}
*/
import "C"

// OnAbort sets the exit code of this process for when the engine ends it.
func OnAbort(code int) { C.dig_on_abort(C.int(code)) }
