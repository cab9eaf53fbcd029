/* SPDX-License-Identifier: MIT */
/*
 * Promise: whatever is typed to the debugger, it answers and goes on, and the
 * machine executes no more than its limit.  The parser of set-up words is
 * reached through it.
 *
 * The input is the commands.
 */
#include "config.h"

#include "qpu/debugger/session.h"
#include "tests/fuzz/fuzz.h"

enum { BASE = 0x40000000, CODE_BYTES = 128, BYTES = 1024, LIMIT = 500 };

/* Counts r0 up for ever. */
static const uint32_t code[] = {
	0x0c9c11c0, 0xd0020827, 0xffffffd8, 0xf0f809e7, 0x009e7000,
	0x100009e7, 0x009e7000, 0x100009e7, 0x009e7000, 0x100009e7,
};

static void
say(void *context, const char *text)
{
	(void)context;
	FUZZ_HOLDS(*text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct machine_options options = { .lockstep = true };
	static struct qpu_linemap_row rows[] = {
		{ 0, 2, "a/f.qasm", "add r0, r0, 1" },
		{ 8, 3, "a/f.qasm", "brr -, :again" },
	};
	const struct run_limits limits = { .instructions = LIMIT };
	const struct machine_program programs[2] = {
		{ BASE + CODE_BYTES, BASE }, { BASE + CODE_BYTES, BASE }
	};
	struct machine *machine = machine_create(&options, NULL);
	uint8_t *memory = calloc(1, BYTES);
	FILE *commands = len ? fmemopen((void *)data, len, "r") : NULL;
	FILE *shown = fopen("/dev/null", "w");
	enum machine_status status;
	struct session session;
	struct diag why;

	FUZZ_HOLDS(machine && memory && shown);
	if (!commands)
		commands = fopen("/dev/null", "r");
	memcpy(memory, code, sizeof(code));
	machine_add_memory(machine, BASE, memory, BYTES, NULL);
	session_init(&session, say, NULL);
	session.lines = (struct qpu_linemap){ rows, 2, 2, 0 };
	session_locate(&session, true, BASE);
	session_attach(&session, machine);
	session_open_debugger(&session, commands, shown, false);
	FUZZ_HOLDS(machine_launch(machine, programs, 2, NULL));
	session_launch(&session, true);
	session_run(&session, &limits, &status, &why);
	FUZZ_HOLDS(machine_instructions(machine) <= LIMIT);
	session.lines = (struct qpu_linemap){ .nrows = 0 };
	session_free(&session);
	machine_destroy(machine);
	fclose(shown);
	free(memory);
	return 0;
}
