/* SPDX-License-Identifier: MIT */
/*
 * Promise: windows have the pixels that they are given, on the side that a
 * short reference says, and are drawn in their order.  An image depends on
 * nothing else: not on the mode, the seed, the number of QPUs or the order of
 * quads.
 */
#include "config.h"

#include "tests/emulator/job.h"
#include "tests/support/random.h"

enum { TRIES = 60, WINDOWS = 12, SHADERS = 4, CLEAR = 7, CLOCKWISE = 4 };

/* A job's drawing: windows with one of a few shaders each. */
struct picture {
	unsigned width, height, config, n;
	struct {
		struct job_corner corner[3]; /* a triangle over all of it */
		bool clockwise;
		unsigned shader;
		unsigned window[4]; /* x, y, width, height */
	} draw[WINDOWS];
};

/* A triangle over the image, with a margin, whose corners go round either way. */
static void
random_cover(struct picture *picture, unsigned i)
{
	const float margin = (float)random_below(160) / 16;
	const struct job_corner corner[3] = {
		{ -margin, -margin, 0.5f, 1 },
		{ 2 * (float)picture->width + 2 * margin, -margin, 0.5f, 1 },
		{ -margin, 2 * (float)picture->height + 2 * margin, 0.5f, 1 },
	};
	const unsigned first = random_below(3);
	const unsigned step = 1 + random_below(2);

	picture->draw[i].clockwise = step == 1;
	for (unsigned k = 0; k < 3; k++)
		picture->draw[i].corner[k] = corner[(first + step * k) % 3];
}

static struct picture
random_picture(void)
{
	struct picture picture = { .width = 8 + random_below(120),
				   .height = 8 + random_below(90),
				   .config = 0x027043 |
					     CLOCKWISE * random_below(2),
				   .n = 1 + random_below(WINDOWS) };

	for (unsigned i = 0; i < picture.n; i++) {
		unsigned *window = picture.draw[i].window;

		random_cover(&picture, i);
		picture.draw[i].shader = random_below(SHADERS);
		window[0] = random_below(2) ? 0 : random_below(picture.width);
		window[1] = random_below(2) ? 0 : random_below(picture.height);
		window[2] = 1 + random_below(picture.width - window[0]);
		window[3] = 1 + random_below(picture.height - window[1]);
	}
	return picture;
}

/* Return a shader's result for a colour. */
static uint32_t
shaded(const struct picture *picture, unsigned i, uint32_t colour, uint32_t x,
       uint32_t y)
{
	switch (picture->draw[i].shader) {
	case 0: return colour + 1;
	case 1: return 2 * colour + 5;
	case 2: return (colour ^ x) - y;
	default:
		return 3 * colour + (picture->draw[i].clockwise ==
				     !!(picture->config & CLOCKWISE));
	}
}

/* The colour of all samples of a pixel after all draws. */
static uint32_t
expected(const struct picture *picture, unsigned x, unsigned y)
{
	uint32_t colour = CLEAR;

	for (unsigned i = 0; i < picture->n; i++) {
		const unsigned *window = picture->draw[i].window;

		if (x - window[0] < window[2] && y - window[1] < window[3])
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

		if (word == expected(picture, x, y))
			continue;
		tap_note("sample %u of (%u, %u) is %x, not %x", i % 4, x, y,
			 word, expected(picture, x, y));
		return false;
	}
	return true;
}

/* How one job differs from another that draws the same. */
struct manner {
	const char *name;
	struct machine_options options;
};

static void
add_draws(struct job *job, const struct picture *picture,
	  const uint32_t shaders[SHADERS])
{
	for (unsigned i = 0; i < picture->n; i++) {
		const unsigned *window = picture->draw[i].window;

		job->shader[0] = shaders[picture->draw[i].shader];
		job_window(job, window[0], window[1], window[2], window[3]);
		job_shaders(job);
		for (unsigned k = 0; k < 3; k++)
			job_vertex(job, &picture->draw[i].corner[k]);
		job_array(job, 4, 3);
	}
}

/* Draw; return true if the image is right. */
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
			   .uniforms = EMU_BASE + EMU_UNIFORMS };
	uint32_t shaders[SHADERS];
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
	add_draws(&job, picture, shaders);
	job_clear(&job, CLEAR, 0, 0);
	job_mode(&job, 1);
	job_tiles_all(&job);
	good = job_run(&job, 0) == MACHINE_DONE && is_image(&job, picture);
	if (job.emu.status != MACHINE_DONE)
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
