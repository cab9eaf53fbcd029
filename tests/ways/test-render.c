/* SPDX-License-Identifier: MIT */
/*
 * Promise: requests go to the kernel's driver vc4 in this order, each refusal
 * is reported in one sentence, signals change nothing, and everything that was
 * taken is returned.
 *
 * The kernel here is a few counters; jobs themselves are tested on the model of
 * the kernel's driver (test-tiles.c).
 */
#include "config.h"

#include "qpu/ways/render.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "qpu/abi/vc4.h"
#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

#define MS (FAULT_SECOND / 1000)

enum { MOST = 64 };

static struct kernel {
	/* Failures: each an errno, or 0. */
	int create_error, program_error, submit_error, wait_error;
	unsigned submit_fails;	  /* failures left; 0: all fail */
	unsigned create_fails_at; /* number of the buffer, from 1; 0 for all */
	bool no_map;
	unsigned interruptions; /* of the next requests that can be */

	unsigned buffers, programs, mappings, submits, waits;
	bool closed;
	void *memory[MOST];
	size_t bytes[MOST];
	bool is_wiped;
	struct vc4_submit_cl submit;
	uint8_t list[1024], records[1024], uniforms[1024];
	uint32_t handles[64];
	uint64_t timeouts[MOST];
} kernel;

static struct diag why;

/* --- A kernel ------------------------------------------------------------- */

static int
create(struct vc4_create_bo *create)
{
	static unsigned n;

	n = kernel.buffers + 1;
	if (kernel.create_error &&
	    (kernel.create_fails_at == 0 || kernel.create_fails_at == n))
		return -kernel.create_error;
	create->handle = n;
	kernel.bytes[n] = create->size;
	kernel.buffers++;
	return 0;
}

static int
create_program(struct vc4_create_shader_bo *create)
{
	if (kernel.program_error)
		return -kernel.program_error;
	create->handle = 100 + ++kernel.programs;
	return 0;
}

static void
copy(void *to, uint64_t from, size_t n)
{
	memcpy(to, (const void *)(uintptr_t)from, n);
}

static int
submit(struct vc4_submit_cl *submit)
{
	if (kernel.interruptions > 0)
		return kernel.interruptions-- % 2 ? -EINTR : -EAGAIN;
	if (kernel.submit_error) {
		const int error = kernel.submit_error;

		if (kernel.submit_fails == 1)
			kernel.submit_error = 0;
		kernel.submit_fails -= kernel.submit_fails > 0;
		return -error;
	}
	kernel.submit = *submit;
	copy(kernel.list, submit->bin_cl, submit->bin_cl_size);
	copy(kernel.records, submit->shader_rec, submit->shader_rec_size);
	copy(kernel.uniforms, submit->uniforms, submit->uniforms_size);
	copy(kernel.handles, submit->bo_handles, 4 * submit->bo_handle_count);
	submit->seqno = ++kernel.submits;
	return 0;
}

/* Signals come every 10 ms, and as in the kernel the rest that it writes back
 * does not shrink within a tick. */
static int
wait_for(struct vc4_wait_seqno *wait)
{
	kernel.timeouts[kernel.waits++ % MOST] = wait->timeout_ns;
	if (kernel.interruptions > 0 && wait->timeout_ns > 0) {
		fault_clock_advance(10 * MS);
		return kernel.interruptions-- % 2 ? -EINTR : -EAGAIN;
	}
	if (kernel.interruptions > 0)
		return -ETIME;
	return -kernel.wait_error;
}

static int
answer(void *context, unsigned long request, void *argument)
{
	struct vc4_mmap_bo *map = argument;

	(void)context;
	switch (request) {
	case VC4_CREATE_BO: return create(argument);
	case VC4_CREATE_SHADER_BO: return create_program(argument);
	case VC4_SUBMIT_CL: return submit(argument);
	case VC4_WAIT_SEQNO: return wait_for(argument);
	case VC4_MMAP_BO: map->offset = map->handle * 4096; return 0;
	case DRM_GEM_CLOSE: kernel.buffers--; return 0;
	default: return -ENOTTY;
	}
}

static void *
map(void *context, uint64_t offset, size_t bytes)
{
	const uint64_t handle = offset / 4096;

	(void)context;
	if (kernel.no_map || bytes > kernel.bytes[handle])
		return NULL;
	kernel.memory[handle] = calloc(1, bytes);
	kernel.mappings += kernel.memory[handle] != NULL;
	return kernel.memory[handle];
}

static void
unmap(void *context, void *memory, size_t bytes)
{
	const uint8_t *byte = memory;

	(void)context;
	for (size_t i = 0; i < bytes; i++)
		kernel.is_wiped &= byte[i] == 0;
	kernel.mappings--;
	free(memory);
}

static void
close_node(void *context)
{
	(void)context;
	kernel.closed = true;
}

static const struct drm_calls calls = {
	.request = answer, .map = map, .unmap = unmap, .close = close_node
};

static struct render *
begin(void)
{
	unsigned qpus;

	kernel = (struct kernel){ .is_wiped = true };
	fault_clock_set(FAULT_SECOND);
	return render_open(&calls, &qpus, &why);
}

/* --- A job ---------------------------------------------------------------- */

static const uint32_t words[] = { 0, 252, 7 };
static struct way_memory results, data;
static struct way_program program = { .uniforms = 3, .loads = 2 };
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
	static const uint64_t code[1];
	struct render *render = begin();

	if (!render || (render_alloc(render, 2 * TILE_BYTES, &results, &why) &&
			render_alloc(render, 4096, &data, &why) &&
			render_load_program(render, code, 1, &program, &why)))
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

static bool
has_bytes(const uint8_t *bytes, size_t n, const char *expected)
{
	char text[1024] = "";
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%02x",
				       bytes[i]);
	if (strcmp(text, expected) != 0)
		tap_note("got %s", text);
	return strcmp(text, expected) == 0;
}

#define WINDOW(x, width, height) "66" x "0000" width "00" height "00"
#define TRIANGLE                                                               \
	"4001000000"                                                           \
	"21040300000000000000"
#define RECORD                                                                 \
	"0500000000000000000000000000010c00000000000000000000010c"             \
	"0000000000000000000000000b0c0000"

static void
test_submit(void)
{
	struct render *render = begin_job();
	const struct vc4_submit_cl *submit = &kernel.submit;
	uint64_t ticket = 0;

	ok(render_submit(render, &(struct way_job){ .tiles = job }, &ticket,
			 &why) == DEVICE_OK &&
		   ticket == 1,
	   "a job is submitted and has a ticket");
	ok(has_bytes(kernel.list, submit->bin_cl_size,
		     "70000000000000000000000000020101"
		     "063812" WINDOW("0000", "20",
				     "20") "60437002"
					   "6500000000"
					   "620000803f"
					   "630000803f"
					   "690000004400008043"
					   "6a0000003f0000003f"
					   "6700020001"
					   "6100000000" TRIANGLE WINDOW(
						   "2000", "20", "10") TRIANGLE
		     "0704"),
	   "the bin list has a window and a triangle for each draw");
	ok(submit->shader_rec_count == 2 &&
		   has_bytes(kernel.records, submit->shader_rec_size,
			     "01000000020000000300000004000000" RECORD
			     "01000000020000000300000004000000" RECORD),
	   "each draw has a record of three programs and one attribute");
	ok(has_bytes(kernel.uniforms, submit->uniforms_size / 2,
		     "0500000000000000"
		     "00000000fc00000007000000"
		     "00fe00ff00f800fc"
		     "00fe00ff00f800fc"),
	   "a stream has the memory of each lookup, the words of the draw, and "
	   "the corners for both shaders");
	ok(submit->bo_handle_count == 6 &&
		   kernel.handles[0] == results.handle &&
		   kernel.handles[5] == data.handle,
	   "each buffer is named once");
	ok(render_submit(render, &(struct way_job){ .tiles = job }, &ticket,
			 &why) == DEVICE_OK &&
		   submit->shader_rec_size == 120 &&
		   submit->bo_handle_count == 6,
	   "a job has nothing of the one before it");
	ok(submit->width == 64 && submit->height == 32 &&
		   submit->min_x_tile == 0 && submit->max_x_tile == 1 &&
		   submit->max_y_tile == 0 &&
		   submit->msaa_color_write.hindex == 0 &&
		   submit->msaa_color_write.bits == 0 &&
		   submit->color_write.hindex == VC4_NO_SURFACE &&
		   submit->color_write.bits == 0x11 &&
		   submit->color_read.hindex == VC4_NO_SURFACE &&
		   submit->zs_write.hindex == VC4_NO_SURFACE &&
		   submit->clear_color[0] == 0x12345678 &&
		   submit->clear_color[1] == 0x12345678 && submit->flags == 1,
	   "tiles are cleared, drawn and stored with four samples a pixel");
	render_close(render);
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
	struct way_memory memory;
	struct render *render;
	unsigned qpus;

	fault_clear();
	render = begin();
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
	ok(kernel.buffers == 1 && kernel.is_wiped,
	   "memory that goes back is wiped");
	ok(render_alloc(render, 4096, &memory, &why),
	   "memory may be had again");
	memset(memory.cpu, 0x55, memory.bytes);
	render_close(render);
	ok(kernel.closed && kernel.buffers == 0 && kernel.mappings == 0 &&
		   kernel.is_wiped,
	   "a close wipes all that is left, and closes the node");

	kernel = (struct kernel){ .create_error = ENOMEM };
	ok(!render_open(&calls, &qpus, &why) && kernel.closed &&
		   strstr(why.text, "17 MiB are needed"),
	   "the first buffer needs the binner's memory, too");
	kernel = (struct kernel){ .program_error = EINVAL };
	ok(!render_open(&calls, &qpus, &why) && kernel.closed &&
		   kernel.buffers == 0,
	   "a kernel that refuses our programs is left alone");
	is(why.text,
	   "the kernel's driver vc4 refuses a program ('qpuasm --for=drm' "
	   "knows why)",
	   "a program that is refused is told");
	kernel = (struct kernel){ .closed = false };
	fault_at(FAULT_calloc, 1, ENOMEM);
	ok(!render_open(&calls, &qpus, &why) && kernel.closed &&
		   strcmp(why.text, "out of memory") == 0,
	   "the node is closed where there is no memory for the driver");
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
			status = render_wait(render, ticket, 1, &why);
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
	test_submit();
	test_limits();
	test_memory();
	test_waits();
	fault_each(FAULT_MEMORY, ENOMEM, submit_one, "a job");
	fault_clear();
	return tap_done();
}
