/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/driver/pieces.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/clock.h"

enum { MEASURED_BYTES = 1 << 20, CHUNK_BYTES = 16 << 10 };

static bool
is_taken(const struct memory_piece *piece)
{
	return piece->shared.bytes > 0;
}

static bool
holds(const struct memory_piece *piece, uint32_t bus)
{
	return is_taken(piece) && bus - piece->shared.bus < piece->shared.bytes;
}

/* With memory that is ours already, one would undo what is in the other. */
static bool
overlaps(const struct pieces *pieces, const struct memory_piece *piece)
{
	const struct device_memory *shared = &piece->shared;

	for (unsigned i = 0; i < CLAIMS_PIECES; i++)
		if (&pieces->rows[i] != piece &&
		    (holds(&pieces->rows[i], shared->bus) ||
		     (is_taken(&pieces->rows[i]) &&
		      holds(piece, pieces->rows[i].shared.bus))))
			return true;
	return false;
}

static double
rate_since(uint64_t begun_ns, size_t bytes)
{
	const uint64_t ns = clock_ns() - begun_ns;

	return (double)bytes * 1e9 / (double)(ns > 0 ? ns : 1);
}

/* With flushing and refreshing, as in a launch.  What is there is lost. */
static void
measure(struct pieces *pieces, const struct memory_piece *piece)
{
	const size_t bytes =
		piece->shared.bytes < MEASURED_BYTES ?
			piece->shared.bytes / CHUNK_BYTES * CHUNK_BYTES :
			MEASURED_BYTES;
	uint8_t *cpu = piece->shared.cpu, *copy = malloc(CHUNK_BYTES);
	uint64_t begun;

	if (bytes > 0 && copy) {
		begun = clock_ns();
		memset(cpu, 0x55, bytes);
		memory_flush(piece);
		pieces->write_rate = rate_since(begun, bytes);
		begun = clock_ns();
		memory_refresh(piece);
		for (size_t at = 0; at < bytes; at += CHUNK_BYTES) {
			memcpy(copy, cpu + at, CHUNK_BYTES);
			/* The copy is used: it cannot be left out. */
			__asm__ volatile("" : : "r"(copy) : "memory");
		}
		pieces->read_rate = rate_since(begun, bytes);
	}
	free(copy);
}

const struct device_memory *
pieces_take(struct pieces *pieces, size_t bytes, struct diag *why_not)
{
	for (unsigned i = 0; i < CLAIMS_PIECES; i++) {
		struct memory_piece *piece = &pieces->rows[i];

		if (is_taken(piece))
			continue;
		if (!memory_take(&pieces->source, bytes, piece, why_not))
			return NULL;
		if (overlaps(pieces, piece)) {
			diag_set(why_not,
				 "%s gives memory that is in use, at bus "
				 "address 0x%08x",
				 memory_name(pieces->source.kind),
				 (unsigned)piece->shared.bus);
			memory_give_back(&pieces->source, piece);
			return NULL;
		}
		if (pieces->write_rate == 0)
			measure(pieces, piece);
		pieces->written[i] = true;
		return &piece->shared;
	}
	diag_set(why_not, "too many pieces of memory");
	return NULL;
}

static void
wipe(const struct memory_piece *piece)
{
	struct claims_visit visit;

	if (!claims_enter(&visit))
		return;
	memory_wipe(piece);
	claims_leave(&visit);
}

void
pieces_give_back(struct pieces *pieces, const struct device_memory *memory)
{
	for (unsigned i = 0; i < CLAIMS_PIECES; i++)
		if (holds(&pieces->rows[i], memory->bus)) {
			wipe(&pieces->rows[i]);
			memory_give_back(&pieces->source, &pieces->rows[i]);
		}
}

void
pieces_wipe(struct pieces *pieces)
{
	for (unsigned i = 0; i < CLAIMS_PIECES; i++)
		if (is_taken(&pieces->rows[i]))
			wipe(&pieces->rows[i]);
}

void
pieces_close(struct pieces *pieces, bool keep)
{
	for (unsigned i = 0; i < CLAIMS_PIECES && !keep; i++)
		if (is_taken(&pieces->rows[i]))
			memory_give_back(&pieces->source, &pieces->rows[i]);
	memory_close(&pieces->source);
}

void
pieces_note_written(struct pieces *pieces, const struct device_memory *memory)
{
	for (unsigned i = 0; i < CLAIMS_PIECES; i++)
		if (holds(&pieces->rows[i], memory->bus))
			pieces->written[i] = true;
}

bool
pieces_flush(struct pieces *pieces)
{
	for (unsigned i = 0; i < CLAIMS_PIECES; i++) {
		if (!pieces->written[i] || !is_taken(&pieces->rows[i]))
			continue;
		if (!memory_flush(&pieces->rows[i]))
			return false;
		pieces->written[i] = false;
	}
	return true;
}

static bool
has_results(const struct memory_piece *piece,
	    const struct device_program *programs, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (holds(piece, programs[i].results))
			return true;
	return false;
}

bool
pieces_refresh(struct pieces *pieces, const struct device_program *programs,
	       unsigned n)
{
	for (unsigned i = 0; i < CLAIMS_PIECES; i++)
		if (has_results(&pieces->rows[i], programs, n) &&
		    !memory_refresh(&pieces->rows[i]))
			return false;
	return true;
}
