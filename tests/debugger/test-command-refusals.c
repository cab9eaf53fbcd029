/* SPDX-License-Identifier: MIT */
/*
 * What the debugger says of commands that make no sense.
 */
#include "config.h"

#include "tests/debugger/session.h"

static const struct machine_options in_turn = { .lockstep = true };

/* What is shown behind "(qpu 0) COMMAND" alone. */
static void
test_refusals(void)
{
	static const struct {
		const char *command, *why;
	} rows[] = {
		{ "nonsense", "no command 'nonsense'; help lists them" },
		{ "helpx", "no command 'helpx'; help lists them" },
		{ "break nowhere", "no label 'nowhere' in the source" },
		{ "break 1000", "no instruction at or behind line '1000'" },
		{ "break *40000004",
		  "'40000004' is not the hexadecimal address "
		  "of an instruction" },
		{ "break 1 when", "'when' is not if" },
		{ "break 1 if", "'' is no register, [ADDR] or number" },
		{ "break 1 if r0",
		  "'' does not begin with == != < <= > or >=" },
		{ "delete", "no breakpoint 0" },
		{ "delete 3", "no breakpoint 3" },
		{ "delete 4294967295", "no breakpoint 4294967295" },
		{ "delete 4294967296",
		  "'4294967296' is not a number from 0 to 4294967295" },
		{ "step x", "'x' is not a number from 0 to 1000000000" },
		{ "step 1x", "'1x' is not a number from 0 to 1000000000" },
		{ "step -1", "'-1' is not a number from 0 to 1000000000" },
		{ "step +1", "'+1' is not a number from 0 to 1000000000" },
		{ "step :", "':' is not a number from 0 to 1000000000" },
		{ "step /", "'/' is not a number from 0 to 1000000000" },
		{ "step 1000000001",
		  "'1000000001' is not a number from 0 to 1000000000" },
		{ "until", "'' is no register, [ADDR] or number" },
		{ "until r0 = 1",
		  "'= 1' does not begin with == != < <= > or >=" },
		{ "until r0 == 1 2", "'2' stands behind the condition" },
		{ "print", "'' is no register, [ADDR] or number" },
		{ "print ra32", "'ra32' is no register, [ADDR] or number" },
		{ "print r0x", "'r0x' is no register, [ADDR] or number" },
		{ "print r0 octal", "'octal' is not hex, int or float" },
		{ "print r0 he", "'he' is not hex, int or float" },
		{ "print [50000000]", "no memory at [50000000]" },
		{ "registers c", "'c' is not acc, a or b" },
		{ "registers ac", "'ac' is not acc, a or b" },
		{ "registers a x", "'x' is not hex, int or float" },
		{ "memory", "'' is not a hexadecimal bus address" },
		{ "memory 1000x", "'1000x' is not a hexadecimal bus address" },
		{ "memory x", "'x' is not a hexadecimal bus address" },
		{ "memory 40001000 x",
		  "'x' is not a number from 0 to 1048576" },
		{ "memory 40001000 1048577",
		  "'1048577' is not a number from 0 to 1048576" },
		{ "memory 40001000 1 x", "'x' is not hex, int or float" },
		{ "vpm 64", "'64' is not a number from 0 to 63" },
		{ "vpm 0 65", "'65' is not a number from 0 to 64" },
		{ "vpm 0 1 x", "'x' is not hex, int or float" },
		{ "qpu 12", "'12' is not a number from 0 to 11" },
		{ "setup va 1", "'va' is not vr or vw" },
		{ "setup v", "'v' is not vr or vw" },
		{ "setup vw", "'' is no register, [ADDR] or number" },
		{ "setup vw 1x", "'1x' is no register, [ADDR] or number" },
		{ "setup vw r0x", "'r0x' has no value" },
		{ "setup vr [50000000]", "'[50000000]' has no value" },
		{ "list x", "'x' is not a number from 0 to 1048576" },
		{ "list 1048577",
		  "'1048577' is not a number from 0 to 1048576" },
		{ "disassemble x", "'x' is not a hexadecimal bus address" },
		{ "disassemble 0 x", "'x' is not a number from 0 to 1048576" },
		{ "disassemble 0 1048577",
		  "'1048577' is not a number from 0 to 1048576" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char commands[128], expected[256];

		snprintf(commands, sizeof(commands), "%s\n\n # x\n7\n",
			 rows[i].command);
		snprintf(expected, sizeof(expected),
			 "QPU 0 at 40001000  nop  # test:1\n"
			 "(qpu 0) %s\n%s\n(qpu 0) \n(qpu 0)  # x\n"
			 "(qpu 0) 7\nno command '7'; help lists them\n",
			 rows[i].command, rows[i].why);
		ok(session_is(&in_turn, 1, "nop" EMU_END, commands, expected),
		   "'%s' is refused", rows[i].command);
	}
}

int
main(void)
{
	test_refusals();
	return tap_done();
}
