/* SPDX-License-Identifier: MIT */
/*
 * Promise: an engine of QPUs that gets no memory or no thread, or whose device
 * fails, says why, and gives back what it has taken; memory of tiles is bounded, and
 * where it is short the CPU hashes.
 */
#include "config.h"

#include <errno.h>

#include "cpu/sha256.h"
#include "qpu/sha/engine_qpu.h"
#include "tests/pipeline/rig.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

/* Open, use for some launches as far as it works, and close. */
static enum fault_outcome
use(const struct engine *one, const char *words, unsigned launches)
{
	struct engine_limits its_limits = { 0 };
	enum engine_status status = ENGINE_REFUSED;
	struct engine_lane lane = { .nblocks = 2 };
	struct diag reason = { .text = "" };
	void *opened = engine_open(one, words, &its_limits, &reason);
	uint8_t *buffer;

	if (!opened)
		return *reason.text ? FAULT_TOLD : FAULT_WRONG;
	buffer = one->alloc(opened, 4096);
	memcpy(lane.state, sha256_initial, sizeof(lane.state));
	lane.data = buffer;
	for (unsigned i = 0; buffer && i < launches; i++) {
		status = one->submit(opened, &lane, 1, &reason);
		if (status == ENGINE_OK)
			status = one->wait(opened, &reason);
	}
	one->free(opened, buffer, 4096);
	one->close(opened);
	if (status == ENGINE_OK)
		return FAULT_WHOLE;
	return *reason.text || !buffer ? FAULT_TOLD : FAULT_WRONG;
}

static enum fault_outcome
use_lanes(void)
{
	return use(&engine_emulator, "qpus=1", 2);
}

static enum fault_outcome
use_tiles(void)
{
	return use(&engine_emulated_tiles, "tiles,qpus=1", 1);
}

/* The self-test, memory and launches: one after the other goes wrong. */
static void
use_failing(void)
{
	use(&engine_emulator, "qpus=2,fault=lane@1", 2);
	use(&engine_emulator, "qpus=2,fault=stuck@6", 2);
	use(&engine_emulator, "qpus=2,fault=refuse@6", 2);
	use(&engine_emulator, "qpus=2,fault=lane@7", 2);
	use(&engine_emulated_tiles, "tiles,fault=lost@2", 2);
	use(&engine_emulated_tiles, "tiles,fault=hang@5", 2);
}

/* A run through the pipeline, on tiles, of n files of all sizes and a long one. */
static bool
run_files(const char *words, unsigned n)
{
	rig_begin();
	rig_use_device(186, false);
	rig.config.options = words;
	rig.device.real = &engine_emulated_tiles;
	for (unsigned i = 0; i < n; i++)
		rig_file(i % 49 == 0 ? 40000 + 100 * i : 13 * i);
	rig_file(200000);
	return rig_runs_or_is_refused();
}

/* 16 MiB of it are the binner's. */
static void
test_memory(void)
{
	const unsigned files = tap_is_quick() ? 100 : 400;
	unsigned good = 0, struck = 0, n;

	ok(run_files("tiles,mem=34", files) && !rig.seen.device_failed &&
		   rig.seen.device_blocks > 1000,
	   "34 MiB are enough for files of all sizes");
	ok(run_files("tiles,mem=21", files) && rig.seen.device_blocks > 1000,
	   "with 5 MiB less the binner's there are smaller buffers");
	ok(run_files("tiles,mem=17", files) && rig.seen.device_blocks == 0,
	   "1 MiB is too little: the CPU hashes");
	for (n = 1; n < 12; n++) {
		char words[32];

		snprintf(words, sizeof(words), "tiles,fault=alloc@%u", n);
		good += run_files(words, 20);
		struck += rig.seen.device_blocks == 0;
	}
	ok(good == n - 1 && struck > 3,
	   "a run survives each allocation that fails; in %u the CPU hashes",
	   struck);
}

int
main(void)
{
	fault_each(FAULT_MEMORY, ENOMEM, use_lanes, "an engine in lanes");
	/* The calls after these are those of more jobs. */
	if (tap_is_quick())
		tap_skip("an engine in tiles: its test is run 107 times");
	else
		fault_first(FAULT_MEMORY, ENOMEM, use_tiles,
			    "an engine in tiles", 104);
	fault_each(FAULT_pthread_create, EAGAIN, use_lanes,
		   "an engine's thread");
	rig_open();
	test_memory();
	balance_test(use_failing, "an engine whose device fails");
	return tap_done();
}
