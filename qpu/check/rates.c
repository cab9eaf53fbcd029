/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/rates.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/check/settle.h"
#include "qpu/driver/buffer.h"
#include "qpu/driver/pi_board.h"
#include "src/base/clock.h"

enum { BYTES = 1 << 20 };

/* Moves data between shared memory and the CPU's own. */
typedef void
move(const struct buffer *, void *own);

static void
fill(const struct buffer *buffer, void *own)
{
	(void)own;
	memset(buffer->shared.cpu, 0x55, BYTES);
}

static void
fill_words(const struct buffer *buffer, void *own)
{
	volatile uint32_t *words = buffer->shared.cpu;

	(void)own;
	for (size_t i = 0; i < BYTES / sizeof(*words); i++)
		words[i] = 0x55555555;
}

static void
copy_to(const struct buffer *buffer, void *own)
{
	memcpy(buffer->shared.cpu, own, BYTES);
}

static void
copy_from(const struct buffer *buffer, void *own)
{
	memcpy(own, buffer->shared.cpu, BYTES);
}

static void
flush(const struct buffer *buffer, void *own)
{
	(void)own;
	buffer_flush(buffer);
}

static void
refresh(const struct buffer *buffer, void *own)
{
	(void)own;
	buffer_refresh(buffer);
}

/* The order matters: writes are flushed after, and reads refreshed before. */
static const struct way {
	const char *name;
	move *move;
	bool cached; /* for cached memory only */
} ways[] = { { "word by word", fill_words, false },
	     { "by memset", fill, false },
	     { "copied to", copy_to, false },
	     { "flushed", flush, true },
	     { "refreshed", refresh, true },
	     { "copied from", copy_from, false } };

static void
print_way(const struct way *way, const struct buffer *buffer, const char *name,
	  void *own, FILE *report)
{
	const uint64_t begun = clock_ns();
	uint64_t ns;

	way->move(buffer, own);
	/* The compiler must not leave out any access. */
	__asm__ volatile("" : : "r"(own), "r"(buffer->shared.cpu) : "memory");
	ns = clock_ns() - begun;
	fprintf(report, "%s, %s: %.0f MB/s\n", name, way->name,
		BYTES * 1e3 / (double)(ns > 0 ? ns : 1));
}

static void
print_kind(const struct pi_board *board, void *own, FILE *report)
{
	struct buffer_source source = { .node = -1, .heap = -1 };
	const char *name = buffer_source_name(board->memory);
	struct buffer buffer;
	struct diag why;

	if (!buffer_source_open(&source, board, &why)) {
		fprintf(report, "%s: not to be opened\n", name);
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

void
rates_print(FILE *report)
{
	static const enum memory_kind kinds[] = { MEMORY_CACHED, MEMORY_VCSM,
						  MEMORY_DEV_MEM };
	struct pi_board board;
	void *own = malloc(BYTES);

	fputs("\n== Rates of memory ==\n", report);
	if (!own || !pi_board_look("", &board, NULL)) {
		fputs("None\n", report);
		free(own);
		return;
	}
	memset(own, 0xaa, BYTES);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		board.memory = kinds[i];
		/* memset and memcpy are bus errors in such memory. */
		if (kinds[i] != MEMORY_DEV_MEM ||
		    !pi_board_maps_device_memory())
			print_kind(&board, own, report);
	}
	free(own);
}
