/* SPDX-License-Identifier: MIT */
/*
 * Jobs that Mesa's driver vc4 made, as the kernel gave them to the V3D, and the
 * images that came out.  tests/foreign/README.md says how they were recorded, and
 * that Mesa draws the same without a V3D.  A case of scenes.golden is
 *
 *	memory 2c001000 4000	memory at an address, zero
 *	at 2c006000 100070 0	words there
 *	run 2c00d000 2c00d05c 2c00f000 2c00f02d
 *				a binning list, from and to, and a rendering list;
 *				the binning list 0 0 has nothing to bin
 *	show 2c001000		64 x 64 pixels in T-format
 *
 * with hexadecimal numbers.  Each job runs in all modes and draws the same.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/abi/v3d.h"
#include "qpu/emulator/emulator.h"
#include "tests/support/golden.h"
#include "tests/support/tap.h"

enum {
	SIDE = 64,
	MEMORIES = 16,
	WORDS = 512,
};

struct scene {
	struct machine *machine;
	void *memory[MEMORIES];
	unsigned memories;
	bool failed;
	uint32_t image[SIDE * SIDE];
};

/* In a tile of 4 KiB, 32 x 32 pixels, there are four squares; even rows of
 * tiles go to the right, odd ones to the left. */
static uint32_t
pixel_word(unsigned x, unsigned y)
{
	static const uint8_t squares[2][2][2] = { { { 0, 3 }, { 1, 2 } },
						  { { 2, 1 }, { 3, 0 } } };
	const unsigned odd = y / 32 & 1;
	const unsigned tile = y / 32 * 2 + (x / 32 ^ odd);
	const unsigned square = squares[odd][y / 16 & 1][x / 16 & 1];

	return tile * 1024 + square * 256 + (y / 4 % 4 * 4 + x / 4 % 4) * 16 +
	       y % 4 * 4 + x % 4;
}

static void
run(struct scene *scene, const uint32_t list[4])
{
	struct diag why = { .text = "" };

	for (unsigned i = 0; i < 2; i++) {
		if (list[2 * i] == list[2 * i + 1])
			continue;
		machine_write(scene->machine, V3D_CT0CA + 4 * i, list[2 * i]);
		machine_write(scene->machine, V3D_CT0EA + 4 * i,
			      list[2 * i + 1]);
	}
	if (machine_run(scene->machine, 0, 0, &why) == MACHINE_DONE)
		return;
	printf("# %s\n", why.text);
	scene->failed = true;
}

/* One line of a case. */
static void
obey(struct scene *scene, const char *line)
{
	uint32_t words[WORDS];
	unsigned n = 0;
	char name[8], *end = NULL;
	int used;

	if (sscanf(line, "%7s%n", name, &used) != 1)
		return;
	for (line += used; n < WORDS; line = end) {
		words[n] = (uint32_t)strtoul(line, &end, 16);
		if (end == line || *line == '\n')
			break;
		n++;
	}
	if (strcmp(name, "memory") == 0 && scene->memories < MEMORIES) {
		void *memory = aligned_alloc(4096, words[1]);

		memset(memory, 0, words[1]);
		scene->memory[scene->memories++] = memory;
		machine_add_memory(scene->machine, words[0], memory, words[1],
				   NULL);
	} else if (strcmp(name, "at") == 0) {
		memcpy(machine_memory(scene->machine, words[0], 4 * (n - 1)),
		       words + 1, 4 * (n - 1));
	} else if (strcmp(name, "run") == 0) {
		run(scene, words);
	} else if (strcmp(name, "show") == 0) {
		memcpy(scene->image,
		       machine_memory(scene->machine, words[0],
				      sizeof(scene->image)),
		       sizeof(scene->image));
	} else {
		scene->failed = true;
	}
}

static bool
draw(struct scene *scene, const struct golden_case *golden,
     const struct machine_options *options)
{
	const char *line = golden->input.text;

	*scene = (struct scene){ .machine = machine_create(options, NULL) };
	while (*line) {
		char text[16 * WORDS];
		const size_t len = strcspn(line, "\n");

		snprintf(text, sizeof(text), "%.*s", (int)len, line);
		obey(scene, text);
		line += len + (line[len] == '\n');
	}
	machine_destroy(scene->machine);
	while (scene->memories)
		free(scene->memory[--scene->memories]);
	return !scene->failed;
}

/* Where pixels are alike, they are shown once with their number. */
static void
show_row(const struct scene *scene, unsigned y, struct golden_output *out)
{
	for (unsigned x = 0, end; x < SIDE; x = end) {
		const uint32_t pixel = scene->image[pixel_word(x, y)];

		for (end = x + 1; end < SIDE; end++)
			if (scene->image[pixel_word(end, y)] != pixel)
				break;
		golden_printf(out, "image", " %x", pixel);
		if (end - x > 1)
			golden_printf(out, "image", "x%u", end - x);
	}
	golden_printf(out, "image", "\n");
}

static bool
are_alike(const struct scene *scene, unsigned y, unsigned other)
{
	for (unsigned x = 0; x < SIDE; x++)
		if (scene->image[pixel_word(x, y)] !=
		    scene->image[pixel_word(x, other)])
			return false;
	return true;
}

static void
run_case(const struct golden_case *golden, struct golden_output *out)
{
	static const struct machine_options modes[] = {
		{ .timed = true },
		{ .check = true, .shuffle = true, .seed = 7 },
		{ .shuffle = true, .qpus = 1, .seed = 3 },
	};
	static struct scene scene, other;

	if (!draw(&scene, golden, &(struct machine_options){ 0 }))
		golden_printf(out, "run", "it does not end\n");
	for (unsigned y = 0, end; y < SIDE; y = end) {
		for (end = y + 1; end < SIDE; end++)
			if (!are_alike(&scene, y, end))
				break;
		golden_printf(out, "image", "%u-%u:", y, end - 1);
		show_row(&scene, y, out);
	}
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (!draw(&other, golden, &modes[i]) ||
		    memcmp(scene.image, other.image, sizeof(scene.image)) != 0)
			golden_printf(out, "run", "mode %zu differs\n", i);
}

int
main(void)
{
	golden_run("tests/emulator/scenes.golden", run_case);
	return tap_done();
}
