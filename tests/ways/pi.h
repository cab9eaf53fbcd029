/* SPDX-License-Identifier: MIT */
/*
 * pi: a virtual Raspberry Pi (qpu/pi) in this process, for tests of both ways.
 *
 * pi_begin() puts it into the place of the C library's open, ioctl, mmap and so
 * on (support/fault.h): its files, its firmware and its kernel are the shipped
 * models.  What is asked of them is a letter each, also what children of the
 * test ask:
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

/* Begin with options of qpuemu, "--board=pi2 --cma=8"; the clock stands at 1 s.
 * pi_end() gives the C library back.  A process has one board on which programs
 * run. */
void
pi_begin(const char *options);
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
