/* SPDX-License-Identifier: MIT */
/*
 * engine_details: what is to be known of an engine's device, for people and
 * for programs, in the order in which it is to be shown.
 */
#ifndef SRC_BASE_ENGINE_DETAILS_H
#define SRC_BASE_ENGINE_DETAILS_H

#include <stdbool.h>
#include <stdint.h>

enum { ENGINE_DETAILS_ROWS = 32 };

enum engine_detail_kind {
	ENGINE_TEXT,
	ENGINE_NUMBER, /* a plain one */
	ENGINE_HZ,     /* shown in MHz */
	ENGINE_BYTES,  /* shown in MiB */
	ENGINE_NODE,   /* a device node: key is its path, text its mode, owner
			* and group; number: may this user open it? */
	ENGINE_STEP    /* one of those that make the device usable */
};

struct engine_detail {
	enum engine_detail_kind kind;
	const char *key;   /* static; of JSON */
	const char *label; /* static; for people */
	uint64_t number;
	char text[512];
};

struct engine_details {
	unsigned nrows; /* 0: nothing is known */
	struct engine_detail rows[ENGINE_DETAILS_ROWS];
};

/* Each adds a row, unless all are in use. */
void
engine_details_number(struct engine_details *, enum engine_detail_kind,
		      const char *key, const char *label, uint64_t number);

__attribute__((format(printf, 5, 6))) void
engine_details_text(struct engine_details *, enum engine_detail_kind,
		    const char *key, const char *label, const char *format,
		    ...);

#endif
