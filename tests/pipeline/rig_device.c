/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tests/pipeline/rig.h"

enum { PIECES = 64 };

static struct {
	bool is_open, has_failed, has_feeder;
	pthread_t feeder;
	void *real;
	struct engine_lane *given; /* a launch is under way */
	unsigned n;
	struct engine_lane before[RIG_MOST_LANES];
	uint8_t *pieces[PIECES];
	size_t bytes[PIECES];
	unsigned npieces;
} device;

static bool
device_probe(const void *context, struct diag *why_not)
{
	(void)context;
	(void)why_not;
	return true;
}

static void
device_speed(const void *context, struct engine_speed *speed)
{
	(void)context;
	*speed = rig.device.speed;
}

static void *
device_open(const void *context, const char *words,
	    struct engine_limits *limits, struct diag *why_not)
{
	(void)context;
	if (strcmp(words, rig.config.options) != 0)
		rig_misuse("the device is opened with '%s'", words);
	if (rig.device.why_not) {
		diag_set(why_not, "%s", rig.device.why_not);
		return NULL;
	}
	if (rig.device.real) {
		device.real =
			engine_open(rig.device.real, words, limits, why_not);
		if (!device.real)
			return NULL;
	} else {
		limits->lanes = rig.device.lanes;
		limits->chained = rig.device.chained ? rig.device.chained : 512;
		limits->slack_bytes = RIG_SLACK;
		limits->piece_bytes = rig.device.piece_bytes;
	}
	device.is_open = true;
	return &device;
}

static void *
device_alloc(void *self, size_t bytes)
{
	size_t used = 0;
	void *piece;

	(void)self;
	if (rig.device.real)
		return rig.device.real->alloc(device.real, bytes);
	for (unsigned i = 0; i < device.npieces; i++)
		used += device.bytes[i];
	if ((rig.device.memory && used + bytes > rig.device.memory) ||
	    device.npieces == PIECES)
		return NULL;
	piece = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
	if (!piece)
		return NULL;
	device.pieces[device.npieces] = piece;
	device.bytes[device.npieces++] = bytes;
	if (bytes > rig.seen.largest)
		rig.seen.largest = bytes;
	if (device.npieces > rig.seen.most_pieces)
		rig.seen.most_pieces = device.npieces;
	return piece;
}

static void
device_free(void *self, void *buffer, size_t bytes)
{
	(void)self;
	if (rig.device.real) {
		rig.device.real->free(device.real, buffer, bytes);
		return;
	}
	for (unsigned i = 0; i < device.npieces; i++) {
		if (device.pieces[i] != buffer)
			continue;
		if (device.bytes[i] != bytes)
			rig_misuse("a piece of %zu bytes goes back as %zu",
				   device.bytes[i], bytes);
		device.npieces--;
		device.pieces[i] = device.pieces[device.npieces];
		device.bytes[i] = device.bytes[device.npieces];
		free(buffer);
		return;
	}
	rig_misuse("what goes back to the device is no piece of it");
}

static bool
device_has(const struct engine_lane *lane)
{
	for (unsigned i = 0; i < device.npieces; i++)
		if (rig_is_within(lane, RIG_SLACK, device.pieces[i],
				  device.bytes[i]))
			return true;
	return false;
}

/* Look at a launch before it begins. */
static void
look_at(const struct engine_lane *lanes, unsigned n)
{
	uint32_t least = UINT32_MAX, most = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct engine_lane *lane = &lanes[i];
		const uint32_t blocks = lane->nblocks;

		least = blocks < least ? blocks : least;
		most = blocks > most ? blocks : most;
		if (blocks == 0)
			continue;
		if (lane->nends > rig.seen.most_ends)
			rig.seen.most_ends = lane->nends;
		rig.seen.unstaggered += !rig.device.cuts &&
					(uintptr_t)lane->data / 64 % 64 !=
						i % 64;
		if (device_has(lane))
			rig_scribble(lane, RIG_SLACK, 0xaa);
		else
			rig_misuse("lane %u is not in the device's memory", i);
	}
	if (most - least > rig.seen.most_uneven)
		rig.seen.most_uneven = most - least;
}

static void
note_failure(void)
{
	device.has_failed = true;
	rig_lock();
	rig.seen.device_failed = true;
	rig_unlock();
}

static enum engine_status
device_submit(void *self, struct engine_lane *lanes, unsigned n,
	      struct diag *why)
{
	enum engine_status status;
	unsigned launch;

	if (self != &device || !device.is_open || device.given)
		rig_misuse("the device is busy, or closed");
	if (device.has_failed)
		rig_misuse("a device is used after it has failed");
	rig_lock();
	device.feeder = pthread_self();
	device.has_feeder = true;
	launch = ++rig.seen.launches;
	rig_unlock();
	if (rig.device.before)
		rig.device.before();
	if (launch == rig.device.refuses_at) {
		note_failure();
		diag_set(why, "refused");
		return ENGINE_REFUSED;
	}
	if (rig.device.real) {
		status = rig.device.real->submit(device.real, lanes, n, why);
		if (status != ENGINE_OK) {
			note_failure();
			return status;
		}
	}
	device.given = lanes;
	device.n = n;
	if (rig.device.real)
		return ENGINE_OK;
	if (n > rig.device.lanes)
		rig_misuse("a launch has %u lanes", n);
	look_at(lanes, n);
	memcpy(device.before, lanes, n * sizeof(*lanes));
	return ENGINE_OK;
}

/* Spoil the results and the memory like a crashed device. */
static void
spoil(struct engine_lane *lanes, unsigned n)
{
	for (unsigned i = 0; i < device.npieces; i++)
		memset(device.pieces[i], 0x55, device.bytes[i]);
	for (struct engine_lane *lane = lanes; lane < lanes + n; lane++) {
		memset(lane->state, 0x55, sizeof(lane->state));
		lane->done = 0;
		for (uint32_t i = 0; i < lane->nends; i++)
			memset(lane->ends[i].state, 0x55,
			       sizeof(lane->ends[i].state));
	}
}

static void
run_lane(struct engine_lane *lane)
{
	uint32_t blocks = lane->nblocks;

	if (blocks == 0)
		return;
	if (rig.device.cuts && blocks > rig.device.cuts)
		blocks = rig.device.cuts;
	for (uint32_t i = 0; i < blocks && rig.device.corrupts; i++)
		((uint8_t *)lane->data)[i * 64 + 5] ^= 4;
	rig_hash_lane(lane, blocks, true);
	for (uint32_t i = 0; i < lane->nends && rig.device.lies; i++)
		lane->ends[i].state[3] ^= 1;
	rig_lock();
	rig.seen.device_blocks += blocks;
	rig_note_blocks(RIG_DEVICE, lane->data, blocks);
	rig_unlock();
	rig_scribble(lane, RIG_SLACK, 0x55);
}

static void
note_real_launch(void)
{
	rig_lock();
	for (unsigned i = 0; i < device.n; i++) {
		const struct engine_lane *lane = &device.given[i];

		rig.seen.device_blocks += lane->done;
		rig_note_blocks(RIG_DEVICE, lane->data, lane->done);
	}
	rig_unlock();
}

static enum engine_status
device_wait(void *self, struct diag *why)
{
	struct engine_lane *lanes = device.given;
	enum engine_status status;

	if (self != &device || !lanes) {
		rig_misuse("the device has nothing to be waited for");
		return ENGINE_OK;
	}
	if (rig.device.real) {
		status = rig.device.real->wait(device.real, why);
		if (status == ENGINE_OK)
			note_real_launch();
		else
			note_failure();
		device.given = NULL;
		return status;
	}
	device.given = NULL;
	if (memcmp(lanes, device.before, device.n * sizeof(*lanes)) != 0)
		rig_misuse("lanes were touched during a launch");
	if (rig.seen.launches == rig.device.fails_at) {
		spoil(lanes, device.n);
		note_failure();
		diag_set(why, "lost its way");
		return ENGINE_FAULT;
	}
	for (unsigned i = 0; i < device.n; i++)
		run_lane(&lanes[i]);
	return ENGINE_OK;
}

static void
device_stats(void *self, struct facts *stats)
{
	(void)self;
	if (device.given)
		rig_misuse("the device is asked for figures during a launch");
	facts_add_value(stats, rig.seen.launches, 0, "", "launches");
}

static bool
device_healed(void *self, struct diag *why)
{
	(void)self;
	diag_set(why, "healed");
	return rig.device.heals;
}

static void
device_close(void *self)
{
	(void)self;
	if (device.given)
		rig_misuse("the device is closed during a launch");
	if (device.real)
		rig.device.real->close(device.real);
	device.real = NULL;
	device.is_open = false;
}

static const struct engine device_engine = { .name = "device",
					     .about = "for tests",
					     .probe = device_probe,
					     .speed = device_speed,
					     .open = device_open,
					     .alloc = device_alloc,
					     .free = device_free,
					     .submit = device_submit,
					     .wait = device_wait,
					     .stats = device_stats,
					     .healed = device_healed,
					     .close = device_close };

bool
rig_is_feeder(void)
{
	return device.has_feeder &&
	       pthread_equal(device.feeder, pthread_self());
}

/* Runs ---------------------------------------------------------------------- */

void
rig_use_device(unsigned lanes, bool shared)
{
	/* A Raspberry Pi's, until the first launches were measured. */
	static const struct engine_speed usual = { .device_rate = 430e6,
						   .core_rate = 70e6,
						   .copy_rate = 1100e6,
						   .file_seconds = 14e-6,
						   .look_seconds = 4e-6 };

	rig.device = (struct rig_device){ .lanes = lanes };
	rig.device.speed = usual;
	rig.device.speed.lanes = lanes;
	rig.device_engine = &device_engine;
	rig.config.engine = &device_engine;
	rig.config.with_cpu = shared;
}

void
rig_device_begin(void)
{
	memset(&device, 0, sizeof(device));
}

void
rig_device_end(void)
{
	if (device.is_open || device.npieces > 0)
		rig_misuse("the device is not closed, or keeps memory");
	memset(&device, 0, sizeof(device));
}
