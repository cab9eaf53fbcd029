/* SPDX-License-Identifier: MIT */
/*
 * Promise: no job that a program submits to the model of the kernel's driver can
 * harm it; it is refused with an errno, or it ends; and a buffer that a job does
 * not name keeps its contents, whatever the job draws.  No control list, shader,
 * shader record or list of a tile that changes after the check can harm the
 * emulator or reach memory that it was not given, in any mode.
 *
 * The input changes a job: bit 0 of byte 0 has it use the clear colour, bit 1 draw
 * a triangle; bits 2 to 4 are modes of the machine; with bit 5 the changes come
 * after the check.  Then each four bytes are an area, an offset in it (two bytes)
 * and what is written there.
 */
#include "config.h"

#include <errno.h>

#include "qpu/pi/vc4.h"
#include "qpu/ways/drm_job.h"
#include "tests/fuzz/fuzz.h"

enum { HEADER = 1, CHANGE = 4, BYTES = 65536, PATTERN = 0x5a };

/* They are in the order of addresses: the kernel lets the last tile of a surface
 * lie after its buffer, so that there is one between those that matter. */
enum { BEFORE, CORNERS, TARGET, AFTER_TARGET, AFTER, BUFFERS };

/* Stores coordinates and a uniform in the samples of each pixel. */
static const uint64_t fragment[] = {
	UINT64_C(0x100009e7009e7000), UINT64_C(0x100009e7009e7000),
	UINT64_C(0x1002082715a67d80), UINT64_C(0x1002086715827d80),
	UINT64_C(0x10020b67159e7000), UINT64_C(0x10020b67159e7240),
	UINT64_C(0x10020b67159e7000), UINT64_C(0x10020b67159e7240),
	UINT64_C(0x300009e7009e7000), UINT64_C(0x100009e7009e7000),
	UINT64_C(0x500009e7009e7000)
};
static const uint64_t coordinate[] = {
#include "qpu/ways/coordinate.words"
};
static const uint64_t vertex[] = {
#include "qpu/ways/vertex.words"
};
/* The corners that render.c draws. */
static const uint32_t corners[VERTICES][VERTEX_WORDS] = {
	{ 0, 0xbf000000, 0xbf000000 },
	{ 0x0000ffff, 0x3f000000, 0xbf000000 },
	{ 0xffff0000, 0xbf000000, 0x3f000000 }
};

static uint32_t
new_buffer(struct vc4 *vc4, struct vc4_pages *pages)
{
	struct vc4_create_bo create = { .size = BYTES };
	struct vc4_mmap_bo map = { .handle = 0 };

	FUZZ_HOLDS(vc4_ioctl(vc4, VC4_CREATE_BO, &create) == 0);
	map.handle = create.handle;
	FUZZ_HOLDS(vc4_ioctl(vc4, VC4_MMAP_BO, &map) == 0);
	FUZZ_HOLDS(vc4_pages_at(vc4, map.offset, BYTES, true, pages) == 0);
	memset(pages->host, PATTERN, BYTES);
	return create.handle;
}

static uint32_t
new_program(struct vc4 *vc4, const uint64_t *words, uint32_t bytes)
{
	struct vc4_create_shader_bo create = { .size = bytes,
					       .data = (uintptr_t)words };

	FUZZ_HOLDS(vc4_ioctl(vc4, VC4_CREATE_SHADER_BO, &create) == 0);
	return create.handle;
}

/* Change bytes in place: the input has the job's length. */
static void
change(struct drm_job *job, const uint8_t *data, size_t len)
{
	struct vc4_submit_cl *args = &job->submit;
	const struct vc4_submit_cl whole = *args;
	const struct {
		void *at;
		size_t bytes;
	} areas[] = { { &args->bin_cl_size,
			sizeof(*args) -
				offsetof(struct vc4_submit_cl, bin_cl_size) },
		      { job->list.bytes, job->list.len },
		      { job->records.bytes, job->records.len },
		      { job->uniforms.bytes, job->uniforms.len } };

	for (; len >= CHANGE; data += CHANGE, len -= CHANGE) {
		const unsigned area = data[0] % 4;
		const unsigned offset = data[1] | data[2] << 8;

		if (areas[area].bytes > 0)
			((uint8_t *)areas[area].at)[offset % areas[area].bytes] =
				data[3];
	}
	if (args->bin_cl_size > whole.bin_cl_size)
		args->bin_cl_size = whole.bin_cl_size;
	if (args->shader_rec_size > whole.shader_rec_size)
		args->shader_rec_size = whole.shader_rec_size;
	if (args->uniforms_size > whole.uniforms_size)
		args->uniforms_size = whole.uniforms_size;
	if (args->bo_handle_count > whole.bo_handle_count)
		args->bo_handle_count = whole.bo_handle_count;
}

/* Change programs, lists and records where the V3D reads them, which is after the
 * last buffer, and the lists and states of tiles, at the beginning of the binner's
 * memory. */
static void
change_lists(struct vc4 *vc4, uint32_t last, const uint8_t *data, size_t len)
{
	enum { PAGE = 4096, PAGES = 8, TILES = PAGES - 1, BINNER = 16 << 20 };

	for (; len >= CHANGE; data += CHANGE, len -= CHANGE) {
		const unsigned area = data[0] % PAGES;
		const uint32_t page = area == TILES ?
					      last / BINNER * BINNER - BINNER :
					      last + BYTES + area * PAGE;
		uint8_t *memory = machine_memory(vc4_machine(vc4), page, PAGE);

		if (memory)
			memory[(data[1] | data[2] << 8) % PAGE] = data[3];
	}
}

static bool
is_kept(const struct vc4_pages *pages)
{
	const uint8_t *memory = pages->host;

	for (unsigned i = 0; i < BYTES; i++)
		if (memory[i] != PATTERN)
			return false;
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const uint32_t uniform = 7;
	struct vc4_options options = { .cma_mib = 32, .v3d_mhz = 1 };
	struct vc4_wait_seqno wait = { .timeout_ns = 0 };
	struct drm_job job = { .list = { 0 } };
	struct vc4_pages pages[BUFFERS];
	uint32_t handles[BUFFERS];
	struct diag why;
	struct vc4 *vc4;
	bool is_late;
	int error;

	if (len < HEADER)
		return -1;
	options.machine.timed = data[0] & 4;
	options.machine.check = data[0] & 8;
	options.machine.profile = data[0] & 16;
	is_late = data[0] & 32;
	vc4 = vc4_new(&options, &why);
	FUZZ_HOLDS(vc4);
	for (unsigned i = 0; i < BUFFERS; i++)
		handles[i] = new_buffer(vc4, &pages[i]);
	memcpy(pages[CORNERS].host, corners, sizeof(corners));

	const struct drm_job_programs shared = {
		new_program(vc4, vertex, sizeof(vertex)),
		new_program(vc4, coordinate, sizeof(coordinate)),
		handles[CORNERS]
	};
	const struct way_program program = {
		.handle = new_program(vc4, fragment, sizeof(fragment)),
		.uniforms = 1
	};
	const struct way_memory results = { NULL, handles[TARGET], BYTES };
	const struct tile_draw draw = { &program, &uniform, NULL, 0, 0, 64, 64 };
	const struct tile_job tiles = { .draws = &draw,
					.ndraws = data[0] >> 1 & 1,
					.results = &results,
					.tiles_x = 2,
					.tiles_y = 2 };

	FUZZ_HOLDS(drm_job_describe(&job, &tiles, &shared));
	job.submit.flags = data[0] & VC4_USE_CLEAR_COLOR;
	if (!is_late)
		change(&job, data + HEADER, len - HEADER);
	error = vc4_ioctl(vc4, VC4_SUBMIT_CL, &job.submit);
	FUZZ_HOLDS(error == 0 || error == -EINVAL || error == -ENOENT ||
		   error == -ENOMEM);
	wait.seqno = error ? 0 : job.submit.seqno;
	/* Before the job, and in its middle. */
	for (unsigned i = 0; is_late && i < 2; i++) {
		change_lists(vc4, pages[AFTER].bus, data + HEADER,
			     len - HEADER);
		vc4_ioctl(vc4, VC4_WAIT_SEQNO, &wait);
	}
	wait.timeout_ns = 2000000000;
	error = vc4_ioctl(vc4, VC4_WAIT_SEQNO, &wait);
	FUZZ_HOLDS(error == 0 || error == -ETIME);
	FUZZ_HOLDS(is_late ||
		   (is_kept(&pages[BEFORE]) && is_kept(&pages[AFTER])));
	drm_job_free(&job);
	vc4_free(vc4);
	return 0;
}
