/* SPDX-License-Identifier: MIT */
/*
 * What makes a program under the debugger run and stop, and what is told of
 * it then.
 */
#include "config.h"

#include <signal.h>

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

static void
test_steps(void)
{
	ok(session_is(
		   &in_turn, 1, counting,
		   "step 0\nstep\nn\nn\nn\nn\nn\nn\ns 9\nwhere\nquit\nwhere\n",
		   "QPU 0 at 40001000  mov r0, 0  # test:1\n"
		   "(qpu 0) step 0\n"
		   "(qpu 0) step\n"
		   "QPU 0 at 40001008  add r0, r0, 1  # test:4\n"
		   "(qpu 0) n\n"
		   "QPU 0 at 40001020  brr -, -56  # test:6\n"
		   "(qpu 0) n\n"
		   "QPU 0 at 40001028  nop  # test:7\n"
		   "      branches to 40001008 behind 3 more\n"
		   "(qpu 0) n\n"
		   "QPU 0 at 40001030  nop  # test:8\n"
		   "      branches to 40001008 behind 2 more\n"
		   "(qpu 0) n\n"
		   "QPU 0 at 40001038  nop  # test:9\n"
		   "      branches to 40001008 behind 1 more\n"
		   "(qpu 0) n\n"
		   "QPU 0 at 40001008  add r0, r0, 1  # test:4\n"
		   "(qpu 0) n\n"
		   "QPU 0 at 40001020  brr -, -56  # test:6\n"
		   "(qpu 0) s 9\n"
		   "QPU 0 at 40001030  nop  # test:8\n"
		   "      branches to 40001008 behind 2 more\n"
		   "(qpu 0) where\n"
		   "QPU 0 at 40001030  nop  # test:8\n"
		   "      branches to 40001008 behind 2 more\n"
		   "(qpu 0) quit\n"),
	   "step goes by instructions, next by lines");
}

static void
test_ends(void)
{
	ok(session_is(&in_turn, 3, "nop\nnop" EMU_END,
		      "qpu 1\ns 3\nwhere\nqpu 2\ns 9\nqpu 2\nwhere\nqpu 1\ns\n"
		      "where\nn\nshared\n",
		      "QPU 0 at 40001000  nop  # test:1\n"
		      "(qpu 0) qpu 1\n"
		      "QPU 1 at 40001000  nop  # test:1\n"
		      "(qpu 1) s 3\n"
		      "QPU 1 at 40001018  nop  # test:4\n"
		      "      ends behind 2 more\n"
		      "(qpu 1) where\n"
		      "QPU 0 at 40001018  nop  # test:4\n"
		      "      ends behind 2 more\n"
		      "QPU 1 at 40001018  nop  # test:4\n"
		      "      ends behind 2 more\n"
		      "QPU 2 at 40001010  thrend  # test:3\n"
		      "(qpu 1) qpu 2\n"
		      "QPU 2 at 40001010  thrend  # test:3\n"
		      "(qpu 2) s 9\n"
		      "all programs have ended\n"
		      "(qpu 2) qpu 2\n"
		      "QPU 2 has no program, or it has ended\n"
		      "(qpu 2) where\n"
		      "no program runs\n"
		      "(qpu 2) qpu 1\n"
		      "QPU 1 has no program, or it has ended\n"
		      "(qpu 1) s\n"
		      "the run is over\n"
		      "(qpu 1) where\n"
		      "no program runs\n"
		      "(qpu 1) n\n"
		      "the run is over\n"
		      "(qpu 1) shared\n"
		      "all semaphores are 0\n"
		      "the mutex is free\n"),
	   "steps end with the programs, and state is shown behind that");
	ok(session_is(&in_turn, 3, "nop\nnop" EMU_END,
		      "qpu 1\nn\nn\nn\nn\nn\ns 8\nc\n",
		      "QPU 0 at 40001000  nop  # test:1\n"
		      "(qpu 0) qpu 1\n"
		      "QPU 1 at 40001000  nop  # test:1\n"
		      "(qpu 1) n\n"
		      "QPU 1 at 40001008  nop  # test:2\n"
		      "(qpu 1) n\n"
		      "QPU 1 at 40001010  thrend  # test:3\n"
		      "(qpu 1) n\n"
		      "QPU 1 at 40001018  nop  # test:4\n"
		      "      ends behind 2 more\n"
		      "(qpu 1) n\n"
		      "QPU 1 at 40001020  nop  # test:5\n"
		      "      ends behind 1 more\n"
		      "(qpu 1) n\n"
		      "the program of QPU 1 has ended\n"
		      "QPU 2 at 40001020  nop  # test:5\n"
		      "      ends behind 1 more\n"
		      "(qpu 2) s 8\n"
		      "all programs have ended\n"
		      "(qpu 2) c\n"
		      "the run is over\n"),
	   "the choice moves on to a QPU that runs");
	ok(session_is(&in_turn, 2, "nop" EMU_END, "until r0 == 1\n",
		      "QPU 0 at 40001000  nop  # test:1\n"
		      "(qpu 0) until r0 == 1\n"
		      "all programs have ended\n"),
	   "the end of the chosen program is no end of another goal");
}

static void
test_breakpoints(void)
{
	ok(session_is(&in_turn, 1, counting,
		      "b\nbreak 6\nbreak *40001038 if r0 == 6\nb\nc\nc\nc\n"
		      "del 1\nb\ndelete 2\nb\n",
		      "QPU 0 at 40001000  mov r0, 0  # test:1\n"
		      "(qpu 0) b\n"
		      "no breakpoints\n"
		      "(qpu 0) break 6\n"
		      "breakpoint 1 at test:6\n"
		      "(qpu 0) break *40001038 if r0 == 6\n"
		      "breakpoint 2 at 40001038, with a condition\n"
		      "(qpu 0) b\n"
		      "breakpoint 1 at test:6\n"
		      "breakpoint 2 at 40001038, with a condition\n"
		      "(qpu 0) c\n"
		      "breakpoint 1\n"
		      "QPU 0 at 40001020  brr -, -56  # test:6\n"
		      "(qpu 0) c\n"
		      "breakpoint 1\n"
		      "QPU 0 at 40001020  brr -, -56  # test:6\n"
		      "(qpu 0) c\n"
		      "breakpoint 2\n"
		      "QPU 0 at 40001038  nop  # test:9\n"
		      "      branches to 40001008 behind 1 more\n"
		      "(qpu 0) del 1\n"
		      "(qpu 0) b\n"
		      "breakpoint 2 at 40001038, with a condition\n"
		      "(qpu 0) delete 2\n"
		      "(qpu 0) b\n"
		      "no breakpoints\n"),
	   "breakpoints stop the run");
	ok(session_is(&in_turn, 2, counting,
		      "break 4 if r0 == 0\nbreak *40001008\ns\nc\ndelete 1\nc\n"
		      "qpu 0\nn\nbreak 9999\nbreak 7 if r0 == 3\nc\nc\n",
		      "QPU 0 at 40001000  mov r0, 0  # test:1\n"
		      "(qpu 0) break 4 if r0 == 0\n"
		      "breakpoint 1 at test:4, with a condition\n"
		      "(qpu 0) break *40001008\n"
		      "breakpoint 2 at 40001008\n"
		      "(qpu 0) s\n"
		      "breakpoint 1\n"
		      "QPU 0 at 40001008  add r0, r0, 1  # test:4\n"
		      "(qpu 0) c\n"
		      "breakpoint 1\n"
		      "QPU 1 at 40001008  add r0, r0, 1  # test:4\n"
		      "(qpu 1) delete 1\n"
		      "(qpu 1) c\n"
		      "breakpoint 2\n"
		      "QPU 0 at 40001008  add r0, r0, 1  # test:4\n"
		      "(qpu 0) qpu 0\n"
		      "QPU 0 at 40001008  add r0, r0, 1  # test:4\n"
		      "(qpu 0) n\n"
		      "breakpoint 2\n"
		      "QPU 1 at 40001008  add r0, r0, 1  # test:4\n"
		      "(qpu 1) break 9999\n"
		      "no instruction at or behind line '9999'\n"
		      "(qpu 1) break 7 if r0 == 3\n"
		      "breakpoint 3 at test:7, with a condition\n"
		      "(qpu 1) c\n"
		      "breakpoint 2\n"
		      "QPU 0 at 40001008  add r0, r0, 1  # test:4\n"
		      "(qpu 0) c\n"
		      "breakpoint 2\n"
		      "QPU 1 at 40001008  add r0, r0, 1  # test:4\n"),
	   "a step may end at a breakpoint, and a breakpoint chooses its QPU");
}

static void
test_until(void)
{
	ok(session_is(&in_turn, 2,
		      "mov r0, elem_num\nmov r1, unif\nmov r2, 2\n"
		      "mov r3, 3\nsrel -, 1" EMU_END,
		      "qpu 1\nuntil r1 == 10\nuntil r0 != 0\n",
		      "QPU 0 at 40001000  mov r0, elem_num  # test:1\n"
		      "(qpu 0) qpu 1\n"
		      "QPU 1 at 40001000  mov r0, elem_num  # test:1\n"
		      "(qpu 1) until r1 == 10\n"
		      "QPU 1 at 40001010  mov r2, 2  # test:3\n"
		      "(qpu 1) until r0 != 0\n"
		      "all programs have ended\n"),
	   "until runs until a condition holds for the chosen QPU");
}

static void
test_bad_ends(void)
{
	ok(session_is(
		   &in_turn, 2, "nop\nsacq -, 3" EMU_END, "c\nwhere\nshared\n",
		   "QPU 0 at 40001000  nop  # test:1\n"
		   "(qpu 0) c\n"
		   "deadlock: QPU 0 at 0x40001008 waits for semaphore, QPU 1 at 0x40001008 waits for semaphore\n"
		   "QPU 0 at 40001008  sacq -, 3  # test:2\n"
		   "      waits for semaphore 3, which is 0\n"
		   "QPU 1 at 40001008  sacq -, 3  # test:2\n"
		   "      waits for semaphore 3, which is 0\n"
		   "(qpu 0) where\n"
		   "QPU 0 at 40001008  sacq -, 3  # test:2\n"
		   "      waits for semaphore 3, which is 0\n"
		   "QPU 1 at 40001008  sacq -, 3  # test:2\n"
		   "      waits for semaphore 3, which is 0\n"
		   "(qpu 0) shared\n"
		   "all semaphores are 0\n"
		   "the mutex is free\n"),
	   "a deadlock ends the run");
	ok(session_is(
		   &in_turn, 3, "mov -, mutex\nnop\nmov -, mutex" EMU_END,
		   "s\ns\nc\n",
		   "QPU 0 at 40001000  mov -, mutex  # test:1\n"
		   "(qpu 0) s\n"
		   "QPU 0 at 40001008  nop  # test:2\n"
		   "(qpu 0) s\n"
		   "QPU 0 at 40001010  mov -, mutex  # test:3\n"
		   "(qpu 0) c\n"
		   "deadlock: QPU 0 at 0x40001010 waits for mutex, QPU 1 at 0x40001000 waits for mutex, QPU 2 at 0x40001000 waits for mutex\n"
		   "QPU 0 at 40001010  mov -, mutex  # test:3\n"
		   "      waits for mutex, which QPU 0 holds\n"
		   "QPU 1 at 40001000  mov -, mutex  # test:1\n"
		   "      waits for mutex, which QPU 0 holds\n"
		   "QPU 2 at 40001000  mov -, mutex  # test:1\n"
		   "      waits for mutex, which QPU 0 holds\n"),
	   "who waits for the mutex is told by whom it is held");
	ok(session_is(
		   &in_turn, 2, "nop\nldi vr_addr, 0x90200000" EMU_END,
		   "c\nwhere\n",
		   "QPU 0 at 40001000  nop  # test:1\n"
		   "(qpu 0) c\n"
		   "QPU 0 at 0x40001008: DMA load (VDR) at 0x90200000 is outside memory\n"
		   "QPU 0 at 40001008  ldi vr_addr, 0x90200000  # test:2\n"
		   "QPU 1 at 40001008  ldi vr_addr, 0x90200000  # test:2\n"
		   "(qpu 0) where\n"
		   "QPU 0 at 40001008  ldi vr_addr, 0x90200000  # test:2\n"
		   "QPU 1 at 40001008  ldi vr_addr, 0x90200000  # test:2\n"),
	   "a fault ends the run");
	ok(session_is(&in_turn, 1, ".rep i, 16\nsrel -, 5\n.endr" EMU_END,
		      "c\nshared\n",
		      "QPU 0 at 40001000  srel -, 5  # test:2\n"
		      "(qpu 0) c\n"
		      "deadlock: QPU 0 at 0x40001078 waits for semaphore\n"
		      "QPU 0 at 40001078  srel -, 5  # test:2\n"
		      "      waits for semaphore 5, which is 15\n"
		      "(qpu 0) shared\n"
		      "semaphore 5 is 15\n"
		      "the mutex is free\n"),
	   "a semaphore that cannot grow is told with its value");
}

/* Where clocks are modelled, also until when. */
static void
test_clocks(void)
{
	static const struct machine_options timed = { .timed = true };
	static const char until[] = "\n      waits for DMA store, until clock ";
	struct session session;
	unsigned long long clock = 0;
	const char *at;

	session_open(&session, &timed);
	const uint32_t code =
		session_assemble(&session, "t",
				 "ldi vw_setup, 0x80904000\nmov vw_addr, unif\n"
				 "mov -, vw_wait" EMU_END);

	for (unsigned i = 0; i < 2; i++)
		emu_program(&session.emu, code, (const uint32_t[]){ EMU_BASE },
			    1);
	session_start(&session, "break 3\nc\nc\nwhere\n", false);
	session_launch(&session);
	debugger_launch(&session.debugger, true);
	debugger_run(&session.debugger);
	at = strstr(session.shown, until);
	if (!at)
		puts(session.shown);
	if (at)
		clock = strtoull(at + strlen(until), NULL, 10);
	ok(clock > machine_clocks(session.emu.machine) &&
		   clock < machine_clocks(session.emu.machine) + 1000,
	   "where clocks are modelled it is told until when a QPU waits");
	session_close(&session);
}

/* A session with all that the owner of a debugger can set. */
static void
test_limits(void)
{
	struct session session;

	session_open(&session, &in_turn);
	emu_program(&session.emu, session_assemble(&session, "t", counting),
		    NULL, 0);
	session_start(&session, "s 9\ns\nc\ns\n", false);
	session.debugger.control.most = 10;
	session_launch(&session);
	debugger_launch(&session.debugger, true);
	ok(!debugger_run(&session.debugger) &&
		   session_same(session_shown(&session),
				"QPU 0 at 40001000  mov r0, 0  # t:1\n"
				"(qpu 0) s 9\n"
				"QPU 0 at 40001010  add r0, r0, 1  # t:4\n"
				"(qpu 0) s\n"
				"QPU 0 at 40001018  add r0, r0, 1  # t:4\n"
				"(qpu 0) c\n"
				"the limit of instructions is reached\n"
				"QPU 0 at 40001018  add r0, r0, 1  # t:4\n"
				"(qpu 0) s\n"
				"the run is over\n"),
	   "the last instruction of the limit is executed, and no more");
	session_close(&session);
}

static void
test_clock_limit(void)
{
	static const struct machine_options timed = { .timed = true };
	struct session session;

	session_open(&session, &timed);
	emu_program(&session.emu, session_assemble(&session, "t", counting),
		    NULL, 0);
	session_start(&session, "c\n", false);
	session.debugger.control.most = 0;
	session.debugger.control.most_clocks = 5000;
	session_launch(&session);
	debugger_launch(&session.debugger, true);
	ok(!debugger_run(&session.debugger) &&
		   machine_clocks(session.emu.machine) > 4900 &&
		   machine_clocks(session.emu.machine) < 5100 &&
		   strstr(session_shown(&session),
			  "\nlimit reached with 1 programs running\nQPU 0 at "),
	   "the limit of clocks ends the run");
	session_close(&session);
}

static void
test_hazards(void)
{
	static const struct machine_options none;
	struct machine *machine = machine_create(&none, NULL);
	struct control control = { .machine = machine, .qpu = 2 };

	control_finding(&control,
		       &(struct machine_finding){ .qpu = 5, .warning = true });
	ok(control.stopped == CONTROL_NOT_STOPPED && control.qpu == 2,
	   "a warning does not stop the run");
	control_finding(&control, &(struct machine_finding){ .qpu = 5 });
	ok(control.stopped == CONTROL_HAZARD && control.qpu == 5,
	   "a hazard does, and chooses its QPU");
	control_finding(&control, &(struct machine_finding){ .qpu = 6 });
	ok(control.qpu == 5, "the first of them counts");
	control.stopped = CONTROL_BREAKPOINT;
	control_finding(&control, &(struct machine_finding){ .qpu = 7 });
	ok(control.stopped == CONTROL_BREAKPOINT && control.qpu == 5,
	   "and so does what was before a hazard");
	machine_destroy(machine);

	static const struct machine_options check = { .check = true };

	ok(session_is(&check, 1, "nop\nmov r0, ra7\nnop" EMU_END, "c\nwhere\n",
		      "QPU 2 at 40001000  nop  # test:1\n"
		      "(qpu 2) c\n"
		      "stopped at a hazard\n"
		      "QPU 2 at 40001010  nop  # test:3\n"
		      "(qpu 2) where\n"
		      "QPU 2 at 40001010  nop  # test:3\n"),
	   "the run stops behind an instruction with a hazard");
}

/* The interrupt key during an endless loop. */
static void
press_key(void *context, const struct machine_step *step)
{
	struct session *session = context;

	if (machine_instructions(session->emu.machine) == 20)
		raise(SIGINT);
	session_on_step(session, step);
}

static void
count_key(int number)
{
	(void)number;
}

static void
test_interrupt(void)
{
	struct sigaction action = { .sa_handler = count_key }, now;
	struct session session;
	sigset_t mask, blocked;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	sigaction(SIGINT, &action, NULL);
	session_open(&session, &in_turn);
	emu_program(&session.emu, session_assemble(&session, "t", counting),
		    NULL, 0);
	machine_on_step(session.emu.machine, press_key, &session);
	session_start(&session, "c\ns\n", false);
	session_launch(&session);
	debugger_launch(&session.debugger, true);
	ok(debugger_run(&session.debugger) &&
		   session_same(session_shown(&session),
				"QPU 0 at 40001000  mov r0, 0  # t:1\n"
				"(qpu 0) c\n"
				"interrupted\n"
				"QPU 0 at 40001030  nop  # t:8\n"
				"      branches to 40001008 behind 2 more\n"
				"(qpu 0) s\n"
				"QPU 0 at 40001038  nop  # t:9\n"
				"      branches to 40001008 behind 1 more\n"),
	   "the interrupt key stops the run, once, also where it is blocked");
	sigaction(SIGINT, NULL, &now);
	sigprocmask(SIG_UNBLOCK, NULL, &blocked);
	ok(now.sa_handler == count_key && sigismember(&blocked, SIGINT),
	   "then the signal does what it did before");
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
	session_close(&session);
}

int
main(void)
{
	test_steps();
	test_ends();
	test_breakpoints();
	test_until();
	test_bad_ends();
	test_clocks();
	test_limits();
	test_clock_limit();
	test_hazards();
	test_interrupt();
	return tap_done();
}
