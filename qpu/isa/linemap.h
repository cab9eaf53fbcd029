/* SPDX-License-Identifier: MIT */
/*
 * linemap: which source line each instruction of a program came from.
 *
 * The assembler fills one; qpurun reads it back so that traces, profiles and
 * hazards name the macro source.  As a file it has one row per instruction,
 *
 *	ADDR FILE:LINE<TAB>TEXT
 *
 * ADDR hexadecimal, in bytes from the start of the code, ascending; an
 * instruction of several lines has a row for each.  TEXT the
 * source line as the assembler saw it, and may be missing with its tab.
 */
#ifndef QPU_ISA_LINEMAP_H
#define QPU_ISA_LINEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct diag;

struct qpu_linemap_row {
	uint32_t addr;
	unsigned line;
	const char *file; /* shared between rows, owned by the map */
	const char *text; /* never null; owned by the map */
};

/* All zero is an empty map. */
struct qpu_linemap {
	struct qpu_linemap_row *rows; /* ascending addresses */
	size_t nrows;
	size_t capacity;
	uint32_t base; /* bus address of the code that it is about */
};

/* False when memory is exhausted, or the address descends, or the line is the
 * row before's. */
bool
qpu_linemap_add(struct qpu_linemap *map, uint32_t addr, const char *file,
		unsigned line, const char *text);

/* The first row of exactly this bus address, in any alias, or null. */
const struct qpu_linemap_row *
qpu_linemap_find(const struct qpu_linemap *map, uint32_t bus_addr);

/* The next row of its address, or null. */
const struct qpu_linemap_row *
qpu_linemap_next(const struct qpu_linemap *map,
		 const struct qpu_linemap_row *row);

/* Return true if both are known and of one source line. */
bool
qpu_linemap_same_line(const struct qpu_linemap_row *a,
		      const struct qpu_linemap_row *b);

/* False with a reason in diag (its line is the row) for a malformed file.  Names
 * and texts are read without control characters (text.h). */
bool
qpu_linemap_read(struct qpu_linemap *map, FILE *stream, struct diag *diag);

/* False when the stream has an error. */
bool
qpu_linemap_write(const struct qpu_linemap *map, FILE *stream);

void
qpu_linemap_free(struct qpu_linemap *map);

#endif
