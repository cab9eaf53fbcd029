/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/render.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/ways/board.h"
#include "qpu/ways/drm_job.h"
#include "src/base/clock.h"
#include "src/base/rows.h"

enum {
	PROGRAMS = 32,
	/* The kernel takes this for the binner with a client's first buffer
	 * (vc4_grab_bin_bo in vc4_bo.c). */
	BINNER_MIB = 16,
	CLOSE_MS = 5000
};

/* The programs that draw the triangle of every job: for the binner, and again
 * for each tile. */
static const uint64_t coordinate_shader[] = {
#include "qpu/ways/coordinate.words"
};
static const uint64_t vertex_shader[] = {
#include "qpu/ways/vertex.words"
};

/* In clip coordinates the triangle lies within the view, so that nothing cuts
 * it; where it is on the screen is another matter. */
#define MINUS_HALF UINT32_C(0xbf000000)
#define PLUS_HALF UINT32_C(0x3f000000)

static const uint32_t corners[VERTICES][VERTEX_WORDS] = {
	{ 0, MINUS_HALF, MINUS_HALF },
	{ 0x0000ffff, PLUS_HALF, MINUS_HALF },
	{ 0xffff0000, MINUS_HALF, PLUS_HALF }
};

struct render {
	struct drm_calls calls;
	struct tile_memory *memories; /* cpu NULL = free slot */
	size_t nmemories, room;
	uint32_t programs[PROGRAMS];
	unsigned nprograms;
	struct tile_memory vertices;
	struct drm_job_programs own;
	struct drm_job job;
	uint64_t last; /* ticket of the newest job */
	bool failed;   /* a job did not end in time */
	uint64_t njobs;
	uint64_t begun_ns; /* since then jobs are in the queue; 0: none */
	uint64_t busy_ns;
};

/* Memory ------------------------------------------------------------------- */

static void
explain_no_memory(const struct render *self, size_t bytes, int error,
		  struct diag *why_not)
{
	const size_t mib = (bytes >> 20) + 1;
	struct diag how_much;

	if (error != ENOMEM) {
		diag_set(why_not, "the kernel's driver vc4 gives no memory: %s",
			 strerror(error));
		return;
	}
	board_explain_contiguous(&how_much);
	diag_set(why_not,
		 "the kernel's contiguous memory is too small or in pieces: "
		 "%zu MiB are needed; %.300s",
		 self->own.vertices ? mib : mib + BINNER_MIB, how_much.text);
}

static bool
take_memory(struct render *self, size_t bytes, struct tile_memory *memory,
	    struct diag *why_not)
{
	int error;

	bytes = (bytes + DEVICE_PAGE - 1) / DEVICE_PAGE * DEVICE_PAGE;
	*memory = (struct tile_memory){ .bytes = bytes };
	error = drm_create(&self->calls, bytes, &memory->handle);
	if (error != 0) {
		explain_no_memory(self, bytes, error, why_not);
		return false;
	}
	memory->cpu = drm_map(&self->calls, memory->handle, bytes);
	if (memory->cpu)
		return true;
	drm_forget(&self->calls, memory->handle);
	diag_set(why_not, "the GPU's memory cannot be mapped");
	return false;
}

/* Nothing of what was hashed stays in memory that others get. */
static void
give_memory(struct render *self, struct tile_memory *memory)
{
	memset(memory->cpu, 0, memory->bytes);
	self->calls.unmap(self->calls.context, memory->cpu, memory->bytes);
	drm_forget(&self->calls, memory->handle);
	memory->cpu = NULL;
}

/* NULL: out of memory. */
static struct tile_memory *
find_slot(struct render *self)
{
	struct tile_memory *slot;

	for (size_t i = 0; i < self->nmemories; i++)
		if (!self->memories[i].cpu)
			return &self->memories[i];
	if (!rows_grow(&self->memories, &self->room, self->nmemories,
		       sizeof(*slot)))
		return NULL;
	slot = &self->memories[self->nmemories++];
	*slot = (struct tile_memory){ 0 };
	return slot;
}

bool
render_alloc(void *self_, size_t bytes, struct tile_memory *memory,
	     struct diag *why_not)
{
	struct render *self = self_;
	struct tile_memory *slot = find_slot(self);

	if (!slot || self->failed) {
		diag_set(why_not,
			 slot ? "the GPU has failed" : "out of memory");
		return false;
	}
	if (!take_memory(self, bytes, slot, why_not))
		return false;
	*memory = *slot;
	return true;
}

void
render_free(void *self_, const struct tile_memory *memory)
{
	struct render *self = self_;

	for (size_t i = 0; i < self->nmemories; i++)
		if (self->memories[i].cpu &&
		    self->memories[i].handle == memory->handle)
			give_memory(self, &self->memories[i]);
}

/* Programs ----------------------------------------------------------------- */

static bool
create_program(struct render *self, const uint64_t *code, size_t n,
	       uint32_t *handle, struct diag *why_not)
{
	int error;

	if (self->nprograms == PROGRAMS) {
		diag_set(why_not, "too many programs");
		return false;
	}
	error = drm_create_program(&self->calls, code, n, handle);
	if (error == EINVAL)
		diag_set(why_not, "the kernel's driver vc4 refuses a program "
				  "('qpuasm --for=drm' knows why)");
	else if (error != 0)
		explain_no_memory(self, n * sizeof(*code), error, why_not);
	else
		self->programs[self->nprograms++] = *handle;
	return error == 0;
}

bool
render_load_program(void *self, const uint64_t *code, size_t n,
		    struct tile_program *program, struct diag *why_not)
{
	return create_program(self, code, n, &program->handle, why_not);
}

/* Opening and closing ------------------------------------------------------ */

static bool
take_own(struct render *self, struct diag *why_not)
{
	if (!take_memory(self, sizeof(corners), &self->vertices, why_not))
		return false;
	memcpy(self->vertices.cpu, corners, sizeof(corners));
	self->own.vertices = self->vertices.handle;
	return create_program(self, vertex_shader,
			      sizeof(vertex_shader) / sizeof(*vertex_shader),
			      &self->own.vertex, why_not) &&
	       create_program(self, coordinate_shader,
			      sizeof(coordinate_shader) /
				      sizeof(*coordinate_shader),
			      &self->own.coordinate, why_not);
}

struct render *
render_open(const struct drm_calls *calls, unsigned *qpus, struct diag *why_not)
{
	struct render *self = calloc(1, sizeof(*self));

	if (!self) {
		diag_set(why_not, "out of memory");
		calls->close(calls->context);
		return NULL;
	}
	self->calls = *calls;
	if (!take_own(self, why_not)) {
		render_close(self);
		return NULL;
	}
	*qpus = DEVICE_QPUS;
	return self;
}

const struct drm_calls *
render_calls(const struct render *self)
{
	return &self->calls;
}

void
render_close(void *self_)
{
	struct render *self = self_;

	/* Memory is not wiped while a job may still write to it. */
	if (self->last > 0 && !self->failed)
		drm_wait(&self->calls, self->last,
			 CLOSE_MS * (uint64_t)CLOCK_NS_PER_MS);
	for (size_t i = 0; i < self->nmemories; i++)
		if (self->memories[i].cpu)
			give_memory(self, &self->memories[i]);
	if (self->vertices.cpu)
		give_memory(self, &self->vertices);
	for (unsigned i = 0; i < self->nprograms; i++)
		drm_forget(&self->calls, self->programs[i]);
	self->calls.close(self->calls.context);
	drm_job_free(&self->job);
	free(self->memories);
	free(self);
}

/* Jobs --------------------------------------------------------------------- */

enum device_status
render_submit(void *self_, const struct tile_job *tiles, uint64_t *ticket,
	      struct diag *why_not)
{
	struct render *self = self_;
	int error;

	if (self->failed) {
		diag_set(why_not, "the GPU has failed");
		return DEVICE_REFUSED;
	}
	if (!drm_job_check(tiles, why_not))
		return DEVICE_REFUSED;
	if (!drm_job_describe(&self->job, tiles, &self->own)) {
		diag_set(why_not, "out of memory");
		return DEVICE_REFUSED;
	}
	error = drm_submit(&self->calls, &self->job.submit);
	if (error != 0) {
		diag_set(why_not, "the kernel's driver vc4 refuses a job: %s",
			 strerror(error));
		return DEVICE_REFUSED;
	}
	if (self->begun_ns == 0)
		self->begun_ns = clock_ns();
	self->last = *ticket = self->job.submit.seqno;
	self->njobs++;
	return DEVICE_OK;
}

enum device_status
render_wait(void *self_, uint64_t ticket, unsigned timeout_ms, struct diag *why)
{
	struct render *self = self_;
	const int error = drm_wait(&self->calls, ticket,
				   timeout_ms * (uint64_t)CLOCK_NS_PER_MS);
	const uint64_t now = clock_ns();

	if (self->begun_ns > 0)
		self->busy_ns += now - self->begun_ns;
	self->begun_ns = ticket < self->last ? now : 0;
	self->failed = error != 0 || (self->failed && ticket < self->last);
	if (error == 0)
		return DEVICE_OK;
	if (error == ETIME) {
		diag_set(why, "a job did not end within %u ms", timeout_ms);
		return DEVICE_TIMEOUT;
	}
	diag_set(why, "the kernel's driver vc4 cannot be waited for: %s",
		 strerror(error));
	return DEVICE_FAULT;
}

void
render_totals(void *self_, struct device_totals *totals)
{
	const struct render *self = self_;

	*totals = (struct device_totals){
		.busy_ms = (double)self->busy_ns / CLOCK_NS_PER_MS,
		.memory = "the kernel's driver vc4, not cached",
		.ncounters = 1,
		.counters = { { .name = "jobs", .value = self->njobs } }
	};
}
