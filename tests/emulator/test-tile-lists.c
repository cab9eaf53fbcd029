/* SPDX-License-Identifier: MIT */
/*
 * Promise: triangles cover the samples that a short reference says, on the side
 * that it says, and are drawn in their order.  An image depends on nothing else:
 * not on the mode, the seed, the number of QPUs, the order of quads, the memory
 * that lists of tiles have, or on how triangles are shared among draws.
 */
#include "config.h"

#include <math.h>

#include "tests/emulator/job.h"
#include "tests/support/random.h"

enum { TRIES = 60, TRIANGLES = 12, SHADERS = 4, CLEAR = 7, CLOCKWISE = 4 };

/* What a job draws: each triangle with one of a few shaders, in a window. */
struct picture {
	unsigned width, height, config, n;
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
				   .config = 0x027043 |
					     CLOCKWISE * random_below(2),
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

/* On which side of the line from a to b is a place, in sixteenths of a pixel? */
static long
side_of(const struct job_corner *a, const struct job_corner *b, long x, long y)
{
	const long ax = lrintf(a->x * 16), ay = lrintf(a->y * 16);
	const long bx = lrintf(b->x * 16), by = lrintf(b->y * 16);

	return (bx - ax) * (y - ay) - (by - ay) * (x - ax);
}

/* Positive if the corners go round clockwise, as they are seen. */
static long
area(const struct job_corner *c)
{
	return side_of(&c[0], &c[1], lrintf(c[2].x * 16), lrintf(c[2].y * 16));
}

/* A place on an edge counts if a step to the right leads inside, or else one
 * down. */
static bool
covers(const struct job_corner *c, long x, long y)
{
	for (unsigned i = 0; i < 3; i++) {
		const struct job_corner *a = &c[i], *b = &c[(i + 1) % 3];
		const long sign = area(c) > 0 ? 1 : -1;
		long side = sign * side_of(a, b, x, y);

		side = side ? side : sign * side_of(a, b, x + 1, y);
		side = side ? side : sign * side_of(a, b, x, y + 1);
		if (side <= 0)
			return false;
	}
	return area(c);
}

/* What a shader makes of a colour. */
static uint32_t
shaded(const struct picture *picture, unsigned i, uint32_t colour, uint32_t x,
       uint32_t y)
{
	const bool clockwise = area(picture->triangle[i].corner) > 0;

	switch (picture->triangle[i].shader) {
	case 0: return colour + 1;
	case 1: return 2 * colour + 5;
	case 2: return (colour ^ x) - y;
	default:
		return 3 * colour +
		       (clockwise == !!(picture->config & CLOCKWISE));
	}
}

/* The colour of a sample after all triangles. */
static uint32_t
expected(const struct picture *picture, unsigned x, unsigned y, unsigned sample)
{
	static const uint8_t places[4][2] = {
		{ 6, 2 }, { 14, 6 }, { 2, 10 }, { 10, 14 }
	};
	uint32_t colour = CLEAR;

	for (unsigned i = 0; i < picture->n; i++) {
		const unsigned *window = picture->triangle[i].window;

		if (x - window[0] < window[2] && y - window[1] < window[3] &&
		    covers(picture->triangle[i].corner,
			   16 * x + places[sample][0],
			   16 * y + places[sample][1]))
			colour = shaded(picture, i, colour, x, y);
	}
	return colour;
}

static bool
is_image(const struct job *job, const struct picture *picture)
{
	for (unsigned i = 0; i < 4 * picture->width * picture->height; i++) {
		const unsigned x = i / 4 % picture->width;
		const unsigned y = i / 4 / picture->width;
		const uint32_t word = job_image_word(job, x, y, i % 4);

		if (word == expected(picture, x, y, i % 4))
			continue;
		tap_note("sample %u of (%u, %u) is %x, not %x", i % 4, x, y,
			 word, expected(picture, x, y, i % 4));
		return false;
	}
	return true;
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

/* Is the image as it should be? */
static bool
draw(const struct picture *picture, const struct manner *manner)
{
	/* Each makes something else of the colours that are there before. */
	static const char *const texts[SHADERS] = {
		"nop\nnop\n.rep i, 4\nloadc\nadd tlbm, r4, 1\n.endr\n",
		"nop\nnop\n.rep i, 4\nloadc\nshl r0, r4, 1\nnop\n"
		"add tlbm, r0, 5\n.endr\n",
		"mov r1, x_coord\nmov r2, y_coord\n.rep i, 4\nloadc\n"
		"xor r0, r4, r1\nnop\nsub tlbm, r0, r2\n.endr\n",
		"mov r1, rev_flag\nnop\n.rep i, 4\nloadc\nadd r0, r4, r4\n"
		"add r0, r0, r4\nadd tlbm, r0, r1\n.endr\n",
	};
	struct job job = { .width = picture->width,
			   .height = picture->height,
			   .list_bytes = manner->list_bytes,
			   .uniforms = EMU_BASE + EMU_UNIFORMS };
	uint32_t shaders[SHADERS];
	enum machine_status status;
	bool good;

	job.emu = emu_open(&manner->options);
	job_begin(&job);
	for (unsigned i = 0; i < SHADERS; i++) {
		char text[256];

		snprintf(text, sizeof(text), "%sthrend\nnop\nnop; sbdone\n",
			 texts[i]);
		shaders[i] = emu_assemble(&job.emu, text);
	}
	job_viewport(&job);
	job_configuration(&job, picture->config);
	add_draws(&job, picture, shaders, manner->one_by_one);
	job_clear(&job, CLEAR, 0, 0);
	job_mode(&job, 1);
	job_tiles_all(&job);
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
	good = status == MACHINE_DONE && is_image(&job, picture);
	if (status != MACHINE_DONE)
		tap_note("%s", job.emu.why.text);
	emu_close(&job.emu);
	return good;
}

int
main(void)
{
	static const struct manner manners[] = {
		{ .name = "as usual" },
		{ .name = "checked, in another order",
		  .options = { .shuffle = true, .check = true, .seed = 2 } },
		{ .name = "in time", .options = { .timed = true, .seed = 3 } },
		{ .name = "one QPU", .options = { .qpus = 1, .timed = true } },
		{ .name = "lists that ask for memory", .list_bytes = 512 },
		{ .name = "each triangle by itself", .one_by_one = true },
	};

	for (size_t i = 0; i < sizeof(manners) / sizeof(*manners); i++) {
		bool good = true;

		for (unsigned n = 0; good && n < TRIES; n++) {
			const struct picture picture = random_picture();

			good = draw(&picture, &manners[i]);
			if (!good)
				tap_note("picture %u", n);
		}
		ok(good, "images are as they should be: %s", manners[i].name);
	}
	return tap_done();
}
