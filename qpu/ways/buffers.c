/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/buffers.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/clock.h"

enum { MEASURED_BYTES = 1 << 20, CHUNK_BYTES = 16 << 10 };

static bool
is_taken(const struct buffer *buffer)
{
	return buffer->shared.bytes > 0;
}

static bool
holds(const struct buffer *buffer, uint32_t bus)
{
	return is_taken(buffer) &&
	       bus - buffer->shared.bus < buffer->shared.bytes;
}

/* Does it overlap with another buffer?  Flushing one would undo what is in the
 * other. */
static bool
overlaps(const struct buffers *buffers, const struct buffer *buffer)
{
	const struct device_memory *shared = &buffer->shared;

	for (unsigned i = 0; i < BUFFERS_MOST; i++)
		if (&buffers->rows[i] != buffer &&
		    (holds(&buffers->rows[i], shared->bus) ||
		     (is_taken(&buffers->rows[i]) &&
		      holds(buffer, buffers->rows[i].shared.bus))))
			return true;
	return false;
}

static double
rate_since(uint64_t begun_ns, size_t bytes)
{
	const uint64_t ns = clock_ns() - begun_ns;

	return (double)bytes * 1e9 / (double)(ns > 0 ? ns : 1);
}

/* How fast the CPU writes and reads, with flushing and refreshing as in a
 * launch.  The contents are lost. */
static void
measure(struct buffers *buffers, const struct buffer *buffer)
{
	const size_t bytes =
		buffer->shared.bytes < MEASURED_BYTES ?
			buffer->shared.bytes / CHUNK_BYTES * CHUNK_BYTES :
			MEASURED_BYTES;
	uint8_t *cpu = buffer->shared.cpu, *copy = malloc(CHUNK_BYTES);
	uint64_t begun;

	if (bytes > 0 && copy) {
		begun = clock_ns();
		memset(cpu, 0x55, bytes);
		buffer_flush(buffer);
		buffers->write_rate = rate_since(begun, bytes);
		begun = clock_ns();
		buffer_refresh(buffer);
		for (size_t at = 0; at < bytes; at += CHUNK_BYTES) {
			memcpy(copy, cpu + at, CHUNK_BYTES);
			/* The compiler must not leave out the copy. */
			__asm__ volatile("" : : "r"(copy) : "memory");
		}
		buffers->read_rate = rate_since(begun, bytes);
	}
	free(copy);
}

const struct device_memory *
buffers_take(struct buffers *buffers, size_t bytes, struct diag *why_not)
{
	for (unsigned i = 0; i < BUFFERS_MOST; i++) {
		struct buffer *buffer = &buffers->rows[i];

		if (is_taken(buffer))
			continue;
		if (!buffer_take(&buffers->source, bytes, buffer, why_not))
			return NULL;
		if (overlaps(buffers, buffer)) {
			diag_set(why_not,
				 "%s gives memory that is in use, at bus "
				 "address 0x%08x",
				 buffer_source_name(buffers->source.kind,
						    buffers->source.heap_node),
				 (unsigned)buffer->shared.bus);
			buffer_give_back(&buffers->source, buffer);
			return NULL;
		}
		if (buffers->write_rate == 0)
			measure(buffers, buffer);
		buffers->written[i] = true;
		return &buffer->shared;
	}
	diag_set(why_not, "too many buffers");
	return NULL;
}

static void
wipe(const struct buffer *buffer)
{
	struct critical_section section;

	if (!critical_enter(&section))
		return;
	buffer_wipe(buffer);
	critical_leave(&section);
}

void
buffers_give_back(struct buffers *buffers, const struct device_memory *memory)
{
	for (unsigned i = 0; i < BUFFERS_MOST; i++)
		if (holds(&buffers->rows[i], memory->bus)) {
			if (!memory->unused)
				wipe(&buffers->rows[i]);
			buffer_give_back(&buffers->source, &buffers->rows[i]);
		}
}

void
buffers_wipe(struct buffers *buffers)
{
	for (unsigned i = 0; i < BUFFERS_MOST; i++)
		if (is_taken(&buffers->rows[i]))
			wipe(&buffers->rows[i]);
}

void
buffers_close(struct buffers *buffers, bool keep)
{
	for (unsigned i = 0; i < BUFFERS_MOST && !keep; i++)
		if (is_taken(&buffers->rows[i]))
			buffer_give_back(&buffers->source, &buffers->rows[i]);
	buffer_source_close(&buffers->source);
}

void
buffers_note_written(struct buffers *buffers,
		     const struct device_memory *memory)
{
	for (unsigned i = 0; i < BUFFERS_MOST; i++)
		if (holds(&buffers->rows[i], memory->bus))
			buffers->written[i] = true;
}

bool
buffers_flush(struct buffers *buffers)
{
	for (unsigned i = 0; i < BUFFERS_MOST; i++) {
		if (!buffers->written[i] || !is_taken(&buffers->rows[i]))
			continue;
		if (!buffer_flush(&buffers->rows[i]))
			return false;
		buffers->written[i] = false;
	}
	return true;
}

static bool
has_results(const struct buffer *buffer, const struct device_program *programs,
	    unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (holds(buffer, programs[i].results))
			return true;
	return false;
}

bool
buffers_refresh(struct buffers *buffers, const struct device_program *programs,
		unsigned n)
{
	for (unsigned i = 0; i < BUFFERS_MOST; i++)
		if (has_results(&buffers->rows[i], programs, n) &&
		    !buffer_refresh(&buffers->rows[i]))
			return false;
	return true;
}
