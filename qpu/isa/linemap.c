/* SPDX-License-Identifier: MIT */
/*
 * linemap: rows of address, file, line and text; see the header for the
 * format of the file.
 */
#include "config.h"

#include "qpu/isa/linemap.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/diag.h"
#include "src/base/rows.h"
#include "src/base/text.h"

/* The bits of a bus address but those that choose an alias of memory. */
enum { BUS_MASK = 0x3fffffff };

/* Rows of one file follow each other: share its name with the row before. */
static const char *
share_file(const struct qpu_linemap *map, const char *file)
{
	if (map->nrows) {
		const char *last = map->rows[map->nrows - 1].file;

		if (strcmp(last, file) == 0)
			return last;
	}
	return strdup(file);
}

bool
qpu_linemap_add(struct qpu_linemap *map, uint32_t addr, const char *file,
		unsigned line, const char *text)
{
	const struct qpu_linemap_row *const last =
		map->nrows ? &map->rows[map->nrows - 1] : NULL;

	if (last &&
	    (last->addr > addr || (last->addr == addr && last->line == line &&
				   strcmp(last->file, file) == 0)))
		return false;
	if (!rows_grow(&map->rows, &map->capacity, map->nrows,
		       sizeof(*map->rows)))
		return false;

	struct qpu_linemap_row *row = &map->rows[map->nrows];
	row->addr = addr;
	row->line = line;
	row->text = strdup(text);
	if (!row->text)
		return false;
	row->file = share_file(map, file);
	if (!row->file) {
		free((char *)row->text);
		return false;
	}
	map->nrows++;
	return true;
}

static int
compare_addr(const void *key, const void *element)
{
	const uint32_t addr = *(const uint32_t *)key;
	const struct qpu_linemap_row *row = element;

	return (addr > row->addr) - (addr < row->addr);
}

const struct qpu_linemap_row *
qpu_linemap_find(const struct qpu_linemap *map, uint32_t bus_addr)
{
	const uint32_t addr = (bus_addr & BUS_MASK) - (map->base & BUS_MASK);
	const struct qpu_linemap_row *row = NULL;

	if (map->nrows)
		row = bsearch(&addr, map->rows, map->nrows, sizeof(*map->rows),
			      compare_addr);
	while (row && row > map->rows && row[-1].addr == addr)
		row--;
	return row;
}

const struct qpu_linemap_row *
qpu_linemap_next(const struct qpu_linemap *map,
		 const struct qpu_linemap_row *row)
{
	const struct qpu_linemap_row *const next = row + 1;

	return next < map->rows + map->nrows && next->addr == row->addr ? next :
									  NULL;
}

bool
qpu_linemap_same_line(const struct qpu_linemap_row *a,
		      const struct qpu_linemap_row *b)
{
	return a && b && a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* Split "ADDR FILE:LINE<TAB>TEXT" in place and add it. */
static bool
add_row(struct qpu_linemap *map, char *row)
{
	char *tab = strchr(row, '\t');
	const char *text = "";
	char *end;

	if (tab) {
		*tab = '\0';
		text_clean(tab + 1);
		text = tab + 1;
	}
	text_clean(row);
	const unsigned long long addr = strtoull(row, &end, 16);
	if (end == row || *end != ' ' || addr > UINT32_MAX)
		return false;
	char *file = end + 1;
	char *colon = strrchr(file, ':');
	if (!colon || colon == file)
		return false;
	*colon = '\0';
	const unsigned long long line = strtoull(colon + 1, &end, 10);
	if (end == colon + 1 || *end || line > 0x7fffffff)
		return false;
	return qpu_linemap_add(map, addr, file, line, text);
}

bool
qpu_linemap_read(struct qpu_linemap *map, FILE *stream, struct diag *diag)
{
	char *row = NULL;
	size_t size = 0;
	unsigned number = 0;
	bool good = true;
	ssize_t len;

	while (good && (len = getline(&row, &size, stream)) >= 0) {
		number++;
		if (row[len - 1] == '\n')
			row[len - 1] = '\0';
		good = add_row(map, row);
	}
	free(row);
	if (!good || ferror(stream)) {
		diag_set(diag, good ? "cannot read the line table" :
				      "not a row of a line table");
		if (diag)
			diag->line = number;
		return false;
	}
	return true;
}

bool
qpu_linemap_write(const struct qpu_linemap *map, FILE *stream)
{
	for (size_t i = 0; i < map->nrows; i++) {
		const struct qpu_linemap_row *row = &map->rows[i];

		fprintf(stream, "%x %s:%u", (unsigned)row->addr, row->file,
			row->line);
		if (*row->text)
			fprintf(stream, "\t%s", row->text);
		putc('\n', stream);
	}
	return !ferror(stream);
}

void
qpu_linemap_free(struct qpu_linemap *map)
{
	for (size_t i = map->nrows; i-- > 0;) {
		if (i == 0 || map->rows[i].file != map->rows[i - 1].file)
			free((char *)map->rows[i].file);
		free((char *)map->rows[i].text);
	}
	free(map->rows);
	memset(map, 0, sizeof(*map));
}
