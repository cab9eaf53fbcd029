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

#include "qpu/abi/vc4.h"
#include "qpu/vc4/vc4.h"
#include "tests/fuzz/fuzz.h"

enum {
	HEADER = 1,
	CHANGE = 4,
	BYTES = 65536,
	PROGRAMS = 3,
	HANDLES = 5,
	PATTERN = 0x5a
};

/* They are in the order of addresses: the kernel lets the last tile of a surface
 * lie after its buffer, so that there is one between those that matter. */
enum { BEFORE, CORNERS, TARGET, AFTER_TARGET, AFTER, BUFFERS };

static struct {
	struct vc4_submit_cl args;
	uint8_t list[192];
	uint32_t records[16], uniforms[16], handles[HANDLES + 1];
} job;

/* One stores coordinates and a uniform in the samples of each pixel; the others
 * pass on the corners of a triangle, to the renderer and to the binner. */
static const struct {
	unsigned n;
	uint64_t words[16];
} programs[PROGRAMS] = {
	{ 11,
	  { UINT64_C(0x100009e7009e7000), UINT64_C(0x100009e7009e7000),
	    UINT64_C(0x1002082715a67d80), UINT64_C(0x1002086715827d80),
	    UINT64_C(0x10020b67159e7000), UINT64_C(0x10020b67159e7240),
	    UINT64_C(0x10020b67159e7000), UINT64_C(0x10020b67159e7240),
	    UINT64_C(0x300009e7009e7000), UINT64_C(0x100009e7009e7000),
	    UINT64_C(0x500009e7009e7000) } },
	{ 10,
	  { UINT64_C(0xe0020c6700301a00), UINT64_C(0xe0021c6700001a00),
	    UINT64_C(0x10020c2715c27d80), UINT64_C(0x100209e715c27d80),
	    UINT64_C(0x100209e715c27d80), UINT64_C(0xd0020c27159c0fc0),
	    UINT64_C(0xd0020c27159e0fc0), UINT64_C(0x300009e7009e7000),
	    UINT64_C(0x100009e7009e7000), UINT64_C(0x100009e7009e7000) } },
	{ 13,
	  { UINT64_C(0xe0020c6700301a00), UINT64_C(0xe0021c6700001a00),
	    UINT64_C(0x1002082715c27d80), UINT64_C(0x10020c2715c27d80),
	    UINT64_C(0x10020c2715c27d80), UINT64_C(0xd0020c27159c0fc0),
	    UINT64_C(0xd0020c27159e0fc0), UINT64_C(0x10020c27159e7000),
	    UINT64_C(0xd0020c27159c0fc0), UINT64_C(0xd0020c27159e0fc0),
	    UINT64_C(0x300009e7009e7000), UINT64_C(0x100009e7009e7000),
	    UINT64_C(0x100009e7009e7000) } }
};

static const uint32_t corners[9] = { 0xfe00fe00, 0xbf800000, 0xbf800000,
				     0xfe000600, 0x40400000, 0xbf800000,
				     0x0600fe00, 0xbf800000, 0x40400000 };

static const uint8_t clear_list[] = { 112, 0, 0, 0, 0, 0, 0,  0,  0, 0, 0,
				      0,   0, 2, 2, 1, 6, 56, 18, 7, 4 };
static const uint8_t triangle_list[] = {
	112, 0,	 0,  0,	 0,   0,   0,	0,  0, 0,  0,	0,  0,	 2,  2,
	1,   6,	 56, 18, 102, 0,   0,	0,  0, 64, 0,	64, 0,	 96, 67,
	112, 2,	 98, 0,	 0,   128, 63,	99, 0, 0,  128, 63, 105, 0,  0,
	0,   68, 0,  0,	 0,   68,  106, 0,  0, 0,  63,	0,  0,	 0,  63,
	103, 0,	 2,  0,	 2,   97,  0,	0,  0, 0,  64,	1,  0,	 0,  0,
	33,  4,	 3,  0,	 0,   0,   0,	0,  0, 0,  7,	4
};

static uint32_t
new_buffer(struct vc4 *vc4, uint8_t **memory)
{
	struct vc4_create_bo create = { .size = BYTES };
	struct vc4_mmap_bo map = { .handle = 0 };

	FUZZ_HOLDS(vc4_ioctl(vc4, VC4_CREATE_BO, &create) == 0);
	map.handle = create.handle;
	FUZZ_HOLDS(vc4_ioctl(vc4, VC4_MMAP_BO, &map) == 0);
	*memory = vc4_map(vc4, map.offset, BYTES);
	FUZZ_HOLDS(*memory);
	memset(*memory, PATTERN, BYTES);
	return create.handle;
}

static uint32_t
new_program(struct vc4 *vc4, unsigned number)
{
	struct vc4_create_shader_bo create = {
		.size = 8 * programs[number].n,
		.data = (uintptr_t)programs[number].words
	};

	FUZZ_HOLDS(vc4_ioctl(vc4, VC4_CREATE_SHADER_BO, &create) == 0);
	return create.handle;
}

static void
build(unsigned what)
{
	const struct vc4_surface none = { .hindex = VC4_NO_SURFACE };
	static const uint32_t record[] = {
		2, 3, 4,	  1, 5, 0, 0,	  0x0c010000,
		0, 0, 0x0c010000, 0, 0, 0, 0x0c0b
	};
	const bool draws = what & 2;

	memset(&job, 0, sizeof(job));
	memcpy(job.list, draws ? triangle_list : clear_list,
	       draws ? sizeof(triangle_list) : sizeof(clear_list));
	memcpy(job.records, record, sizeof(record));
	job.args = (struct vc4_submit_cl){
		.bin_cl_size = draws ? sizeof(triangle_list) :
				       sizeof(clear_list),
		.shader_rec_size = draws ? sizeof(record) : 0,
		.shader_rec_count = draws,
		.uniforms_size = draws ? 4 : 0,
		.bo_handle_count = HANDLES,
		.width = 64,
		.height = 64,
		.max_x_tile = 1,
		.max_y_tile = 1,
		.color_read = none,
		.color_write = { .hindex = VC4_NO_SURFACE, .bits = 0x11 },
		.zs_read = none,
		.zs_write = none,
		.msaa_color_write = { .hindex = 0 },
		.msaa_zs_write = none,
		.flags = what & VC4_USE_CLEAR_COLOR,
	};
}

static void
change(const uint8_t *data, size_t len)
{
	const struct {
		void *at;
		size_t bytes;
	} areas[] = { { &job.args.bin_cl_size,
			sizeof(job.args) -
				offsetof(struct vc4_submit_cl, bin_cl_size) },
		      { job.list, 80 },
		      { job.records, sizeof(job.records) },
		      { job.uniforms, sizeof(job.uniforms) } };

	for (; len >= CHANGE; data += CHANGE, len -= CHANGE) {
		const unsigned area = data[0] % 4;
		const unsigned offset = data[1] | data[2] << 8;

		((uint8_t *)areas[area].at)[offset % areas[area].bytes] =
			data[3];
	}
	/* What is read stays within the arrays above: it is all there is. */
	if (job.args.bin_cl_size > sizeof(job.list))
		job.args.bin_cl_size = sizeof(job.list);
	if (job.args.shader_rec_size > sizeof(job.records))
		job.args.shader_rec_size = sizeof(job.records);
	if (job.args.uniforms_size > sizeof(job.uniforms))
		job.args.uniforms_size = sizeof(job.uniforms);
	if (job.args.bo_handle_count > HANDLES)
		job.args.bo_handle_count = HANDLES;
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
	struct vc4_wait_seqno wait = { .timeout_ns = 2000000000 };
	uint8_t *memory[BUFFERS];
	struct diag why;
	struct vc4 *vc4;
	int error;

	if (len < HEADER)
		return -1;
	vc4 = vc4_new(&options, &why);
	FUZZ_HOLDS(vc4);
	build(data[0]);
	for (unsigned i = 0; i < BUFFERS; i++)
		job.handles[i == TARGET	 ? 0 :
			    i == CORNERS ? 1 :
					   HANDLES] =
			new_buffer(vc4, &memory[i]);
	memcpy(memory[CORNERS], corners, sizeof(corners));
	for (unsigned i = 0; i < PROGRAMS; i++)
		job.handles[2 + i] = new_program(vc4, i);
	change(data + HEADER, len - HEADER);
	job.args.bin_cl = (uintptr_t)job.list;
	job.args.shader_rec = (uintptr_t)job.records;
	job.args.uniforms = (uintptr_t)job.uniforms;
	job.args.bo_handles = (uintptr_t)job.handles;
	error = vc4_ioctl(vc4, VC4_SUBMIT_CL, &job.args);
	FUZZ_HOLDS(error == 0 || error == -EINVAL || error == -ENOENT ||
		   error == -ENOMEM);
	wait.seqno = error ? 0 : job.args.seqno;
	error = vc4_ioctl(vc4, VC4_WAIT_SEQNO, &wait);
	FUZZ_HOLDS(error == 0 || error == -ETIME);
	FUZZ_HOLDS(is_kept(memory[BEFORE]) && is_kept(memory[AFTER]));
	vc4_free(vc4);
	return 0;
}
