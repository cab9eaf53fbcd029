/* SPDX-License-Identifier: MIT */
/*
 * job: a job of the 3D pipeline, built as the kernel's driver vc4 and Mesa
 * build theirs: a binning list, shader records, a rendering list; what fuzz-job
 * changes.
 *
 * Corners are given in pixels.  A vertex has in memory the words that the
 * coordinate shader writes (the position before the division by W, the place in
 * sixteenths of a pixel, Z, 1/W), so that both shaders only copy.
 */
#ifndef TESTS_FUZZ_JOB_H
#define TESTS_FUZZ_JOB_H

#include <stdarg.h>

#include "qpu/abi/v3d.h"
#include "qpu/isa/packet.h"
#include "tests/emulator/emu.h"

enum {
	JOB_STATES = 0x20000, /* offsets in memory */
	JOB_LISTS = 0x30000,
	JOB_LIST_BYTES = 0x10000,
	JOB_BIN = 0x50000,
	JOB_RENDER = 0x58000,
	JOB_RECORDS = 0x60000,
	JOB_VERTICES = 0x68000,
	JOB_IMAGE = 0x80000,
	JOB_CORNER_WORDS = 7,
	JOB_STRIDE = 4 * JOB_CORNER_WORDS, /* bytes of a vertex */
};

struct job {
	struct emu emu;
	unsigned width, height;
	uint32_t bin, render, record, vertex; /* where they go on */
	uint32_t shader[3];		      /* fragment, vertex, coordinate */
	uint32_t uniforms;   /* of the fragment shader: a bus address */
	unsigned flags;	     /* of shader records */
	unsigned list_bytes; /* for lists of tiles; 0: ample */
};

struct job_corner {
	float x, y, z, w;
};

/* Values one after the other: of as many bytes as a digit of the form says, or
 * of f, a float. */
static void
job_pack(struct job *job, uint32_t *at, const char *form, ...)
{
	va_list args;

	va_start(args, form);
	for (; *form; form++) {
		float number;
		uint32_t word;
		const void *bytes = &word;
		unsigned n = 4;

		if (*form == 'f') {
			number = (float)va_arg(args, double);
			bytes = &number;
		} else {
			word = va_arg(args, uint32_t);
			n = *form - '0';
		}
		memcpy(job->emu.memory + *at, bytes, n);
		*at += n;
	}
	va_end(args);
}

/* A shader that copies rows of its window from this one on. */
static uint32_t
job_copier(struct job *job, unsigned first, unsigned rows)
{
	char source[EMU_SOURCE];
	int n = sprintf(source,
			"ldi vr_setup, 0x%x\nldi vw_setup, 0x1a00\nnop\nnop\n",
			0x1a00 | first | (rows & 15) << 20);

	for (unsigned i = 0; i < rows; i++)
		n += sprintf(source + n, "mov vpm, vpm\n");
	sprintf(source + n, "thrend\nnop\nnop\n");
	return emu_assemble(&job->emu, source);
}

static unsigned
job_tiles(unsigned pixels)
{
	return (pixels + 31) / 32;
}

/* Everything up to the first primitive, as Mesa sets it. */
static void
job_begin(struct job *job)
{
	uint32_t *bin = &job->bin;

	job->bin = JOB_BIN;
	job->render = JOB_RENDER;
	job->record = JOB_RECORDS;
	job->vertex = JOB_VERTICES;
	job->flags = 5; /* one thread, clipping */
	job->shader[1] = job_copier(job, 2, 3);
	job->shader[2] = job_copier(job, 0, JOB_CORNER_WORDS);
	/* Four samples, blocks of 32 and 128 bytes; states are set by the hardware. */
	job_pack(job, bin, "1444111", PACKET_BINNING_MODE, EMU_BASE + JOB_LISTS,
		 job->list_bytes ? job->list_bytes : JOB_LIST_BYTES,
		 EMU_BASE + JOB_STATES, job_tiles(job->width),
		 job_tiles(job->height), 0x45);
	job_pack(job, bin, "1", PACKET_START_TILE_BINNING);
	job_pack(job, bin, "11", PACKET_PRIMITIVE_FORMAT, 0x12);
}

static void
job_window(struct job *job, unsigned x, unsigned y, unsigned width,
	   unsigned height)
{
	job_pack(job, &job->bin, "12222", PACKET_CLIP_WINDOW, x, y, width,
		 height);
}

static void
job_configuration(struct job *job, uint32_t bits)
{
	job_pack(job, &job->bin, "13", PACKET_CONFIGURATION_BITS, bits);
}

static void
job_viewport(struct job *job)
{
	const unsigned width = job->width * 8, height = job->height * 8;
	uint32_t *bin = &job->bin;

	job_pack(job, bin, "1ff", PACKET_CLIPPER_XY, (double)width,
		 (double)height);
	job_pack(job, bin, "1ff", PACKET_CLIPPER_Z, 0.5, 0.5);
	job_pack(job, bin, "122", PACKET_VIEWPORT_OFFSET, width, height);
}

static void
job_shaders(struct job *job)
{
	uint32_t *at = &job->record;

	*at = (*at + 15) & ~15u;
	/* Two attributes: the first is what both shaders copy. */
	job_pack(job, &job->bin, "14", PACKET_GL_SHADER_STATE,
		 (EMU_BASE + *at) | 2);
	job_pack(job, at, "21144", job->flags, 0, 0, job->shader[0],
		 job->uniforms);
	job_pack(job, at, "21144", 0, 1, 12, job->shader[1],
		 job->uniforms + 0x100);
	job_pack(job, at, "21144", 0, 3, JOB_STRIDE, job->shader[2],
		 job->uniforms + 0x200);
	job_pack(job, at, "41111", EMU_BASE + job->vertex + 16, 11, JOB_STRIDE,
		 8, 16);
	job_pack(job, at, "41111", EMU_BASE + job->vertex, 4 * 4 - 1,
		 JOB_STRIDE, 0, 0);
}

/* A vertex whose W is not positive has no place; the clipper finds one. */
static void
job_vertex(struct job *job, const struct job_corner *corner)
{
	const float across = (float)job->width / 2;
	const float down = (float)job->height / 2;
	const float x = corner->x - across, y = corner->y - down;
	const float w = corner->w;

	job_pack(job, &job->vertex, "ffff22ff", x / across * w, y / down * w,
		 (corner->z * 2 - 1) * w, w, (uint32_t)(int)(x * 16),
		 (uint32_t)(int)(y * 16), corner->z, 1 / w);
}

/* Draw vertices that job_shaders() has named; mode as in OpenGL. */
static void
job_array(struct job *job, unsigned mode, uint32_t count)
{
	job_pack(job, &job->bin, "1144", PACKET_ARRAY_PRIMITIVE, mode, count,
		 0);
}

static void
job_clear(struct job *job, uint32_t colour, uint32_t z, unsigned stencil)
{
	uint32_t *render = &job->render;

	job_pack(job, render, "14441", PACKET_CLEAR_COLORS, colour, colour, z,
		 stencil);
	job_pack(job, render, "12", PACKET_TILE_COORDINATES, 0);
	job_pack(job, render, "124", PACKET_STORE_GENERAL, 0, 0);
}

/* The mode; bits as in the packet. */
static void
job_mode(struct job *job, unsigned bits)
{
	job_pack(job, &job->render, "14222", PACKET_RENDERING_MODE, 0,
		 job->width, job->height, bits);
}

/* All tiles as the kernel renders them. */
static void
job_tiles_all(struct job *job)
{
	const unsigned across = job_tiles(job->width);
	const unsigned n = across * job_tiles(job->height);
	uint32_t *render = &job->render;

	for (unsigned i = 0; i < n; i++) {
		job_pack(job, render, "111", PACKET_TILE_COORDINATES,
			 i % across, i / across);
		if (i == 0)
			job_pack(job, render, "1", PACKET_WAIT_ON_SEMAPHORE);
		job_pack(job, render, "14", PACKET_BRANCH_TO_SUB_LIST,
			 EMU_BASE + JOB_LISTS + 32 * i);
		job_pack(job, render, "14", PACKET_STORE_FULL,
			 (EMU_BASE + JOB_IMAGE + 0x4000 * i) | 2 |
				 (i == n - 1 ? 8 : 0));
	}
}

#endif
