/* SPDX-License-Identifier: MIT */
/*
 * message: the messages of a handle.  All zero is an empty list.
 */
#ifndef QPU_API_MESSAGE_H
#define QPU_API_MESSAGE_H

#include "qpu/api/qpu.h"

struct messages {
	struct qpu_message **rows; /* each with its texts */
	size_t n, capacity;
	size_t errors; /* more than rows have if some are not kept */
	bool lost;     /* one, because memory was short */
};

/* Add a copy; null texts of `message` become "", but for `source`. */
void
messages_add(struct messages *all, const struct qpu_message *message);

/*
 * Add an error without a place, and return the status; or, with NO_MEMORY, add
 * none.
 */
__attribute__((format(printf, 3, 4))) enum qpu_status
messages_refuse(struct messages *all, enum qpu_status status,
		const char *format, ...);

/* The message with an index, or null. */
const struct qpu_message *
messages_at(const struct messages *all, size_t index);

void
messages_free(struct messages *all);

#endif
