/* SPDX-License-Identifier: MIT */
/*
 * example-fft: the transform that the FFT example is compared with.
 *
 *	example-fft IN OUT	print the rms error of OUT against the transform
 *				of IN, relative to the rms of the transform
 *	example-fft		test that transform itself
 *
 * Files hold 256 real and then 256 imaginary parts, as floats.
 */
#include "config.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/tap.h"

enum { POINTS = 256 };

/* Decimation in time: from[0], from[stride], ... to to[0..n). */
static void
transform(const double complex *from, unsigned stride, double complex *to,
	  unsigned n)
{
	if (n == 1) {
		to[0] = from[0];
		return;
	}
	transform(from, 2 * stride, to, n / 2);
	transform(from + stride, 2 * stride, to + n / 2, n / 2);
	for (unsigned k = 0; k < n / 2; k++) {
		const double complex even = to[k];
		const double complex odd =
			to[k + n / 2] * cexp(-2 * acos(-1) * I * k / n);

		to[k] = even + odd;
		to[k + n / 2] = even - odd;
	}
}

static bool
read_points(const char *path, double complex points[POINTS])
{
	float parts[2 * POINTS];
	FILE *stream = fopen(path, "rb");
	const bool good = stream && fread(parts, sizeof(*parts), 2 * POINTS,
					  stream) == 2 * POINTS;

	if (stream)
		fclose(stream);
	for (unsigned i = 0; good && i < POINTS; i++)
		points[i] = parts[i] + parts[POINTS + i] * I;
	return good;
}

static double
square(double complex x)
{
	return creal(x) * creal(x) + cimag(x) * cimag(x);
}

static int
compare(const char *in_path, const char *out_path)
{
	double complex in[POINTS], out[POINTS], right[POINTS];
	double error = 0, power = 0;

	if (!read_points(in_path, in) || !read_points(out_path, out)) {
		fprintf(stderr, "example-fft: cannot read the points\n");
		return EXIT_FAILURE;
	}
	transform(in, 1, right, POINTS);
	for (unsigned k = 0; k < POINTS; k++) {
		error += square(out[k] - right[k]);
		power += square(right[k]);
	}
	printf("%.3e\n", sqrt(error / power));
	return EXIT_SUCCESS;
}

/* The definition, for one k. */
static double complex
sum_of(const double complex *in, unsigned k)
{
	double complex sum = 0;

	for (unsigned n = 0; n < POINTS; n++)
		sum += in[n] *
		       cexp(-2 * acos(-1) * I * (k * n % POINTS) / POINTS);
	return sum;
}

int
main(int argc, char **argv)
{
	double complex in[POINTS], out[POINTS];
	double worst = 0;
	unsigned state = 1;

	if (argc == 3)
		return compare(argv[1], argv[2]);
	for (unsigned n = 0; n < POINTS; n++) {
		state = state * 1103515245 + 12345;
		in[n] = (state >> 16) / 65536.0 - 0.5 +
			(state & 0xffff) / 65536.0 * I;
	}
	transform(in, 1, out, POINTS);
	for (unsigned k = 0; k < POINTS; k++)
		worst = fmax(worst, sqrt(square(out[k] - sum_of(in, k))));
	ok(worst < 1e-11, "the transform is the sum that defines it");
	return tap_done();
}
