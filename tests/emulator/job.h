/* SPDX-License-Identifier: MIT */
/*
 * job: a job of the 3D pipeline, built as the kernel's driver vc4 and Mesa build
 * theirs: a binning list, shader records, a rendering list.
 *
 * Corners are given in pixels.  A vertex has in memory the words that the
 * coordinate shader writes (the position before the division by W, the place in
 * sixteenths of a pixel, Z, 1/W), so that both shaders only copy.
 */
#ifndef TESTS_EMULATOR_JOB_H
#define TESTS_EMULATOR_JOB_H

#include "qpu/abi/v3d.h"
#include "qpu/isa/packet.h"
#include "qpu/ways/way.h"
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
	JOB_IMAGE_BYTES = 0x80000,
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
	unsigned list_bytes; /* for lists of tiles; 0: many */
};

struct job_corner {
	float x, y, z, w;
};

__attribute__((unused)) static void
job_put(struct job *job, uint32_t *at, const void *bytes, unsigned n)
{
	memcpy(job->emu.memory + *at, bytes, n);
	*at += n;
}

__attribute__((unused)) static void
job_word(struct job *job, uint32_t *at, uint32_t word)
{
	job_put(job, at, &word, 4);
}

__attribute__((unused)) static void
job_half(struct job *job, uint32_t *at, unsigned half)
{
	const uint16_t value = (uint16_t)half;

	job_put(job, at, &value, 2);
}

__attribute__((unused)) static void
job_byte(struct job *job, uint32_t *at, unsigned byte)
{
	const uint8_t value = (uint8_t)byte;

	job_put(job, at, &value, 1);
}

__attribute__((unused)) static void
job_float(struct job *job, uint32_t *at, float value)
{
	job_put(job, at, &value, 4);
}

/* A shader that copies rows of its window from this one on. */
__attribute__((unused)) static uint32_t
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

__attribute__((unused)) static unsigned
job_tiles(unsigned pixels)
{
	return (pixels + 31) / 32;
}

/* Everything up to the first primitive, as Mesa sets it. */
__attribute__((unused)) static void
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
	job_byte(job, bin, PACKET_BINNING_MODE);
	job_word(job, bin, EMU_BASE + JOB_LISTS);
	job_word(job, bin, job->list_bytes ? job->list_bytes : JOB_LIST_BYTES);
	job_word(job, bin, EMU_BASE + JOB_STATES);
	job_byte(job, bin, job_tiles(job->width));
	job_byte(job, bin, job_tiles(job->height));
	/* Four samples, blocks of 32 and 128 bytes; states are set by the hardware. */
	job_byte(job, bin, 0x45);
	job_byte(job, bin, PACKET_START_TILE_BINNING);
	job_byte(job, bin, PACKET_PRIMITIVE_FORMAT);
	job_byte(job, bin, 0x12);
}

__attribute__((unused)) static void
job_window(struct job *job, unsigned x, unsigned y, unsigned width,
	   unsigned height)
{
	job_byte(job, &job->bin, PACKET_CLIP_WINDOW);
	job_half(job, &job->bin, x);
	job_half(job, &job->bin, y);
	job_half(job, &job->bin, width);
	job_half(job, &job->bin, height);
}

__attribute__((unused)) static void
job_configuration(struct job *job, uint32_t bits)
{
	job_byte(job, &job->bin, PACKET_CONFIGURATION_BITS);
	job_put(job, &job->bin, &bits, 3);
}

__attribute__((unused)) static void
job_viewport(struct job *job)
{
	uint32_t *bin = &job->bin;

	job_byte(job, bin, PACKET_CLIPPER_XY);
	job_float(job, bin, (float)job->width * 8);
	job_float(job, bin, (float)job->height * 8);
	job_byte(job, bin, PACKET_CLIPPER_Z);
	job_float(job, bin, 0.5f);
	job_float(job, bin, 0.5f);
	job_byte(job, bin, PACKET_VIEWPORT_OFFSET);
	job_half(job, bin, job->width * 8);
	job_half(job, bin, job->height * 8);
}

__attribute__((unused)) static void
job_shaders(struct job *job)
{
	uint32_t *at = &job->record;

	*at = (*at + 15) & ~15u;
	job_byte(job, &job->bin, PACKET_GL_SHADER_STATE);
	/* Two attributes: the first is what both shaders copy. */
	job_word(job, &job->bin, (EMU_BASE + *at) | 2);
	job_half(job, at, job->flags);
	job_byte(job, at, 0);
	job_byte(job, at, 0);
	job_word(job, at, job->shader[0]);
	job_word(job, at, job->uniforms);
	job_half(job, at, 0);
	job_byte(job, at, 1);
	job_byte(job, at, 12);
	job_word(job, at, job->shader[1]);
	job_word(job, at, job->uniforms + 0x100);
	job_half(job, at, 0);
	job_byte(job, at, 3);
	job_byte(job, at, JOB_STRIDE);
	job_word(job, at, job->shader[2]);
	job_word(job, at, job->uniforms + 0x200);
	job_word(job, at, EMU_BASE + job->vertex + 16);
	job_byte(job, at, 11);
	job_byte(job, at, JOB_STRIDE);
	job_byte(job, at, 8);
	job_byte(job, at, 16);
	job_word(job, at, EMU_BASE + job->vertex);
	job_byte(job, at, 4 * 4 - 1);
	job_byte(job, at, JOB_STRIDE);
	job_byte(job, at, 0);
	job_byte(job, at, 0);
}

/* A vertex whose W is not positive has no place; the clipper finds one. */
__attribute__((unused)) static void
job_vertex(struct job *job, const struct job_corner *corner)
{
	const float across = (float)job->width / 2;
	const float down = (float)job->height / 2;
	const float x = (corner->x - across) * 16, y = (corner->y - down) * 16;
	uint32_t *at = &job->vertex;

	job_float(job, at, (corner->x - across) / across * corner->w);
	job_float(job, at, (corner->y - down) / down * corner->w);
	job_float(job, at, (corner->z * 2 - 1) * corner->w);
	job_float(job, at, corner->w);
	job_half(job, at, (unsigned)(int)x);
	job_half(job, at, (unsigned)(int)y);
	job_float(job, at, corner->z);
	job_float(job, at, 1 / corner->w);
}

/* Draw vertices that job_shaders() has named; mode as in OpenGL. */
__attribute__((unused)) static void
job_array(struct job *job, unsigned mode, uint32_t count)
{
	job_byte(job, &job->bin, PACKET_ARRAY_PRIMITIVE);
	job_byte(job, &job->bin, mode);
	job_word(job, &job->bin, count);
	job_word(job, &job->bin, 0);
}

__attribute__((unused)) static void
job_clear(struct job *job, uint32_t colour, uint32_t z, unsigned stencil)
{
	uint32_t *render = &job->render;

	job_byte(job, render, PACKET_CLEAR_COLORS);
	job_word(job, render, colour);
	job_word(job, render, colour);
	job_word(job, render, z);
	job_byte(job, render, stencil);
	job_byte(job, render, PACKET_TILE_COORDINATES);
	job_half(job, render, 0);
	job_byte(job, render, PACKET_STORE_GENERAL);
	job_half(job, render, 0);
	job_word(job, render, 0);
}

/* The mode; bits as in the packet. */
__attribute__((unused)) static void
job_mode(struct job *job, unsigned bits)
{
	uint32_t *render = &job->render;

	job_byte(job, render, PACKET_RENDERING_MODE);
	job_word(job, render, 0);
	job_half(job, render, job->width);
	job_half(job, render, job->height);
	job_half(job, render, bits);
}

/* All tiles as the kernel renders them. */
__attribute__((unused)) static void
job_tiles_all(struct job *job)
{
	const unsigned across = job_tiles(job->width);
	const unsigned n = across * job_tiles(job->height);
	uint32_t *render = &job->render;

	for (unsigned i = 0; i < n; i++) {
		job_byte(job, render, PACKET_TILE_COORDINATES);
		job_byte(job, render, i % across);
		job_byte(job, render, i / across);
		if (i == 0)
			job_byte(job, render, PACKET_WAIT_ON_SEMAPHORE);
		job_byte(job, render, PACKET_BRANCH_TO_SUB_LIST);
		job_word(job, render, EMU_BASE + JOB_LISTS + 32 * i);
		job_byte(job, render, PACKET_STORE_FULL);
		job_word(job, render,
			 (EMU_BASE + JOB_IMAGE + 0x4000 * i) | 2 |
				 (i == n - 1 ? 8 : 0));
	}
}

/* The word of a sample in the image. */
__attribute__((unused)) static uint32_t
job_image_word(const struct job *job, unsigned x, unsigned y, unsigned sample)
{
	return emu_words(
		&job->emu,
		JOB_IMAGE)[tile_word(job_tiles(job->width), x, y, sample)];
}

/* End the binning list, start both, and run. */
__attribute__((unused)) static enum machine_status
job_run(struct job *job, uint64_t instructions)
{
	struct emu *emu = &job->emu;

	job_byte(job, &job->bin, PACKET_INCREMENT_SEMAPHORE);
	job_byte(job, &job->bin, PACKET_FLUSH);
	machine_on_finding(emu->machine, emu_finding, emu);
	machine_write(emu->machine, V3D_CT0CA, EMU_BASE + JOB_BIN);
	machine_write(emu->machine, V3D_CT0EA, EMU_BASE + job->bin);
	machine_write(emu->machine, V3D_CT0CA + 4, EMU_BASE + JOB_RENDER);
	machine_write(emu->machine, V3D_CT0EA + 4, EMU_BASE + job->render);
	memset(&emu->why, 0, sizeof(emu->why));
	emu->status = machine_run(emu->machine, instructions, 0, &emu->why);
	return emu->status;
}

#endif
