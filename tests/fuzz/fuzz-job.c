/* SPDX-License-Identifier: MIT */
/*
 * Promise: no control list, shader record or list of a tile can harm the
 * emulator or reach memory that it was not given, in any mode; a run ends within
 * its limit.
 *
 * The input changes a job that draws: byte 0 chooses modes, byte 1 means nothing;
 * then each four bytes are an area, an offset in it (two bytes) and what is
 * written there.  Lists of tiles change between binning and rendering.
 */
#include "config.h"

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/job.h"

enum {
	HEADER = 2,
	CHANGE = 4,
	LIMIT = 4000,
	AREA_LISTS = 7, /* this one and the next belong to tiles */
};

static const struct area {
	uint32_t at, bytes;
} areas[] = {
	{ JOB_BIN, 256 },     { JOB_BIN, 96 },	   { JOB_RENDER, 128 },
	{ JOB_RENDER, 32 },   { JOB_RECORDS, 64 }, { JOB_VERTICES, 256 },
	{ EMU_CODE, 512 },    { JOB_LISTS, 128 },  { JOB_STATES, 256 },
	{ EMU_UNIFORMS, 64 },
};

enum { AREAS = sizeof(areas) / sizeof(*areas) };

static const char shader[] =
	"mov r0, unif\nmov t0s, r0\nmov ra0, ra15\nfadd r1, ra15, r5\n"
	"mov r1, x_coord\nldtmu0\nmov tlbz, rb15\nloadc\n"
	"mov tlbm, r1\nmov tlbm, r4\nmov tlbm, ms_mask\nmov tlbm, r1\n"
	"mov tlbc, r1\nthrend\nnop\nnop; sbdone\n";

static void
build(struct job *job)
{
	static const struct job_corner corners[4] = {
		{ 0, 0, 0.5f, 1 },
		{ 200, 3, 0.25f, 2 },
		{ 5, 90, 1, 0.5f },
		{ 40, 40, 0, 1 },
	};

	job->width = 80;
	job->height = 70;
	job->uniforms = EMU_BASE + EMU_UNIFORMS;
	job_begin(job);
	job->shader[0] = emu_assemble(&job->emu, shader);
	emu_words(&job->emu, EMU_UNIFORMS)[0] = EMU_BASE + EMU_DATA;
	job_window(job, 0, 0, 80, 70);
	job_configuration(job, 0x027043);
	job_viewport(job);
	job_shaders(job);
	for (unsigned i = 0; i < 4; i++)
		job_vertex(job, &corners[i]);
	job_array(job, 4, 3);
	job_clear(job, 0x11223344, 0xffffff, 0);
	job_mode(job, 0x15);
	job_tiles_all(job);
}

static void
change(struct job *job, const uint8_t *data, size_t len, bool tiles)
{
	for (; len >= CHANGE; data += CHANGE, len -= CHANGE) {
		const unsigned number = data[0] % AREAS;
		const struct area *area = &areas[number];
		const unsigned offset = data[1] | data[2] << 8;

		if ((number == AREA_LISTS || number == AREA_LISTS + 1) == tiles)
			job->emu.memory[area->at + offset % area->bytes] =
				data[3];
	}
}

static void
start(struct job *job, unsigned list, uint32_t from, uint32_t to)
{
	machine_write(job->emu.machine, V3D_CT0CA + 4 * list, EMU_BASE + from);
	machine_write(job->emu.machine, V3D_CT0EA + 4 * list, EMU_BASE + to);
	machine_run(job->emu.machine, LIMIT, 0, NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct machine_options options = { 0 };
	struct job job = { 0 };

	if (len < HEADER)
		return -1;
	options.timed = data[0] & 1;
	options.check = data[0] & 2;
	options.profile = data[0] & 4;
	options.seed = data[0];
	job.emu = emu_open(&options);
	machine_on_message(job.emu.machine, emu_finding, &job.emu);
	build(&job);
	job_pack(&job, &job.bin, "11", PACKET_INCREMENT_SEMAPHORE,
		 PACKET_FLUSH);
	change(&job, data + HEADER, len - HEADER, false);
	start(&job, 0, JOB_BIN, job.bin);
	change(&job, data + HEADER, len - HEADER, true);
	start(&job, 1, JOB_RENDER, job.render);
	emu_close(&job.emu);
	return 0;
}
