/*
 * Prints the digests of small files as sha256sum does, 16 files at a time:
 *
 *	cc sha256many.c $(pkg-config --cflags --libs libsha256many)
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <sha256many.h>

enum { FILES = 16, MOST_BYTES = 100000 };

int main(int argc, char **argv)
{
	static unsigned char contents[FILES][MOST_BYTES];
	unsigned char digests[FILES][SHA256MANY_DIGEST_BYTES];
	const void *messages[FILES];
	size_t bytes[FILES];
	int n = 0;

	for (int i = 1; i < argc; i++) {
		int fd = open(argv[i], O_RDONLY);
		ssize_t got = read(fd, contents[n], MOST_BYTES);

		if (got < 0 || got == MOST_BYTES)
			return fprintf(stderr, "%s: not read\n", argv[i]), 1;
		close(fd);
		messages[n] = contents[n];
		bytes[n++] = got;
		if (n < FILES && i < argc - 1)
			continue;
		sha256many_hash(n, messages, bytes, digests);
		for (int j = 0; j < n; j++) {
			for (int k = 0; k < SHA256MANY_DIGEST_BYTES; k++) {
				putchar("0123456789abcdef"[digests[j][k] >> 4]);
				putchar("0123456789abcdef"[digests[j][k] & 15]);
			}
			printf("  %s\n", argv[i - n + 1 + j]);
		}
		n = 0;
	}
	return 0;
}
