/* SPDX-License-Identifier: MIT */
/*
 * preload: the rules of FAULTS, as preload.c has read them, and what its parts
 * share.  Nothing is exported, since a program may have such names, too.
 */
#ifndef TESTS_SUPPORT_PRELOAD_H
#define TESTS_SUPPORT_PRELOAD_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* clang-format off */
#define PRELOAD_KINDS(R)                                                       \
	R(read) R(short) R(eintr) R(halves) R(enospc) R(threads) R(memory)     \
	R(calls) R(opens) R(slow) R(hang) R(nonblock) R(clock) R(plain)        \
	R(kill) R(ioctl) R(peak) R(total)
/* clang-format on */
enum preload_kind {
#define PRELOAD_KIND(name) ON_##name,
	PRELOAD_KINDS(PRELOAD_KIND) KINDS
};

enum { PRELOAD_FIELDS = 3 };

struct preload_rule {
	bool is_set;
	char field[PRELOAD_FIELDS][64];
	unsigned long number[PRELOAD_FIELDS]; /* the same, or 0 */
	_Atomic unsigned long count; /* of calls, bytes or milliseconds */
};
extern struct preload_rule rules[KINDS];

/* Append a line to the log. */
void
log_line(const char *kind, const char *name, unsigned long number);

/* Count a call under a rule, and return its number, from 1. */
unsigned long
count(enum preload_kind kind);

/* Run FAULTS_COMMAND, which blocks no signals, whatever the program does now. */
void
run_command(void);

/* Put the rules about files into effect. */
void
hook_files(void);

#pragma GCC visibility pop

#endif
