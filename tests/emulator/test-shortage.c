/* SPDX-License-Identifier: MIT */
/*
 * Promise: a machine that finds no memory, or half a libm, says so, and gives
 * back what it has taken.
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

static const char *no_symbol; /* that libm does not have */

static void *
find_symbol(void *handle, const char *name)
{
	if (no_symbol && strcmp(name, no_symbol) == 0)
		return NULL;
	return fault_real_dlsym(handle, name);
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
		{ { .check = true, .timed = true }, 2 + 30, "timed checking" },
	};
	const long before = balance_now().blocks;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct machine *machine = NULL;
		bool told = true, clean = true;
		unsigned n;

		for (n = 1; n < 100 && !machine; n++) {
			struct diag why = { .text = "" };

			fault_at(FAULT_MEMORY, n, ENOMEM);
			machine = machine_create(&kinds[i].options, &why);
			fault_clear();
			if (machine)
				break;
			told = told && strcmp(why.text, "out of memory") == 0;
			clean = clean && balance_now().blocks == before;
		}
		ok(machine && told && n > kinds[i].least,
		   "a %s machine is refused wherever an allocation fails",
		   kinds[i].name);
		ok(clean, "a refused %s machine keeps no memory",
		   kinds[i].name);
		machine_destroy(machine);
		ok(balance_now().blocks == before,
		   "a %s machine gives back all memory", kinds[i].name);
	}
	machine_destroy(NULL);
	ok(balance_now().blocks == before, "null is destroyed like a machine");
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
	const long before = balance_now().blocks;

	for (unsigned n = 1; n <= 4; n++) {
		struct machine *machine = create(&options);
		struct machine_profile_row rows[8];
		struct diag why = { .text = "" };
		enum machine_status status;

		fault_at(FAULT_MEMORY, n, ENOMEM);
		status = run(machine, &why);
		fault_clear();
		if (n == 4) {
			ok(status == MACHINE_DONE &&
				   machine_profile(machine, rows, 8) == 4,
			   "a program's code takes three allocations");
		} else {
			ok(status == MACHINE_FAULT &&
				   machine_profile(machine, rows, 8) == 0 &&
				   strcmp(why.text, "QPU 0 at 0x00000000: out "
						    "of memory") == 0,
			   "a program without memory for its code is a fault, "
			   "allocation %u",
			   n);
			machine_reset(machine);
			ok(run(machine, &why) == MACHINE_DONE,
			   "with memory it runs after a reset, allocation %u",
			   n);
		}
		machine_destroy(machine);
	}
	ok(balance_now().blocks == before,
	   "all memory is given back after a fault of allocation");
}

static void
count(void *context, const struct machine_finding *finding)
{
	*(unsigned *)context += finding->rule == 22;
}

static void
test_findings(void)
{
	static const struct machine_options options = { .check = true };
	const long before = balance_now().blocks;
	struct machine *machine = create(&options);
	unsigned findings = 0;

	machine_on_finding(machine, count, &findings);
	/* The code takes the first two allocations: a page, and the list. */
	fault_from(FAULT_MEMORY, 3, ENOMEM);
	ok(run(machine, NULL) == MACHINE_DONE && findings == 0,
	   "without memory for the set of findings a program runs on");
	fault_clear();
	ok(run(machine, NULL) == MACHINE_DONE && findings == 1,
	   "findings are told when there is memory again");
	machine_destroy(machine);
	ok(balance_now().blocks == before,
	   "a machine with findings gives back all memory");
}

static void
test_memory(void)
{
	const long before = balance_now().blocks;
	struct machine *machine = create(NULL);
	static uint8_t more[64];
	struct diag why;

	fault_at(FAULT_MEMORY, 1, ENOMEM);
	ok(!machine_add_memory(machine, 0x8000, more, 64, &why) &&
		   errno == ENOMEM && strcmp(why.text, "out of memory") == 0 &&
		   !machine_memory(machine, 0x8000, 4) &&
		   machine_memory(machine, 0x1000, 4) == memory,
	   "memory that cannot be added is not there, and other memory is");
	fault_clear();
	ok(machine_add_memory(machine, 0x8000, more, 64, &why) &&
		   machine_memory(machine, 0x8000, 64) == more,
	   "memory that could not be added can be added later");
	machine_destroy(machine);
	ok(balance_now().blocks == before,
	   "a machine with more memory gives back all of its own");
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
			fault_hooks.dlsym = find_symbol;
			if (machine_create(NULL, &why))
				_exit(7);
			_exit(strcmp(why.text, "libm cannot be loaded") == 0);
		}
		if (child < 0 || waitpid(child, &status, 0) != child)
			exit(99);
		ok(WIFEXITED(status) &&
			   WEXITSTATUS(status) == (names[i] ? 1 : 7),
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
	test_create();
	test_pages();
	test_findings();
	test_memory();
	return tap_done();
}
