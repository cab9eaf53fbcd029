/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cpu/engine_reference.h"

#include <stdlib.h>

#include "cpu/sha256.h"

static bool
reference_probe(const void *context, struct diag *why_not)
{
	(void)context;
	(void)why_not;
	return true;
}

/* There is no state to keep: any address that is not NULL will do. */
static void *
reference_open(const void *context, const char *words,
	       struct engine_limits *limits, struct diag *why_not)
{
	static char self;

	(void)context;
	if (*words) {
		diag_set(why_not, "takes no options, got '%s'", words);
		return NULL;
	}
	limits->batches = 1;
	limits->lanes = BATCH_LANES;
	return &self;
}

static void *
reference_alloc(void *self, size_t bytes)
{
	(void)self;
	return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void
reference_free(void *self, void *buffer, size_t bytes)
{
	(void)self;
	(void)bytes;
	free(buffer);
}

static enum engine_status
reference_submit(void *self, struct batch *batches, unsigned n,
		 struct diag *why_not)
{
	(void)self;
	(void)why_not;
	for (struct batch *batch = batches; batch < batches + n; batch++) {
		for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
			uint32_t state[SHA256_STATE_WORDS];

			batch->done[lane] = batch->nblocks[lane];
			if (batch->nblocks[lane] == 0)
				continue;
			batch_get_state(batch, lane, state);
			sha256_blocks(state, batch->data[lane],
				      batch->nblocks[lane]);
			batch_set_state(batch, lane, state);
		}
	}
	return ENGINE_OK;
}

static enum engine_status
reference_wait(void *self, struct diag *why_not)
{
	(void)self;
	(void)why_not;
	return ENGINE_OK;
}

static void
reference_close(void *self)
{
	(void)self;
}

const struct engine engine_reference = {
	.name = "reference",
	.about = "portable C, one lane after the other",
	.per_thread = true,
	.reads_only = true,
	.probe = reference_probe,
	.open = reference_open,
	.alloc = reference_alloc,
	.free = reference_free,
	.submit = reference_submit,
	.wait = reference_wait,
	.close = reference_close
};
