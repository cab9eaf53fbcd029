/* SPDX-License-Identifier: MIT */
/*
 * source: reads files, splits them into lines, follows synclines.
 */
#include "config.h"

#include "qpu/asm/source.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/asm/arena.h"
#include "src/base/text.h"

/* The file and the number that the next line gets. */
struct place {
	const char *file;
	unsigned number;
};

/*
 * Return true if the line is a syncline, which sets the place of the next one.
 * The file may be left out after "#line" (m4 does so within a file) but not
 * after a bare "#", which could be a comment that starts with a number.
 */
static bool
take_syncline(struct asm_arena *arena, const char *text, struct place *place)
{
	const bool named = strncmp(text, "#line ", 6) == 0;

	if (!named && strncmp(text, "# ", 2) != 0)
		return false;
	text += named ? 6 : 2;
	if (!isdigit((unsigned char)*text))
		return false;

	char *end;
	const unsigned long number = strtoul(text, &end, 10);
	const char *open = strchr(end, '"');
	const char *close = open ? strrchr(open + 1, '"') : NULL;

	if (number > 0x7fffffff || (!close && (!named || open)))
		return false;
	while (end != open && *end)
		if (!isspace((unsigned char)*end++))
			return false;
	if (close)
		place->file =
			asm_arena_strndup(arena, open + 1, close - open - 1);
	place->number = number;
	return true;
}

/* False if there are more than most lines. */
static bool
split_lines(struct asm_arena *arena, struct asm_source *source, size_t most,
	    const char *text, size_t len)
{
	struct place place = { .file = source->path, .number = 1 };
	size_t start = 0;

	while (start < len) {
		const char *newline = memchr(text + start, '\n', len - start);
		const size_t end = newline ? (size_t)(newline - text) : len;
		size_t stop = end;

		if (stop > start && text[stop - 1] == '\r')
			stop--;
		char *line =
			asm_arena_strndup(arena, text + start, stop - start);
		/* A null byte must not hide the rest of its line. */
		for (size_t i = 0; i < stop - start; i++)
			if (!line[i])
				line[i] = '\1';
		start = end + 1;
		if (take_syncline(arena, line, &place))
			continue;
		if (source->nlines == most)
			return false;
		ASM_ARENA_GROW(arena, source->lines, source->nlines);
		source->lines[source->nlines++] = (struct asm_line){
			.text = line,
			.file = place.file,
			.number = place.number++,
		};
	}
	return true;
}

const struct asm_source *
asm_source_from(struct asm_sources *sources, const char *path, const char *text,
		size_t len)
{
	struct asm_arena *arena = sources->arena;
	struct asm_source *source = asm_arena_alloc(arena, sizeof(*source));

	source->path = asm_arena_strndup(arena, path, strlen(path));
	if (len > SOURCE_BYTES - sources->bytes ||
	    !split_lines(arena, source, SOURCE_LINES - sources->lines, text,
			 len)) {
		errno = EFBIG;
		return NULL;
	}
	sources->bytes += len;
	sources->lines += source->nlines;
	source->next = sources->first;
	sources->first = source;
	return source;
}

/* Reject endless devices (/dev/zero). */
static bool
read_stream(FILE *stream, struct text *text)
{
	char part[1 << 16];

	for (size_t n; (n = fread(part, 1, sizeof(part), stream));) {
		errno = ENOMEM;
		if (text->len + n > SOURCE_BYTES)
			errno = EFBIG;
		if (errno == EFBIG || !text_add(text, part, n))
			return false;
	}
	return !ferror(stream);
}

/* The whole file, or standard input; false, with errno. */
static bool
read_file(const char *path, struct text *text)
{
	const bool is_stdin = strcmp(path, "-") == 0;
	FILE *stream = is_stdin ? stdin : fopen(path, "rb");
	const bool good = stream && read_stream(stream, text);
	const int reason = errno;

	if (stream && !is_stdin)
		fclose(stream);
	errno = reason;
	return good;
}

/* The source of this path, if it was read before. */
static const struct asm_source *
find_read(const struct asm_sources *sources, const char *path)
{
	const struct asm_source *old = sources->first;

	while (old && strcmp(old->path, path) != 0)
		old = old->next;
	return old;
}

const struct asm_source *
asm_source_load(struct asm_sources *sources, const char *path)
{
	const struct asm_source *source = find_read(sources, path);
	struct text *const file = &sources->file;
	const char *text;
	size_t len;

	if (source)
		return source;
	if (sources->reader) {
		errno = ENOENT;
		text = sources->reader(sources->context, path, &len);
		return text ? asm_source_from(sources, path, text, len) : NULL;
	}
	if (read_file(path, file))
		source = asm_source_from(sources, path, file->bytes, file->len);
	const int reason = errno;
	text_free(file);
	errno = reason;
	return source;
}

const struct asm_source *
asm_source_load_in(struct asm_sources *sources, const char *dir, size_t len,
		   const char *name)
{
	const size_t most = len + strlen(name) + 2;
	char *path = asm_arena_alloc(sources->arena, most);

	snprintf(path, most, "%.*s/%s", (int)len, dir, name);
	return asm_source_load(sources, path);
}

const struct asm_source *
asm_source_find(struct asm_sources *sources, const char *name)
{
	const struct asm_source *source = NULL;

	errno = ENOENT;
	for (size_t i = 0; i < sources->ndirs && !source; i++)
		source = asm_source_load_in(sources, sources->dirs[i],
					    strlen(sources->dirs[i]), name);
	return source;
}

const struct asm_source *
asm_source_builtin(struct asm_sources *sources, const char *name)
{
	static const char path[] = "<vc4.qinc>"; /* no file */
	const char *slash = strrchr(name, '/');
	const struct asm_source *source = find_read(sources, path);

	if (strcmp(slash ? slash + 1 : name, "vc4.qinc") != 0)
		return NULL;
	return source ? source :
			asm_source_from(sources, path, asm_vc4_qinc,
					strlen(asm_vc4_qinc));
}
