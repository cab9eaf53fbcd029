/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/clock_job.h"

#include "src/base/clock.h"

enum {
	CLOCKS_PER_STEP = 5 * 4, /* of count.m4 */
	FEW_STEPS = 1000,
	MANY_STEPS = 200000,
	PIXELS = 4 /* width and height: 16 pixels are one thread */
};

static const uint64_t count_code[] = {
#include "qpu/ways/count.words"
};

/* Nanoseconds, 0 if the job did not end well. */
static uint64_t
time_steps(struct render *render, const struct tile_program *program,
	   const struct tile_memory *results, uint32_t steps)
{
	const uint32_t uniforms[2] = { steps };
	const struct tile_draw draw = { .program = program,
					.uniforms = uniforms,
					.width = PIXELS,
					.height = PIXELS };
	const struct tile_job job = { .draws = &draw,
				      .ndraws = 1,
				      .results = results,
				      .tiles_x = 1,
				      .tiles_y = 1,
				      .clear = steps };
	const uint64_t start = clock_ns();
	uint64_t ticket;

	if (render_submit(render, &job, &ticket, NULL) != DEVICE_OK ||
	    render_wait(render, ticket, tile_patience_ms(0), NULL) != DEVICE_OK)
		return 0;
	return *(const volatile uint32_t *)results->cpu == 0 ?
		       clock_ns() - start :
		       0;
}

uint32_t
clock_job_run(struct render *render)
{
	struct tile_program program = { .uniforms = 2 };
	struct tile_memory results;
	uint64_t few, many;

	if (!render_load_program(render, count_code,
				 sizeof(count_code) / sizeof(*count_code),
				 &program, NULL) ||
	    !render_alloc(render, TILE_BYTES, &results, NULL))
		return 0;
	/* The first one wakes the V3D. */
	few = time_steps(render, &program, &results, FEW_STEPS);
	few = few > 0 ? time_steps(render, &program, &results, FEW_STEPS) : 0;
	many = few > 0 ? time_steps(render, &program, &results, MANY_STEPS) : 0;
	render_free(render, &results);
	if (many <= few)
		return 0;
	return (uint32_t)((double)(MANY_STEPS - FEW_STEPS) * CLOCKS_PER_STEP *
			  CLOCK_NS_PER_S / (double)(many - few));
}
