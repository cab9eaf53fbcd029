/* SPDX-License-Identifier: MIT */
/*
 * loop: the plain loop over libsha256many that the program must not be behind.
 *
 *	loop [--threads=N] FILE...
 *	loop [--threads=N] --files0-from=LIST
 *
 * Each thread keeps 16 files open, reads a piece of each, hashes the pieces side
 * by side, and opens another file where one has ended.  The digests are printed
 * when all are known, in the order of the names.  There is no care for FIFOs,
 * slow storage, memory, names that need escapes, or files that fail: the first
 * failure ends it.
 */
#include "config.h"

#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu/sha256many.h"

enum {
	SLOTS = 16,
	PIECE_BYTES = 128 << 10,
	/* Buffers begin at other lines of a page, as the lanes of a program do. */
	STRIDE = PIECE_BYTES + 64,
	MAX_THREADS = 64
};

/* An open file.  Its stream has the number of the slot. */
struct slot {
	int fd;
	size_t file;
	bool is_new; /* nothing was read so far */
};

static struct {
	char **names;
	unsigned char (*digests)[SHA256MANY_DIGEST_BYTES];
	size_t n, next;
} files;

static bool
open_next(struct slot *slot)
{
	const size_t file =
		__atomic_fetch_add(&files.next, 1, __ATOMIC_RELAXED);

	if (file >= files.n)
		return false;
	*slot = (struct slot){ .fd = open(files.names[file],
					  O_RDONLY | O_CLOEXEC),
			       .file = file,
			       .is_new = true };
	if (slot->fd < 0)
		err(EXIT_FAILURE, "%s", files.names[file]);
	return true;
}

/* The bytes to hash of all slots, by kind. */
struct turn {
	struct sha256many_message whole[SLOTS]; /* small files */
	struct sha256many_piece pieces[SLOTS];
	size_t nwhole, npieces, nends;
	size_t ends[SLOTS]; /* streams */
	/* The files of whole messages, and of ends. */
	size_t whole_files[SLOTS], end_files[SLOTS];
};

/* Read a piece, and close the file where it ends. */
static void
read_piece(struct slot *slot, size_t stream, unsigned char *buffer,
	   struct sha256many *context, struct turn *turn)
{
	const ssize_t got = read(slot->fd, buffer, PIECE_BYTES);
	const bool ends = got < PIECE_BYTES;

	if (got < 0)
		err(EXIT_FAILURE, "%s", files.names[slot->file]);
	if (slot->is_new && ends) {
		turn->whole[turn->nwhole] =
			(struct sha256many_message){ .data = buffer,
						     .bytes = (size_t)got };
		turn->whole_files[turn->nwhole++] = slot->file;
	} else {
		if (slot->is_new)
			sha256many_restart(context, stream);
		turn->pieces[turn->npieces++] = (struct sha256many_piece){
			.stream = stream, .data = buffer, .bytes = (size_t)got
		};
		if (ends) {
			turn->ends[turn->nends] = stream;
			turn->end_files[turn->nends++] = slot->file;
		}
	}
	slot->is_new = false;
	if (ends) {
		close(slot->fd);
		slot->fd = -1;
	}
}

static void
keep(unsigned char (*digests)[SHA256MANY_DIGEST_BYTES], const size_t *of,
     size_t n)
{
	for (size_t i = 0; i < n; i++)
		memcpy(files.digests[of[i]], digests[i], sizeof(*digests));
}

static void
hash(struct sha256many *context, const struct turn *turn)
{
	unsigned char digests[SLOTS][SHA256MANY_DIGEST_BYTES];

	sha256many_hash(turn->nwhole, turn->whole, digests);
	keep(digests, turn->whole_files, turn->nwhole);
	sha256many_update(context, turn->npieces, turn->pieces);
	sha256many_finish(context, turn->nends, turn->ends, digests);
	keep(digests, turn->end_files, turn->nends);
}

static void *
run(void *unused)
{
	struct sha256many *context = sha256many_new(SLOTS, 0);
	unsigned char *buffers = aligned_alloc(4096, SLOTS * (STRIDE + 4032));
	struct slot slots[SLOTS];
	bool any = true;

	(void)unused;
	if (!context || !buffers)
		errx(EXIT_FAILURE, "memory exhausted");
	for (size_t i = 0; i < SLOTS; i++)
		slots[i].fd = -1;
	while (any) {
		struct turn turn;

		any = false;
		turn.nwhole = turn.npieces = turn.nends = 0;
		for (size_t i = 0; i < SLOTS; i++) {
			if (slots[i].fd < 0 && !open_next(&slots[i]))
				continue;
			any = true;
			read_piece(&slots[i], i, buffers + i * STRIDE, context,
				   &turn);
		}
		hash(context, &turn);
	}
	sha256many_free(context);
	free(buffers);
	return NULL;
}

/* Read the names of a list; each ends with a NUL. */
static void
read_names(const char *list)
{
	FILE *file = fopen(list, "re");
	char *name = NULL;
	size_t room = 0;

	if (!file)
		err(EXIT_FAILURE, "%s", list);
	for (files.n = 0; getdelim(&name, &room, '\0', file) > 0; files.n++) {
		if (files.n % 4096 == 0)
			files.names = reallocarray(files.names, files.n + 4096,
						   sizeof(*files.names));
		files.names[files.n] = strdup(name);
	}
	free(name);
	fclose(file);
}

static void
print(size_t file)
{
	for (size_t i = 0; i < sizeof(*files.digests); i++) {
		putc_unlocked("0123456789abcdef"[files.digests[file][i] >> 4],
			      stdout);
		putc_unlocked("0123456789abcdef"[files.digests[file][i] & 15],
			      stdout);
	}
	fputs("  ", stdout);
	puts(files.names[file]);
}

int
main(int argc, char **argv)
{
	long threads = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t others[MAX_THREADS];
	const char *list = NULL;
	int first = 1;

	for (; first < argc && strncmp(argv[first], "--", 2) == 0; first++)
		if (strncmp(argv[first], "--threads=", 10) == 0)
			threads = atol(argv[first] + 10);
		else if (strncmp(argv[first], "--files0-from=", 14) == 0)
			list = argv[first] + 14;
		else
			errx(EXIT_FAILURE, "no such option: %s", argv[first]);
	if (list)
		read_names(list);
	else if (first < argc)
		files.names = argv + first, files.n = (size_t)(argc - first);
	else
		errx(EXIT_FAILURE, "no files");
	if (threads < 1 || threads > MAX_THREADS)
		threads = MAX_THREADS;
	files.digests = calloc(files.n + 1, sizeof(*files.digests));
	for (long i = 1; i < threads; i++)
		if (pthread_create(&others[i], NULL, run, NULL) != 0)
			errx(EXIT_FAILURE, "no thread");
	run(NULL);
	for (long i = 1; i < threads; i++)
		pthread_join(others[i], NULL);
	for (size_t file = 0; file < files.n; file++)
		print(file);
	return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
