/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/power.h"

#include "qpu/abi/mailbox.h"

void
power_hang(struct board_shared *shared)
{
	if (!shared->hung)
		for (unsigned i = 0; i < CMA_BUFFERS; i++)
			shared->buffers[i].doomed =
				shared->buffers[i].range.bytes > 0;
	shared->hung = true;
}

static bool
has_qpus(const struct board *board)
{
	const struct board_options *options = &board->shared->options;

	return board->soc && board->soc->videocore4 && !options->kms &&
	       (options->device.mem_mib > PROFILE_CUT_DOWN_MIB ||
		board_is_private(board));
}

bool
power_is_on(const struct board *board)
{
	return has_qpus(board) && board->shared->enabled > 0;
}

/* Programs that prepare two transforms enable twice and disable twice, and
 * expect 0 each time: it is a count.  When the power goes a hang is over. */
uint32_t
power_enable(const struct board *board, bool on)
{
	struct board_shared *shared = board->shared;

	if (on) {
		if (!has_qpus(board))
			return MAILBOX_FAILED;
		shared->enabled++;
	} else if (shared->enabled > 0 && --shared->enabled == 0) {
		shared->hung = false;
		shared->resets++;
	}
	return MAILBOX_OK;
}
