/* SPDX-License-Identifier: MIT */
/*
 * commands: what the commands of requests.golden and its like are made of;
 * test-requests.c says what each does.
 */
#ifndef TESTS_VC4_COMMANDS_H
#define TESTS_VC4_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/pi/vc4.h"
#include "tests/support/golden.h"

enum { WORDS = 64 }; /* of a command, at most */

#define LENGTH(table) (sizeof(table) / sizeof(*(table)))

extern struct vc4 *node; /* of the case */

/* An answer, or the name of the error if there is one. */
__attribute__((format(printf, 2, 3))) void
answer(int error, const char *format, ...);

/* Write numbers, one after the other; sizes has the bytes of each.  Any
 * character parts them, and those that are missing are 0. */
size_t
put_numbers(uint8_t *to, const char *text, const char *sizes);

/* Read "3,0x10,8*0". */
uint32_t
read_words(const char *text, uint32_t *words);

/* A member of a struct, or several that follow each other. */
struct member {
	const char *name;
	size_t at;
	const char *sizes; /* the bytes of each */
};

/* Set the member of "NAME=NUMBERS". Return false if there is no such member. */
bool
set_member(const struct member *members, size_t n, void *of, const char *word);

/* A request.  Where memory of the process is short it must say so, and have
 * done nothing: the next one gets what it would have got. */
int
ask(unsigned long request, void *argument);

/* Commands for jobs and the V3D's view of memory. */
extern const struct golden_command job_commands[];

void
create(const char *words);
void
poke(char *words);

#endif
