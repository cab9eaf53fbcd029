/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/virtual/board/power.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "qpu/abi/mailbox.h"
#include "qpu/abi/soc.h"

void
power_hang(struct board_shared *shared)
{
	if (!shared->hung)
		for (unsigned i = 0; i < BOARD_BUFFERS; i++)
			shared->buffers[i].doomed = shared->buffers[i].bytes >
						    0;
	shared->hung = true;
}

static bool
has_qpus(const struct board *board)
{
	const struct board_options *options = &board->shared->options;

	return board->soc && board->soc->videocore4 && !options->kms &&
	       options->device.mem_mib > PROFILE_CUT_DOWN_MIB;
}

/* Has a user told the kernel's driver to keep its V3D switched on?  Programs
 * that know where the registers are can use it then. */
static bool
is_kept_on(const struct board *board)
{
	char name[96], word[2];
	bool on = false;
	int fd;

	if (!board->shared->options.kms || !board->soc)
		return false;
	snprintf(name, sizeof(name), BOARD_ROOT "/" BOARD_V3D_CONTROL,
		 (unsigned)board->soc->peripherals + SOC_V3D_OFFSET);
	fd = board_open(board, name, O_RDONLY);
	if (fd >= 0) {
		on = read(fd, word, 2) == 2 && memcmp(word, "on", 2) == 0;
		close(fd);
	}
	return on;
}

bool
power_is_on(const struct board *board)
{
	return (has_qpus(board) && board->shared->enabled > 0) ||
	       is_kept_on(board);
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
	} else if (shared->enabled > 0 && --shared->enabled == 0 &&
		   !power_is_on(board)) {
		shared->hung = false;
		shared->resets++;
	}
	return MAILBOX_OK;
}
