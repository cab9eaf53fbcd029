/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/rates.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qpu/check/settle.h"
#include "qpu/ways/buffer.h"
#include "qpu/ways/pi_board.h"
#include "src/base/clock.h"

enum { BYTES = 1 << 20 };

/* The CPU's own memory, and a file in memory: read(2) from it costs what it
 * costs to read a file that the kernel has in its cache. */
struct own {
	void *memory;
	int file;
};

/* A way to move data between shared memory and the CPU's own.  False and errno if
 * that is impossible. */
typedef bool
move(const struct buffer *, const struct own *own);

static bool
fill(const struct buffer *buffer, const struct own *own)
{
	(void)own;
	memset(buffer->shared.cpu, 0x55, BYTES);
	return true;
}

static bool
fill_words(const struct buffer *buffer, const struct own *own)
{
	volatile uint32_t *words = buffer->shared.cpu;

	(void)own;
	for (size_t i = 0; i < BYTES / sizeof(*words); i++)
		words[i] = 0x55555555;
	return true;
}

static bool
copy_to(const struct buffer *buffer, const struct own *own)
{
	memcpy(buffer->shared.cpu, own->memory, BYTES);
	return true;
}

static bool
read_to(const struct buffer *buffer, const struct own *own)
{
	return pread(own->file, buffer->shared.cpu, BYTES, 0) == BYTES;
}

/* The program fills lanes like this where stores wait for each other. */
static bool
stage(const struct buffer *buffer, const struct own *own)
{
	enum { PIECE = 32 << 10 };
	uint8_t *to = buffer->shared.cpu;

	for (size_t at = 0; at < BYTES; at += PIECE) {
		if (pread(own->file, own->memory, PIECE, (off_t)at) != PIECE)
			return false;
		memcpy(to + at, own->memory, PIECE);
	}
	return true;
}

static bool
copy_from(const struct buffer *buffer, const struct own *own)
{
	memcpy(own->memory, buffer->shared.cpu, BYTES);
	return true;
}

static bool
flush(const struct buffer *buffer, const struct own *own)
{
	(void)own;
	return buffer_flush(buffer);
}

static bool
refresh(const struct buffer *buffer, const struct own *own)
{
	(void)own;
	return buffer_refresh(buffer);
}

/* The order matters: a flush follows the writes, and a refresh comes before the
 * reads. */
static const struct way {
	const char *name;
	move *move;
	bool cached; /* for cached memory only */
} ways[] = { { "word by word", fill_words, false },
	     { "by memset", fill, false },
	     { "copied to", copy_to, false },
	     { "read(2) into", read_to, false },
	     { "read(2) and copied to", stage, false },
	     { "flushed", flush, true },
	     { "refreshed", refresh, true },
	     { "copied from", copy_from, false } };

static void
print_way(const struct way *way, const struct buffer *buffer, const char *name,
	  const struct own *own, FILE *report)
{
	const uint64_t begun = clock_ns();
	uint64_t ns;

	if (!way->move(buffer, own)) {
		fprintf(report, "%s, %s: %s\n", name, way->name,
			strerror(errno));
		return;
	}
	/* The compiler must not leave out any access. */
	__asm__ volatile(""
			 :
			 : "r"(own->memory), "r"(buffer->shared.cpu)
			 : "memory");
	ns = clock_ns() - begun;
	fprintf(report, "%s, %s: %.0f MB/s\n", name, way->name,
		BYTES * 1e3 / (double)(ns > 0 ? ns : 1));
}

static void
print_kind(const struct pi_board *board, const struct own *own, FILE *report)
{
	struct buffer_source source = { .node = -1, .heap = -1 };
	const char *name = buffer_source_name(board->memory, board->heap);
	struct buffer buffer;
	struct diag why;

	if (!buffer_source_open(&source, board, &why)) {
		fprintf(report, "%s: cannot be opened\n", name);
	} else if (source.kind != board->memory) {
		fprintf(report, "%s: not there\n", name);
	} else if (!buffer_take(&source, BYTES, &buffer, &why)) {
		fprintf(report, "%s: %s\n", name, why.text);
	} else {
		/* From now on all pages are mapped. */
		fill_words(&buffer, own);
		for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
			if (!ways[i].cached || source.kind == MEMORY_CACHED)
				print_way(&ways[i], &buffer, name, own, report);
		buffer_give_back(&source, &buffer);
	}
	buffer_source_close(&source);
	settle(report);
}

/* The other rates are compared with those of ordinary memory. */
static void
print_own(const struct own *own, FILE *report)
{
	struct buffer plain = { .shared = { .cpu = malloc(BYTES),
					    .bytes = BYTES } };

	if (!plain.shared.cpu)
		return;
	memset(plain.shared.cpu, 0, BYTES);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!ways[i].cached)
			print_way(&ways[i], &plain, "memory of its own", own,
				  report);
	free(plain.shared.cpu);
}

static void
print_all(const struct own *own, struct pi_board *board, FILE *report)
{
	static const enum memory_kind kinds[] = { MEMORY_CACHED, MEMORY_VCSM,
						  MEMORY_DEV_MEM };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		board->memory = kinds[i];
		/* memset and memcpy are bus errors in such memory. */
		if (kinds[i] != MEMORY_DEV_MEM ||
		    !pi_board_maps_device_memory())
			print_kind(board, own, report);
	}
	print_own(own, report);
	settle(report);
}

void
rates_print(FILE *report)
{
	struct own own = { .memory = malloc(BYTES),
			   .file = memfd_create("rates", MFD_CLOEXEC) };
	struct pi_board board;

	fputs("\n== Rates of memory ==\n", report);
	if (own.memory && own.file >= 0 && pi_board_look("", &board, NULL)) {
		memset(own.memory, 0xaa, BYTES);
		if (write(own.file, own.memory, BYTES) == BYTES)
			print_all(&own, &board, report);
	} else {
		fputs("None\n", report);
	}
	if (own.file >= 0)
		close(own.file);
	free(own.memory);
}
