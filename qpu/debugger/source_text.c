/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/debugger/debugger.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/rows.h"
#include "src/base/text.h"

enum { FILE_MAX = 16 << 20 };

/* Read the lines of a file; return false if not all can be read. */
static bool
read_file(struct source_file *file)
{
	FILE *stream = fopen(file->name, "r");
	size_t bytes = 0, room = 0;
	char *line = NULL;
	bool good = stream;
	ssize_t len;

	while (good && (len = getline(&line, &room, stream)) >= 0) {
		for (ssize_t i = 0; i < len; i++)
			line[i] = line[i] ? line[i] : ' ';
		line[strcspn(line, "\n")] = '\0';
		text_clean(line);
		bytes += (size_t)len;
		good = bytes < FILE_MAX &&
		       rows_grow(&file->lines, &file->room, file->nlines,
				 sizeof(*file->lines)) &&
		       (file->lines[file->nlines] = strdup(line));
		file->nlines += good;
	}
	good = good && !ferror(stream);
	free(line);
	if (stream)
		fclose(stream);
	return good;
}

/* The file, which is read when first wanted; null when memory is short. */
static const struct source_file *
find_file(struct source_text *source, const char *name)
{
	struct source_file *file;

	for (size_t i = 0; i < source->nfiles; i++)
		if (strcmp(source->files[i].name, name) == 0)
			return &source->files[i];
	if (!rows_grow(&source->files, &source->room, source->nfiles,
		       sizeof(*file)))
		return NULL;
	file = &source->files[source->nfiles++];
	*file = (struct source_file){ .name = name };
	file->readable = read_file(file);
	return file;
}

const char *
source_text_line(struct source_text *source, const char *name, unsigned line)
{
	const struct source_file *file = find_file(source, name);
	const struct qpu_linemap *map = source->map;

	if (file && file->readable)
		return line && line <= file->nlines ? file->lines[line - 1] :
						      NULL;
	for (size_t i = 0; i < map->nrows; i++)
		if (map->rows[i].line == line &&
		    strcmp(map->rows[i].file, name) == 0)
			return map->rows[i].text;
	return NULL;
}

void
source_text_free(struct source_text *source)
{
	for (size_t i = 0; i < source->nfiles; i++) {
		struct source_file *file = &source->files[i];

		while (file->nlines)
			free(file->lines[--file->nlines]);
		free(file->lines);
	}
	free(source->files);
}

/* The name of the map's file that a user means by a whole name or its end. */
static const char *
known_file(const struct source_text *source, const char *name, size_t length)
{
	const struct qpu_linemap *map = source->map;

	for (size_t i = 0; i < map->nrows; i++) {
		const char *file = map->rows[i].file;
		const size_t whole = strlen(file);

		if (whole >= length &&
		    strncmp(file + whole - length, name, length) == 0 &&
		    (whole == length || file[whole - length - 1] == '/'))
			return file;
	}
	return NULL;
}

/* The first address of the first line from `line` on that has instructions. */
static bool
settle_line(const struct source_text *source, const char *file, unsigned line,
	    struct place *place)
{
	const struct qpu_linemap *map = source->map;
	const struct qpu_linemap_row *best = NULL;

	for (size_t i = 0; i < map->nrows; i++) {
		const struct qpu_linemap_row *row = &map->rows[i];

		if (row->line >= line && (!best || row->line < best->line) &&
		    strcmp(row->file, file) == 0)
			best = row;
	}
	if (!best)
		return false;
	*place = (struct place){
		.file = best->file,
		.line = best->line,
	};
	return true;
}

/* Return true if a line begins with ":name" or "name:". */
static bool
defines(const char *line, const char *name)
{
	const size_t length = strlen(name);
	bool colon;

	line += strspn(line, " \t");
	colon = *line == ':';
	line += colon;
	if (strncmp(line, name, length))
		return false;
	line += length;
	if (colon)
		return !isalnum((unsigned char)*line) && *line != '_';
	return line[strspn(line, " \t")] == ':';
}

/* Labels are looked up in the text of all files of the map. */
static bool
settle_label(struct source_text *source, const char *name, struct place *place)
{
	const struct qpu_linemap *map = source->map;

	for (size_t i = 0; i < map->nrows; i++)
		if (!i || map->rows[i].file != map->rows[i - 1].file)
			find_file(source, map->rows[i].file);
	for (size_t i = 0; i < source->nfiles; i++) {
		const struct source_file *file = &source->files[i];

		for (size_t k = 0; k < file->nlines; k++)
			if (defines(file->lines[k], name))
				return settle_line(source, file->name,
						   (unsigned)k + 1, place);
	}
	return false;
}

static bool
settle_address(const char *text, struct place *place, struct diag *why)
{
	const char *end;

	*place = (struct place){ .pc = 0 };
	if (bus_address_parse(text, &end, &place->pc) && !*end &&
	    place->pc % 8 == 0)
		return true;
	return diag_set(why,
			"'%s' is not the hexadecimal address of an instruction",
			text);
}

bool
source_text_place(struct source_text *source, const char *text,
		  const char *file, struct place *place, struct diag *why)
{
	const char *colon = strrchr(text, ':');
	const char *number = colon ? colon + 1 : text;
	char *end;
	unsigned long line;

	if (*text == '*')
		return settle_address(text + 1, place, why);
	if (!source->map->nrows)
		return diag_set(why, "without --lines only *ADDR is known");
	if (!isdigit((unsigned char)*number))
		return settle_label(source, text, place) ||
		       diag_set(why, "no label '%s' in the source", text);
	line = strtoul(number, &end, 10);
	if (colon)
		file = known_file(source, text, colon - text);
	if (!*end && file && settle_line(source, file, line, place))
		return true;
	return diag_set(why, "no instruction at or after line '%s'", text);
}
