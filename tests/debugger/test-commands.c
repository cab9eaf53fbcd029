/* SPDX-License-Identifier: MIT */
/*
 * What the debugger's commands show, to the letter.
 */
#include "config.h"

#include "tests/debugger/session.h"

/* QPUs take turns, so that it is known which one comes next. */
static const struct machine_options in_turn = { .lockstep = true };

#define CODE(at) "40001" at

/* Sets registers, a vector and the VPM; the uniforms are 10, an address, 7. */
static const char registers[] = "mov ra0, unif\n"
				"mov ra31, elem_num\n"
				"ldi rb0, 0xc0000000\n"
				"ldi rb31, 0x3fc00000\n"
				"mov r0, 1\n"
				"itof r1, elem_num\n"
				"fmul r1, r1, 0.5\n"
				"ldi vw_setup, 0x1a3f\n"
				"mov vpm, elem_num" EMU_END;

static void
test_values(void)
{
	ok(session_is(
		   &in_turn, 1, registers,
		   "step 9\n"
		   "print r0\nprint ra0 int\nprint rb0 int\nprint rb31 float\n"
		   "print rb0\n p\tra31[15]\nprint [40008008]\n"
		   "print [40008008] float\nprint 0x10\nprint -1.5\n"
		   "print r1 float\nprint ra31\nprint ra31 int\n",
		   "QPU 0 at 40001000  mov ra0, unif  # test:1\n"
		   "(qpu 0) step 9\n"
		   "QPU 0 at 40001048  thrend  # test:10\n"
		   "(qpu 0) print r0\n"
		   "r0    00000001 in all lanes\n"
		   "(qpu 0) print ra0 int\n"
		   "ra0            10 in all lanes\n"
		   "(qpu 0) print rb0 int\n"
		   "rb0   -1073741824 in all lanes\n"
		   "(qpu 0) print rb31 float\n"
		   "rb31            1.5 in all lanes\n"
		   "(qpu 0) print rb0\n"
		   "rb0   c0000000 in all lanes\n"
		   "(qpu 0)  p\tra31[15]\n"
		   "ra31[15] = 0x0000000f = 15 = 2.1019477e-44\n"
		   "(qpu 0) print [40008008]\n"
		   "[40008008] = 0x00000007 = 7 = 9.80908925e-45\n"
		   "(qpu 0) print [40008008] float\n"
		   "[40008008] = 0x00000007 = 7 = 9.80908925e-45\n"
		   "(qpu 0) print 0x10\n"
		   "0x10 = 0x00000010 = 16 = 2.24207754e-44\n"
		   "(qpu 0) print -1.5\n"
		   "-1.5 = 0xbfc00000 = -1077936128 = -1.5\n"
		   "(qpu 0) print r1 float\n"
		   "r1                0           0.5             1"
		   "           1.5             2           2.5"
		   "             3           3.5\n"
		   "                  4           4.5             5"
		   "           5.5             6           6.5"
		   "             7           7.5\n"
		   "(qpu 0) print ra31\n"
		   "ra31  00000000 00000001 00000002 00000003 00000004 "
		   "00000005 00000006 00000007\n"
		   "      00000008 00000009 0000000a 0000000b 0000000c "
		   "0000000d 0000000e 0000000f\n"
		   "(qpu 0) print ra31 int\n"
		   "ra31            0           1           2           3"
		   "           4           5           6           7\n"
		   "                8           9          10          11"
		   "          12          13          14          15\n"),
	   "print shows registers, lanes, words and numbers");
}

/* The lines of a file of registers that is not all zero. */
static void
count_lines(const char *commands, unsigned all, const char *first,
	    const char *last)
{
	struct session session;
	const char *at, *end;
	unsigned n = 0;

	session_open(&session, &in_turn);
	emu_program(&session.emu, session_assemble(&session, "t", registers),
		    (const uint32_t[]){ 10 }, 1);
	session_start(&session, commands, false);
	session_launch(&session);
	debugger_launch(&session.debugger, true);
	debugger_run(&session.debugger);
	at = strstr(session.shown, "(qpu 0) registers");
	at = at ? strchr(at, '\n') + 1 : "";
	end = at;
	for (const char *line = at; *line; line = strchr(line, '\n') + 1) {
		n++;
		end = line;
	}
	ok(n == all && strncmp(at, first, strlen(first)) == 0 &&
		   strcmp(end, last) == 0,
	   "%s", strchr(commands, 'r'));
	if (n != all)
		tap_note("%u lines", n);
	session_close(&session);
}

static void
test_registers(void)
{
	count_lines("s 9\nregisters", 7, "r0    00000001 in all lanes\nr1    0",
		    "r5    00000000 in all lanes\n");
	count_lines("s 9\nregisters acc int", 7,
		    "r0              1 in all lanes\nr1  ",
		    "r5              0 in all lanes\n");
	count_lines("s 9\nregisters a", 33,
		    "ra0   0000000a in all lanes\nra1  ",
		    "      00000008 00000009 0000000a 0000000b 0000000c "
		    "0000000d 0000000e 0000000f\n");
	count_lines("s 9\nregisters b float", 32,
		    "rb0              -2 in all lanes\nrb1  ",
		    "rb31            1.5 in all lanes\n");
}

static void
test_memory(void)
{
	ok(session_is(&in_turn, 1, "thrend\nnop\nnop\n",
		      "memory 40008000 3\nmemory 40008000 4 int\n"
		      "memory 40008000 5\nmemory 40008000 0\n"
		      "memory 0x4000800c\nmemory 400ffff8 2\n"
		      "memory 400ffff8 3\nmemory 400ffff0 5\n"
		      "memory 40100000 1\nmem 40008000 1 float\n",
		      "QPU 0 at 40001000  thrend  # test:1\n"
		      "(qpu 0) memory 40008000 3\n"
		      "40008000: 0000000a 40010000 00000007\n"
		      "(qpu 0) memory 40008000 4 int\n"
		      "40008000:          10  1073807360           7"
		      "           0\n"
		      "(qpu 0) memory 40008000 5\n"
		      "40008000: 0000000a 40010000 00000007 00000000\n"
		      "40008010: 00000000\n"
		      "(qpu 0) memory 40008000 0\n"
		      "\n"
		      "(qpu 0) memory 0x4000800c\n"
		      "4000800c: 00000000 00000000 00000000 00000000\n"
		      "4000801c: 00000000 00000000 00000000 00000000\n"
		      "4000802c: 00000000 00000000 00000000 00000000\n"
		      "4000803c: 00000000 00000000 00000000 00000000\n"
		      "(qpu 0) memory 400ffff8 2\n"
		      "400ffff8: 00000000 00000000\n"
		      "(qpu 0) memory 400ffff8 3\n"
		      "400ffff8: 00000000 00000000\n"
		      "no memory at 0x40100000\n"
		      "(qpu 0) memory 400ffff0 5\n"
		      "400ffff0: 00000000 00000000 00000000 00000000"
		      "no memory at 0x40100000\n"
		      "(qpu 0) memory 40100000 1\n"
		      "no memory at 0x40100000\n"
		      "(qpu 0) mem 40008000 1 float\n"
		      "40008000:  1.401298e-44\n"),
	   "memory shows words, four in a line, as far as there are any");
}

static void
test_vpm(void)
{
	ok(session_is(&in_turn, 1, registers,
		      "s 9\nvpm\nvpm 63\nvpm 62 3 int\nvpm 5 2\nvpm 1 0\n",
		      "QPU 0 at 40001000  mov ra0, unif  # test:1\n"
		      "(qpu 0) s 9\n"
		      "QPU 0 at 40001048  thrend  # test:10\n"
		      "(qpu 0) vpm\n"
		      "0     00000000 in all lanes\n"
		      "(qpu 0) vpm 63\n"
		      "63    00000000 00000001 00000002 00000003 00000004 "
		      "00000005 00000006 00000007\n"
		      "      00000008 00000009 0000000a 0000000b 0000000c "
		      "0000000d 0000000e 0000000f\n"
		      "(qpu 0) vpm 62 3 int\n"
		      "62              0 in all lanes\n"
		      "63              0           1           2           3"
		      "           4           5           6           7\n"
		      "                8           9          10          11"
		      "          12          13          14          15\n"
		      "(qpu 0) vpm 5 2\n"
		      "5     00000000 in all lanes\n"
		      "6     00000000 in all lanes\n"
		      "(qpu 0) vpm 1 0\n"),
	   "vpm shows rows as far as there are any");
}

static void
test_flags(void)
{
	ok(session_is(
		   &in_turn, 1,
		   "sub.setf -, elem_num, 3\nadd.setf -, elem_num, -3" EMU_END,
		   "flags\ns\nflags\n",
		   "QPU 0 at 40001000  sub.setf -, elem_num, 3  # test:1\n"
		   "(qpu 0) flags\n"
		   "  lane 0 is on the left\n"
		   "z 1111111111111111\n"
		   "n ................\n"
		   "c ................\n"
		   "(qpu 0) s\n"
		   "QPU 0 at 40001008  add.setf -, elem_num, -3  # test:2\n"
		   "(qpu 0) flags\n"
		   "  lane 0 is on the left\n"
		   "z ...1............\n"
		   "n 111.............\n"
		   "c 111.............\n"),
	   "flags are shown lane by lane");
}

/* DMA both ways, reads of the VPM, and a lookup. */
static const char setups[] = "mov ra0, unif\n"
			     "mov ra1, unif\n"
			     "ldi vr_setup, 0x83011820\n"
			     "ldi vr_setup, 0x90000123\n"
			     "mov vr_addr, ra1\n"
			     "mov -, vr_wait\n"
			     "ldi vr_setup, 0x00101a10\n"
			     "ldi vr_setup, 0x00201a30\n"
			     "ldi vw_setup, 0x1a00\n"
			     "ldi vw_setup, 0x80904000\n"
			     "ldi vw_setup, 0xc0000004\n"
			     "mov t0s, ra1\n"
			     "mov t1s, ra1\n"
			     "mov t1s, ra1\n"
			     "mov r0, vpm\n"
			     "mov vpm, r0\n"
			     "ldtmu1" EMU_END;

static void
test_setups(void)
{
	ok(session_is(
		   &in_turn, 1, setups, "setup\ns 14\nsetup\ns 3\nsetup\n",
		   "QPU 0 at 40001000  mov ra0, unif  # test:1\n"
		   "(qpu 0) setup\n"
		   "vw next        VPM write: 8-bit, vertical, column 0 of "
		   "row 0, packed part 0, stride 64\n"
		   "(qpu 0) s 14\n"
		   "QPU 0 at 40001070  mov r0, vpm  # test:15\n"
		   "(qpu 0) setup\n"
		   "vr next        VPM read of 1 vector: 32-bit, horizontal, "
		   "row 16, stride 1\n"
		   "vr next        VPM read of 2 vectors: 32-bit, horizontal, "
		   "row 48, stride 1\n"
		   "vw next        VPM write: 32-bit, horizontal, row 0, "
		   "stride 1\n"
		   "vr 0x83011820  DMA load: 1 row of 16 words, 64 bytes apart "
		   "in memory, to VPM row 2 column 0, vertical, stride 1\n"
		   "vr 0x90000123  DMA load: extended pitch of 291 bytes\n"
		   "vw 0x80904000  DMA store: 1 row of 16 words, from VPM row "
		   "0 column 0, horizontal\n"
		   "vw 0xc0000004  DMA store: 4 bytes from the end of a row "
		   "to the next\n"
		   "TMU 0: 1 lookups not loaded yet\n"
		   "TMU 1: 2 lookups not loaded yet\n"
		   "(qpu 0) s 3\n"
		   "QPU 0 at 40001088  thrend  # test:18\n"
		   "(qpu 0) setup\n"
		   "vr next        VPM read of 2 vectors: 32-bit, horizontal, "
		   "row 48, stride 1\n"
		   "vw next        VPM write: 32-bit, horizontal, row 1, "
		   "stride 1\n"
		   "vr 0x83011820  DMA load: 1 row of 16 words, 64 bytes apart "
		   "in memory, to VPM row 2 column 0, vertical, stride 1\n"
		   "vr 0x90000123  DMA load: extended pitch of 291 bytes\n"
		   "vw 0x80904000  DMA store: 1 row of 16 words, from VPM row "
		   "0 column 0, horizontal\n"
		   "vw 0xc0000004  DMA store: 4 bytes from the end of a row "
		   "to the next\n"
		   "TMU 0: 1 lookups not loaded yet\n"
		   "TMU 1: 1 lookups not loaded yet\n"),
	   "setup alone shows set-ups and lookups of the QPU");
	ok(session_is(&in_turn, 1, setups,
		      "s 1\nsetup vw ra0\nsetup vr 0x90000001\n"
		      "setup vw_setup [40008008]\nsetup vr_setup 0x101a00\n",
		      "QPU 0 at 40001000  mov ra0, unif  # test:1\n"
		      "(qpu 0) s 1\n"
		      "QPU 0 at 40001008  mov ra1, unif  # test:2\n"
		      "(qpu 0) setup vw ra0\n"
		      "0x0000000a  VPM write: 8-bit, vertical, column 2 of row "
		      "0, packed part 2, stride 64\n"
		      "(qpu 0) setup vr 0x90000001\n"
		      "0x90000001  DMA load: extended pitch of 1 bytes\n"
		      "(qpu 0) setup vw_setup [40008008]\n"
		      "0x00000007  VPM write: 8-bit, vertical, column 1 of row "
		      "0, packed part 3, stride 64\n"
		      "(qpu 0) setup vr_setup 0x101a00\n"
		      "0x00101a00  VPM read of 1 vector: 32-bit, horizontal, "
		      "row 0, stride 1\n"),
	   "setup says what a word, a register or memory would set up");
}

static void
test_uniforms(void)
{
	static const struct {
		uint32_t addr;
		const char *shown;
	} rows[] = {
		{ 0x40008000,
		  "40008000: 0000000a 40010000 00000007 00000000\n" },
		{ 0x400ffff0,
		  "400ffff0: 00000000 00000000 00000000 00000000\n" },
		{ 0x400ffff4, "400ffff4: 00000000 00000000 00000000\n" },
		{ 0x400ffffc, "400ffffc: 00000000\n" },
		{ 0x40100000, "" },
	};
	bool good = true;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char expected[256];
		struct session session;

		session_open(&session, &in_turn);
		const uint32_t code = session_assemble(
			&session, "t", "mov r0, unif\nbra -, ra0\n");

		emu_program(&session.emu, code,
			    (const uint32_t[]){ 10, 0x40010000, 7 }, 3);
		session.emu.programs[0].uniforms = rows[i].addr;
		session_start(&session, "uniforms", false);
		session_launch(&session);
		debugger_launch(&session.debugger, true);
		debugger_run(&session.debugger);
		snprintf(expected, sizeof(expected),
			 "QPU 0 at 40001000  mov r0, unif  # t:1\n"
			 "(qpu 0) uniforms\n"
			 "the next uniform is at 0x%08x\n%s",
			 (unsigned)rows[i].addr, rows[i].shown);
		good = session_same(session.shown, expected) && good;
		session_close(&session);
	}
	ok(good, "uniforms shows the next four, or as many as there are");
}

static void
test_shared(void)
{
	ok(session_is(&in_turn, 2,
		      "srel -, 0\nsrel -, 15\nsrel -, 15\nmov -, mutex" EMU_END,
		      "shared\ns\nshared\ns 2\nqpu 1\nshared\ns\nshared\n"
		      "qpu 0\ns\nshared\n",
		      "QPU 0 at 40001000  srel -, 0  # test:1\n"
		      "(qpu 0) shared\n"
		      "all semaphores are 0\n"
		      "the mutex is free\n"
		      "(qpu 0) s\n"
		      "QPU 0 at 40001008  srel -, 15  # test:2\n"
		      "(qpu 0) shared\n"
		      "semaphore 0 is 1\n"
		      "the mutex is free\n"
		      "(qpu 0) s 2\n"
		      "QPU 0 at 40001018  mov -, mutex  # test:4\n"
		      "(qpu 0) qpu 1\n"
		      "QPU 1 at 40001010  srel -, 15  # test:3\n"
		      "(qpu 1) shared\n"
		      "semaphore 0 is 2\n"
		      "semaphore 15 is 3\n"
		      "the mutex is free\n"
		      "(qpu 1) s\n"
		      "QPU 1 at 40001018  mov -, mutex  # test:4\n"
		      "(qpu 1) shared\n"
		      "semaphore 0 is 2\n"
		      "semaphore 15 is 4\n"
		      "the mutex is free\n"
		      "(qpu 1) qpu 0\n"
		      "QPU 0 at 40001018  mov -, mutex  # test:4\n"
		      "(qpu 0) s\n"
		      "QPU 0 at 40001020  thrend  # test:5\n"
		      "(qpu 0) shared\n"
		      "semaphore 0 is 2\n"
		      "semaphore 15 is 4\n"
		      "QPU 0 holds the mutex\n"),
	   "shared shows semaphores that are not 0, and who has the mutex");
}

static void
test_code(void)
{
	ok(session_is(&in_turn, 1,
		      "nop\nmov r0, 1\n.rep i, 2\nnop\n.endr\nthrend\nnop\n"
		      "nop\n.int 0x00000008, 0xf0f809e7, 0, 0xe4000000\n",
		      "s\ndisassemble 40001000 3\ndis\ndis  40001030 1\n"
		      "dis 400ffff8 2\ndis 40100000 0\ndis 40100000 2\n",
		      "QPU 0 at 40001000  nop  # test:1\n"
		      "(qpu 0) s\n"
		      "QPU 0 at 40001008  mov r0, 1  # test:2\n"
		      "(qpu 0) disassemble 40001000 3\n"
		      "   40001000  nop  # test:1\n"
		      "-> 40001008  mov r0, 1  # test:2\n"
		      "   40001010  nop  # test:4\n"
		      "(qpu 0) dis\n"
		      "-> 40001008  mov r0, 1  # test:2\n"
		      "   40001010  nop  # test:4\n"
		      "   40001018  nop  # test:4\n"
		      "   40001020  thrend  # test:6\n"
		      "   40001028  nop  # test:7\n"
		      "   40001030  nop  # test:8\n"
		      "   40001038  brr -, 8  # test:9\n"
		      "   40001040  (no instruction)  # test:9\n"
		      "(qpu 0) dis  40001030 1\n"
		      "   40001030  nop  # test:8\n"
		      "(qpu 0) dis 400ffff8 2\n"
		      "   400ffff8  read ra0; read rb0; bkpt\n"
		      "no memory at 0x40100000\n"
		      "(qpu 0) dis 40100000 0\n"
		      "(qpu 0) dis 40100000 2\n"
		      "no memory at 0x40100000\n"),
	   "disassemble shows code with its source lines");
}

static void
test_help(void)
{
	static const char *const parts[] = {
		"(qpu 0) help\nbreak [FILE:]LINE | LABEL | *ADDR [if A == B]\n",
		"\n\tstop there; alone: list the breakpoints\n",
		"\ncontinue\n\trun on\n",
		"\nwhere\n\twhere each QPU is, and what it waits for\n",
	};
	struct session session;
	bool good = true;
	unsigned n = 0;

	session_open(&session, &in_turn);
	session_start(&session, "help", false);
	session_launch(&session);
	debugger_launch(&session.debugger, true);
	debugger_run(&session.debugger);
	for (const char *at = session.shown; (at = strstr(at, "\n\t")); at++)
		n++;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		good = good && strstr(session.shown, parts[i]);
	ok(good && n == 20, "help has two lines for each command");
	session_close(&session);
}

/* A source that cannot be read: the line map has the text. */
static void
test_list(void)
{
	ok(session_is(&in_turn, 1,
		      "mov r0, 1\nmov r0, 2\nmov r0, 3\n\nmov r0, 5\n"
		      "mov r0, 6\nmov r0, 7\nmov r0, 8\nmov r0, 9" EMU_END,
		      "list 1\nlist 0\ns\ns\nlist 1\nlist 2\nlist\n",
		      "QPU 0 at 40001000  mov r0, 1  # test:1\n"
		      "(qpu 0) list 1\n"
		      "->     1  mov r0, 1\n"
		      "       2  mov r0, 2\n"
		      "(qpu 0) list 0\n"
		      "->     1  mov r0, 1\n"
		      "(qpu 0) s\n"
		      "QPU 0 at 40001008  mov r0, 2  # test:2\n"
		      "(qpu 0) s\n"
		      "QPU 0 at 40001010  mov r0, 3  # test:3\n"
		      "(qpu 0) list 1\n"
		      "       2  mov r0, 2\n"
		      "->     3  mov r0, 3\n"
		      "(qpu 0) list 2\n"
		      "       1  mov r0, 1\n"
		      "       2  mov r0, 2\n"
		      "->     3  mov r0, 3\n"
		      "       5  mov r0, 5\n"
		      "(qpu 0) list\n"
		      "       1  mov r0, 1\n"
		      "       2  mov r0, 2\n"
		      "->     3  mov r0, 3\n"
		      "       5  mov r0, 5\n"
		      "       6  mov r0, 6\n"
		      "       7  mov r0, 7\n"
		      "       8  mov r0, 8\n"),
	   "list shows lines before and behind the next instruction");
	ok(session_is(&in_turn, 1, "brr -, 64\nnop\nnop\nnop\n", "s 4\nlist\n",
		      "QPU 0 at 40001000  brr -, 64  # test:1\n"
		      "(qpu 0) s 4\n"
		      "QPU 0 at 40001060  read ra0; read rb0; bkpt\n"
		      "(qpu 0) list\n"
		      "no source line is known for 40001060\n"),
	   "list says where no source line is known");
}

int
main(void)
{
	test_values();
	test_registers();
	test_memory();
	test_vpm();
	test_flags();
	test_setups();
	test_uniforms();
	test_shared();
	test_code();
	test_list();
	test_help();
	return tap_done();
}
