/* SPDX-License-Identifier: MIT */
/*
 * Semaphores, mutex and host interrupt (sections 3.11 to 3.13), in functional,
 * checking and timed mode.
 */
#include "config.h"

#include "tests/emulator/emu.h"

static struct machine_options
mode(unsigned n)
{
	return (struct machine_options){
		.check = n == 1,
		.timed = n == 2,
		.seed = 3,
	};
}

static const char *const mode_names[] = { "functional", "checking", "timed" };

static void
test_barrier(unsigned n)
{
	/* Workers report to semaphore 0, the master lets them go by 1. */
	static const char worker[] = "srel -, 0\nsacq -, 1" EMU_END;
	static const char master[] =
		"sacq -, 0\nsacq -, 0\nsacq -, 0\n"
		"srel -, 1\nsrel -, 1\nsrel -, 1\nmov irq, 1" EMU_END;
	const struct machine_options options = mode(n);
	struct emu emu = emu_open(&options);
	const uint32_t work = emu_assemble(&emu, worker);

	emu_program(&emu, emu_assemble(&emu, master), NULL, 0);
	for (unsigned i = 0; i < 3; i++)
		emu_program(&emu, work, NULL, 0);
	ok(emu_go(&emu, 10000) == MACHINE_DONE &&
		   machine_semaphore(emu.machine, 0) == 0 &&
		   machine_semaphore(emu.machine, 1) == 0,
	   "four programs meet at two semaphores (%s)", mode_names[n]);
	emu_close(&emu);
}

static void
test_full(unsigned n)
{
	const struct machine_options options = mode(n);
	struct emu emu = emu_open(&options);
	char text[512] = "";

	for (unsigned i = 0; i < 16; i++)
		strcat(text, "srel -, 5\n");
	strcat(text, EMU_END);
	emu_program(&emu, emu_assemble(&emu, text), NULL, 0);
	ok(emu_go(&emu, 10000) == MACHINE_DEADLOCK &&
		   machine_semaphore(emu.machine, 5) == 15 &&
		   strstr(emu.why.text, "semaphore"),
	   "a semaphore stalls at 15 (%s)", mode_names[n]);
	emu_close(&emu);
}

static void
test_empty(unsigned n)
{
	const struct machine_options options = mode(n);
	struct emu emu = emu_run(&options, "sacq -, 2" EMU_END, NULL, 0);

	ok(emu.status == MACHINE_DEADLOCK && strstr(emu.why.text, "QPU") &&
		   strstr(emu.why.text, "semaphore"),
	   "a semaphore that is 0 cannot be taken (%s)", mode_names[n]);
	emu_close(&emu);
}

/* Twelve programs add to one word in memory, guarded by the mutex. */
static const char counting[] =
	"mov ra1, unif\nmov ra2, 10\n"
	":loop\nmov -, mutex\n"
	"ldi vr_setup, 0x81111000\nmov vr_addr, ra1\nmov -, vr_wait\n"
	"ldi vr_setup, 0x00101a00\nnop\nnop\nnop\nmov r0, vpm\n"
	"add r0, r0, 1\n"
	"ldi vw_setup, 0xa00\nmov vpm, r0\nldi vw_setup, 0xc0000000\n"
	"ldi vw_setup, 0x80814000\nmov vw_addr, ra1\nmov -, vw_wait\n"
	"mov mutex, 0\n"
	"sub.setf ra2, ra2, 1\nbrr.anynz -, :loop\nnop\nnop\nnop" EMU_END;

static void
test_mutex(unsigned n)
{
	const struct machine_options options = mode(n);
	const uint32_t uniforms[] = { EMU_BASE + EMU_DATA };
	struct emu emu = emu_open(&options);
	const uint32_t code = emu_assemble(&emu, counting);

	for (unsigned i = 0; i < MACHINE_QPUS; i++)
		emu_program(&emu, code, uniforms, 1);
	ok(emu_go(&emu, 1000000) == MACHINE_DONE &&
		   emu_words(&emu, EMU_DATA)[0] == 120,
	   "12 programs count under the mutex (%s)", mode_names[n]);
	ok(emu.nfindings == 0, "without a hazard");
	emu_close(&emu);
}

static void
test_mutex_twice(unsigned n)
{
	const struct machine_options options = mode(n);
	struct emu emu = emu_run(
		&options, "mov r0, mutex\nmov r1, mutex" EMU_END, NULL, 0);

	ok(emu.status == MACHINE_DEADLOCK && strstr(emu.why.text, "mutex"),
	   "taking the mutex twice never ends (%s)", mode_names[n]);
	emu_close(&emu);
}

static void
test_mutex_value(void)
{
	struct emu emu = emu_run(
		NULL, "mov r0, mutex\nmov mutex, 0\nmov r1, elem_num" EMU_END,
		NULL, 0);

	ok(emu_lanes_are(emu_r(&emu, 0), emu_r(&emu, 1)) ||
		   emu_all(emu_r(&emu, 0), 0),
	   "reading the mutex yields the element or QPU number");
	emu_close(&emu);
}

static void
test_interrupt(void)
{
	const uint32_t uniforms[][1] = { { 0 }, { 1 }, { 0 }, { 5 } };
	struct emu emu = emu_open(NULL);
	const uint32_t code = emu_assemble(&emu, "mov irq, unif" EMU_END);

	for (unsigned i = 0; i < 4; i++)
		emu_program(&emu, code, uniforms[i], 1);
	emu_go(&emu, 1000);
	ok(machine_interrupts(emu.machine) == 0xa &&
		   machine_read(emu.machine, 0xe30) == 0xa,
	   "the interrupt is raised by values that are not 0");
	machine_write(emu.machine, 0xe30, 2);
	ok(machine_read(emu.machine, 0xe30) == 8,
	   "DBQITC is cleared by writing ones");
	emu_close(&emu);
	emu = emu_run(NULL, "mov.setf -, 1\nmov.ifz irq, 1" EMU_END, NULL, 0);
	ok(machine_interrupts(emu.machine) == 0,
	   "the write obeys its condition");
	emu_close(&emu);
}

int
main(void)
{
	for (unsigned n = 0; n < 3; n++) {
		test_barrier(n);
		test_full(n);
		test_empty(n);
		test_mutex(n);
		test_mutex_twice(n);
	}
	test_mutex_value();
	test_interrupt();
	return tap_done();
}
