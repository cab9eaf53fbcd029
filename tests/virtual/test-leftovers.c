/* SPDX-License-Identifier: MIT */
/*
 * Promise: what a program leaves on the board is said, counted, and taken away
 * where it is a file.
 */
#include "config.h"

#include "src/tools/qpuemu/leftovers.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/abi/mailbox.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

static struct board_shared shared;
static struct board board = { .dir = ".", .shared = &shared };
static int messages;

static const char *
said(void)
{
	static char text[8192];
	ssize_t n;

	fflush(stderr);
	n = pread(messages, text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	if (ftruncate(messages, 0) != 0 || lseek(messages, 0, SEEK_SET) != 0)
		exit(99);
	return text;
}

/* Is this said of the board, and only this?  "" is said of a clean one, and of
 * what was told before. */
static void
reports(bool good, const char *text, const char *name)
{
	const bool answer = leftovers_report(&board);

	ok(answer == good, "%s: the status says %s", name,
	   good ? "that all is well" : "that something was left");
	is(said(), text, "%s: the messages are right", name);
}

static void
test_memory(void)
{
	struct board_block *blocks = shared.blocks;

	reports(true, "", "a board that is left clean");
	blocks[3] = (struct board_block){ .bytes = 64, .locks = 1 };
	reports(true, "", "memory that was released");
	blocks[511] = (struct board_block){ .handle = 4, .bytes = 4096 };
	blocks[0] = (struct board_block){ .handle = 5,
					  .bytes = 0xfffff000,
					  .locks = 2 };
	blocks[7] = blocks[0];
	reports(false,
		"qpuemu: GPU memory was not released: 8589930496 bytes in 3 "
		"blocks, 2 of them locked\n",
		"three blocks, two of them locked");
	memset(blocks, 0, sizeof(shared.blocks));
}

static void
test_states(void)
{
	struct board_buffer *last = &shared.buffers[BOARD_BUFFERS - 1];

	shared.enabled = 1;
	shared.clock_hz[MAILBOX_CLOCK_V3D] = 1;
	reports(false,
		"qpuemu: the QPUs were left enabled\n"
		"qpuemu: the clock of the QPUs was not put back\n",
		"enabled QPUs with another clock");
	shared.enabled = 0;
	shared.boot_hz = 1;
	reports(true, "", "a clock that had this rate before");
	shared.vcsm_lost = true;
	reports(false, "", "a device that was lost");
	shared.vcsm_lost = false;
	/* No process has files of buffers here. */
	last->bytes = 4096;
	last->doomed = true;
	reports(true, "", "a freed buffer without programs that hang");
	shared.hung = true;
	reports(false,
		"qpuemu: 1 buffer was freed, but programs that do not end "
		"may write to it\n",
		"a freed buffer to which programs that hang may write");
	last->doomed = false;
	reports(true, "", "a freed buffer that is newer than the hang");
	shared.lost = true;
	reports(false, "", "a buffer whose loss was told before");
}

static void
test_counters(void)
{
	struct board_totals *totals = &shared.totals;
	const char *text;

	totals->launches = 3;
	totals->instructions = 1234;
	totals->clocks = 1000;
	totals->launch_clocks = 250;
	for (unsigned i = 0; i < MACHINE_COUNTERS; i++)
		totals->counters[i] = 100 + i;
	shared.launch_mhz = 500;
	leftovers_print_counters(&shared);
	is(said(),
	   "qpuemu: 3 launches, 1234 instructions\n"
	   "16          116  QPU clocks executing valid instructions\n"
	   "24          124  TMU texture quads\n"
	   "(the other counters need --timed)\n",
	   "--counters without --timed prints the counters that need no clock");
	shared.options.device.timed = true;
	leftovers_print_counters(&shared);
	text = said();
	ok(strncmp(text,
		   "qpuemu: 3 launches, 1234 instructions, 1250 clocks = 2.5 "
		   "us at 500 MHz (modelled)\n",
		   82) == 0 &&
		   strstr(text, "\n13          113  ") &&
		   strstr(text, "\n29          129  ") &&
		   !strstr(text, "--timed"),
	   "--counters with --timed prints the modelled time and all counters");
}

static bool
is_there(const char *name)
{
	struct stat status;

	return lstat(name, &status) == 0;
}

static void
add_link(unsigned i, const char *target, const char *name)
{
	if (symlink(target, name) != 0)
		exit(99);
	strcpy(shared.links[i], name);
}

static void
test_links(void)
{
	strcpy(board.dir, "/board");
	add_link(0, "/board/root/dev/vcio", "ours");
	add_link(1, "/elsewhere/root/dev/vcio", "theirs");
	strcpy(shared.links[2], "gone");
	for (unsigned i = 3; i < BOARD_LINKS; i++)
		strcpy(shared.links[i], "ours");
	add_link(BOARD_LINKS - 1, "/board/a", "last");
	leftovers_remove_links(&board);
	ok(!is_there("ours") && !is_there("last"),
	   "links to the board are removed at the end");
	ok(is_there("theirs"),
	   "links that lead elsewhere by now are left alone");
}

int
main(void)
{
	scratch_enter();
	messages =
		open("messages", O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	dup2(messages, STDERR_FILENO);
	test_memory();
	test_states();
	test_counters();
	test_links();
	return tap_done();
}
