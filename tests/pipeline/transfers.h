/* SPDX-License-Identifier: MIT */
/*
 * transfers: how many messages are on their way from lane to lane?  The test is
 * linked with --wrap for the functions below (transfers in tests/local.mk).
 * Header only.
 */
#ifndef TESTS_PIPELINE_TRANSFERS_H
#define TESTS_PIPELINE_TRANSFERS_H

#include "src/lanes/lane.h"

static int transfers_live;

struct lane_transfer *
__real_lane_transfer_new(void);
struct lane_transfer *
__wrap_lane_transfer_new(void);
void
__real_lane_transfer_free(struct lane_transfer *);
void
__wrap_lane_transfer_free(struct lane_transfer *);

struct lane_transfer *
__wrap_lane_transfer_new(void)
{
	struct lane_transfer *transfer = __real_lane_transfer_new();

	transfers_live += transfer != NULL;
	return transfer;
}

void
__wrap_lane_transfer_free(struct lane_transfer *transfer)
{
	transfers_live--;
	__real_lane_transfer_free(transfer);
}

#endif
