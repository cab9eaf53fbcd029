/* SPDX-License-Identifier: MIT */
/*
 * ticker: tells how far the work has come: a line on stderr for each SIGUSR1,
 * and with --progress a line on the terminal that keeps changing.
 *
 * The answer to a signal comes from its handler, so that it needs no thread
 * and comes at once whatever the workers wait for.
 */
#ifndef SRC_TICKER_H
#define SRC_TICKER_H

#include "src/options.h"

/*
 * From now on SIGUSR1 is answered, unless whoever started us had it ignored.
 * Needs report_init.  For as long as there is one thread.
 */
void
ticker_begin(const struct options *);

/* When the other threads have ended; signals are still answered. */
void
ticker_end(void);

#endif
