/* SPDX-License-Identifier: MIT */
/*
 * Promise: each refusal of the kernel's driver vc4 is reported in one sentence,
 * signals change nothing, and everything that was taken is returned.
 *
 * The kernel is its model, which may be told to fail.  What jobs draw is tested
 * in test-emulated.c.
 */
#include "config.h"

#include "qpu/ways/render.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "qpu/abi/vc4.h"
#include "qpu/pi/vc4.h"
#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

#define MS (FAULT_SECOND / 1000)

enum { MOST = 64 };

static struct kernel {
	struct vc4 *vc4;
	/* Failures: each an errno, or 0. */
	int create_error, program_error, submit_error, wait_error;
	unsigned submit_fails; /* failures left; 0: all fail */
	bool no_map;
	unsigned interruptions; /* of the next requests that can be */

	unsigned buffers, mappings, submits, waits;
	bool unwiped;
	uint64_t timeouts[MOST];
} kernel;

static struct diag why;

/* --- The kernel ----------------------------------------------------------- */

static int
submit_error(void)
{
	const int error = kernel.submit_error;

	if (kernel.interruptions > 0)
		return kernel.interruptions-- % 2 ? EINTR : EAGAIN;
	if (kernel.submit_fails == 1)
		kernel.submit_error = 0;
	kernel.submit_fails -= kernel.submit_fails > 0;
	kernel.submits += error == 0;
	return error;
}

/* Signals come every 10 ms, and as in the kernel the rest that it writes back
 * does not shrink within a tick. */
static int
wait_error(const struct vc4_wait_seqno *wait)
{
	kernel.timeouts[kernel.waits++ % MOST] = wait->timeout_ns;
	if (kernel.interruptions > 0 && wait->timeout_ns > 0) {
		fault_clock_advance(10 * MS);
		return kernel.interruptions-- % 2 ? EINTR : EAGAIN;
	}
	return kernel.interruptions > 0 ? ETIME : kernel.wait_error;
}

static int
answer(void *context, unsigned long request, void *argument)
{
	const int error = request == VC4_CREATE_BO ? kernel.create_error :
			  request == VC4_CREATE_SHADER_BO ?
						     kernel.program_error :
			  request == VC4_SUBMIT_CL  ? submit_error() :
			  request == VC4_WAIT_SEQNO ? wait_error(argument) :
						      0;

	(void)context;
	if (error)
		return -error;
	kernel.buffers += request == VC4_CREATE_BO;
	kernel.buffers -= request == DRM_GEM_CLOSE;
	return vc4_ioctl(kernel.vc4, request, argument);
}

static void *
map(void *context, uint64_t offset, size_t bytes)
{
	(void)context;
	kernel.mappings += !kernel.no_map;
	return kernel.no_map ? NULL : vc4_map(kernel.vc4, offset, bytes);
}

static void
unmap(void *context, void *memory, size_t bytes)
{
	const uint8_t *byte = memory;

	(void)context;
	for (size_t i = 0; i < bytes; i++)
		kernel.unwiped |= byte[i] != 0;
	kernel.mappings--;
	vc4_unmap(kernel.vc4, memory, bytes);
}

static void
close_node(void *context)
{
	(void)context;
	vc4_free(kernel.vc4);
	kernel.vc4 = NULL;
}

/* Open the node of a kernel whose failures are set. */
static struct render *
begin(const struct kernel *failures)
{
	static const struct drm_calls calls = { .request = answer,
						.map = map,
						.unmap = unmap,
						.close = close_node };
	const struct vc4_options options = { .cma_mib = 64 };
	unsigned qpus;

	kernel = *failures;
	kernel.vc4 = vc4_new(&options, &why);
	fault_clock_set(FAULT_SECOND);
	return kernel.vc4 ? render_open(&calls, &qpus, &why) : NULL;
}

/* --- A job ---------------------------------------------------------------- */

/* Of each lookup, how far it may go, and from which byte on. */
static const uint32_t words[] = { 252, 0, 252, 4 };
static struct way_memory results, data;
static struct way_program program = { .uniforms = 4, .loads = 2 };
static const struct way_memory *const loads[] = { &data, &results };

/* Two draws on 2 x 1 tiles, each with half of the job. */
static struct tile_draw draws[2] = { { &program, words, loads, 0, 0, 32, 32 },
				     { &program, words, loads, 32, 0, 32,
				       16 } };
static struct tile_job job = { .draws = draws,
			       .ndraws = 2,
			       .results = &results,
			       .tiles_x = 2,
			       .tiles_y = 1,
			       .clear = 0x12345678 };

/* NULL if it cannot be had. */
static struct render *
try_job(void)
{
	/* max r0, r0, 0; min r0, r0, unif; add t0s, r0, unif; ldtmu0; the same
	 * with TMU 1; thrend; nop; nop */
	static const uint64_t code[] = { 0xd0020827139c01c0, 0x1002082712827180,
					 0x10020e270c827180, 0xa00009e7009e7000,
					 0xd0020827139c01c0, 0x1002082712827180,
					 0x10020f270c827180, 0xb00009e7009e7000,
					 0x300009e7009e7000, 0x100009e7009e7000,
					 0x100009e7009e7000 };
	static const struct kernel good;
	struct render *render = begin(&good);

	if (!render || (render_alloc(render, 2 * TILE_BYTES, &results, &why) &&
			render_alloc(render, 4096, &data, &why) &&
			render_load_program(render, code, sizeof(code) / 8,
					    &program, &why)))
		return render;
	render_close(render);
	return NULL;
}

static struct render *
begin_job(void)
{
	struct render *render;

	fault_clear();
	render = try_job();
	if (render)
		return render;
	printf("Bail out! %s\n", why.text);
	exit(99);
}

static void
refuses(const char *name, const char *reason)
{
	struct render *render = begin_job();
	uint64_t ticket;

	ok(render_submit(render, &(struct way_job){ .tiles = job }, &ticket,
			 &why) == DEVICE_REFUSED &&
		   kernel.submits == 0,
	   "%s is refused", name);
	is(why.text, reason, "%s is refused with the reason", name);
	render_close(render);
}

static void
test_limits(void)
{
	const struct tile_job good = job;
	const struct tile_draw draw = draws[1];

	job.tiles_x = TILE_MAX + 1;
	refuses("a job that is too wide",
		"a job has 1 to 32 x 32 tiles and 1 to 1024 draws");
	job = good;
	job.tiles_y = 2;
	refuses("a job that its memory is too small for",
		"the job's results do not fit into memory");
	job = good;
	job.offset = 2048;
	refuses("an offset of results within a page",
		"the job's results do not fit into memory");
	job = good;
	draws[1].width = 33;
	refuses("a window beyond the tiles",
		"draw 1 goes beyond the job's tiles");
	draws[1] = draw;
	for (unsigned i = 0; i < 2; i++) {
		static const char of_no_node[] =
			"the job names memory or a program that the device "
			"does not have";
		const struct way_memory other = { .handle = i ? 99 : 0,
						  .bytes = 2 * TILE_BYTES };
		const struct way_memory *const others[] = { &data, &other };
		const struct way_program stranger = { .handle = other.handle };

		job.results = &other;
		refuses("a job with results in memory of no node", of_no_node);
		job = good;
		draws[1].loads = others;
		refuses("a lookup of memory of no node", of_no_node);
		draws[1] = draw;
		draws[1].program = &stranger;
		refuses("a program of no node", of_no_node);
		draws[1] = draw;
	}
}

/* --- Memory --------------------------------------------------------------- */

static int
open_meminfo(const char *path, int flags, mode_t mode)
{
	return fault_real_open(strcmp(path, "/proc/meminfo") == 0 ? "meminfo" :
								    path,
			       flags, mode);
}

static void
test_memory(void)
{
	static const struct kernel good,
		no_memory = { .create_error = ENOMEM },
		no_program = { .program_error = EINVAL };
	struct way_memory memory;
	struct render *render;

	fault_clear();
	render = begin(&good);
	scratch_enter();
	scratch_text("meminfo", "CmaTotal: 65536 kB\nCmaFree: 9300 kB\n");
	fault_hooks.open = open_meminfo;
	kernel.create_error = ENOMEM;
	ok(!render_alloc(render, 10 << 20, &memory, &why) &&
		   strcmp(why.text,
			  "the kernel's contiguous memory is too small or in "
			  "pieces: 11 MiB are needed; CmaTotal is 64 MiB, "
			  "CmaFree 9 MiB: close other programs") == 0,
	   "too little contiguous memory is told in numbers");
	kernel.create_error = EACCES;
	ok(!render_alloc(render, 4096, &memory, &why) &&
		   strcmp(why.text, "the kernel's driver vc4 gives no memory: "
				    "Permission denied") == 0,
	   "the kernel's reason for giving no memory is told");
	kernel.create_error = 0;
	kernel.no_map = true;
	ok(!render_alloc(render, 4096, &memory, &why) && kernel.buffers == 1,
	   "memory that cannot be mapped goes back");
	kernel.no_map = false;
	ok(render_alloc(render, 1, &memory, &why) && memory.bytes == 4096,
	   "memory comes in pages");
	memset(memory.cpu, 0x55, memory.bytes);
	render_free(render, &memory);
	ok(kernel.buffers == 1 && !kernel.unwiped,
	   "memory that goes back is wiped");
	ok(render_alloc(render, 4096, &memory, &why),
	   "memory may be allocated again");
	memset(memory.cpu, 0x55, memory.bytes);
	render_close(render);
	ok(!kernel.vc4 && kernel.buffers == 0 && kernel.mappings == 0 &&
		   !kernel.unwiped,
	   "a close wipes all that is left, and closes the node");
	ok(!begin(&no_memory) && !kernel.vc4 &&
		   strstr(why.text, "17 MiB are needed"),
	   "the first buffer needs the binner's memory, too");
	ok(!begin(&no_program) && !kernel.vc4 && kernel.buffers == 0,
	   "a kernel that refuses our programs is left alone");
	is(why.text,
	   "the kernel's driver vc4 refuses a program ('qpuasm --for=drm' "
	   "knows why)",
	   "a program that is refused is told");
}

/* --- Signals and waits ---------------------------------------------------- */

static void
test_waits(void)
{
	struct render *render = begin_job();
	struct device_totals totals;
	uint64_t ticket;

	kernel.interruptions = 3;
	ok(render_submit(render, &(struct way_job){ .tiles = job }, &ticket,
			 &why) == DEVICE_OK &&
		   kernel.submits == 1,
	   "a submit that signals interrupt is done once");
	kernel.interruptions = 2;
	ok(render_wait(render, ticket, 100, &why) == DEVICE_OK &&
		   kernel.timeouts[0] == 100 * MS &&
		   kernel.timeouts[1] == 90 * MS &&
		   kernel.timeouts[2] == 80 * MS,
	   "a wait that signals interrupt goes on with the rest of its time");
	render_totals(render, &totals);
	ok(totals.busy_ms == 20, "the time of waits is counted");
	kernel.interruptions = 1000;
	ok(render_wait(render, ticket, 100, &why) == DEVICE_TIMEOUT,
	   "signals in every tick do not make a wait endless");
	is(why.text, "a job did not end within 100 ms",
	   "a job that does not end is told");
	ok(render_submit(render, &(struct way_job){ .tiles = job }, &ticket,
			 &why) == DEVICE_REFUSED &&
		   strcmp(why.text, "the GPU has failed") == 0 &&
		   !render_alloc(render, 4096, &data, &why),
	   "nothing more is asked of a GPU that has failed");
	kernel.interruptions = 0;
	ok(render_wait(render, ticket, 100, &why) == DEVICE_OK &&
		   render_submit(render, &(struct way_job){ .tiles = job },
				 &ticket, &why) == DEVICE_OK,
	   "a GPU whose job has ended after all goes on");
	kernel.interruptions = 1000;
	render_wait(render, ticket, 100, &why);
	kernel.waits = 0;
	render_close(render);
	ok(kernel.waits == 0 && kernel.buffers == 0,
	   "a device that has failed is closed without another wait");

	render = begin_job();
	render_submit(render, &(struct way_job){ .tiles = job }, &ticket, &why);
	render_close(render);
	ok(kernel.waits == 1 && kernel.timeouts[0] == 5 * FAULT_SECOND,
	   "a close waits for the jobs in the queue");
	render = begin_job();
	kernel.submit_error = EINVAL;
	ok(render_submit(render, &(struct way_job){ .tiles = job }, &ticket,
			 &why) == DEVICE_REFUSED,
	   "a job that the kernel refuses is refused");
	is(why.text, "the kernel's driver vc4 refuses a job: Invalid argument",
	   "a job that the kernel refuses is told");
	kernel.submit_fails = 3;
	ok(render_submit(render, &(struct way_job){ .tiles = job }, &ticket,
			 &why) == DEVICE_OK &&
		   kernel.submits == 1,
	   "a job is refused if that lasts: a signal while the kernel waits "
	   "for a slot looks so, too");
	kernel.wait_error = EIO;
	ok(render_wait(render, ticket, 100, &why) == DEVICE_FAULT,
	   "a wait that fails is a fault");
	is(why.text,
	   "the kernel's driver vc4 cannot be waited for: Input/output error",
	   "a wait that fails is told");
	render_close(render);
}

/* It is counted, if it was submitted. */
static enum fault_outcome
submit_one(void)
{
	struct device_totals totals = { .ncounters = 0 };
	enum device_status status = DEVICE_REFUSED;
	struct render *render;
	uint64_t ticket;

	why.text[0] = '\0';
	render = try_job();
	if (render) {
		status = render_submit(render,
				       &(struct way_job){ .tiles = job },
				       &ticket, &why);
		if (status == DEVICE_OK)
			status = render_wait(render, ticket, 5000, &why);
		render_totals(render, &totals);
		render_close(render);
	}
	if (totals.counters[0].value != (status == DEVICE_OK))
		return FAULT_WRONG;
	return status == DEVICE_OK ? FAULT_WHOLE :
	       why.text[0]	   ? FAULT_TOLD :
				     FAULT_WRONG;
}

int
main(void)
{
	test_limits();
	test_memory();
	test_waits();
	fault_each(FAULT_MEMORY, ENOMEM, submit_one, "a job");
	fault_clear();
	return tap_done();
}
