/* SPDX-License-Identifier: MIT */
/*
 * handle: what the handles of the library hold: messages, and what a program is.
 */
#ifndef QPU_API_HANDLE_H
#define QPU_API_HANDLE_H

#include "qpu/asm/asm.h"
#include "qpu/isa/isa.h"
#include "qpu/isa/linemap.h"
#include "qpu/qpu.h"

/* A message with its texts, and the address that it is of now, if it is of several. */
struct message {
	struct qpu_message shown;
	int64_t last;
	char texts[];
};

/* The messages of a handle.  All zero is an empty list. */
struct messages {
	struct message **rows;
	size_t n, capacity;
	size_t errors; /* more than rows have if some are not kept */
	bool lost;     /* one, because memory was short */
};

/* A message without an address. */
#define MESSAGE(...)                                                           \
	(&(struct qpu_message){ .address = -1, .qpu = -1, __VA_ARGS__ })

/* Add a copy; null texts of `message` become "", but for `source`.  Return it, or null
 * if memory is short. */
struct message *
messages_add(struct messages *all, const struct qpu_message *message);

/*
 * Add an error without a place, and return the status; or, with NO_MEMORY, add
 * none.
 */
__attribute__((format(printf, 3, 4))) enum qpu_status
messages_refuse(struct messages *all, enum qpu_status status,
		const char *format, ...);

void
messages_free(struct messages *all);

/* Add a message about the word at an index; or, beyond the last one, about the whole
 * program. */
struct message *
program_message(struct qpu_program *program, size_t index,
		enum qpu_severity severity, const char *rule, const char *text);

/* The words alone, to be freed; null when memory is short. */
uint64_t *
program_words(const struct qpu_program *program);

/* The lines of a program's instructions; false when memory is short. */
bool
map_lines(const struct qpu_program *program, struct qpu_linemap *map);

/* The bit of the first warning in `ignored`; a rule's bit is its number. */
enum { WARNING_BIT = 32 };

struct strings {
	char **rows;
	size_t n, capacity;
};

struct qpu_program {
	struct strings directories, preloads;
	qpu_reader *reader;
	void *reader_context;
	uint64_t ignored; /* rules, a bit each; warnings from WARNING_BIT on */
	struct messages messages;

	bool is_filled;			  /* it has got its words, or errors */
	char *name;			  /* of the source or the words */
	struct qpu_asm_program assembled; /* all zeros without a source */
	struct qpu_word *words;		  /* null after an error */
	struct qpu_word *given;		  /* those before it was optimised */
	struct opt_origins *origins;	  /* of words, among those given */
	struct qpu_inst *insts;		  /* of words that are instructions */
	bool *is_inst;
	size_t n;
};

#endif
