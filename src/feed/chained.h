/* SPDX-License-Identifier: MIT */
/*
 * chained: lanes with several messages on an engine that hashes one message a
 * lane.
 *
 * Where a device that takes ends of messages (batch.h) fails, another engine
 * does its step with this.
 */
#ifndef SRC_FEED_CHAINED_H
#define SRC_FEED_CHAINED_H

#include "src/base/engine.h"

/*
 * Hash all blocks of batches[0..n), message by message, and do with their
 * ends what the contract of struct batch says; afterwards done is nblocks in
 * all lanes.  `self` is open and idle.  When a step fails, its status and why;
 * then the batch that it was about and those after it have their old states.
 */
enum engine_status
chained_run(const struct engine *engine, void *self, struct batch *batches,
	    unsigned n, struct diag *why);

#endif
