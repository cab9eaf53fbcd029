/* SPDX-License-Identifier: MIT */
/*
 * Promise: an image depends on what is drawn and on its order, and on nothing
 * else: not on the mode, the seed, the number of QPUs, the order of quads, the
 * memory that lists of tiles have, or on how triangles are shared among draws.
 */
#include "config.h"

#include "tests/emulator/job.h"
#include "tests/support/random.h"

enum { TRIES = 60, TRIANGLES = 12, SHADERS = 3 };

/* What a job draws: each triangle with one of a few shaders, in a window. */
struct picture {
	unsigned width, height;
	bool samples;
	unsigned n;
	struct {
		struct job_corner corner[3];
		unsigned shader;
		unsigned window[4];
	} triangle[TRIANGLES];
};

static struct picture
random_picture(void)
{
	struct picture picture = { .width = 8 + random_below(120),
				   .height = 8 + random_below(90),
				   .samples = random_below(2),
				   .n = 1 + random_below(TRIANGLES) };

	for (unsigned i = 0; i < picture.n; i++) {
		unsigned *window = picture.triangle[i].window;

		for (unsigned k = 0; k < 3; k++)
			picture.triangle[i].corner[k] = (struct job_corner){
				(float)random_below(picture.width * 16 + 256) /
						16 -
					8,
				(float)random_below(picture.height * 16 + 256) /
						16 -
					8,
				0.5f, 1
			};
		/* Most have the shader and window of the one before. */
		if (i && random_below(3)) {
			picture.triangle[i].shader =
				picture.triangle[i - 1].shader;
			memcpy(window, picture.triangle[i - 1].window,
			       sizeof(picture.triangle[i].window));
			continue;
		}
		picture.triangle[i].shader = random_below(SHADERS);
		window[0] = random_below(2) ? 0 : random_below(picture.width);
		window[1] = random_below(2) ? 0 : random_below(picture.height);
		window[2] = 1 + random_below(picture.width);
		window[3] = 1 + random_below(picture.height);
	}
	return picture;
}

/* How one job differs from another that draws the same. */
struct manner {
	const char *name;
	struct machine_options options;
	unsigned list_bytes; /* at first; 0: many */
	bool one_by_one;     /* a draw for each triangle */
};

static bool
is_same_draw(const struct picture *picture, unsigned i)
{
	return i &&
	       picture->triangle[i].shader == picture->triangle[i - 1].shader &&
	       memcmp(picture->triangle[i].window,
		      picture->triangle[i - 1].window,
		      sizeof(picture->triangle[i].window)) == 0;
}

static void
add_draws(struct job *job, const struct picture *picture,
	  const uint32_t shaders[SHADERS], bool one_by_one)
{
	for (unsigned i = 0, end; i < picture->n; i = end) {
		const unsigned *window = picture->triangle[i].window;

		for (end = i + 1; end < picture->n && !one_by_one &&
				  is_same_draw(picture, end);)
			end++;
		job->shader[0] = shaders[picture->triangle[i].shader];
		job_window(job, window[0], window[1], window[2], window[3]);
		job_shaders(job);
		for (unsigned k = 3 * i; k < 3 * end; k++)
			job_vertex(job,
				   &picture->triangle[k / 3].corner[k % 3]);
		job_array(job, 4, 3 * (end - i));
	}
}

/* Draws it; the image is in the job's memory.  False if that does not end. */
static bool
draw(const struct picture *picture, const struct manner *manner,
     uint8_t image[JOB_IMAGE_BYTES])
{
	/* Each makes something else of the colours that are there before. */
	static const char *const texts[SHADERS] = {
		"nop\nnop\n.rep i, 4\nloadc\nadd tlbm, r4, 1\n.endr\n",
		"nop\nnop\n.rep i, 4\nloadc\nshl r0, r4, 1\nnop\n"
		"add tlbm, r0, 5\n.endr\n",
		"mov r1, x_coord\nmov r2, y_coord\n.rep i, 4\nloadc\n"
		"xor r0, r4, r1\nnop\nsub tlbm, r0, r2\n.endr\n",
	};
	struct job job = { .width = picture->width,
			   .height = picture->height,
			   .samples = picture->samples,
			   .list_bytes = manner->list_bytes,
			   .uniforms = EMU_BASE + EMU_UNIFORMS };
	uint32_t shaders[SHADERS];
	enum machine_status status;

	job.emu = emu_open(&manner->options);
	job_begin(&job);
	for (unsigned i = 0; i < SHADERS; i++) {
		char text[256];

		snprintf(text, sizeof(text), "%sthrend\nnop\nnop; sbdone\n",
			 texts[i]);
		shaders[i] = emu_assemble(&job.emu, text);
	}
	job_viewport(&job);
	job_configuration(&job, picture->samples ? 0x027043 : 0x027003);
	add_draws(&job, picture, shaders, manner->one_by_one);
	job_clear(&job, 7, 0, 0);
	job_mode(&job, 0x04);
	job_tiles_all(&job,
		      picture->samples ? JOB_STORE_FULL : JOB_STORE_RESOLVED);
	status = job_run(&job, 0);
	/* More memory for lists, from where nothing else is. */
	for (uint32_t at = JOB_LISTS + 0x8000;
	     manner->list_bytes && status == MACHINE_LIMIT &&
	     at < JOB_LISTS + 0x10000;
	     at += 256) {
		machine_write(job.emu.machine, V3D_BPOA, EMU_BASE + at);
		machine_write(job.emu.machine, V3D_BPOS, 256);
		status = machine_run(job.emu.machine, 0, 0, &job.emu.why);
	}
	memcpy(image, job.emu.memory + JOB_IMAGE, JOB_IMAGE_BYTES);
	if (status != MACHINE_DONE)
		tap_note("%s: %s", manner->name, job.emu.why.text);
	emu_close(&job.emu);
	return status == MACHINE_DONE;
}

int
main(void)
{
	static const struct manner usual = { .name = "usual" };
	static const struct manner manners[] = {
		{ .name = "a seed", .options = { .shuffle = true, .seed = 1 } },
		{ .name = "another seed, checked",
		  .options = { .shuffle = true, .check = true, .seed = 2 } },
		{ .name = "in time",
		  .options = { .timed = true, .shuffle = true, .seed = 3 } },
		{ .name = "one QPU", .options = { .qpus = 1, .timed = true } },
		{ .name = "lists that ask for memory", .list_bytes = 512 },
		{ .name = "each triangle by itself", .one_by_one = true },
	};
	static uint8_t right[JOB_IMAGE_BYTES], image[JOB_IMAGE_BYTES];

	for (size_t i = 0; i < sizeof(manners) / sizeof(*manners); i++) {
		bool good = true;

		for (unsigned n = 0; good && n < TRIES; n++) {
			const struct picture picture = random_picture();

			good = draw(&picture, &usual, right) &&
			       draw(&picture, &manners[i], image) &&
			       memcmp(image, right, sizeof(image)) == 0;
			if (!good)
				tap_note("picture %u", n);
		}
		ok(good, "an image is the same: %s", manners[i].name);
	}
	return tap_done();
}
