/* SPDX-License-Identifier: MIT */
/*
 * Promise: trapped registers, the files of a virtual board, the program that
 * runs on it and what is written of it give back what they take.
 */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/isa/pack.h"
#include "qpu/trace/trace.h"
#include "qpu/virtual/board/costs.h"
#include "qpu/virtual/board/profile.h"
#include "qpu/virtual/mmio/trap.h"
#include "src/tools/qpuemu/board_directory.h"
#include "src/tools/qpuemu/board_files.h"
#include "src/tools/qpuemu/child.h"
#include "src/tools/qpuemu/observation.h"
#include "src/tools/qpuemu/program.h"
#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define THREAD_SANITIZER true
#else
#define THREAD_SANITIZER false
#endif

enum { TRAP_BYTES = 4096, MOST_TRAPS = 64 };

static char top[PATH_MAX];

/* Registers ---------------------------------------------------------------- */

static uint32_t
read_register(void *context, uint32_t offset)
{
	(void)context;
	return offset;
}

static void
write_register(void *context, uint32_t offset, uint32_t value)
{
	(void)context;
	(void)offset;
	(void)value;
}

static void
peek_registers(void *context, uint32_t offset, uint32_t *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		values[i] = read_register(context, offset + 4 * (uint32_t)i);
}

static const struct trap_registers registers = { .read = read_register,
						 .write = write_register,
						 .peek = peek_registers };

static volatile uint32_t *
map_registers(void)
{
	void *page = mmap(NULL, TRAP_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		exit(99);
	return page;
}

static void
unmap_registers(volatile uint32_t *page)
{
	trap_remove((void *)page, TRAP_BYTES);
	munmap((void *)page, TRAP_BYTES);
}

/* Trap as many pages as there can be, and one more. */
static void
trap(void)
{
	volatile uint32_t *pages[MOST_TRAPS + 1];
	struct diag why;
	unsigned n = 0;

	for (unsigned i = 0; i <= MOST_TRAPS; i++) {
		pages[i] = map_registers();
		n += trap_add((void *)pages[i], TRAP_BYTES, &registers, &why);
	}
	if (n != MOST_TRAPS || trap_add((void *)pages[0], 1, &registers, &why))
		exit(99);
	for (unsigned i = 0; i < MOST_TRAPS; i++) {
		pages[i][1] = 1;
		if (pages[i][2] != 8)
			exit(99);
	}
	for (unsigned i = 0; i <= MOST_TRAPS; i++)
		unmap_registers(pages[i]);
}

/* Boards ------------------------------------------------------------------- */

/* Every board, with all that one can have. */
static void
fill_boards(void)
{
	static struct board_shared shared;
	struct diag why;

	for (unsigned i = 0; profile_rows[i].name; i++) {
		shared.options.profile = i;
		shared.options.device.mem_mib = 64;
		shared.options.kms = true;
		if (mkdir("board", 0700) != 0 ||
		    !board_files_fill("board", "/nowhere", &shared, &why))
			exit(99);
		board_directory_remove("board");
		if (access("board", F_OK) == 0)
			exit(99);
	}
	/* Into a directory that is not there. */
	if (board_files_fill("missing/board", "/nowhere", &shared, &why))
		exit(99);
	board_directory_remove("missing");
}

/* Programs ----------------------------------------------------------------- */

static void
check_programs(void)
{
	static const char *const names[] = { "script", "text",	  "empty",
					     ".",      "missing", "loop" };
	struct diag why;
	char path[BOARD_PATH];

	if (program_find("sh", path, &why) != PROGRAM_GOOD)
		exit(99);
	program_check(path, &why);
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		program_check(names[i], &why);
	program_check("/proc/self/exe", &why);
	program_find("no such program", path, &why);
}

static void
run_child(void)
{
	static char name[] = "sh", option[] = "-c", exits[] = "exit 3";
	static char missing[] = "missing";
	char *good[] = { name, option, exits, NULL };
	char *bad[] = { missing, NULL };
	struct diag why;

	/* The loader tells of the library that is not there. */
	if (child_run("/bin/sh", good, top, &why) != 3 ||
	    child_run("./missing", bad, top, &why) != -1)
		exit(99);
	unsetenv("LD_PRELOAD");
	unsetenv("LD_LIBRARY_PATH");
	unsetenv("ASAN_OPTIONS");
}

static void
observe(void)
{
	static struct board_options options;
	struct diag why;

	options.costs = true;
	strcpy(options.timeline, "timeline");
	strcpy(options.lines, "lines");
	if (!observation_begin(".", &options, &why) ||
	    !observation_end(".", &options))
		exit(99);
	/* There is no place for the costs, and none for a list of lines. */
	if (observation_begin("missing", &options, &why) ||
	    observation_end("missing", &options))
		exit(99);
	strcpy(options.lines, "-");
	if (observation_begin("missing", &options, &why) ||
	    strcmp(why.text, "missing/lines: No such file or directory") != 0)
		exit(99);
	/* Lists of lines that are none. */
	strcpy(options.lines, "text");
	if (observation_begin(".", &options, &why))
		exit(99);
	strcpy(options.lines, "missing");
	if (observation_begin(".", &options, &why))
		exit(99);
	options.lines[0] = '\0';
}

/* Collect what a launch has cost. */
static void
collect(void)
{
	static const struct machine_options options = { .qpus = 1,
							.profile = true };
	static const struct trace_lines lines = { .base = 0 };
	const struct machine_program program = { .uniforms = 0x1000,
						 .code = 0x1000 };
	struct cost_table *table = costs_map(".", true);
	struct diag why;
	struct machine *machine = machine_create(&options, &why);
	static uint8_t code[4096];

	for (unsigned i = 0; i < sizeof(code); i += 8)
		qpu_word_store(code + i, UINT64_C(0x100009e7009e7000));
	if (!table || !machine ||
	    !machine_add_memory(machine, 0x1000, code, sizeof(code), &why) ||
	    !machine_launch(machine, &program, 1, &why) ||
	    machine_run(machine, 100, 0, &why) != MACHINE_LIMIT ||
	    !costs_collect(machine, ".", &lines) || table->n == 0)
		exit(99);
	machine_destroy(machine);
	munmap(table, sizeof(*table));
}

int
main(void)
{
	alarm(120);
	/* Boards are made in memory where that is possible. */
	if (access("/dev/shm", W_OK) == 0)
		setenv("TMPDIR", "/dev/shm", 0);
	strcpy(top, scratch_enter());
	scratch_text("script", "#!/bin/sh\nexit\n");
	scratch_text("loop", "#!loop\n");
	scratch_text("text", "nothing of the kind\n");
	scratch_text("empty", "");
	scratch_text("lines", "0 a:1\n");
	if (trap_supported() && !THREAD_SANITIZER)
		balance_test(trap, "trapping registers");
	balance_test(fill_boards, "filling a board with files");
	balance_test(check_programs, "looking at programs");
	balance_test(run_child, "running a program");
	balance_test(observe, "writing what users see of a program");
	balance_test(collect, "collecting what a launch has cost");
	return tap_done();
}
