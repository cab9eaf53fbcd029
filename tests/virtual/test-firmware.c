/* SPDX-License-Identifier: MIT */
/*
 * Promise: the virtual firmware answers each tag with the values, lengths and
 * codes of a real one, and a message that is wrong as a whole.
 */
#include "config.h"

#include "qpu/virtual/board/firmware.h"

#include "qpu/virtual/board/pool.h"
#include "src/base/clock.h"
#include "tests/virtual/made-board.h"

enum { MOST = 40 };

/* Words of hexadecimal digits; their number. */
static uint32_t
read_words(const char *text, uint32_t *words)
{
	uint32_t n = 0;
	char *end;

	for (; *text; text = end + (*end == ' '))
		words[n++] = (uint32_t)strtoul(text, &end, 16);
	return n;
}

/* The whole message before and after, without its length. */
static void
answers(int status, const char *before, const char *after, const char *name)
{
	uint32_t message[MOST] = { 0 }, expected[MOST] = { 0 };
	uint32_t n = 1 + read_words(before, message + 1);
	int answer;

	message[0] = expected[0] = 4 * n;
	message[n] = expected[n] = 0x600d; /* is not theirs */
	read_words(after, expected + 1);
	answer = firmware_answer(&board, message, n);
	if (ok(answer == status && memcmp(message, expected, 4 * n + 4) == 0,
	       "%s", name))
		return;
	tap_note("status %d", answer);
	for (uint32_t i = 1; i < n; i++)
		tap_note("%08x", (unsigned)message[i]);
}

static void
good(const char *before, const char *after, const char *name)
{
	answers(0, before, after, name);
}

static void
test_facts(void)
{
	good("0 1 4 0 0 0", "80000000 1 4 80000004 5f3a1c80 0",
	     "when it was built");
	good("0 10001 4 0 7 0", "80000000 10001 4 80000004 0 0", "the model");
	good("0 10002 4 0 7 0", "80000000 10002 4 80000004 a020d3 0",
	     "the revision");
	good("0 10004 8 0 0 0 0", "80000000 10004 8 80000008 12345678 0 0",
	     "the serial number, its lower word first");
	good("0 10005 8 0 7 7 0", "80000000 10005 8 80000008 0 3c000000 0",
	     "the ARM's memory");
	good("0 10006 8 0 0 0 0",
	     "80000000 10006 8 80000008 3c000000 3000000 0",
	     "its own memory behind it");
	good("0 30006 8 0 0 0 0", "80000000 30006 8 80000008 0 a410 0",
	     "a temperature");
	good("0 30046 4 0 7 0", "80000000 30046 4 80000004 0 0",
	     "that nothing is throttled");
}

static void
test_clocks(void)
{
	/* As long as it is measured: it runs down after ten seconds. */
	board.shared->last_run_ns = clock_ns();
	good("0 30002 8 0 3 0 0", "80000000 30002 8 80000008 3 53724e00 0",
	     "the clock of the ARM");
	good("0 30002 8 0 4 0 0", "80000000 30002 8 80000008 4 17d78400 0",
	     "that of the core");
	good("0 30002 8 0 5 0 0", "80000000 30002 8 80000008 5 11e1a300 0",
	     "that of the QPUs");
	good("0 30002 8 0 2 7 0", "80000000 30002 8 80000008 2 0 0",
	     "no rate of a clock that is not there");
	good("0 30002 8 0 f 7 0", "80000000 30002 8 80000008 f 0 0",
	     "nor of the last one");
	good("0 30002 8 0 10 7 0", "80000000 30002 8 80000008 10 0 0",
	     "nor of one that cannot be");
	good("0 30004 8 0 5 0 0", "80000000 30004 8 80000008 5 11e1a300 0",
	     "the highest rate");
	good("0 30007 8 0 5 0 0", "80000000 30007 8 80000008 5 ee6b280 0",
	     "the lowest rate");
	good("0 30007 8 0 2 7 0", "80000000 30007 8 80000008 2 0 0",
	     "the lowest rate of none");
	good("0 30047 8 0 5 0 0", "80000000 30047 8 80000008 5 11e1a300 0",
	     "a clock is measured while programs run");
	board.shared->last_run_ns = clock_ns() - UINT64_C(11) * CLOCK_NS_PER_S;
	good("0 30047 8 0 5 0 0", "80000000 30047 8 80000008 5 ee6b280 0",
	     "and is low some time later");
	good("0 30047 8 0 3 0 0", "80000000 30047 8 80000008 3 53724e00 0",
	     "which is only so for QPUs");
	good("0 38002 8 0 5 5f5e100 0", "80000000 38002 8 80000008 5 5f5e100 0",
	     "a clock is set");
	good("0 30007 8 0 5 0 0", "80000000 30007 8 80000008 5 5f5e100 0",
	     "the lowest rate is no higher than the rate");
	good("0 38002 8 0 2 5f5e100 0", "80000000 38002 8 80000008 2 0 0",
	     "one that is not there cannot be set");
	good("0 30002 8 0 2 0 0", "80000000 30002 8 80000008 2 0 0",
	     "and stays so");
	good("0 38002 8 0 10 77 0", "80000000 38002 8 80000008 10 0 0",
	     "nor one that cannot be");
}

static void
test_memory(void)
{
	good("0 3000c c 0 64 1000 4 0", "80000000 3000c c 80000004 1 1000 4 0",
	     "memory has a handle");
	good("0 3000d 4 0 1 0", "80000000 3000d 4 80000004 fc000000 0",
	     "and an address when it is locked");
	good("0 3000e 4 0 1 0", "80000000 3000e 4 80000004 0 0",
	     "it is unlocked");
	good("0 3000e 4 0 1 0", "80000000 3000e 4 80000004 ffffffff 0",
	     "but once");
	good("0 3000f 4 0 1 0", "80000000 3000f 4 80000004 0 0",
	     "it is released");
	good("0 3000f 4 0 1 0", "80000000 3000f 4 80000004 ffffffff 0",
	     "but once, too");
}

static void
test_qpus(void)
{
	good("0 30012 4 0 1 0", "80000000 30012 4 80000004 0 0",
	     "QPUs are enabled");
	ok(board.shared->enabled == 1, "they are on");
	made_says();
	good("0 30011 10 0 d 0 0 64 0",
	     "80000000 30011 10 80000004 80000000 0 0 64 0",
	     "programs that cannot start have failed");
	is(made_says(), "qpuemu: 13 programs were to be started on 12 QPUs\n",
	   "which is said");
	good("0 30012 4 0 0 0", "80000000 30012 4 80000004 0 0",
	     "they are disabled");
	ok(board.shared->enabled == 0, "and off");
	good("0 30010 1c 0 1 2 3 4 5 6 7 0",
	     "80000000 30010 1c 80000004 80000000 2 3 4 5 6 7 0",
	     "code for the VPU fails");
	is(made_says(),
	   "qpuemu: code for the VPU cannot be run, only programs for QPUs\n",
	   "and that is said");
}

/* How a message may be made. */
static void
test_shapes(void)
{
	good("0 0", "80000000 0", "a message without tags");
	good("0", "80000000", "or without anything");
	good("0 30046 4 0 7", "80000000 30046 4 80000004 0",
	     "no end but that of the message");
	good("0 10006 4 0 0 0", "80000000 10006 4 80000008 3c000000 0",
	     "an answer that does not fit is cut off, and its length told");
	good("0 10006 0 0 0", "80000000 10006 0 80000008 0", "or left out");
	good("0 30046 0 0", "80000000 30046 0 80000004",
	     "a tag without values at the end");
	good("0 10002 c 0 7 8 9 0", "80000000 10002 c 80000004 a020d3 8 9 0",
	     "what is behind an answer stays");
	good("0 10002 5 0 7 8 30046 4 0 7 0",
	     "80000000 10002 5 80000004 a020d3 8 30046 4 80000004 0 0",
	     "lengths are rounded up to words");
	good("0 10002 4 0 7 0 30046 4 0 7 0",
	     "80000000 10002 4 80000004 a020d3 0 30046 4 0 7 0",
	     "nothing behind the end is answered");
	answers(EINVAL, "0 12345 4 0 0 0", "80000001 12345 4 0 0 0",
		"a tag that is not known");
	answers(EINVAL, "0 10002 4 0 7 12345 4 0 0 0",
		"80000001 10002 4 80000004 a020d3 12345 4 0 0 0",
		"spoils what follows an answer");
	answers(EINVAL, "0 3000c 8 0 4 5 0", "80000001 3000c 8 0 4 5 0",
		"too few values");
	answers(EINVAL, "0 10002 8 0 7", "80000001 10002 8 0 7",
		"a tag that is longer than its message");
	answers(EINVAL, "0 10002 5 0 7", "80000001 10002 5 0 7", "by a byte");
	answers(EINVAL, "0 10002 4", "80000001 10002 4",
		"a tag without its code");
	answers(EINVAL, "0 10002", "80000001 10002", "or its length");
	answers(EINVAL, "0 10002 ffffffff 0 7 0",
		"80000001 10002 ffffffff 0 7 0", "a length that is none");
	answers(EINVAL, "0 10002 fffffffd 0 7 0",
		"80000001 10002 fffffffd 0 7 0",
		"even if it were rounded up to nothing");
}

/* Each tag has so many values in, and with one less it is refused. */
static void
test_values(void)
{
	static const uint32_t tags[][2] = {
		{ 0x1, 0 },	{ 0x10001, 0 }, { 0x10002, 0 }, { 0x10004, 0 },
		{ 0x10005, 0 }, { 0x10006, 0 }, { 0x30002, 1 }, { 0x30004, 1 },
		{ 0x30006, 1 }, { 0x30007, 1 }, { 0x3000c, 3 }, { 0x3000d, 1 },
		{ 0x3000e, 1 }, { 0x3000f, 1 }, { 0x30010, 7 }, { 0x30011, 4 },
		{ 0x30012, 1 }, { 0x30046, 0 }, { 0x30047, 1 }, { 0x38002, 2 },
	};
	const unsigned n = sizeof(tags) / sizeof(*tags);

	for (unsigned i = 0; i < n; i++) {
		const uint32_t in = tags[i][1];
		uint32_t enough[MOST] = { 0, 0, tags[i][0], 4 * in };
		uint32_t fewer[MOST] = { 0, 0, tags[i][0], 4 * (in - 1) };

		ok(firmware_answer(&board, enough, 5 + in) == 0 &&
			   enough[1] == 0x80000000 &&
			   (in == 0 ||
			    firmware_answer(&board, fewer, 5 + in) == EINVAL),
		   "tag %x has %u values", tags[i][0], in);
	}
}

/* The kernel does not wait for ever: a stuck QPU answers later than that. */
static void
test_late(void)
{
	const uint32_t handle = pool_allocate(&board, 4096, 4096, 4);

	if (pool_lock(&board, handle) != 0xfc000000)
		exit(99);
	good("0 30012 4 0 1 0", "80000000 30012 4 80000004 0 0",
	     "QPUs are on again");
	answers(ETIMEDOUT, "5 30011 10 0 1 fc000000 0 3e9 0",
		"5 30011 10 0 1 fc000000 0 3e9 0",
		"an answer that comes too late changes nothing");
	ok(board.shared->late_answer && board.shared->hung,
	   "the program is still there");
	answers(EINVAL, "5 30012 4 0 1 0", "0 30012 4 80000004 0 0",
		"that answer ends the next message");
	ok(board.shared->enabled == 2 && !board.shared->late_answer,
	   "on which the firmware has acted");
	good("0 10001 4 0 7 0", "80000000 10001 4 80000004 0 0",
	     "the one after is answered");
	good("0 30011 10 0 1 fc000000 0 3e8 0",
	     "80000000 30011 10 80000004 80000000 fc000000 0 3e8 0",
	     "what hangs fails");
	board.shared->late_answer = true;
	answers(EINVAL, "5 12345 4 0 1 0", "0 12345 4 0 1 0",
		"so does a message that is wrong itself");
}

int
main(void)
{
	const struct board_options options = {
		.device = { .qpus = 12,
			    .mem_mib = 48,
			    .fault = DEVICE_STUCK_QPU,
			    .fault_at = 1 },
		.v3d_mhz = 300,
		.cma_mib = 64,
		.kernel_ms = 1000
	};

	if (!made_begin("pi3b+", &options))
		return tap_done();
	test_facts();
	test_clocks();
	test_memory();
	test_qpus();
	test_shapes();
	test_values();
	test_late();
	return made_end();
}
