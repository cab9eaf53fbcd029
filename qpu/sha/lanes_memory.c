/* SPDX-License-Identifier: MIT */
/* lanes_launch: its memory. */
#include "config.h"

#include "qpu/sha/lanes_launch.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/kernel/abi.h"

/* One cache line of uniforms for each QPU. */
struct image_uniforms {
	alignas(KERNEL_ALIGN) struct kernel_uniforms words;
};

/* The memory begins with this; then come the jobs of the QPUs, and the chain of
 * known answers. */
struct image {
	alignas(KERNEL_ALIGN) struct kernel_constants constants;
	struct image_uniforms uniforms[DEVICE_QPUS];
	alignas(KERNEL_CODE_ALIGN) uint64_t code[];
};

_Static_assert((int)KERNEL_LANES == KERNEL_LANES &&
		       (int)KERNEL_STATE_ROWS == SHA256_STATE_WORDS,
	       "a lane of the engine is one of a QPU");
_Static_assert(
	(int)LANES_SLACK_BYTES ==
		SEGMENT_KNOWN_BLOCKS * SHA256_BLOCK_BYTES + KERNEL_AHEAD_BYTES,
	"a lane is followed by a known answer, and by what is read ahead");
_Static_assert((int)LANES_TAIL_BYTES >=
		       SEGMENT_BLOCKS * SHA256_BLOCK_BYTES + KERNEL_AHEAD_BYTES,
	       "a short lane reads as far as the longest one");

/* Layout -------------------------------------------------------------------- */

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
	return sizeof(struct kernel_job) +
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

static struct lanes_parts
parts_at(const struct lanes_launch *launch, unsigned program, uint8_t *jobs)
{
	struct kernel_job *job =
		(void *)(jobs + program * job_bytes(launch->most_segments));
	struct kernel_record *records = (void *)(job + 1);

	return (struct lanes_parts){
		.job = job,
		.records = records,
		.seal = (void *)(records + launch->plans[program].nsegments)
	};
}

struct lanes_parts
lanes_parts(const struct lanes_launch *launch, unsigned program)
{
	return parts_at(launch, program,
			(uint8_t *)launch->memory.cpu + jobs_offset());
}

struct lanes_parts
lanes_taken(const struct lanes_launch *launch, unsigned program)
{
	return parts_at(launch, program, launch->results);
}

uint32_t
lanes_bus(const struct lanes_launch *launch, const void *what)
{
	return launch->memory.bus +
	       (uint32_t)((const uint8_t *)what -
			  (const uint8_t *)launch->memory.cpu);
}

uint32_t
lanes_constants(const struct lanes_launch *launch)
{
	const struct image *image = launch->memory.cpu;

	return lanes_bus(launch, &image->constants);
}

uint8_t *
lanes_chain(const struct lanes_launch *launch, unsigned block)
{
	return (uint8_t *)launch->memory.cpu +
	       chain_offset(launch->qpus, launch->most_segments) +
	       (block ^ (launch->is_swapped ? KNOWN_BLOCKS / 2 : 0)) *
		       SHA256_BLOCK_BYTES;
}

void
lanes_swap_chain(struct lanes_launch *launch)
{
	launch->is_swapped = !launch->is_swapped;
	memcpy(lanes_chain(launch, 0), launch->known.data, KNOWN_BYTES / 2);
	memcpy(lanes_chain(launch, KNOWN_BLOCKS / 2),
	       known_block(&launch->known, KNOWN_BLOCKS / 2), KNOWN_BYTES / 2);
}

bool
lanes_init(struct lanes_launch *launch, unsigned qpus, unsigned most_segments,
	   const struct way_memory *memory, struct nonce nonce)
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
	lanes_swap_chain(launch);
	image->constants.self = lanes_constants(launch);
	image->constants.power13 = 1 << 13;
	memcpy(image->code, sha256_kernel_code,
	       sha256_kernel_nwords * sizeof(*sha256_kernel_code));
	for (unsigned i = 0; i < qpus; i++) {
		struct kernel_uniforms *uniforms = &image->uniforms[i].words;
		const struct lanes_parts parts = lanes_parts(launch, i);

		uniforms->constants = lanes_constants(launch);
		launch->programs[i] = (struct device_program){
			.code = lanes_bus(launch, image->code),
			.uniforms = lanes_bus(launch, uniforms),
			.results = lanes_bus(launch, parts.records)
		};
	}
	return true;
}

void
lanes_free(struct lanes_launch *launch)
{
	free(launch->results);
}

/* Filling ------------------------------------------------------------------- */

/* The known answers after the lanes' blocks. */
static void
fill_lanes(struct lanes_launch *launch, unsigned program)
{
	for (unsigned i = 0; i < KERNEL_LANES; i++) {
		struct lane_plan *lane = &launch->lanes[program][i];

		if (lane->blocks == 0)
			continue;
		if (lane->put_back)
			memcpy(lane->saved, lane->place, sizeof(lane->saved));
		memcpy(lane->place,
		       known_block(&launch->known, lane->known * KNOWN_STRIDE),
		       sizeof(lane->saved));
	}
}

static void
fill_job(struct lanes_launch *launch, unsigned program, struct kernel_job *job)
{
	uint32_t blocks = 1;

	while (!launch->plans[program].number[blocks])
		blocks++;
	for (unsigned lane = 0; lane < KERNEL_LANES; lane++) {
		const struct lane_plan *plan = &launch->lanes[program][lane];
		const uint32_t *state =
			plan->blocks > 0 ? plan->of->state :
					   lanes_idle_state(launch, plan, 0);

		for (unsigned word = 0; word < KERNEL_STATE_ROWS; word++)
			launch->loaded[program][word][lane] = state[word];
		job->data[lane] = plan->bus;
		job->nblocks[lane] = blocks;
	}
	memcpy(job->state, launch->loaded[program], sizeof(job->state));
}

static void
fill_records(const struct lanes_launch *launch, unsigned program,
	     struct kernel_record *record)
{
	const struct segment_plan *plan = &launch->plans[program];
	uint32_t end = 0; /* of the segment before */

	for (uint32_t block = 1; block <= plan->blocks; block++) {
		if (!plan->number[block])
			continue;
		/* The first one's length is in the job. */
		if (end > 0)
			record[-1].blocks = block - end - 1;
		record->begins = plan->begins[block];
		record->next = lanes_constants(launch);
		end = block;
		record++;
	}
}

static void
fill_program(struct lanes_launch *launch, unsigned program)
{
	struct image *image = launch->memory.cpu;
	const struct lanes_parts parts = lanes_parts(launch, program);
	struct kernel_record *last =
		&parts.records[launch->plans[program].nsegments - 1];

	image->uniforms[program].words.job = lanes_bus(launch, parts.job);
	fill_lanes(launch, program);
	fill_job(launch, program, parts.job);
	fill_records(launch, program, parts.records);
	/* The end of the program. */
	last->blocks = KERNEL_NO_SEGMENT;
	last->next = lanes_bus(launch, &last->turns);
	last->turns = lanes_adder_turns(launch);
	last->nonce = lanes_nonce(launch, program);
	/* The last QPU waits for the rest. */
	last->finish = program + 1 == launch->qpus ? launch->qpus : 0;
	launch->programs[program].result_rows =
		(unsigned)((uint8_t *)(parts.seal + 1) -
			   (uint8_t *)parts.records) /
		(LANES_ROW_WORDS * 4);
}

void
lanes_fill(struct lanes_launch *launch)
{
	for (unsigned i = 0; i < launch->qpus; i++)
		fill_program(launch, i);
}
