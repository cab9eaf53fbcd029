/*
 * Prints the digests of small files as sha256sum does, 16 files at a time:
 *
 *	cc sha256many.c $(pkg-config --cflags --libs libsha256many)
 */
#include <stdio.h>

#include <sha256many.h>

enum { FILES = 16, MOST_BYTES = 100000 };

int main(int argc, char **argv)
{
	static unsigned char contents[FILES][MOST_BYTES];
	unsigned char digests[FILES][SHA256MANY_DIGEST_BYTES];
	struct sha256many_message messages[FILES];
	int n = 0;

	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "rb");

		if (!file)
			return perror(argv[i]), 1;
		messages[n].data = contents[n];
		messages[n].bytes = fread(contents[n], 1, MOST_BYTES, file);
		if (!feof(file))
			return fprintf(stderr, "%s: not read\n", argv[i]), 1;
		fclose(file);
		n++;
		if (n < FILES && i < argc - 1)
			continue;
		sha256many_hash(n, messages, digests);
		for (int j = 0; j < n; j++) {
			for (int k = 0; k < SHA256MANY_DIGEST_BYTES; k++)
				printf("%02x", digests[j][k]);
			printf("  %s\n", argv[i - n + 1 + j]);
		}
		n = 0;
	}
	return 0;
}
