/* SPDX-License-Identifier: MIT */
/*
 * Promise: programs on a virtual board start, end, hang and see memory as on a
 * real one, and each launch is counted.
 */
#include "config.h"

#include "qpu/virtual/board/gpu.h"
#include "qpu/virtual/board/memory.h"

#include "qpu/virtual/board/buffer.h"
#include "qpu/virtual/board/firmware.h"
#include "tests/virtual/made-launch.h"

enum { SRQPC = 0x430, SRQUA = 0x434, SRQCS = 0x43c };

static struct board_options options = { .device = { .qpus = 12, .mem_mib = 32 },
					.v3d_mhz = 250,
					.cma_mib = 8,
					.kernel_ms = 2 };

/* Delays are noted, not waited for. */
static struct timespec slept;

int
nanosleep(const struct timespec *time, struct timespec *rest)
{
	(void)rest;
	slept = *time;
	return 0;
}

static void
restart(void)
{
	while (board.shared->enabled > 0)
		gpu_enable(&board, false);
	gpu_enable(&board, true);
}

static void
test_refusals(void)
{
	const uint64_t *launches = &board.shared->totals.launches;

	ok(launch(ENDS, 1, 1) == GPU_FAILED && *launches == 0,
	   "without power nothing starts");
	is(made_says(),
	   "qpuemu: programs were to be started, but the QPUs are not "
	   "enabled\n",
	   "which is said");
	gpu_enable(&board, true);
	ok(launch(ENDS, 0, 1) == GPU_FAILED && *launches == 0,
	   "no program is too few");
	is(made_says(), "qpuemu: 0 programs were to be started on 12 QPUs\n",
	   "which is said");
	ok(launch(ENDS, 13, 1) == GPU_FAILED && *launches == 0,
	   "13 are too many");
	is(made_says(), "qpuemu: 13 programs were to be started on 12 QPUs\n",
	   "which is said, too");
	ok(gpu_execute(&board, 1, bus + MEMORY_BYTES, 1) == GPU_FAILED &&
		   *launches == 1,
	   "the list of programs is in memory");
	is(made_says(),
	   "qpuemu: the control block at 0xde001000 is not in locked memory\n",
	   "or is missed");
	memcpy(memory + MEMORY_BYTES - 8, memory + CONTROL, 8);
	ok(gpu_execute(&board, 1, bus + MEMORY_BYTES - 8, 1) == GPU_OK,
	   "it may end where memory does");
	ok(gpu_execute(&board, 2, bus + MEMORY_BYTES - 8, 1) == GPU_FAILED,
	   "but not behind");
}

static void
test_ends(void)
{
	const struct board_totals *totals = &board.shared->totals;
	struct board_totals before = *totals;
	uint32_t message[10] = { 40, 0, 0x30011, 16, 0, 0, 0, 0, 1 };

	board.shared->last_run_ns = 0;
	ok(launch(ENDS, 1, 1) == GPU_OK, "a program ends with an interrupt");
	is(made_says(), "", "without a word");
	ok(totals->launches == before.launches + 1 &&
		   totals->instructions == before.instructions + 4 &&
		   totals->counters[16] - before.counters[16] == 16,
	   "what it has done is counted");
	ok(gpu_was_busy(&board), "the QPUs were busy a moment ago");
	before = *totals;
	ok(launch(ENDS, 12, 1) == GPU_OK &&
		   totals->instructions == before.instructions + 48,
	   "twelve do it at once");
	load(ENDS, 0, 0);
	message[5] = 1;
	message[6] = bus + CONTROL;
	ok(firmware_answer(&board, message, 10) == 0 &&
		   message[1] == 0x80000000 && message[5] == 0,
	   "a message is answered well, too");
	ok(launch(SILENT, 1, 2) == GPU_FAILED && !board.shared->hung,
	   "without the interrupt nobody hears of it");
	is(made_says(),
	   "qpuemu: the programs ended without a host interrupt, so the call "
	   "ends by its timeout\n",
	   "which is said");
	ok(launch(SILENT, 1, 3) == GPU_LATE,
	   "and the kernel waits no longer than it does");
	ok(launch(STORES, 1, 1) == GPU_OK && result_word(0) == 7 &&
		   result_word(15) == 7 && result_word(16) == 0,
	   "results are in memory");
}

static void
test_hangs(void)
{
	const struct board_totals *totals = &board.shared->totals;
	struct board_totals before = *totals;

	ok(launch(LOOPS, 1, 1) == GPU_FAILED && board.shared->hung &&
		   totals->instructions == before.instructions + 62500,
	   "a program without end is stopped after its time");
	is(made_says(),
	   "qpuemu: the programs did not end within 1 ms (modelled)\n",
	   "which is said");
	before = *totals;
	ok(launch(ENDS, 1, 1) == GPU_FAILED &&
		   totals->launches == before.launches,
	   "after that nothing starts");
	is(made_says(), "", "which is not said again");
	restart();
	ok(!board.shared->hung, "until the power was off");
	before = *totals;
	ok(launch(LOOPS, 2, 3) == GPU_LATE &&
		   totals->instructions == before.instructions + 250000,
	   "two of them have the kernel's time");
	is(made_says(),
	   "qpuemu: the programs did not end within 2 ms (modelled)\n",
	   "that is said");
	restart();
	ok(launch(WAITS, 1, 1) == GPU_FAILED && board.shared->hung,
	   "one that waits for ever hangs");
	is(made_says(),
	   "qpuemu: deadlock: QPU 0 at 0xde000000 waits for semaphore\n",
	   "and it is said for what");
	restart();
	load(STORES, 7, bus + MEMORY_BYTES);
	ok(gpu_execute(&board, 1, bus + CONTROL, 1) == GPU_FAILED &&
		   board.shared->hung,
	   "one that stores beyond its memory hangs");
	is(made_says(),
	   "qpuemu: QPU 0 at 0xde000028: DMA store (VDW) at 0xde001000 is "
	   "outside memory\n",
	   "which is said");
	restart();
}

static void
test_unlocked(void)
{
	const uint32_t other = pool_allocate(&board, 64, 16, 4);
	const uint32_t place = pool_lock(&board, other);

	load(STORES, 9, place);
	ok(gpu_execute(&board, 1, bus + CONTROL, 1) == GPU_OK,
	   "locked memory can be written");
	pool_unlock(&board, other);
	ok(gpu_execute(&board, 1, bus + CONTROL, 1) == GPU_FAILED,
	   "unlocked memory cannot");
	restart();
	pool_lock(&board, other);
	ok(gpu_execute(&board, 1, bus + CONTROL, 1) == GPU_OK,
	   "until it is locked again");
	pool_unlock(&board, other);
	pool_release(&board, other);
}

static void
test_buffers(void)
{
	struct vcsm_allocate request = { .size = 100, .num = 1 };
	uint32_t word = 0;

	if (buffer_allocate(&board, &request) != 0)
		exit(99);
	load(STORES, 5, (uint32_t)request.dma_addr);
	ok(gpu_execute(&board, 1, bus + CONTROL, 1) == GPU_OK &&
		   pread(request.handle, &word, 4, 60) == 4 && word == 5,
	   "memory of the kernel is there, too");
	gpu_execute(&board, 1, bus + MEMORY_BYTES, 1);
	close(request.handle);
	ok(!buffer_collect(&board), "and nobody keeps it");
	ok(gpu_execute(&board, 1, bus + CONTROL, 1) == GPU_FAILED,
	   "then it is gone");
	restart();
}

static void
test_delays(void)
{
	struct board_options *now = &board.shared->options;

	now->kernel_ms = 3000;
	now->delay_ms = 1500;
	ok(launch(ENDS, 1, 1) == GPU_OK && slept.tv_sec == 1 &&
		   slept.tv_nsec == 500000000,
	   "an answer may take its time");
	now->delay_ms = 3000;
	ok(launch(ENDS, 1, 1) == GPU_LATE && slept.tv_sec == 3 &&
		   slept.tv_nsec == 0,
	   "but less than the kernel's");
	now->delay_ms = 0;
	slept.tv_sec = 77;
	ok(launch(ENDS, 1, 1) == GPU_OK && slept.tv_sec == 77,
	   "without a delay nobody waits");
	now->kernel_ms = 0;
	ok(launch(SILENT, 1, 1000) == GPU_FAILED &&
		   launch(SILENT, 1, 1001) == GPU_LATE,
	   "a system has a time of its own");
	now->kernel_ms = 2;
}

static void
test_faults(void)
{
	struct emulated_options *device = &board.shared->options.device;
	const struct board_totals *totals = &board.shared->totals;
	struct board_totals before = *totals;
	unsigned wrong = 0;

	device->fault_at = totals->launches + 2;
	device->fault = DEVICE_REFUSES;
	ok(launch(ENDS, 1, 1) == GPU_OK && launch(ENDS, 1, 1) == GPU_FAILED &&
		   totals->instructions == before.instructions + 4 &&
		   totals->launches == before.launches + 2 &&
		   launch(ENDS, 1, 1) == GPU_OK,
	   "the chosen launch is refused");
	device->fault_at = totals->launches + 1;
	device->fault = DEVICE_STUCK_QPU;
	before = *totals;
	ok(launch(ENDS, 2, 1) == GPU_FAILED && board.shared->hung &&
		   totals->instructions == before.instructions + 4,
	   "or one of its QPUs does not start");
	is(made_says(), "", "without a word");
	restart();
	device->fault_at = totals->launches + 1;
	before = *totals;
	ok(launch(ENDS, 1, 3) == GPU_LATE && board.shared->hung &&
		   totals->instructions == before.instructions,
	   "or the only one");
	is(made_says(), "", "without a word, too");
	restart();
	device->fault_at = totals->launches + 1;
	device->fault = DEVICE_WRONG_LANE;
	device->seed = 3;
	ok(launch(STORES, 1, 1) == GPU_OK, "or a lane is wrong");
	for (unsigned i = 0; i < 16; i++)
		wrong += result_word(i) != 7;
	ok(wrong == 1 && result_word(12) == 6, "the chosen one, by a bit");
	ok(launch(STORES, 1, 1) == GPU_OK && result_word(12) == 7,
	   "and only once");
	device->fault_at = totals->launches + 1;
	device->seed = 15;
	ok(launch(STORES, 1, 1) == GPU_OK && result_word(0) == 6,
	   "the first is the last that can be wrong");
	device->fault_at = totals->launches + 1;
	device->seed = 16;
	launch(STORES, 1, 1);
	for (unsigned i = 0; i < 16; i++)
		wrong += result_word(i) != 7;
	ok(wrong == 1, "words that have not changed are never");
	device->fault = DEVICE_NO_FAULT;
}

static void
answers(enum board_enable how, const char *expected, const char *name)
{
	const bool order[] = { true, true, true, false, false, false, false };
	char text[16] = "";

	while (board.shared->enabled > 0)
		gpu_enable(&board, false);
	board.shared->options.enable = how;
	for (unsigned i = 0; i < 7; i++) {
		const uint32_t answer = gpu_enable(&board, order[i]);

		text[2 * i] = answer == 0	   ? '0' :
			      answer == 0x80000000 ? 'x' :
						     '?';
		text[2 * i + 1] = (char)('0' + board.shared->enabled);
	}
	is(text, expected, "%s", name);
	board.shared->options.enable = BOARD_ENABLE_ALL;
}

static void
test_enables(void)
{
	struct board_options *now = &board.shared->options;
	uint32_t resets;

	answers(BOARD_ENABLE_ALL, "01020302010000", "enables are counted");
	answers(BOARD_ENABLE_ENDS, "01x2x3x2x10000",
		"or only the first and last are answered well");
	answers(BOARD_ENABLE_SINGLE, "01010100000000", "or they are not");
	resets = board.shared->resets;
	gpu_enable(&board, false);
	ok(board.shared->resets == resets, "what is off cannot be reset");
	now->refuse_enable = 2;
	ok(gpu_enable(&board, true) == 0 &&
		   gpu_enable(&board, true) == 0x80000000 &&
		   gpu_enable(&board, true) == 0x80000000 &&
		   board.shared->enabled == 1,
	   "from the chosen one on they are refused");
	gpu_enable(&board, false);
	ok(board.shared->resets == resets + 1, "the last one resets");
	now->refuse_enable = 0;
	now->kms = true;
	ok(gpu_enable(&board, true) == 0x80000000,
	   "the kernel's driver does not share");
	now->kms = false;
	now->device.mem_mib = 16;
	ok(gpu_enable(&board, true) == 0x80000000,
	   "a small firmware has no QPUs");
	now->device.mem_mib = 17;
	ok(gpu_enable(&board, true) == 0, "the next one has");
	now->device.mem_mib = 32;
	gpu_enable(&board, false);
	board.soc = profile_soc(profile_of_name("pi4"));
	ok(gpu_enable(&board, true) == 0x80000000, "other chips have none");
	board.soc = NULL;
	ok(gpu_enable(&board, true) == 0x80000000, "nor has a PC");
	board.soc = profile_soc(board.profile);
}

static void
start(const char *text)
{
	load(text, 7, bus + RESULT);
	gpu_write(&board, SRQUA, bus + UNIFORMS);
	gpu_write(&board, SRQPC, bus);
}

static void
test_registers(void)
{
	struct emulated_options *device = &board.shared->options.device;
	const struct board_totals *totals = &board.shared->totals;
	struct board_totals before = *totals;
	uint32_t ended;

	while (board.shared->enabled > 0)
		gpu_enable(&board, false);
	start(ENDS);
	ok(gpu_read(&board, SRQCS) == 0xdeadbeef &&
		   totals->launches == before.launches,
	   "registers without power do nothing");
	gpu_enable(&board, true);
	ended = gpu_read(&board, SRQCS);
	start(ENDS);
	ok(gpu_read(&board, SRQCS) - ended == 0x00010100 &&
		   totals->instructions == before.instructions + 4 &&
		   totals->launches == before.launches + 1,
	   "a program is started by registers");
	before = *totals;
	start(LOOPS);
	start(LOOPS);
	ok(totals->launches == before.launches + 1,
	   "two that run at once are one launch");
	gpu_read(&board, SRQCS);
	ok(totals->instructions - before.instructions == 1 << 18,
	   "each look lets them go on");
	restart();
	before = *totals;
	gpu_read(&board, SRQCS);
	ok(totals->instructions == before.instructions,
	   "without power in between they are gone");
	device->fault = DEVICE_STUCK_QPU;
	device->fault_at = totals->launches + 1;
	start(ENDS);
	gpu_read(&board, SRQCS);
	ok(totals->instructions == before.instructions,
	   "a QPU may be stuck here, too");
	restart();
	device->fault = DEVICE_WRONG_LANE;
	device->fault_at = totals->launches + 1;
	device->seed = 0;
	start(STORES);
	gpu_read(&board, SRQCS);
	ok(result_word(15) == 6 && result_word(14) == 7, "or a lane wrong");
	device->fault = DEVICE_NO_FAULT;
	made_says();
	start(WAITS);
	gpu_read(&board, SRQCS);
	ok(board.shared->hung, "or hang");
	restart();
}

int
main(void)
{
	if (!made_launch_begin(&options))
		return tap_done();
	test_refusals();
	test_ends();
	test_hangs();
	test_unlocked();
	test_buffers();
	test_delays();
	test_faults();
	test_enables();
	test_registers();
	return made_end();
}
