/* SPDX-License-Identifier: MIT */
/*
 * Promise: the assembler's memory is aligned, zeroed and distinct, is released
 * as a whole, and where there is no more of it the assembler says so.
 */
#include "config.h"

#include "qpu/asm/arena.h"

#include <errno.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/asm/asm.h"
#include "tests/support/tap.h"

/* So many allocations succeed, how many there were, and blocks that are held.
 */
static unsigned left = UINT32_MAX, calls;
static int held;

void *
__real_calloc(size_t n, size_t size);
void *
__wrap_calloc(size_t n, size_t size);
void *
__real_realloc(void *old, size_t size);
void *
__wrap_realloc(void *old, size_t size);
void
__real_free(void *block);
void
__wrap_free(void *block);

static bool
may_allocate(void)
{
	calls++;
	if (!left)
		return false;
	left--;
	return true;
}

void *
__wrap_calloc(size_t n, size_t size)
{
	void *block = may_allocate() ? __real_calloc(n, size) : NULL;

	held += block != NULL;
	return block;
}

void *
__wrap_realloc(void *old, size_t size)
{
	void *block = may_allocate() ? __real_realloc(old, size) : NULL;

	held += !old && block;
	return block;
}

void
__wrap_free(void *block)
{
	held -= block != NULL;
	__real_free(block);
}

static bool
is_zero(const unsigned char *bytes, size_t len)
{
	while (len && !bytes[len - 1])
		len--;
	return !len;
}

static void
check_blocks(void)
{
	static const size_t sizes[] = { 1, 3, 17, 0, 64, 5 };
	enum { N = sizeof(sizes) / sizeof(*sizes) };
	struct asm_arena arena = { .used = 0 };
	unsigned char *blocks[N];
	bool aligned = true, zero = true, distinct = true;

	for (size_t i = 0; i < N; i++) {
		blocks[i] = asm_arena_alloc(&arena, sizes[i]);
		aligned &= (uintptr_t)blocks[i] % alignof(max_align_t) == 0;
		zero &= is_zero(blocks[i], sizes[i]);
		memset(blocks[i], (int)i + 1, sizes[i]);
	}
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < sizes[i]; j++)
			distinct &= blocks[i][j] == i + 1;
	ok(aligned, "each block is aligned for any type");
	ok(zero, "each block is zero at first");
	ok(distinct, "no block is part of another one");
	asm_arena_free(&arena);
	ok(!held, "all is released together");
}

static void
check_chunks(void)
{
	struct asm_arena arena = { .used = 0 };
	const unsigned before = calls;

	for (unsigned i = 0; i < 1024; i++)
		asm_arena_alloc(&arena, 64);
	ok(calls == before + 1, "64 KiB come from one allocation");
	asm_arena_alloc(&arena, 1);
	ok(calls == before + 2, "one byte more from another one");
	unsigned char *large = asm_arena_alloc(&arena, 100000);
	ok(calls == before + 3 && is_zero(large, 100000),
	   "a large block is an allocation of its own");
	memset(large, 1, 100000);
	unsigned char *next = asm_arena_alloc(&arena, 1);
	ok(calls == before + 4 && !*next, "with room for nothing else");
	asm_arena_free(&arena);
	ok(!held && !arena.chunks, "all chunks are released");
}

static void
check_growing(void)
{
	struct asm_arena arena = { .used = 0 };
	unsigned *array = NULL, *other[40];
	unsigned moves = 0;
	bool kept = true;

	for (unsigned i = 0; i < 40; i++) {
		unsigned *larger =
			asm_arena_grow(&arena, array, i, sizeof(*array));

		moves += larger != array;
		array = larger;
		array[i] = i;
		other[i] = asm_arena_alloc(&arena, sizeof(*other[i]));
		*other[i] = ~i;
	}
	for (unsigned i = 0; i < 40; i++)
		kept &= array[i] == i && *other[i] == ~i;
	ok(kept, "an array keeps its elements while it grows");
	ok(moves == 7, "and moves at 0, 1, 2, 4, 8, 16 and 32 elements");
	is(asm_arena_strndup(&arena, "abcdef", 3), "abc",
	   "a part of a string is copied");
	asm_arena_free(&arena);
}

/* False when the arena jumped instead. */
static bool
can_allocate(struct asm_arena *arena, size_t size)
{
	switch (setjmp(arena->exhausted)) {
	case 0: asm_arena_alloc(arena, size); return true;
	case 1: return false;
	default: return true;
	}
}

static void
check_exhaustion(void)
{
	struct asm_arena arena = { .used = 0 };

	ok(!can_allocate(&arena, SIZE_MAX),
	   "a size that is rounded up to nothing is too much");
	left = 0;
	ok(!can_allocate(&arena, 1), "without memory the arena jumps");
	left = UINT32_MAX;
	ok(can_allocate(&arena, 1), "and can be used afterwards");
	asm_arena_free(&arena);
	ok(!held, "all is released");
}

static const char source[] = ".macro m, a\n.int a\n.endm\n"
			     ":l m 1\nm 2\n.clone :l, 5000\n"
			     "1: brr -, r:1b\n.word 1\n";

/* The message of a program without memory, which has nothing else. */
static bool
is_exhausted(const struct qpu_asm_program *program)
{
	return program->nerrors == 1 && program->nmessages == 1 &&
	       program->messages[0].severity == ASM_ERROR &&
	       program->messages[0].diag.rule == 199 &&
	       strcmp(program->messages[0].diag.text, "out of memory") == 0 &&
	       !program->words && !program->nwords;
}

static void
check_text(void)
{
	struct qpu_asm_program program;
	const struct stat none = { .st_ino = 1 };
	bool good = false, told = true, released = true, asked = true;
	unsigned n = 0;

	for (; !good && n < 1000; n++) {
		left = n;
		good = qpu_asm_text("t", source, strlen(source), NULL,
				    &program);
		left = UINT32_MAX;
		told &= good || is_exhausted(&program);
		asked &= !qpu_asm_has_read(&program, &none);
		qpu_asm_free(&program);
		released &= !held && !program.memory && !program.messages;
	}
	ok(n > 5 && good, "after %u allocations the program is assembled", n);
	ok(told, "without any one of them an error says: out of memory");
	ok(asked, "it can be asked then what was read");
	ok(released, "and nothing is held afterwards");
}

static void
check_file(void)
{
	char path[] = "/tmp/test-arena-XXXXXX";
	const int fd = mkstemp(path);
	struct qpu_asm_program program;
	char text[128];

	ok(write(fd, source, strlen(source)) == (ssize_t)strlen(source),
	   "a file is written");
	left = 2; /* for the assembler, and none for the file */
	ok(!qpu_asm_file(path, NULL, &program) && program.nmessages == 1,
	   "without memory for a file there is one error");
	left = UINT32_MAX;
	snprintf(text, sizeof(text), "cannot read '%s': %s", path,
		 strerror(ENOMEM));
	is(program.messages[0].diag.text, text, "which says so");
	qpu_asm_free(&program);
	ok(qpu_asm_file(path, NULL, &program) && program.nwords == 5003,
	   "with memory it is assembled");
	qpu_asm_free(&program);
	ok(!held, "and nothing is held afterwards");
	close(fd);
	unlink(path);
}

int
main(void)
{
	check_blocks();
	check_chunks();
	check_growing();
	check_exhaustion();
	check_text();
	check_file();
	return tap_done();
}
