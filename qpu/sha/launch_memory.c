/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/sha/launch_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "qpu/kernel/code.h"
#include "src/base/clock.h"
#include "src/base/fips180.h"

/* Lanes without blocks have their known answers side by side; an odd number
 * of cache lines keeps them out of each other's way. */
enum { IDLE_STRIDE_BYTES = 5 * KERNEL_ALIGN };

/* One cache line of uniforms for each QPU. */
struct image_uniforms {
	alignas(KERNEL_ALIGN) struct kernel_uniforms words;
};

/* The lanes of frames whose blocks are in other places in every second launch. */
enum { MOVED_LANES = BATCH_LANES / 2 };

/* The memory begins with this; then come the jobs of the QPUs, and the lanes
 * without blocks. */
struct image {
	alignas(KERNEL_ALIGN) struct kernel_constants constants;
	struct image_uniforms uniforms[DEVICE_QPUS];
	uint8_t frames[(BATCH_LANES + MOVED_LANES + 2) * SHA256_BLOCK_BYTES];
	alignas(KERNEL_CODE_ALIGN) uint64_t code[];
};

_Static_assert((int)KERNEL_LANES == BATCH_LANES &&
		       (int)KERNEL_STATE_ROWS == SHA256_STATE_WORDS,
	       "a batch is a QPU's work");
_Static_assert(
	(int)KNOWN_MOST_BLOCKS == SEGMENT_KNOWN_BLOCKS &&
		(int)LAUNCH_SLACK_BYTES ==
			KNOWN_MOST_BLOCKS * SHA256_BLOCK_BYTES +
				KERNEL_AHEAD_BYTES,
	"a lane is followed by a known answer, and by what is read ahead");
_Static_assert((int)LAUNCH_TAIL_BYTES >=
		       SEGMENT_BLOCKS * SHA256_BLOCK_BYTES + KERNEL_AHEAD_BYTES,
	       "a lane without blocks reads as far as the longest one");
_Static_assert(IDLE_STRIDE_BYTES >= KNOWN_MOST_BLOCKS * SHA256_BLOCK_BYTES,
	       "known answers do not overlap");
_Static_assert((int)LAUNCH_SEGMENTS_LEAST >= SEGMENTS_LEAST,
	       "a plan can be cut to the fewest records");

_Static_assert(2 * SHA256_BLOCK_BYTES >= KERNEL_AHEAD_BYTES,
	       "what is read after the blocks of a frame is in the image");

static size_t
jobs_offset(void)
{
	const size_t bytes =
		sizeof(struct image) +
		sha256_kernel_nwords * sizeof(*sha256_kernel_code) +
		KERNEL_CODE_SLACK_BYTES;

	return (bytes + KERNEL_ALIGN - 1) / KERNEL_ALIGN * KERNEL_ALIGN;
}

static size_t
job_bytes(unsigned most_segments)
{
	return 2 * sizeof(struct launch_frame) + sizeof(struct kernel_job) +
	       most_segments * sizeof(struct kernel_record) +
	       sizeof(struct kernel_seal);
}

static size_t
idle_offset(unsigned qpus, unsigned most_segments)
{
	return jobs_offset() + qpus * job_bytes(most_segments);
}

size_t
launch_bytes(unsigned qpus, unsigned most_segments)
{
	return idle_offset(qpus, most_segments) +
	       (size_t)qpus * BATCH_LANES * IDLE_STRIDE_BYTES +
	       LAUNCH_TAIL_BYTES;
}

uint32_t
launch_bus(const struct launch *launch, const void *what)
{
	return launch->memory.bus +
	       (uint32_t)((const uint8_t *)what -
			  (const uint8_t *)launch->memory.cpu);
}

static struct launch_frame *
opening_of(const struct launch *launch, unsigned program)
{
	uint8_t *jobs = (uint8_t *)launch->memory.cpu + jobs_offset();

	return (void *)(jobs + program * job_bytes(launch->most_segments));
}

struct launch_frame *
launch_frame(const struct launch *launch, unsigned program,
	     enum launch_side side)
{
	if (side == LAUNCH_OPENING)
		return opening_of(launch, program);
	return (void *)launch_record(launch, program,
				     launch->plans[program].nsegments);
}

uint8_t *
launch_frame_block(const struct launch *launch, enum launch_side side,
		   unsigned lane)
{
	struct image *image = launch->memory.cpu;
	const bool is_after = (launch->turn + side) % 2 == 0;
	size_t place = MOVED_LANES + lane;

	if (lane >= MOVED_LANES && !is_after)
		place = lane - MOVED_LANES;
	return image->frames + place * SHA256_BLOCK_BYTES;
}

struct kernel_job *
launch_job(const struct launch *launch, unsigned program)
{
	return (void *)(opening_of(launch, program) + 1);
}

struct kernel_record *
launch_record(const struct launch *launch, unsigned program, unsigned segment)
{
	struct kernel_record *records =
		(void *)(launch_job(launch, program) + 1);

	return &records[segment];
}

struct kernel_seal *
launch_seal(const struct launch *launch, unsigned program)
{
	return (void *)(launch_frame(launch, program, LAUNCH_CLOSING) + 1);
}

const struct kernel_constants *
launch_constants(const struct launch *launch)
{
	const struct image *image = launch->memory.cpu;

	return &image->constants;
}

struct kernel_record *
launch_results(const struct launch *launch, unsigned program)
{
	struct kernel_record *first =
		(void *)(launch->results +
			 program * job_bytes(launch->most_segments));

	return first + 1;
}

struct kernel_record *
launch_taken_frame(const struct launch *launch, unsigned program,
		   enum launch_side side)
{
	struct kernel_record *records = launch_results(launch, program);

	return side == LAUNCH_OPENING ?
		       records - 1 :
		       records + launch->plans[program].nsegments;
}

struct kernel_seal *
launch_taken_seal(const struct launch *launch, unsigned program)
{
	return (void *)(launch_taken_frame(launch, program, LAUNCH_CLOSING) +
			1);
}

uint8_t *
launch_idle_lane(const struct launch *launch, unsigned program, unsigned lane)
{
	const size_t number = (size_t)program * BATCH_LANES + lane;

	return (uint8_t *)launch->memory.cpu +
	       idle_offset(launch->qpus, launch->most_segments) +
	       number * IDLE_STRIDE_BYTES;
}

uint32_t
launch_nonce(const struct launch *launch, unsigned program)
{
	return (launch->salt +
		(uint32_t)(launch->turn * DEVICE_QPUS + program + 1)) *
	       UINT32_C(0x9e3779b1);
}

/* Kernels before 3.17 know no getrandom, and early in a boot it would wait. */
static uint32_t
random_salt(void)
{
	uint32_t salt;

	if (getrandom(&salt, sizeof(salt), GRND_NONBLOCK) != sizeof(salt))
		salt = (uint32_t)clock_ns();
	return salt;
}

bool
launch_init(struct launch *launch, unsigned qpus, unsigned most_segments,
	    const struct device_memory *memory)
{
	struct image *image = memory->cpu;

	memset(launch, 0, sizeof(*launch));
	known_answers_compute(&launch->known);
	launch->salt = random_salt();
	launch->results = malloc(qpus * job_bytes(most_segments));
	if (!launch->results)
		return false;
	launch->qpus = qpus;
	launch->most_segments = most_segments;
	launch->memory = *memory;
	memset(image, 0, launch_bytes(qpus, most_segments));
	memcpy(image->constants.k, sha256_k, sizeof(image->constants.k));
	image->constants.self = launch_bus(launch, &image->constants);
	image->constants.power13 = 1 << 13;
	memcpy(image->code, sha256_kernel_code,
	       sha256_kernel_nwords * sizeof(*sha256_kernel_code));
	for (unsigned i = 0; i < qpus; i++) {
		struct kernel_uniforms *uniforms = &image->uniforms[i].words;

		uniforms->job = launch_bus(launch, &opening_of(launch, i)->job);
		uniforms->constants = launch_bus(launch, &image->constants);
		launch->programs[i] = (struct device_program){
			.code = launch_bus(launch, image->code),
			.uniforms = launch_bus(launch, uniforms),
			.results = launch_bus(launch,
					      &opening_of(launch, i)->record)
		};
	}
	return true;
}

void
launch_free(struct launch *launch)
{
	free(launch->results);
}
