/* SPDX-License-Identifier: MIT */
/*
 * board-client: what the parts of board-client.c share.
 */
#ifndef TESTS_VIRTUAL_BOARD_CLIENT_H
#define TESTS_VIRTUAL_BOARD_CLIENT_H

#include <stdint.h>

enum { PAGE = 4096, WORDS = 64, MAPPINGS = 256 };

struct command {
	const char *name; /* null after the last one */
	void (*run)(char *words);
};

/* Commands about files, names, the machine and signals; about requests and
 * memory; about the firmware and the QPUs. */
extern const struct command file_commands[], request_commands[],
	firmware_commands[];

extern char *answer; /* of the line, in memory that children share */
extern volatile uint32_t *mappings[MAPPINGS];

/* Add to the answer. */
__attribute__((format(printf, 1, 2))) void
say(const char *format, ...);

/* Return "good" for 0, or the message of an errno. */
const char *
name_of(int error);

/* Return the next word, or an empty one. */
char *
word(char **words);

uint64_t
number(char **words);

/* Add what one of several ways to ask has answered: the first answer, and of the
 * others those that differ from it. */
void
tell_way(const char *way, const char *told);

/* Make a request with a signal mask that differs each time, and must stay.  Return the
 * errno. */
int
ask(const char *how, int fd, unsigned long request, void *argument);

#endif
