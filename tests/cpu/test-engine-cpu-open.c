/* SPDX-License-Identifier: MIT */
/*
 * Promise: the cpu engine says why it cannot be opened: a wrong word in the
 * environment, or no memory.
 */
#include "config.h"

#include "cpu/engine_cpu.h"

#include <stdlib.h>

#include "cpu/features.h"
#include "tests/support/tap.h"

static bool no_memory;

void *
__real_malloc(size_t len);
void *
__wrap_malloc(size_t len);
void *
__real_calloc(size_t n, size_t len);
void *
__wrap_calloc(size_t n, size_t len);

void *
__wrap_malloc(size_t len)
{
	return no_memory ? NULL : __real_malloc(len);
}

/* Compilers know both. */
void *
__wrap_calloc(size_t n, size_t len)
{
	return no_memory ? NULL : __real_calloc(n, len);
}

static void
test_no_memory(void)
{
	struct engine_limits limits = { 0 };
	struct diag why = { .text = "" };
	void *self;

	no_memory = true;
	self = engine_open(&engine_cpu, "", &limits, &why);
	no_memory = false;
	ok(!self && limits.lanes == 0, "without memory it cannot be opened");
	is(why.text, "out of memory", "and says why");
}

static void
test_environment(void)
{
	struct engine_limits limits;
	struct diag diag = { .text = "" };
	setenv("QPU_SHA256SUM_CPU", "-avx512,-frobnicate", 1);
	ok(!engine_open(&engine_cpu, "", &limits, &diag),
	   "a wrong word is an error");
	is(diag.text,
	   "QPU_SHA256SUM_CPU: '-frobnicate' hides no CPU feature;"
	   " say -NAME, for instance -avx512",
	   "which names it");
	ok(!engine_probe(&engine_cpu, &diag), "and the engine is not offered");
	setenv("QPU_SHA256SUM_CPU", "-all", 1);
	uint32_t features = ~0u;
	ok(cpu_features_get(&features, &diag) && features == 0,
	   "the environment can hide all features");
}

int
main(void)
{
	unsetenv("QPU_SHA256SUM_CPU");
	test_no_memory();
	test_environment();
	return tap_done();
}
