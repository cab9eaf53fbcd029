/* SPDX-License-Identifier: MIT */
/*
 * list_cause: why a file has another digest than its list says (-c --why).
 *
 * When the first file fails, all lists are read once more with their LIST.index,
 * since the digest may be another name's.
 */
#ifndef SRC_INPUTS_LIST_CAUSE_H
#define SRC_INPUTS_LIST_CAUSE_H

#include "src/inputs/input_options.h"
#include "src/inputs/list_rows.h"

struct cause_list;

/* Start from {.options}. */
struct list_causes {
	const struct input_options *options;
	struct cause_list *lists;
	size_t nlists, lists_capacity;
	struct text sentence, from;
};

struct list_cause {
	const char *word;     /* damaged, edited, moved or unknown */
	const char *from;     /* the name that has the digest, or NULL */
	const char *sentence; /* for people */
};

/* Find the cause for a file that has this digest now.  `list` has the name; the texts
 * are valid until the next call. */
struct list_cause
list_causes_find(struct list_causes *, const char *list, const char *name,
		 const uint8_t digest[SHA256_DIGEST_BYTES]);

void
list_causes_free(struct list_causes *);

#endif
