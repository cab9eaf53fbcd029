/* SPDX-License-Identifier: MIT */
/*
 * mesa-pixels: compares two images of mesa-scenes.
 *
 *	mesa-pixels RIGHT OURS TOLERANCE
 *
 * Positions of samples differ between renderers, so a pixel counts only if it
 * differs from none of its neighbours by more than a little: what is left is
 * the interiors.  Prints how many there are and how many differ by more than the
 * tolerance; the status is 1 if one does, or if there are none.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 64, BYTES = SIDE * SIDE * 4, EDGE = 8 };

static uint8_t right[BYTES], ours[BYTES];

static int
difference(const uint8_t *a, const uint8_t *b)
{
	int most = 0;

	for (unsigned i = 0; i < 4; i++)
		if (abs(a[i] - b[i]) > most)
			most = abs(a[i] - b[i]);
	return most;
}

static int
is_inside(int x, int y)
{
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++)
			if (difference(&right[4 * (y * SIDE + x)],
				       &right[4 * ((y + dy) * SIDE + x + dx)]) >
			    EDGE)
				return 0;
	return 1;
}

static void
read_image(const char *path, uint8_t *image)
{
	FILE *file = fopen(path, "r");

	if (!file || fread(image, BYTES, 1, file) != 1) {
		fprintf(stderr, "mesa-pixels: %s: no image\n", path);
		exit(2);
	}
	fclose(file);
}

int
main(int argc, char **argv)
{
	unsigned interior = 0, wrong = 0;
	int most = 0;

	if (argc != 4)
		return 2;
	read_image(argv[1], right);
	read_image(argv[2], ours);
	for (int y = 1; y < SIDE - 1; y++)
		for (int x = 1; x < SIDE - 1; x++) {
			const int at = 4 * (y * SIDE + x);
			const int by = difference(&right[at], &ours[at]);

			if (!is_inside(x, y))
				continue;
			interior++;
			wrong += by > atoi(argv[3]);
			most = by > most ? by : most;
		}
	printf("%u pixels, %u wrong, differences up to %d\n", interior, wrong,
	       most);
	return interior == 0 || wrong > 0;
}
