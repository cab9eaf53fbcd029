/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/job_ring.h"

#include <stdlib.h>
#include <string.h>

void
job_ring_init(struct job_ring *ring)
{
	ring->next = ring->head = 0;
	memset(ring->chunks, 0, sizeof(ring->chunks));
	ring->chunks[0] = ring->first_chunk;
}

void
job_ring_destroy(struct job_ring *ring)
{
	/* They were allocated one after the other. */
	for (unsigned i = 1; i < JOB_RING_CHUNKS && ring->chunks[i]; i++)
		free(ring->chunks[i]);
}

bool
job_ring_is_empty(const struct job_ring *ring)
{
	return ring->next == ring->head;
}

bool
job_ring_is_full(const struct job_ring *ring)
{
	return ring->next - ring->head >= JOB_RING_SIZE;
}

struct job *
job_ring_at(struct job_ring *ring, uint64_t seq)
{
	struct job **chunk =
		&ring->chunks[seq / JOB_RING_CHUNK % JOB_RING_CHUNKS];

	if (!*chunk)
		*chunk = malloc(JOB_RING_CHUNK * sizeof(**chunk));
	return *chunk ? &(*chunk)[seq % JOB_RING_CHUNK] : NULL;
}

struct job *
job_ring_reserve(struct job_ring *ring)
{
	struct job *job = job_ring_at(ring, ring->next);

	if (!job && job_ring_is_empty(ring)) {
		ring->next += JOB_RING_SIZE - ring->next % JOB_RING_SIZE;
		ring->head = ring->next;
		job = job_ring_at(ring, ring->next);
	}
	return job;
}
