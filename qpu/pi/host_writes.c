/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/host_writes.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/rows.h"

static const uint8_t zeros[HOST_LINE]; /* memory that is new */

static struct host_copy *
find_copy(const struct host_writes *writes, const struct pi_memory *memory)
{
	for (size_t i = 0; i < writes->n; i++) {
		struct host_copy *copy = &writes->copies[i];

		if (copy->of.host == memory->host &&
		    copy->of.bytes == memory->bytes)
			return copy;
	}
	return NULL;
}

/* Return the number of lines that the CPU has changed; line number `which` of them,
 * and what it was before, are *line and *before. */
static size_t
changed_lines(const struct host_writes *writes, const struct pi_memory *memory,
	      size_t n, size_t which, uint8_t **line, const uint8_t **before)
{
	size_t changed = 0;

	for (size_t i = 0; i < n; i++) {
		const struct host_copy *copy = find_copy(writes, &memory[i]);

		for (size_t at = 0; at < memory[i].bytes; at += HOST_LINE) {
			const uint8_t *old = copy ? copy->bytes + at : zeros;

			if (memcmp(memory[i].host + at, old, HOST_LINE) == 0 ||
			    changed++ != which)
				continue;
			*line = memory[i].host + at;
			*before = old;
		}
	}
	return changed;
}

/* Choose a line that the CPU has changed, or return NULL. */
static uint8_t *
choose_line(const struct host_writes *writes, uint64_t random,
	    const struct pi_memory *memory, size_t n, const uint8_t **before)
{
	uint8_t *line = NULL;
	const size_t changed =
		changed_lines(writes, memory, n, SIZE_MAX, &line, before);

	random = random * 6364136223846793005 + 1442695040888963407;
	if (changed > 0)
		changed_lines(writes, memory, n,
			      (size_t)((random >> 33) % changed), &line,
			      before);
	return line;
}

/* Return the memory's page in which a line is. */
static uint8_t *
page_of(uint8_t *line, const struct pi_memory *memory, size_t n)
{
	for (size_t i = 0; line && i < n; i++)
		if (line >= memory[i].host &&
		    line < memory[i].host + memory[i].bytes)
			return line -
			       (size_t)(line - memory[i].host) % HOST_PAGE;
	return NULL;
}

static void
freeze(struct host_writes *writes, uint64_t random,
       const struct pi_memory *memory, size_t n)
{
	const uint8_t *before;

	if (page_of(writes->page, memory, n)) {
		memcpy(writes->page, writes->frozen, HOST_PAGE);
		return;
	}
	writes->page = page_of(choose_line(writes, random, memory, n, &before),
			       memory, n);
	if (writes->page)
		memcpy(writes->frozen, writes->page, HOST_PAGE);
}

void
host_writes_hide(struct host_writes *writes, const struct pi_fault *fault,
		 uint64_t seed, uint64_t number, const struct pi_memory *memory,
		 size_t n)
{
	const uint64_t random =
		seed * 2 + 5 + number * UINT64_C(0x9e3779b97f4a7c15);
	const uint8_t *before;

	writes->line = NULL;
	if (pi_fault_strikes(fault, PI_PAGE_FROZEN, number))
		freeze(writes, random, memory, n);
	else if (pi_fault_strikes(fault, PI_LINE_OLD, number))
		writes->line = choose_line(writes, random, memory, n, &before);
	if (!writes->line)
		return;
	memcpy(writes->written, writes->line, HOST_LINE);
	memcpy(writes->line, before, HOST_LINE);
}

static void
keep(struct host_writes *writes, const struct pi_memory *memory)
{
	struct host_copy *copy = find_copy(writes, memory);

	if (!copy) {
		if (!rows_grow(&writes->copies, &writes->room, writes->n,
			       sizeof(*copy)))
			return;
		copy = &writes->copies[writes->n];
		*copy = (struct host_copy){ *memory, malloc(memory->bytes) };
		if (!copy->bytes)
			return;
		writes->n++;
	}
	memcpy(copy->bytes, memory->host, memory->bytes);
}

void
host_writes_show(struct host_writes *writes, const struct pi_memory *memory,
		 size_t n)
{
	if (writes->line)
		memcpy(writes->line, writes->written, HOST_LINE);
	writes->line = NULL;
	for (size_t i = 0; i < n; i++)
		keep(writes, &memory[i]);
}

void
host_writes_free(struct host_writes *writes)
{
	for (size_t i = 0; i < writes->n; i++)
		free(writes->copies[i].bytes);
	free(writes->copies);
}
