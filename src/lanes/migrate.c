/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/migrate.h"

#include "src/lanes/lane.h"

unsigned
migrate_offer(struct sequencer *sequencer, unsigned worker,
	      struct lane_group *group)
{
	void *transfers[EXCHANGE_OFFERS];
	struct lane *lanes[EXCHANGE_OFFERS];
	unsigned eligible = 0, n = 0;

	for (unsigned i = 0; i < group->nlanes && n < EXCHANGE_OFFERS; i++) {
		struct lane *lane = &group->lanes[i];

		if (lane_export_bytes(lane) < MIGRATE_BYTES ||
		    eligible++ % 2 == 0)
			continue;
		transfers[n] = lane_transfer_new();
		if (!transfers[n])
			break;
		lanes[n++] = lane;
	}
	if (n == 0)
		return 0;
	for (unsigned i = 0; i < n; i++)
		lane_export(lanes[i], transfers[i]);
	if (sequencer_offer(sequencer, worker, transfers, n)) {
		group->busy -= n;
		return n;
	}
	for (unsigned i = 0; i < n; i++) {
		lane_import(lanes[i], transfers[i]);
		lane_transfer_free(transfers[i]);
	}
	return 0;
}

unsigned
migrate_accept(struct sequencer *sequencer, unsigned worker,
	       struct lane_group *group)
{
	struct lane *lane = group->lanes;
	struct lane_transfer *transfer;
	unsigned accepted = 0;

	while (group->busy < group->nlanes &&
	       (transfer = sequencer_accept(sequencer, worker)) != NULL) {
		while (!lane_is_free(lane))
			lane++;
		lane_import(lane, transfer);
		lane_transfer_free(transfer);
		group->busy++;
		accepted++;
	}
	return accepted;
}
