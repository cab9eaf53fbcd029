/* SPDX-License-Identifier: MIT */
/*
 * rates: the results of --benchmark, stored for --list-devices and
 * --device=auto.
 *
 * The file belongs to the user: $XDG_CACHE_HOME/qpu-sha256sum/rates or
 * ~/.cache/qpu-sha256sum/rates; a line for each engine:
 *
 *	NODE VERSION YYYY-MM-DD ENGINE BYTES-PER-SECOND
 *
 * Lines of other machines, which may share a home, and of other versions are not
 * used; nor is what is no such line.  The file is replaced as a whole, so that
 * several programs may write at the same time.  If it cannot be read or
 * written, nothing is stored.
 */
#ifndef SRC_BENCH_RATES_H
#define SRC_BENCH_RATES_H

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

/* Load the rates that this version stored on this machine. */
void
rates_load(struct rates *);

/* Replace what is stored.  Return false if that failed. */
bool
rates_save(const struct rates *);

#endif
