/* SPDX-License-Identifier: MIT */
/*
 * Promise: a source is split into lines that know where they come from, and
 * what is too large or cannot be read is refused with the reason.
 */
#include "config.h"

#include "qpu/asm/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/asm/arena.h"
#include "tests/support/capture.h"
#include "tests/support/tap.h"

/* Memory for the text of a file: none, and the block that is in use. */
static bool no_memory;
static void *block;

void *
__real_realloc(void *old, size_t size);
void *
__wrap_realloc(void *old, size_t size);
void
__real_free(void *old);
void
__wrap_free(void *old);

void *
__wrap_realloc(void *old, size_t size)
{
	if (no_memory)
		return NULL;
	return block = __real_realloc(old, size);
}

void
__wrap_free(void *old)
{
	if (old == block)
		block = NULL;
	__real_free(old);
}

#define TEXT(text) text, sizeof(text) - 1

/* Lines are written FILE:NUMBER TEXT, with "|" between them. */
/* clang-format off */
static const struct {
	const char *text;
	size_t len;
	const char *lines;
} rows[] = {
	{ TEXT(""), "" },
	{ TEXT("\n"), "t:1 " },
	{ TEXT("\n\n"), "t:1 |t:2 " },
	{ TEXT("a"), "t:1 a" },
	{ TEXT("a\nb\n"), "t:1 a|t:2 b" },
	{ TEXT("a\n\nb"), "t:1 a|t:2 |t:3 b" },
	{ TEXT("a\r\nb\r"), "t:1 a|t:2 b" },
	{ TEXT("\r\n\r\r\n\rb"), "t:1 |t:2 \r|t:3 \rb" },
	{ TEXT("a\0b\n\0\nc\0"), "t:1 a\1b|t:2 \1|t:3 c\1" },

	/* Synclines. */
	{ TEXT("a\n#line 7\nb\nc"), "t:1 a|t:7 b|t:8 c" },
	{ TEXT("#line 7 \"u\"\nb\n#line 3\nc\n# 9 \"v\"\nd"),
	  "u:7 b|u:3 c|v:9 d" },
	{ TEXT("# 7 \"u\"\r\nb"), "u:7 b" },
	{ TEXT("#line 7 \"\"\nb"), ":7 b" },
	{ TEXT("# 7 \"a\"b\" 2\nc"), "a\"b:7 c" },
	{ TEXT("#line 7\t \"u\"\nb"), "u:7 b" },
	{ TEXT("#line 7\"u\"\nb"), "u:7 b" },
	{ TEXT("#line 7 \t\nb"), "t:7 b" },
	{ TEXT("#line 0\nb"), "t:0 b" },
	{ TEXT("#line 2147483647\nb"), "t:2147483647 b" },

	/* Comments that are none. */
	{ TEXT("# 7\nb"), "t:1 # 7|t:2 b" },
	{ TEXT("# 7 u\nb"), "t:1 # 7 u|t:2 b" },
	{ TEXT("# 7 \"u\nb"), "t:1 # 7 \"u|t:2 b" },
	{ TEXT("# 7 x \"u\"\nb"), "t:1 # 7 x \"u\"|t:2 b" },
	{ TEXT("#line 7 \"u\nb"), "t:1 #line 7 \"u|t:2 b" },
	{ TEXT("#line 7 u\nb"), "t:1 #line 7 u|t:2 b" },
	{ TEXT("#line 7x \"u\"\nb"), "t:1 #line 7x \"u\"|t:2 b" },
	{ TEXT("#line x\nb"), "t:1 #line x|t:2 b" },
	{ TEXT("#line -1\nb"), "t:1 #line -1|t:2 b" },
	{ TEXT("#line\nb"), "t:1 #line|t:2 b" },
	{ TEXT("#line7\nb"), "t:1 #line7|t:2 b" },
	{ TEXT("#lines 7\nb"), "t:1 #lines 7|t:2 b" },
	{ TEXT(" #line 7\nb"), "t:1  #line 7|t:2 b" },
	{ TEXT("#  7 \"u\"\nb"), "t:1 #  7 \"u\"|t:2 b" },
	{ TEXT("#7 \"u\"\nb"), "t:1 #7 \"u\"|t:2 b" },
	{ TEXT("; 7 \"u\"\nb"), "t:1 ; 7 \"u\"|t:2 b" },
	{ TEXT("#line 2147483648\nb"), "t:1 #line 2147483648|t:2 b" },
	{ TEXT("#line 99999999999999999999\nb"),
	  "t:1 #line 99999999999999999999|t:2 b" },
};
/* clang-format on */

static void
check_rows(struct asm_arena *arena)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct asm_sources sources = { .first = NULL };
		const struct asm_source *source = asm_source_from(
			&sources, arena, "t", rows[i].text, rows[i].len);
		char text[500] = "";
		size_t len = 0;

		for (size_t j = 0; source && j < source->nlines; j++)
			len += snprintf(text + len, sizeof(text) - len,
					"%s%s:%u %s", j ? "|" : "",
					source->lines[j].file,
					source->lines[j].number,
					source->lines[j].text);
		is(text, rows[i].lines, "lines of row %zu", i);
		ok(source && strcmp(source->path, "t") == 0 &&
			   sources.first == source &&
			   sources.bytes == rows[i].len &&
			   sources.lines == source->nlines,
		   "its bytes and lines are counted");
	}
}

static bool
is_refused(const struct asm_source *source)
{
	return !source && errno == EFBIG;
}

/* 2^26 bytes and 2^20 lines, all sources together. */
static void
check_limits(struct asm_arena *arena)
{
	struct asm_sources sources = { .bytes = 67108864 - 7,
				       .lines = 1048576 - 3 };

	ok(is_refused(asm_source_from(&sources, arena, "t", TEXT("\n\n\n\n"))),
	   "one line too many is refused");
	ok(is_refused(asm_source_from(&sources, arena, "t", TEXT("12345678"))),
	   "one byte too many is refused");
	ok(!sources.first && sources.bytes == 67108864 - 7 &&
		   sources.lines == 1048576 - 3,
	   "what is refused does not count");
	ok(asm_source_from(&sources, arena, "t", TEXT("1\n#line 4\n")) ==
			   NULL &&
		   asm_source_from(&sources, arena, "t", TEXT("1\n2\n3")) &&
		   sources.lines == 1048576 && sources.bytes == 67108864 - 2,
	   "the last line is taken");
	ok(asm_source_from(&sources, arena, "t", TEXT("# 1\n")) == NULL &&
		   asm_source_from(&sources, arena, "t", TEXT("")),
	   "then there is room for nothing");
	sources.lines = 0;
	ok(asm_source_from(&sources, arena, "t", TEXT("12")) &&
		   sources.bytes == 67108864,
	   "the last byte is taken");
}

static void
write_file(const char *path, const char *text, size_t len)
{
	FILE *stream = fopen(path, "wb");

	if (!stream || fwrite(text, 1, len, stream) != len || fclose(stream))
		exit(99);
}

static void
check_search(struct asm_arena *arena)
{
	static const char *const dirs[] = { "lib", "none", "other" };
	const struct asm_search all = { dirs, 3 }, one = { dirs, 1 };
	struct asm_sources sources = { .first = NULL };
	const struct asm_source *source;

	if (mkdir("lib", 0777) || mkdir("other", 0777))
		exit(99);
	write_file("lib/a", TEXT("in lib"));
	write_file("other/a", TEXT("in other"));
	write_file("other/b", TEXT("b"));

	source = asm_source_find(&sources, arena, "a", &all);
	ok(source && strcmp(source->path, "lib/a") == 0 &&
		   strcmp(source->lines->text, "in lib") == 0,
	   "the first directory that has a file wins");
	source = asm_source_find(&sources, arena, "b", &all);
	ok(source && strcmp(source->path, "other/b") == 0,
	   "the last directory is looked into");
	errno = 0;
	ok(!asm_source_find(&sources, arena, "b", &one) && errno == ENOENT,
	   "one that is not named is not");
	errno = 0;
	ok(!asm_source_find(&sources, arena, "b", &(struct asm_search){ 0 }) &&
		   errno == ENOENT,
	   "without directories no file is there");
	source = asm_source_load_in(&sources, arena, "lib/sub", 3, "a");
	ok(source && strcmp(source->path, "lib/a") == 0,
	   "a directory may be the beginning of a text");
}

static void
check_files(struct asm_arena *arena)
{
	struct asm_sources sources = { .first = NULL };
	struct stat a, b;

	write_file("a", TEXT("one\ntwo"));
	write_file("b", TEXT("b"));
	ok(!asm_source_load(&sources, arena, "none") && errno == ENOENT,
	   "a file that is not there is an error");
	ok(!asm_source_load(&sources, arena, ".") && errno == EISDIR && !block,
	   "a directory is no source");
	if (stat("a", &a) || stat("b", &b))
		exit(99);
	asm_source_from(&sources, arena, "t", TEXT("x"));
	ok(!asm_source_is_among(&sources, &a), "a text is no file");

	const struct asm_source *source = asm_source_load(&sources, arena, "a");
	ok(source && source->nlines == 2 &&
		   strcmp(source->lines[1].text, "two") == 0 &&
		   strcmp(source->lines[1].file, "a") == 0,
	   "a file is read");
	write_file("c", TEXT("c"));
	asm_source_load(&sources, arena, "c");
	ok(asm_source_load(&sources, arena, "a") == source &&
		   sources.bytes == 9,
	   "once");
	ok(asm_source_is_among(&sources, &a),
	   "it is among those that are read");
	ok(!asm_source_is_among(&sources, &b), "another one is not");
	b = a;
	b.st_ino++;
	ok(!asm_source_is_among(&sources, &b), "the inode tells them apart");
	b = a;
	b.st_dev++;
	ok(!asm_source_is_among(&sources, &b), "and so does the device");

	no_memory = true;
	ok(!asm_source_load(&sources, arena, "b") && errno == ENOMEM,
	   "without memory no file is read");
	no_memory = false;
}

static void
check_stdin(struct asm_arena *arena)
{
	struct asm_sources sources = { .first = NULL };
	struct stat a;

	if (!freopen("a", "rb", stdin) || stat("a", &a))
		exit(99);
	const struct asm_source *source = asm_source_load(&sources, arena, "-");
	ok(source && source->nlines == 2 && strcmp(source->path, "-") == 0,
	   "- is standard input");
	ok(asm_source_is_among(&sources, &a), "which may be a file");
	ok(fcntl(0, F_GETFD) >= 0 && fgetc(stdin) == EOF, "it stays open");
}

static int
count_descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* Around the sizes at which the buffer grows, and beyond them. */
static void
check_sizes(struct asm_arena *arena)
{
	static const size_t sizes[] = { 65535,	65536,	65537,
					131072, 131073, 300000 };
	struct asm_sources sources = { .first = NULL };
	char *text = malloc(300000);
	const int before = count_descriptors();

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		const size_t size = sizes[i];
		char path[32];

		for (size_t j = 0; j < size; j++)
			text[j] = 'a' + j % 23;
		snprintf(path, sizeof(path), "size%zu", size);
		write_file(path, text, size);

		const struct asm_source *source =
			asm_source_load(&sources, arena, path);
		ok(source && source->nlines == 1 &&
			   strlen(source->lines->text) == size &&
			   memcmp(source->lines->text, text, size) == 0,
		   "a file of %zu bytes is read", size);
		ok(!block, "and its memory given back");
	}
	free(text);

	/* 32 MiB and a byte, most of it a hole. */
	write_file("large", "", 0);
	if (truncate("large", (1 << 25) + 1) == 0) {
		const struct asm_source *source =
			asm_source_load(&sources, arena, "large");

		ok(source && source->nlines == 1 &&
			   strlen(source->lines->text) == (1 << 25) + 1,
		   "a file of 32 MiB and a byte is read");
	}
	ok(is_refused(asm_source_load(&sources, arena, "/dev/zero")) && !block,
	   "a file without end is refused");
	ok(count_descriptors() == before, "all files are closed");
}

static int
remove_all(void *path)
{
	return execlp("rm", "rm", "-rf", "--", (char *)path, NULL);
}

int
main(void)
{
	struct asm_arena arena = { .used = 0 };
	struct capture capture;
	char path[64];

	capture_mkdir(path);
	if (chdir(path) || setjmp(arena.exhausted))
		return 99;
	check_rows(&arena);
	check_limits(&arena);
	check_search(&arena);
	check_files(&arena);
	check_stdin(&arena);
	check_sizes(&arena);
	asm_arena_free(&arena);
	capture_run(&capture, remove_all, path, true);
	capture_free(&capture);
	return tap_done();
}
