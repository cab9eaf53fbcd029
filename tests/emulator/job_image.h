/* SPDX-License-Identifier: MIT */
/*
 * job_image: the image that a job of the 3D pipeline has rendered, printed to the
 * section `image` of a golden answer.
 */
#ifndef TESTS_EMULATOR_JOB_IMAGE_H
#define TESTS_EMULATOR_JOB_IMAGE_H

#include "tests/emulator/job.h"
#include "tests/support/golden.h"

struct job_image {
	const struct job *job;
	enum job_store store; /* how the tiles of the job have ended */
	struct golden_output *out;
};

/* Print the words of one pixel: those of all its samples, if they are stored. */
void
job_image_pixel(const struct job_image *image, unsigned x, unsigned y);

/* Print all words of one sample by rows.  Rows that are alike are printed once
 * with the range of their numbers. */
void
job_image_rows(const struct job_image *image, unsigned sample);

/* Print how often each word is in the image. */
void
job_image_count(const struct job_image *image);

#endif
