/* SPDX-License-Identifier: MIT */
/*
 * rates: what --benchmark has measured here, kept for --list-devices.
 *
 * A file of the user, $XDG_CACHE_HOME/qpu-sha256sum/rates or
 * ~/.cache/qpu-sha256sum/rates; a line for each engine:
 *
 *	NODE VERSION YYYY-MM-DD ENGINE BYTES-PER-SECOND
 *
 * Lines of other machines are passed over and kept: a home may be shared.
 * It is a cache: where it cannot be read or written there is none.
 */
#ifndef SRC_RATES_H
#define SRC_RATES_H

#include <stdbool.h>

enum { RATES_MOST = 16 };

struct rate {
	char engine[32];
	char date[11];
	double bytes_per_second;
};

struct rates {
	unsigned n;
	struct rate rows[RATES_MOST];
};

/* Keep the highest rate of an engine; dated today. */
void
rates_note(struct rates *, const char *engine, double bytes_per_second);

/* NULL when it was not measured. */
const struct rate *
rates_find(const struct rates *, const char *engine);

/* What was saved on this machine by this version. */
void
rates_load(struct rates *);

/* Replaces what was saved of the same engines.  False: it was not to be. */
bool
rates_save(const struct rates *);

#endif
