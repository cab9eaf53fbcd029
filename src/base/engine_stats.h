/* SPDX-License-Identifier: MIT */
/*
 * engine_stats: figures of an engine for people, one row each, in the order
 * in which they are to be shown.
 */
#ifndef SRC_BASE_ENGINE_STATS_H
#define SRC_BASE_ENGINE_STATS_H

enum { ENGINE_STATS_ROWS = 64 };

struct engine_stat {
	char label[80]; /* "": belongs to the row before, after a comma */
	double value;	/* counts are exact up to 2^53 */
	unsigned decimals;
	const char *unit; /* static; "" = a plain number */
};

struct engine_stats {
	unsigned nrows; /* 0: the engine has none */
	struct engine_stat rows[ENGINE_STATS_ROWS];
};

/* One more row, unless all are in use. */
__attribute__((format(printf, 5, 6))) void
engine_stats_add(struct engine_stats *, double value, unsigned decimals,
		 const char *unit, const char *label_format, ...);

#endif
