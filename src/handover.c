/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/handover.h"

#include <stdlib.h>

#include "src/lane.h"

unsigned
handover_give(struct order *order, unsigned worker, struct set *set, bool all)
{
	void *gifts[ORDER_GIFTS];
	struct lane *given[ORDER_GIFTS];
	unsigned eligible = 0, n = 0;

	for (unsigned i = 0; i < set->nlanes && n < ORDER_GIFTS; i++) {
		struct lane *lane = &set->lanes[i];

		if (lane_gift_bytes(lane) < HANDOVER_BYTES ||
		    (eligible++ % 2 == 0 && !all))
			continue;
		gifts[n] = malloc(sizeof(struct lane_gift));
		if (!gifts[n])
			break;
		given[n++] = lane;
	}
	if (n == 0)
		return 0;
	for (unsigned i = 0; i < n; i++)
		lane_give(given[i], gifts[i]);
	if (order_give(order, worker, gifts, n)) {
		set->busy -= n;
		return n;
	}
	for (unsigned i = 0; i < n; i++) {
		lane_accept(given[i], gifts[i]);
		free(gifts[i]);
	}
	return 0;
}

unsigned
handover_accept(struct order *order, unsigned worker, struct set *set)
{
	struct lane *lane = set->lanes;
	struct lane_gift *gift;
	unsigned accepted = 0;

	while (set->busy < set->nlanes &&
	       (gift = order_accept(order, worker)) != NULL) {
		while (!lane_is_free(lane))
			lane++;
		lane_accept(lane, gift);
		free(gift);
		set->busy++;
		accepted++;
	}
	return accepted;
}
