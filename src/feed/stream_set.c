/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/stream_set.h"

enum {
	/* Blocks of a lane that take as long as a launch takes to begin, with
	 * what the engine adds to each lane. */
	LAUNCH_COST = 8,
	/* More than any lane can get ready. */
	ANY_NUMBER = 1 << 30
};

unsigned
stream_set_busy(const struct stream_set *set)
{
	unsigned busy = 0;

	for (unsigned i = 0; i < set->n; i++)
		busy += stream_is_busy(&set->all[i]);
	return busy;
}

unsigned
stream_set_idle(const struct stream_set *set)
{
	unsigned idle = 0;

	for (unsigned i = 0; i < set->n; i++)
		idle += stream_is_idle(&set->all[i]);
	return idle;
}

struct stream *
stream_set_rest(const struct stream_set *set, uint64_t least)
{
	struct stream *best = NULL;

	for (unsigned i = 0; i < set->n; i++) {
		struct stream *stream = &set->all[i];
		const uint64_t left = stream_unread(stream);

		if (left > least && !stream->leaves) {
			least = left;
			best = stream;
		}
	}
	return best;
}

uint32_t
stream_set_common_end(const struct stream_set *set)
{
	uint64_t rests = 0;
	uint32_t longest = 0;

	for (unsigned i = 0; i < set->n; i++) {
		const uint32_t rest = stream_rest(&set->all[i]);

		rests += rest;
		if (rest > longest)
			longest = rest;
	}
	if ((uint64_t)longest * set->n - rests <=
	    (uint64_t)LAUNCH_COST * set->n)
		return ANY_NUMBER;
	return longest;
}
