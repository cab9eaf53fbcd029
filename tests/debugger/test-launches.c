/* SPDX-License-Identifier: MIT */
/*
 * A debugger for many launches, as on the virtual board: each is stopped or
 * left to run, in one go or in slices.
 */
#include "config.h"

#include "tests/debugger/session.h"

static const struct machine_options in_turn = { .lockstep = true };

/* Counts r0 up from 0; the loop is one line of three instructions. */
static const char counting[] = "mov r0, 0\n"
			       ":again\n"
			       ".rep i, 3\n"
			       "add r0, r0, 1\n"
			       ".endr\n"
			       "brr -, :again\n"
			       "nop\n"
			       "nop\n"
			       "nop\n";

/* Run one of the two programs in a debugger for launches. */
static void
relaunch(struct session *session, unsigned program)
{
	machine_reset(session->emu.machine);
	machine_launch(session->emu.machine, &session->emu.programs[program], 1,
		       &session->emu.why);
}

static void
test_launches(void)
{
	struct session session;
	struct control *control = &session.debugger.control;

	session_open(&session, &in_turn);
	emu_program(&session.emu,
		    session_assemble(&session, "t", "nop\nnop" EMU_END), NULL,
		    0);
	emu_program(&session.emu,
		    session_assemble(&session, "u", "sacq -, 1" EMU_END), NULL,
		    0);
	session_start(&session,
		      "c\nwhere\nc\nbreak *40001008\nc\nc\nc\n"
		      "delete 1\nc\nq\nc\n",
		      true);
	relaunch(&session, 0);
	debugger_launch(&session.debugger, true);
	ok(debugger_run(&session.debugger) && session.debugger.left &&
		   !session.debugger.quit &&
		   session_same(session_shown(&session),
				"QPU 0 at 40001000  nop  # t:1\n"
				"(qpu 0) c\n"
				"all programs have ended\n"
				"(qpu 0) where\n"
				"no program runs\n"
				"(qpu 0) c\n"),
	   "going on behind the end of a launch leaves it");
	relaunch(&session, 0);
	debugger_launch(&session.debugger, true);
	ok(debugger_run(&session.debugger) &&
		   session_same(session_shown(&session),
				"QPU 0 at 40001000  nop  # t:1\n"
				"(qpu 0) break *40001008\n"
				"breakpoint 1 at 40001008\n"
				"(qpu 0) c\n"
				"breakpoint 1\n"
				"QPU 0 at 40001008  nop  # t:2\n"
				"(qpu 0) c\n"
				"all programs have ended\n"
				"(qpu 0) c\n"),
	   "the next launch stops before its first instruction, too");
	relaunch(&session, 0);
	debugger_launch(&session.debugger, false);
	ok(control->paused && !control->over && !*session_shown(&session),
	   "a launch that is not to stop says nothing");
	ok(debugger_run(&session.debugger) &&
		   session_same(session_shown(&session),
				"breakpoint 1\n"
				"QPU 0 at 40001008  nop  # t:2\n"
				"(qpu 0) delete 1\n"
				"(qpu 0) c\n"
				"all programs have ended\n"
				"(qpu 0) q\n") &&
		   session.debugger.quit,
	   "but it stops at a breakpoint, and then is told about");
	session_close(&session);
}

static void
test_quiet_launches(void)
{
	struct session session;
	struct control *control = &session.debugger.control;

	session_open(&session, &in_turn);
	emu_program(&session.emu,
		    session_assemble(&session, "t", "nop\nnop" EMU_END), NULL,
		    0);
	emu_program(&session.emu,
		    session_assemble(&session, "u", "sacq -, 1" EMU_END), NULL,
		    0);
	session_start(&session, "where\n", true);
	relaunch(&session, 0);
	debugger_launch(&session.debugger, false);
	control->sliced = true;
	control->most = machine_instructions(session.emu.machine) + 2;
	ok(debugger_run(&session.debugger) && control->paused &&
		   !control->over && !session.debugger.left &&
		   !*session_shown(&session),
	   "a slice ends with a pause, and nothing is told");
	control->most += 1000;
	ok(debugger_run(&session.debugger) && !control->paused &&
		   control->over && session.debugger.left &&
		   control->status == MACHINE_DONE && !*session_shown(&session),
	   "the end of a launch that nobody looked at is not told");
	relaunch(&session, 1);
	debugger_launch(&session.debugger, false);
	ok(!session.debugger.left && !debugger_run(&session.debugger) &&
		   control->status == MACHINE_DEADLOCK &&
		   session_same(session_shown(&session),
				"deadlock: QPU 0 at 0x40001028 waits for "
				"semaphore\n"
				"QPU 0 at 40001028  sacq -, 1  # u:1\n"
				"      waits for semaphore 1, which is 0\n"
				"(qpu 0) where\n"
				"QPU 0 at 40001028  sacq -, 1  # u:1\n"
				"      waits for semaphore 1, which is 0\n") &&
		   session.debugger.quit,
	   "a deadlock is told, and the user can look at it");
	session_close(&session);
}

/* A command that was given goes on over the slices. */
static void
test_slices(void)
{
	struct session session;
	struct control *control = &session.debugger.control;
	unsigned slices = 0;

	session_open(&session, &in_turn);
	emu_program(&session.emu, session_assemble(&session, "t", counting),
		    NULL, 0);
	session_start(&session, "s 9\nuntil r0 == 6\n", true);
	session_launch(&session);
	debugger_launch(&session.debugger, true);
	control->sliced = true;
	control->most = 4;
	while (debugger_run(&session.debugger) && control->paused &&
	       slices++ < 100)
		control->most += 4;
	ok(slices == 2 && !control->over &&
		   session_same(session_shown(&session),
				"QPU 0 at 40001000  mov r0, 0  # t:1\n"
				"(qpu 0) s 9\n"
				"QPU 0 at 40001010  add r0, r0, 1  # t:4\n"
				"(qpu 0) until r0 == 6\n"
				"QPU 0 at 40001020  brr -, -56  # t:6\n"),
	   "a command goes on over pauses with its goal");
	session_close(&session);
}

int
main(void)
{
	test_launches();
	test_quiet_launches();
	test_slices();
	return tap_done();
}
