/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/render.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/ways/drm_job.h"
#include "qpu/ways/host.h"
#include "src/base/clock.h"

enum {
	MEMORIES = 64,
	PROGRAMS = 16,
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
	/* The first one has the corners; cpu NULL = free slot. */
	struct way_memory memories[MEMORIES];
	uint32_t programs[PROGRAMS]; /* handles; 0 = free slot */
	struct drm_job_programs own;
	struct drm_job job;
	uint64_t last; /* ticket of the newest job */
	bool failed;   /* a job did not end in time */
	uint64_t njobs;
	uint64_t begun_ns; /* start of the current run of queued jobs, or 0 */
	uint64_t busy_ns;
};

/* Requests ------------------------------------------------------------------ */

/* The kernel leaves a request undone that a signal interrupts. */
int
drm_ask(const struct drm_calls *calls, unsigned long request, void *argument)
{
	int answer;

	do
		answer = calls->request(calls->context, request, argument);
	while (answer == -EINTR || answer == -EAGAIN);
	return -answer;
}

/* The kernel keeps a buffer while a job needs it. */
static void
forget(struct render *self, uint32_t handle)
{
	struct drm_gem_close close = { .handle = handle };

	drm_ask(&self->calls, DRM_GEM_CLOSE, &close);
}

/* The kernel writes back how much of the time is left, counted in its own ticks
 * (vc4_wait_for_seqno_ioctl_helper in vc4_gem.c): signals in every tick would
 * make
 * the wait endless. */
static int
wait_for(struct render *self, uint64_t ticket, uint64_t timeout_ns)
{
	const uint64_t start = clock_ns();
	uint64_t passed = 0;
	int answer;

	do {
		struct vc4_wait_seqno wait = {
			.seqno = ticket,
			.timeout_ns =
				timeout_ns > passed ? timeout_ns - passed : 0
		};

		answer = self->calls.request(self->calls.context,
					     VC4_WAIT_SEQNO, &wait);
		passed = clock_ns() - start;
	} while (answer == -EINTR || answer == -EAGAIN);
	return -answer;
}

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
	host_explain_contiguous(&how_much);
	diag_set(why_not,
		 "the kernel's contiguous memory is too small or in pieces: "
		 "%zu MiB are needed; %.300s",
		 self->own.vertices ? mib : mib + BINNER_MIB, how_much.text);
}

static bool
take_memory(struct render *self, size_t bytes, struct way_memory *memory,
	    struct diag *why_not)
{
	struct vc4_create_bo create = { .size = 0 };
	struct vc4_mmap_bo map;
	int error;

	bytes = (bytes + DEVICE_PAGE - 1) / DEVICE_PAGE * DEVICE_PAGE;
	create.size = (uint32_t)bytes;
	error = drm_ask(&self->calls, VC4_CREATE_BO, &create);
	if (error != 0) {
		explain_no_memory(self, bytes, error, why_not);
		return false;
	}
	*memory =
		(struct way_memory){ .bytes = bytes, .handle = create.handle };
	map = (struct vc4_mmap_bo){ .handle = create.handle };
	if (drm_ask(&self->calls, VC4_MMAP_BO, &map) == 0)
		memory->cpu =
			self->calls.map(self->calls.context, map.offset, bytes);
	if (memory->cpu)
		return true;
	forget(self, memory->handle);
	diag_set(why_not, "the GPU's memory cannot be mapped");
	return false;
}

/* Wipe hashed data before other programs get the memory. */
static void
give_memory(struct render *self, struct way_memory *memory)
{
	memset(memory->cpu, 0, memory->bytes);
	if (self->calls.unmap)
		self->calls.unmap(self->calls.context, memory->cpu,
				  memory->bytes);
	forget(self, memory->handle);
	memory->cpu = NULL;
}

bool
render_alloc(void *self_, size_t bytes, struct way_memory *memory,
	     struct diag *why_not)
{
	struct render *self = self_;
	struct way_memory *slot = self->memories;

	while (slot < self->memories + MEMORIES && slot->cpu)
		slot++;
	if (slot == self->memories + MEMORIES || self->failed) {
		diag_set(why_not, self->failed ? "the GPU has failed" :
						 "too many buffers");
		return false;
	}
	if (!take_memory(self, bytes, slot, why_not))
		return false;
	*memory = *slot;
	return true;
}

void
render_free(void *self_, const struct way_memory *memory)
{
	struct render *self = self_;

	for (unsigned i = 0; i < MEMORIES; i++)
		if (self->memories[i].cpu &&
		    self->memories[i].handle == memory->handle)
			give_memory(self, &self->memories[i]);
}

/* Programs ----------------------------------------------------------------- */

static bool
create_program(struct render *self, const uint64_t *code, size_t n,
	       uint32_t *handle, struct diag *why_not)
{
	struct vc4_create_shader_bo create = { .size = (uint32_t)(n * 8),
					       .data = (uintptr_t)code };
	uint32_t *slot = self->programs;
	int error;

	while (slot < self->programs + PROGRAMS && *slot)
		slot++;
	if (slot == self->programs + PROGRAMS) {
		diag_set(why_not, "too many programs");
		return false;
	}
	error = drm_ask(&self->calls, VC4_CREATE_SHADER_BO, &create);
	*slot = *handle = error == 0 ? create.handle : 0;
	if (error == EINVAL)
		diag_set(why_not, "the kernel's driver vc4 refuses a program "
				  "('qpuasm --for=drm' knows why)");
	else if (error != 0)
		explain_no_memory(self, n * sizeof(*code), error, why_not);
	return error == 0;
}

bool
render_load_program(void *self, const uint64_t *code, size_t n,
		    struct way_program *program, struct diag *why_not)
{
	return create_program(self, code, n, &program->handle, why_not);
}

/* Opening and closing ------------------------------------------------------ */

static bool
take_own(struct render *self, struct diag *why_not)
{
	if (!take_memory(self, sizeof(corners), self->memories, why_not))
		return false;
	memcpy(self->memories->cpu, corners, sizeof(corners));
	self->own.vertices = self->memories->handle;
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
		wait_for(self, self->last,
			 CLOSE_MS * (uint64_t)CLOCK_NS_PER_MS);
	for (unsigned i = 0; i < MEMORIES; i++)
		if (self->memories[i].cpu)
			give_memory(self, &self->memories[i]);
	/* The kernel frees programs with the node. */
	self->calls.close(self->calls.context);
	drm_job_free(&self->job);
	free(self);
}

/* Jobs --------------------------------------------------------------------- */

/* A signal while the kernel waits for one of its 32 slots of the binner comes back
 * as EINVAL, as any error of a packet does (validate_bin_packet in
 * vc4_validate.c). */
static int
submit(struct render *self)
{
	enum { ATTEMPTS = 4 };
	int error = EINVAL;

	for (unsigned i = 0; i < ATTEMPTS && error == EINVAL; i++)
		error = drm_ask(&self->calls, VC4_SUBMIT_CL, &self->job.submit);
	return error;
}

static bool
has_memory(const struct render *self, const struct way_memory *memory)
{
	for (unsigned i = 0; i < MEMORIES; i++)
		if (self->memories[i].cpu &&
		    self->memories[i].handle == memory->handle)
			return true;
	return false;
}

static bool
has_program(const struct render *self, uint32_t handle)
{
	for (unsigned i = 0; i < PROGRAMS; i++)
		if (handle && self->programs[i] == handle)
			return true;
	return false;
}

/* Check that all handles of a job are of this node: from Linux 7.1 on an unknown one
 * makes the kernel follow a null pointer (vc4_cl_lookup_bos in vc4_gem.c). */
static bool
has_all(const struct render *self, const struct tile_job *job)
{
	bool known = has_memory(self, job->results);

	for (unsigned i = 0; i < job->ndraws && known; i++) {
		const struct tile_draw *draw = &job->draws[i];

		known = has_program(self, draw->program->handle);
		for (unsigned k = 0; k < draw->program->loads && known; k++)
			known = has_memory(self, draw->loads[k]);
	}
	return known;
}

enum device_status
render_submit(void *self_, const struct way_job *job, uint64_t *ticket,
	      struct diag *why_not)
{
	struct render *self = self_;
	const struct tile_job *tiles = &job->tiles;
	int error;

	if (self->failed) {
		diag_set(why_not, "the GPU has failed");
		return DEVICE_REFUSED;
	}
	if (!drm_job_check(tiles, why_not))
		return DEVICE_REFUSED;
	if (!has_all(self, tiles)) {
		diag_set(why_not, "the job names memory or a program that the "
				  "device does not have");
		return DEVICE_REFUSED;
	}
	if (!drm_job_describe(&self->job, tiles, &self->own)) {
		diag_set(why_not, "out of memory");
		return DEVICE_REFUSED;
	}
	error = submit(self);
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
	const int error =
		wait_for(self, ticket, timeout_ms * (uint64_t)CLOCK_NS_PER_MS);
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
