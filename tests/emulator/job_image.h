/* SPDX-License-Identifier: MIT */
/*
 * job_image: the image that a job of the 3D pipeline has rendered, printed to the
 * section `image` of a golden answer.
 */
#ifndef TESTS_EMULATOR_JOB_IMAGE_H
#define TESTS_EMULATOR_JOB_IMAGE_H

#include "qpu/ways/way.h"
#include "tests/emulator/job.h"
#include "tests/support/golden.h"

enum { KINDS = 64 };

struct job_image {
	const struct job *job;
	enum job_store store; /* how the tiles of the job have ended */
	struct golden_output *out;
};

static uint32_t
image_word(const struct job_image *image, unsigned x, unsigned y,
	   unsigned sample)
{
	const struct job *job = image->job;
	const uint32_t *words = emu_words(&job->emu, JOB_IMAGE);

	if (image->store == JOB_STORE_FULL)
		return words[tile_word(job_tiles(job, job->width), x, y,
				       sample)];
	return words[y * ((job->width + 3) & ~3u) + x];
}

static unsigned
samples(const struct job_image *image)
{
	return image->store == JOB_STORE_FULL ? TILE_SAMPLES : 1;
}

/* Print the words of one pixel: those of all its samples, if they are stored. */
static void
job_image_pixel(const struct job_image *image, unsigned x, unsigned y)
{
	golden_printf(image->out, "image", "%u %u:", x, y);
	for (unsigned i = 0; i < samples(image); i++)
		golden_printf(image->out, "image", " %08x",
			      image_word(image, x, y, i));
	golden_printf(image->out, "image", "\n");
}

/* Where words from here on are alike, they are shown once with their number. */
static void
show_row(const struct job_image *image, unsigned y, unsigned sample)
{
	const unsigned width = image->job->width;

	for (unsigned x = 0, end; x < width; x = end) {
		const uint32_t word = image_word(image, x, y, sample);

		for (end = x + 1; end < width; end++)
			if (image_word(image, end, y, sample) != word)
				break;
		golden_printf(image->out, "image", " %x", word);
		if (end - x > 1)
			golden_printf(image->out, "image", "x%u", end - x);
	}
	golden_printf(image->out, "image", "\n");
}

static bool
are_rows_alike(const struct job_image *image, unsigned y, unsigned other,
	       unsigned sample)
{
	for (unsigned x = 0; x < image->job->width; x++)
		if (image_word(image, x, y, sample) !=
		    image_word(image, x, other, sample))
			return false;
	return true;
}

/* Print all words of one sample by rows.  Rows that are alike are printed once
 * with the range of their numbers. */
static void
job_image_rows(const struct job_image *image, unsigned sample)
{
	const unsigned height = image->job->height;

	for (unsigned y = 0, end; y < height; y = end) {
		for (end = y + 1; end < height; end++)
			if (!are_rows_alike(image, y, end, sample))
				break;
		golden_printf(image->out, "image", "%u", y);
		if (end - y > 1)
			golden_printf(image->out, "image", "-%u", end - 1);
		golden_printf(image->out, "image", ":");
		show_row(image, y, sample);
	}
}

/* Print how often each word is in the image. */
static void
job_image_count(const struct job_image *image)
{
	struct {
		uint32_t word;
		unsigned n;
	} kinds[KINDS];
	unsigned n = 0;

	for (unsigned y = 0; y < image->job->height; y++)
		for (unsigned x = 0; x < image->job->width; x++)
			for (unsigned i = 0; i < samples(image); i++) {
				const uint32_t word =
					image_word(image, x, y, i);
				unsigned k = 0;

				while (k < n && kinds[k].word != word)
					k++;
				if (k == KINDS)
					continue;
				if (k == n) {
					kinds[n].word = word;
					kinds[n++].n = 0;
				}
				kinds[k].n++;
			}
	for (unsigned k = 0; k < n; k++)
		golden_printf(image->out, "image", "%08x: %u\n", kinds[k].word,
			      kinds[k].n);
}

#endif
