/* SPDX-License-Identifier: MIT */
/*
 * Promise: a device that takes chained messages is fed so that every digest is
 * right and in order, however long the files are and whenever it fails.
 */
#include "config.h"

#include "tests/pipeline/feeder-rig.h"

static void
test_sizes(void)
{
	mix_files(3000, 100000);
	for (unsigned shared = 0; shared < 2; shared++) {
		chaining_init(CHAINING_BATCHES, BATCH_LANES);
		ok(run_quietly(2, shared) && !report.failed,
		   "thousands of files, %s: all digests right and in order",
		   shared ? "shared with the CPU" : "by the device alone");
		/* Where all is shared the CPU may be faster. */
		ok(shared || (chaining.blocks > 0 && chaining.most_ends > 1),
		   "lanes hold several messages at a time");
	}
}

static void
test_few_lanes(void)
{
	mix_files(400, 100000);
	for (unsigned lanes = 1; lanes <= 3; lanes++) {
		chaining_init(1, lanes);
		ok(run_quietly(1, false), "%u lanes: all right", lanes);
		chaining_init(1, lanes);
		chaining.cuts = 37;
		ok(run_quietly(1, false),
		   "%u lanes, launches cut short: all right", lanes);
	}
	chaining_init(2, BATCH_LANES);
	chaining.cuts = 1;
	mix_files(100, 3000);
	ok(run_quietly(1, true), "launches of one block: all right");
}

static void
test_one_size(const char *what, unsigned n, size_t len)
{
	nfiles = 0;
	while (nfiles < n)
		add_file(len);
	chaining_init(2, BATCH_LANES);
	ok(run_quietly(2, false), "%s: all right", what);
	chaining_init(2, BATCH_LANES);
	ok(run_quietly(2, true), "%s, shared with the CPU: all right", what);
}

/* A lane with a message more makes all others wait for it. */
static void
test_evenness(void)
{
	nfiles = 0;
	while (nfiles < 3000)
		add_file(50);
	for (unsigned batches = 2; batches <= 12; batches += 5) {
		chaining_init(batches, BATCH_LANES);

		const bool good = run_quietly(1, false);
		ok(good && chaining.most_uneven <= 1,
		   "messages of one block fill %u lanes evenly (%u)",
		   batches * BATCH_LANES, (unsigned)chaining.most_uneven);
	}
}

/* A lane for each of the first 16 files; the others come when these are in a
 * launch. */
static enum source_answer
next_in_two(struct source *source, struct job *job, bool is_oldest)
{
	const struct list *list = (struct list *)source;

	if (list->made == BATCH_LANES &&
	    __atomic_load_n(&chaining.launches, __ATOMIC_RELAXED) == 0)
		return SOURCE_LATER;
	return list_next(source, job, is_oldest);
}

/*
 * Half of the lanes have a buffer of 507 blocks at first, the others 300, and
 * the device ends launches where the first lane does.  6,150 blocks a lane are
 * 13 launches, or twice as many if 300 and 207 take turns.
 */
static void
test_common_end(void)
{
	struct list list;
	bool good;

	nfiles = 0;
	while (nfiles < BATCH_LANES + 40)
		add_file(64 * (nfiles < 8 || nfiles >= 16 ? 2000 : 300) - 9);
	chaining_init(1, BATCH_LANES);
	chaining.uneven = true;
	list_init(&list);
	list.source.next = next_in_two;
	good = run_list(&list, 1, false, NULL);
	ok(good && chaining.launches < 18,
	   "lanes that end apart are brought together (%u launches)",
	   chaining.launches);
}

/* Sizes around a block's and a buffer's end. */
static void
test_edges(void)
{
	nfiles = 0;
	for (size_t len = 0; len <= 200; len++)
		add_file(len);
	for (size_t len = 32000; len < 33000; len += 7)
		add_file(len);
	for (unsigned batches = 1; batches <= 3; batches += 2) {
		chaining_init(batches, BATCH_LANES);
		ok(run_quietly(1, false), "lengths at edges, %u batches",
		   batches);
	}
}

/* Shared with the CPU it may end before it fails. */
static bool
is_told(const char *why)
{
	if (!chaining.failed)
		return !report.failed;
	return report.failed == &engine_chaining &&
	       strcmp(report.why.text, why) == 0;
}

static void
test_failures(void)
{
	unsigned good = 0, told = 0;

	mix_files(600, 150000);
	for (unsigned at = 1; at <= 5; at++)
		for (unsigned shared = 0; shared < 2; shared++) {
			chaining_init(2, BATCH_LANES);
			chaining.refuses_at = at;
			good += run_quietly(2, shared);
			told += is_told("refused");
			chaining_init(2, BATCH_LANES);
			chaining.fails_at = at;
			chaining.cuts = at * 60 * shared;
			good += run_quietly(1, shared);
			told += is_told("lost its way");
		}
	ok(good == 20, "it fails at any launch: no digest is lost (%u of 20)",
	   good);
	ok(told == 20, "the failure is reported with the cause (%u of 20)",
	   told);
}

static void
test_memory(void)
{
	mix_files(300, 100000);
	chaining_init(CHAINING_BATCHES, BATCH_LANES);
	chaining.tight = 1 << 20;
	ok(run_quietly(1, false) && !report.failed && chaining.launches > 0,
	   "with 1 MiB of memory: all right");
	chaining_init(CHAINING_BATCHES, BATCH_LANES);
	chaining.piece_bytes = 4 << 20;
	ok(run_quietly(1, false) && chaining.most_pieces == 4 &&
		   chaining.largest <= 4 << 20 && chaining.misplaced == 0 &&
		   chaining.unstaggered == 0,
	   "in pieces of 4 MiB: all right");
	ok(chaining.npieces == 0, "and all pieces go back");
	chaining_init(CHAINING_BATCHES, BATCH_LANES);
	chaining.piece_bytes = 4 << 20;
	chaining.tight = 7 << 20;
	ok(run_quietly(1, false) && !report.failed && chaining.npieces == 0 &&
		   chaining.unstaggered == 0 && chaining.launches > 0,
	   "where the third piece cannot be had all are smaller");
	chaining_init(CHAINING_BATCHES, BATCH_LANES);
	chaining.tight = 1;
	ok(run_quietly(1, false) && report.failed == &engine_chaining &&
		   chaining.launches == 0,
	   "a device without memory is replaced, and that is reported");
}

static void
test_verify(void)
{
	struct libcrypto crypto = { 0 };
	struct diag why_not;
	struct list list;

	if (!libcrypto_load(&crypto, &why_not)) {
		tap_skip("libcrypto cannot be loaded: %s", why_not.text);
		return;
	}
	mix_files(300, 100000);
	chaining_init(2, BATCH_LANES);
	list_init(&list);
	ok(run_list(&list, 1, false, &crypto) && list.corrected == 0,
	   "with --verify all is right");
	chaining_init(2, BATCH_LANES);
	chaining.corrupts = true;
	list_init(&list);
	ok(run_list(&list, 1, false, &crypto) && list.corrected > 0,
	   "data that change in the device's memory are noticed and corrected");
	chaining_init(2, BATCH_LANES);
	list_init(&list);
	ok(run_list(&list, 2, true, &crypto) && list.corrected == 0,
	   "with --verify, shared with the CPU");
	libcrypto_unload(&crypto);
}

int
main(void)
{
	if (!rig_open())
		return 99;
	test_sizes();
	test_few_lanes();
	test_one_size("empty files", 500, 0);
	test_one_size("files of one block", 3000, 50);
	test_one_size("files longer than a buffer", 40, 300000);
	test_one_size("one long file", 1, 3000000);
	test_evenness();
	test_common_end();
	test_edges();
	test_failures();
	test_memory();
	test_verify();
	return rig_close() ? tap_done() : 99;
}
