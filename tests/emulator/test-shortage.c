/* SPDX-License-Identifier: MIT */
/*
 * Promise: a machine that gets no memory, or whose libm lacks a function, says so,
 * and gives back what it has taken.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <gnu/lib-names.h>
#endif

#include "qpu/emulator/emulator.h"
#include "qpu/isa/pack.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

static const char *no_symbol; /* a name that libm lacks, or NULL */

static void *
find_symbol(void *handle, const char *name)
{
	if (no_symbol && strcmp(name, no_symbol) == 0)
		return NULL;
	return fault_real_dlsym(handle, name);
}

static _Alignas(8) uint8_t memory[4096];
static const struct machine_options *kind; /* of the machine of this case */

/* A program that reads ra7, and ends. */
static enum machine_status
run(struct machine *machine, struct diag *why)
{
	static const struct machine_program program = { .code = 0x1000 };

	return machine_launch(machine, &program, 1, why) ?
		       machine_run(machine, 100, 0, why) :
		       MACHINE_LIMIT;
}

/* Add memory; return true if memory that could not be added is absent, and is added
 * by a second try. */
static bool
add_memory(struct machine *machine, bool *told)
{
	struct diag why = { .text = "" };

	if (machine_add_memory(machine, 0x1000, memory, sizeof(memory), &why))
		return true;
	*told = errno == ENOMEM && strcmp(why.text, "out of memory") == 0 &&
		!machine_memory(machine, 0x1000, 4);
	return *told && machine_add_memory(machine, 0x1000, memory,
					   sizeof(memory), NULL);
}

/* Run the program; return true if it is a fault without memory for its code, and
 * runs after a reset. */
static bool
run_program(struct machine *machine, bool *told)
{
	struct diag why = { .text = "" };

	if (run(machine, &why) == MACHINE_DONE)
		return !kind->profile ||
		       (machine_cost_of(machine, 0x1018) &&
			machine_cost_of(machine, 0x1018)->executions);
	*told = !machine_cost_of(machine, 0x1000) &&
		strstr(why.text, " at 0x00000000: out of memory");
	machine_reset(machine);
	return *told && run(machine, &why) == MACHINE_DONE;
}

static enum fault_outcome
use_machine(void)
{
	static const uint64_t words[] = {
		UINT64_C(0x10020827151e7d80), /* mov r0, ra7 */
		UINT64_C(0x300009e7009e7000),
		UINT64_C(0x100009e7009e7000),
		UINT64_C(0x100009e7009e7000),
	};
	struct diag why = { .text = "" };
	struct machine *machine = machine_create(kind, &why);
	bool told = false, good;

	if (!machine)
		return strcmp(why.text, "out of memory") == 0 ? FAULT_TOLD :
								FAULT_WRONG;
	for (unsigned i = 0; i < 4; i++)
		qpu_word_store(memory + 8 * i, words[i]);
	good = add_memory(machine, &told) && run_program(machine, &told);
	machine_destroy(machine);
	return !good ? FAULT_WRONG : told ? FAULT_TOLD : FAULT_WHOLE;
}

static void
test_kinds(void)
{
	static const struct {
		struct machine_options options;
		const char *name;
	} kinds[] = {
		{ { .qpus = 1 }, "a functional machine" },
		{ { .profile = true }, "a machine with a profile" },
		{ { .check = true }, "a checking machine" },
		{ { .timed = true }, "a timed machine" },
		{ { .check = true, .timed = true },
		  "a timed checking machine" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		kind = &kinds[i].options;
		fault_each(FAULT_MEMORY, ENOMEM, use_machine, kinds[i].name);
	}
	machine_destroy(NULL);
}

/* A process loads libm once, so each case is a child. */
static void
test_libm(void)
{
#ifdef LIBM_SO
	enum { OTHER_REASON, REFUSED, CREATED }; /* of a child */
	static const char *const names[] = { "fegetround", "fesetround", "exp2",
					     "log2",	   "sqrt",	 NULL };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const pid_t child = fork();
		int status = 0;

		if (child == 0) {
			struct diag why = { .text = "" };

			no_symbol = names[i];
			fault_hooks.dlsym = find_symbol;
			if (machine_create(NULL, &why))
				_exit(CREATED);
			_exit(strcmp(why.text, "libm cannot be loaded") == 0 ?
				      REFUSED :
				      OTHER_REASON);
		}
		if (child < 0 || waitpid(child, &status, 0) != child)
			exit(99);
		ok(WIFEXITED(status) && WEXITSTATUS(status) ==
						(names[i] ? REFUSED : CREATED),
		   "a machine is %s%s in libm",
		   names[i] ? "refused without " : "created with all functions",
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
	test_kinds();
	return tap_done();
}
