/* SPDX-License-Identifier: MIT */
/*
 * Promise: a machine that finds no memory, or half a libm, says so, and gives
 * back what it has taken.
 */
#include "config.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <gnu/lib-names.h>
#endif

#include "qpu/emulator/emulator.h"
#include "qpu/isa/pack.h"
#include "tests/support/tap.h"

static int left = -1;	      /* so many allocations succeed; -1: all */
static bool for_good;	      /* not one fails then, but all */
static unsigned taken;	      /* blocks that were not given back */
static const char *no_symbol; /* that libm does not have */

void *
__real_calloc(size_t n, size_t bytes);
void *
__wrap_calloc(size_t n, size_t bytes);
void *
__real_realloc(void *old, size_t bytes);
void *
__wrap_realloc(void *old, size_t bytes);
void *
__real_aligned_alloc(size_t alignment, size_t bytes);
void *
__wrap_aligned_alloc(size_t alignment, size_t bytes);
void
__real_free(void *block);
void
__wrap_free(void *block);
void *
__real_dlsym(void *handle, const char *name);
void *
__wrap_dlsym(void *handle, const char *name);

static bool
fails(void)
{
	if (left > 0)
		left--;
	else if (left == 0 && !for_good)
		left = -1;
	else
		return left == 0;
	return left < 0;
}

void *
__wrap_calloc(size_t n, size_t bytes)
{
	if (fails())
		return NULL;
	taken++;
	return __real_calloc(n, bytes);
}

void *
__wrap_realloc(void *old, size_t bytes)
{
	if (fails())
		return NULL;
	taken += !old;
	return __real_realloc(old, bytes);
}

void *
__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
	if (fails())
		return NULL;
	taken++;
	return __real_aligned_alloc(alignment, bytes);
}

void
__wrap_free(void *block)
{
	taken -= block != NULL;
	__real_free(block);
}

void *
__wrap_dlsym(void *handle, const char *name)
{
	if (no_symbol && strcmp(name, no_symbol) == 0)
		return NULL;
	return __real_dlsym(handle, name);
}

/* Machines of all kinds, with one allocation that fails, then the next. */
static void
test_create(void)
{
	static const struct {
		struct machine_options options;
		unsigned least; /* allocations that it takes */
		const char *name;
	} kinds[] = {
		{ { .qpus = 1 }, 2, "functional" },
		{ { .check = true }, 2 + 1 + 14, "checking" },
		{ { .timed = true }, 2 + 1 + 14, "timed" },
		{ { .check = true, .timed = true }, 2 + 30, "both" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct machine *machine = NULL;
		bool told = true, clean = true;
		unsigned n;

		for (n = 0; n < 100; n++) {
			struct diag why = { .text = "" };

			left = n;
			machine = machine_create(&kinds[i].options, &why);
			if (left >= 0)
				break;
			told = told && !machine &&
			       strcmp(why.text, "out of memory") == 0;
			clean = clean && taken == 0;
		}
		left = -1;
		ok(machine && told && n >= kinds[i].least,
		   "each allocation may fail: %s", kinds[i].name);
		ok(clean, "and nothing is kept then");
		machine_destroy(machine);
		ok(taken == 0, "a machine gives back all");
	}
	machine_destroy(NULL);
	ok(taken == 0, "no machine is destroyed like one");
}

static _Alignas(8) uint8_t memory[4096];

/* A machine with one program: reads ra7, and ends. */
static struct machine *
create(const struct machine_options *options)
{
	static const uint64_t words[] = {
		UINT64_C(0x10020827151e7d80), /* mov r0, ra7 */
		UINT64_C(0x300009e7009e7000),
		UINT64_C(0x100009e7009e7000),
		UINT64_C(0x100009e7009e7000),
	};
	struct machine *machine = machine_create(options, NULL);

	for (unsigned i = 0; i < 4; i++)
		qpu_word_store(memory + 8 * i, words[i]);
	if (!machine ||
	    !machine_add_memory(machine, 0x1000, memory, sizeof(memory), NULL))
		exit(99);
	return machine;
}

static void
count(void *context, const struct machine_finding *finding)
{
	*(unsigned *)context += finding->rule == 22;
}

static enum machine_status
run(struct machine *machine, struct diag *why)
{
	const struct machine_program program = { .code = 0x1000 };

	return machine_launch(machine, &program, 1, why) ?
		       machine_run(machine, 100, 0, why) :
		       MACHINE_LIMIT;
}

/* A page of code, the counts of its profile, and the list of pages. */
static void
test_pages(void)
{
	static const struct machine_options options = { .profile = true };

	for (int n = 0; n <= 3; n++) {
		struct machine *machine = create(&options);
		struct machine_profile_row rows[8];
		struct diag why = { .text = "" };
		enum machine_status status;

		left = n;
		status = run(machine, &why);
		left = -1;
		if (n == 3) {
			ok(status == MACHINE_DONE &&
				   machine_profile(machine, rows, 8) == 4,
			   "code takes three allocations");
		} else {
			ok(status == MACHINE_FAULT &&
				   machine_profile(machine, rows, 8) == 0,
			   "a fault without memory for code");
			is(why.text, "QPU 0 at 0x00000000: out of memory",
			   "which is told");
			machine_reset(machine);
			ok(run(machine, &why) == MACHINE_DONE,
			   "with memory it runs after a reset");
		}
		machine_destroy(machine);
		ok(taken == 0, "all is given back");
	}
}

static void
test_findings(void)
{
	static const struct machine_options options = { .check = true };
	struct machine *machine = create(&options);
	unsigned findings = 0;
	struct diag why;

	machine_on_finding(machine, count, &findings);
	left = 2; /* a page, and the list of them */
	for_good = true;
	ok(run(machine, &why) == MACHINE_DONE && findings == 0,
	   "without memory for findings a program runs on");
	left = -1;
	for_good = false;
	ok(run(machine, &why) == MACHINE_DONE && findings == 1,
	   "with memory they are told");
	machine_destroy(machine);
	ok(taken == 0, "all is given back");
}

static void
test_memory(void)
{
	struct machine *machine = create(NULL);
	static uint8_t more[64];
	struct diag why;

	left = 0;
	ok(!machine_add_memory(machine, 0x8000, more, 64, &why) &&
		   strcmp(why.text, "out of memory") == 0 &&
		   !machine_memory(machine, 0x8000, 4) &&
		   machine_memory(machine, 0x1000, 4) == memory,
	   "memory that cannot be added is not there, other is");
	left = -1;
	ok(machine_add_memory(machine, 0x8000, more, 64, &why) &&
		   machine_memory(machine, 0x8000, 64) == more,
	   "later it can");
	machine_destroy(machine);
	ok(taken == 0, "all is given back");
}

/* libm is loaded once: each try is a process. */
static void
test_libm(void)
{
#ifdef LIBM_SO
	static const char *const names[] = { "fegetround", "fesetround", "exp2",
					     "log2",	   "sqrt",	 NULL };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const pid_t child = fork();
		int status = 0;

		if (child == 0) {
			struct diag why = { .text = "" };

			no_symbol = names[i];
			if (machine_create(NULL, &why))
				_exit(7);
			_exit(strcmp(why.text, "libm cannot be loaded") == 0);
		}
		if (child < 0 || waitpid(child, &status, 0) != child)
			exit(99);
		ok(WIFEXITED(status) &&
			   WEXITSTATUS(status) == (names[i] ? 1 : 7),
		   "libm with%s%s", names[i] ? "out " : " all",
		   names[i] ? names[i] : "");
	}
#else
	tap_skip("libm is a part of the C library");
#endif
}

int
main(void)
{
	test_libm(); /* before another machine is created */
	test_create();
	test_pages();
	test_findings();
	test_memory();
	return tap_done();
}
