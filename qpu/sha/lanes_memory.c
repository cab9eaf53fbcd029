/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/sha/lanes_memory.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/kernel/code.h"
#include "src/base/fips180.h"

/* One cache line of uniforms for each QPU. */
struct image_uniforms {
	alignas(KERNEL_ALIGN) struct kernel_uniforms words;
};

/* Blocks of frames: a line in each set of the caches, as far as one knows. */
enum { RING_BLOCKS = 128, RING_STEP = BATCH_LANES / 2 };

/* The memory begins with this; then come the jobs of the QPUs, and the chain of
 * known answers. */
struct image {
	alignas(KERNEL_ALIGN) struct kernel_constants constants;
	struct image_uniforms uniforms[DEVICE_QPUS];
	uint8_t frames[(RING_BLOCKS + 2) * SHA256_BLOCK_BYTES];
	alignas(KERNEL_CODE_ALIGN) uint64_t code[];
};

_Static_assert((int)KERNEL_LANES == BATCH_LANES &&
		       (int)KERNEL_STATE_ROWS == SHA256_STATE_WORDS,
	       "a batch is a QPU's work");
_Static_assert(
	(int)LANES_SLACK_BYTES ==
		SEGMENT_KNOWN_BLOCKS * SHA256_BLOCK_BYTES + KERNEL_AHEAD_BYTES,
	"a lane is followed by a known answer, and by what is read ahead");
_Static_assert((int)LANES_TAIL_BYTES >=
		       SEGMENT_BLOCKS * SHA256_BLOCK_BYTES + KERNEL_AHEAD_BYTES,
	       "a short lane reads as far as the longest one");
_Static_assert((int)LANES_SEGMENTS_LEAST >= SEGMENTS_LEAST,
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
	return 2 * sizeof(struct lanes_frame) + sizeof(struct kernel_job) +
	       most_segments * sizeof(struct kernel_record) +
	       sizeof(struct kernel_seal);
}

static size_t
chain_offset(unsigned qpus, unsigned most_segments)
{
	return jobs_offset() + qpus * job_bytes(most_segments);
}

size_t
lanes_bytes(unsigned qpus, unsigned most_segments)
{
	return chain_offset(qpus, most_segments) + KNOWN_BYTES +
	       KERNEL_AHEAD_BYTES;
}

uint32_t
lanes_bus(const struct lanes_launch *launch, const void *what)
{
	return launch->memory.bus +
	       (uint32_t)((const uint8_t *)what -
			  (const uint8_t *)launch->memory.cpu);
}

static struct lanes_frame *
opening_of(const struct lanes_launch *launch, unsigned program)
{
	uint8_t *jobs = (uint8_t *)launch->memory.cpu + jobs_offset();

	return (void *)(jobs + program * job_bytes(launch->most_segments));
}

struct lanes_frame *
lanes_frame(const struct lanes_launch *launch, unsigned program,
	    enum lanes_side side)
{
	if (side == LANES_OPENING)
		return opening_of(launch, program);
	return (void *)lanes_record(launch, program,
				    launch->plans[program].nsegments);
}

unsigned
lanes_frame_place(const struct lanes_launch *launch, enum lanes_side side,
		  unsigned lane)
{
	return (unsigned)((launch->turn + side) * RING_STEP + lane) %
	       RING_BLOCKS;
}

uint8_t *
lanes_frame_block(const struct lanes_launch *launch, enum lanes_side side,
		  unsigned lane)
{
	struct image *image = launch->memory.cpu;

	return image->frames +
	       lanes_frame_place(launch, side, lane) * SHA256_BLOCK_BYTES;
}

struct kernel_job *
lanes_job(const struct lanes_launch *launch, unsigned program)
{
	return (void *)(opening_of(launch, program) + 1);
}

struct kernel_record *
lanes_record(const struct lanes_launch *launch, unsigned program,
	     unsigned segment)
{
	struct kernel_record *records =
		(void *)(lanes_job(launch, program) + 1);

	return &records[segment];
}

struct kernel_seal *
lanes_seal(const struct lanes_launch *launch, unsigned program)
{
	return (void *)(lanes_frame(launch, program, LANES_CLOSING) +
			lanes_has(launch, program, LANES_CLOSING));
}

void
lanes_begin(const struct lanes_launch *launch, unsigned program)
{
	struct image *image = launch->memory.cpu;

	image->uniforms[program].words.job =
		lanes_has(launch, program, LANES_OPENING) ?
			lanes_bus(launch, &opening_of(launch, program)->job) :
			lanes_bus(launch, lanes_job(launch, program));
}

const struct kernel_constants *
lanes_constants(const struct lanes_launch *launch)
{
	const struct image *image = launch->memory.cpu;

	return &image->constants;
}

struct kernel_record *
lanes_results(const struct lanes_launch *launch, unsigned program)
{
	struct kernel_record *first =
		(void *)(launch->results +
			 program * job_bytes(launch->most_segments));

	return first + 1;
}

struct kernel_record *
lanes_taken_frame(const struct lanes_launch *launch, unsigned program,
		  enum lanes_side side)
{
	struct kernel_record *records = lanes_results(launch, program);

	return side == LANES_OPENING ?
		       records - 1 :
		       records + launch->plans[program].nsegments;
}

struct kernel_seal *
lanes_taken_seal(const struct lanes_launch *launch, unsigned program)
{
	return (void *)(lanes_taken_frame(launch, program, LANES_CLOSING) + 1);
}

uint8_t *
lanes_chain(const struct lanes_launch *launch, unsigned block)
{
	return (uint8_t *)launch->memory.cpu +
	       chain_offset(launch->qpus, launch->most_segments) +
	       block * SHA256_BLOCK_BYTES;
}

uint32_t
lanes_nonce(const struct lanes_launch *launch, unsigned program)
{
	return (launch->salt +
		(uint32_t)(launch->turn * DEVICE_QPUS + program + 1)) *
	       UINT32_C(0x9e3779b1);
}

bool
lanes_init(struct lanes_launch *launch, unsigned qpus, unsigned most_segments,
	   const struct device_memory *memory, struct nonce nonce)
{
	struct image *image = memory->cpu;

	memset(launch, 0, sizeof(*launch));
	launch->salt = nonce_next(&nonce);
	known_make(&launch->known, nonce);
	launch->results = malloc(qpus * job_bytes(most_segments));
	if (!launch->results)
		return false;
	launch->qpus = qpus;
	launch->most_segments = most_segments;
	launch->memory = *memory;
	memset(image, 0, lanes_bytes(qpus, most_segments));
	memcpy(image->constants.k, sha256_k, sizeof(image->constants.k));
	memcpy(lanes_chain(launch, 0), launch->known.data, KNOWN_BYTES);
	image->constants.self = lanes_bus(launch, &image->constants);
	image->constants.power13 = 1 << 13;
	memcpy(image->code, sha256_kernel_code,
	       sha256_kernel_nwords * sizeof(*sha256_kernel_code));
	for (unsigned i = 0; i < qpus; i++) {
		struct kernel_uniforms *uniforms = &image->uniforms[i].words;

		uniforms->constants = lanes_bus(launch, &image->constants);
		launch->programs[i] = (struct device_program){
			.code = lanes_bus(launch, image->code),
			.uniforms = lanes_bus(launch, uniforms),
			.results = lanes_bus(launch,
					     &opening_of(launch, i)->record)
		};
	}
	return true;
}

void
lanes_free(struct lanes_launch *launch)
{
	free(launch->results);
}
