/* SPDX-License-Identifier: MIT */
/*
 * pi: tests of both ways on a virtual Raspberry Pi.
 *
 * The test runs itself under qpuemu, as users run programs: pi_exec().  Between
 * the code under test and the board stand hooks of the C library
 * (support/fault.h), which note what is asked of the board, a letter each, also
 * what children of the test ask:
 *
 *	E e	the QPUs on, off
 *	x	execute
 *	c	the clock
 *	P	a process keeps memory
 *	K k m	the clock on, off, its rate is set
 *	s	VCSM_ALLOCATE
 *	h i	memory of the heap, VCSM_IMPORT
 *	f R	flush, refresh
 *	w	nothing, for 10 ms
 *	b p j q	of the kernel's driver: a buffer, a program, a job, a wait
 *
 * pi_wrong() makes the next requests of a kind fail, or be answered wrongly.
 */
#ifndef TESTS_WAYS_PI_H
#define TESTS_WAYS_PI_H

#include <stdbool.h>
#include <stdint.h>

struct pi {
	/* The last requests' arguments. */
	uint32_t execute[4];
	char requested[128];
	unsigned locks;
	bool interruptible;  /* a signal could reach the kernel's allocation */
	int mapped, unwiped; /* buffers */
};

extern struct pi pi;

/* Run this test, with an argument, on a board with options of qpuemu,
 * "--board=pi2 --cma=8".  Return only if that fails. */
void
pi_exec(const char *options, const char *test, char *argument);

/* Begin on the board, with its QPUs off; the clock stands at 1 s.  pi_end() gives
 * the C library back. */
void
pi_begin(void);
void
pi_end(void);

/* Return the path of the Pi's file "proc/meminfo"; valid until the next call. */
const char *
pi_place(const char *path);

/* Return the clock of the QPUs. */
uint32_t
pi_clock_hz(void);

/* The next requests of a kind, "KIND=ANSWER[*N]": N times, or once.  A kind is a
 * tag of the firmware in hexadecimal, a letter, a path that is opened, "lock" or
 * "map".  An answer is the name of an errno; or of a tag its first or second
 * value (V or :V), or "code", "message" or "tag" for what the firmware does not
 * set; or of a buffer "@ADDRESS".  Return false if that is none of them. */
bool
pi_wrong(const char *word);

/* An event of the test's own. */
void
pi_note(char event);

/* Return the requests since the last pi_forget(). */
const char *
pi_events(void);

/* Return true if these were all requests since then; else print them. Forget
 * them. */
bool
pi_asked(const char *events);

/* Forget what was asked. */
void
pi_forget(void);

#endif
