/* SPDX-License-Identifier: MIT */
/*
 * How many million instructions a second the emulator executes on one core,
 * functional and with the cycle model: a loop of arithmetic, and one of
 * memory lookups and VPM accesses.
 */
#include "config.h"

#include <time.h>

#include "tests/emulator/emu.h"

static const char arithmetic[] =
	"mov r0, elem_num\nmov r1, 1\nmov ra1, r0\nmov rb1, r0\n"
	"mov r2, r0\nmov r3, r0\nldi ra31, 100000000\nnop\n"
	":loop\n"
	"ror r2, r0, 7; v8adds r3, r1, ra1\n"
	"xor r0, r2, rb1; v8min rb1, r3, r3\n"
	"add r1, r1, r2; mul24 ra1, r0, r3\n"
	"and r2, r1, r3; v8subs r3, r0, r2\n"
	"ror r0, r2, 11; v8adds r1, r1, r3\n"
	"add ra2, r0, r1; mov rb2, r2\n"
	"sub.setf ra31, ra31, 1\n"
	"xor r3, r3, r0; mov.ifnz rb3, r1\n"
	"brr.anynz -, :loop\n"
	"add r0, ra2, rb2; v8min r1, r1, r2\n"
	"shr r2, r2, 3; v8max ra4, r3, r0\n"
	"or r3, r3, r2; mov rb4, r1\n";

static const char memory[] =
	"mov r0, elem_num\nshl r0, r0, 6\nmov r1, unif\nadd ra1, r0, r1\n"
	"mov t0s, ra1\nldi vw_setup, 0x1a00\nldi ra31, 100000000\n"
	":loop\n"
	"mov t0s, ra1\n"
	"add r2, r2, r1; ldtmu0\n"
	"mov vpm, r4\n"
	"ldi vr_setup, 0x201a00\n"
	"sub.setf ra31, ra31, 1\n"
	"xor r3, r3, r4\n"
	"nop\n"
	"add r3, r3, vpm\n"
	"brr.anynz -, :loop\n"
	"add r3, r3, vpm\n"
	"ldi vw_setup, 0x1a00\n"
	"nop\n";

static double
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double
rate_of(const char *text, bool timed)
{
	const struct machine_options options = { .timed = timed };
	const uint32_t uniforms[] = { EMU_BASE + EMU_DATA };
	struct emu emu = emu_open(&options);
	const uint32_t code = emu_assemble(&emu, text);
	uint64_t before;
	double start, end;

	for (unsigned i = 0; i < MACHINE_QPUS; i++)
		emu_program(&emu, code, uniforms, 1);
	machine_launch(emu.machine, emu.programs, emu.nprograms, &emu.why);
	machine_run(emu.machine, 1000000, 0, &emu.why);
	before = machine_instructions(emu.machine);
	start = seconds();
	do {
		if (machine_run(emu.machine, 1000000, 0, &emu.why) !=
		    MACHINE_LIMIT) {
			printf("%s\n", emu.why.text);
			exit(1);
		}
		end = seconds();
	} while (end - start < 1);
	before = machine_instructions(emu.machine) - before;
	emu_close(&emu);
	return (double)before / (end - start) / 1e6;
}

int
main(void)
{
	printf("million 16-lane instructions a second, 12 QPUs, one core\n"
	       "                functional     timed\n");
	printf("arithmetic      %10.1f%10.1f\n", rate_of(arithmetic, false),
	       rate_of(arithmetic, true));
	printf("TMU and VPM     %10.1f%10.1f\n", rate_of(memory, false),
	       rate_of(memory, true));
	return 0;
}
