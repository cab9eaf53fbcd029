/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/virtual/board/power.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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

/* The domain alone switches nothing on that the kernel's driver has. */
bool
power_is_on(const struct board *board)
{
	const struct board_shared *shared = board->shared;

	return (has_qpus(board) && (shared->enabled > 0 || shared->stays_on ||
				    shared->has_domain)) ||
	       is_kept_on(board);
}

bool
power_has_clock(const struct board *board, const char *event)
{
	if (!(board->shared->clocks_off >> MAILBOX_CLOCK_V3D & 1))
		return true;
	board_say("%s while the V3D's clock is off", event);
	return false;
}

void
power_notice_end(struct board_shared *shared)
{
	const pid_t runner = (pid_t)shared->runner;

	if (runner == 0 || runner == getpid() || kill(runner, 0) == 0 ||
	    errno != ESRCH)
		return;
	power_hang(shared);
	shared->runner = 0;
}

static void
reset(struct board_shared *shared)
{
	shared->hung = false;
	shared->runner = 0;
	shared->left_on = 0;
	shared->resets++;
}

/*
 * Programs that prepare two transforms enable twice and disable twice, and
 * expect 0 each time: it is a count.  When the power goes a hang is over; it has
 * been reported that the power stays after the last disable.
 */
uint32_t
power_enable(const struct board *board, bool on)
{
	struct board_shared *shared = board->shared;
	const bool single = shared->options.enable == BOARD_ENABLE_SINGLE;
	const bool stays = shared->options.enable == BOARD_ENABLE_STAYS ||
			   shared->options.enable == BOARD_ENABLE_FOREVER;

	if (on) {
		if ((shared->options.refuse_enable > 0 &&
		     ++shared->nenables >= shared->options.refuse_enable) ||
		    !has_qpus(board))
			return MAILBOX_FAILED;
		if (!single || shared->enabled == 0)
			shared->enabled++;
		shared->stays_on |= stays;
	} else if (shared->enabled > 0 && --shared->enabled == 0) {
		shared->left_on = 0;
		if (!power_is_on(board))
			reset(shared);
	}
	return shared->options.enable == BOARD_ENABLE_ENDS &&
			       shared->enabled != on ?
		       MAILBOX_FAILED :
		       MAILBOX_OK;
}

void
power_hold(const struct board *board, bool hold)
{
	struct board_shared *shared = board->shared;
	const bool drops = shared->has_domain && !hold;

	shared->has_domain = hold;
	if (drops && shared->enabled == 0 &&
	    shared->options.enable != BOARD_ENABLE_FOREVER) {
		shared->stays_on = false;
		reset(shared);
	}
}
