/* SPDX-License-Identifier: MIT */
/*
 * rates: the results of --benchmark, stored for --list-devices and
 * --device=auto.
 *
 * The file belongs to the user: $XDG_CACHE_HOME/qpu-sha256sum/rates or
 * ~/.cache/qpu-sha256sum/rates; a line for each engine:
 *
 *	NODE BOARD VERSION YYYY-MM-DD ENGINE BYTES-PER-SECOND
 *
 * BOARD is the first name in the device tree, or else the kernel that the CPU
 * runs best.  Lines of other machines, which may share a home, and of other
 * boards, whose card this was, stay and are not used; nor are lines of other
 * versions.  Lines of engines that --benchmark did not measure stay.  Anything else
 * is ignored.  Nothing is stored under qpuemu, or if the
 * file cannot be read or written.  It is replaced as a whole, so that several
 * programs may write at the same time.
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
