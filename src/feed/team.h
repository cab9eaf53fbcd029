/* SPDX-License-Identifier: MIT */
/*
 * team: threads that do parts of a task side by side, and end with it.
 *
 * To start and end a thread takes some 0.1 ms on a Raspberry Pi; a task of the
 * feeder takes some milliseconds of each launch of 14 ms.
 */
#ifndef SRC_FEED_TEAM_H
#define SRC_FEED_TEAM_H

enum { TEAM_MOST = 4 };

/* Does part number `part` of `parts`. */
typedef void
team_part(void *task, unsigned part, unsigned parts);

/*
 * Run part(task, 0..n-1, n), n <= TEAM_MOST, each on a thread of its own, the
 * first on the caller's.  The caller does those for which there is no thread.
 */
void
team_run(unsigned n, team_part *part, void *task);

#endif
