/* SPDX-License-Identifier: MIT */
/*
 * Promise: no job that a program submits to the model of the kernel's driver can
 * harm it; it is refused with an errno, or it ends; and a buffer that a job does
 * not name keeps its contents, whatever the job draws.
 *
 * The input changes a job: bit 0 of byte 0 has it use the clear colour, bit 1 draw
 * a triangle.  Then each four bytes are an area, an offset in it (two bytes) and
 * what is written there.
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
new_buffer(struct vc4 *vc4, uint8_t **memory)
{
	struct vc4_create_bo create = { .size = BYTES };
	struct vc4_mmap_bo map = { .handle = 0 };
	struct vc4_pages pages;

	FUZZ_HOLDS(vc4_ioctl(vc4, VC4_CREATE_BO, &create) == 0);
	map.handle = create.handle;
	FUZZ_HOLDS(vc4_ioctl(vc4, VC4_MMAP_BO, &map) == 0);
	FUZZ_HOLDS(vc4_pages_at(vc4, map.offset, BYTES, true, &pages) == 0);
	*memory = pages.host;
	memset(*memory, PATTERN, BYTES);
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

static bool
is_kept(const uint8_t *memory)
{
	for (unsigned i = 0; i < BYTES; i++)
		if (memory[i] != PATTERN)
			return false;
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct vc4_options options = { .cma_mib = 32,
						    .v3d_mhz = 1 };
	static const uint32_t uniform = 7;
	struct vc4_wait_seqno wait = { .timeout_ns = 2000000000 };
	struct drm_job job = { .list = { 0 } };
	uint8_t *memory[BUFFERS];
	uint32_t handles[BUFFERS];
	struct diag why;
	struct vc4 *vc4;
	int error;

	if (len < HEADER)
		return -1;
	vc4 = vc4_new(&options, &why);
	FUZZ_HOLDS(vc4);
	for (unsigned i = 0; i < BUFFERS; i++)
		handles[i] = new_buffer(vc4, &memory[i]);
	memcpy(memory[CORNERS], corners, sizeof(corners));

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
	change(&job, data + HEADER, len - HEADER);
	error = vc4_ioctl(vc4, VC4_SUBMIT_CL, &job.submit);
	FUZZ_HOLDS(error == 0 || error == -EINVAL || error == -ENOENT ||
		   error == -ENOMEM);
	wait.seqno = error ? 0 : job.submit.seqno;
	error = vc4_ioctl(vc4, VC4_WAIT_SEQNO, &wait);
	FUZZ_HOLDS(error == 0 || error == -ETIME);
	FUZZ_HOLDS(is_kept(memory[BEFORE]) && is_kept(memory[AFTER]));
	drm_job_free(&job);
	vc4_free(vc4);
	return 0;
}
