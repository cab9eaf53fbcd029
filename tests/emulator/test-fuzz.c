/* SPDX-License-Identifier: MIT */
/*
 * No program can crash or corrupt the emulator: random words, random words
 * that are valid instructions, in all modes; guard bytes around memory.
 */
#include "config.h"

#include "tests/emulator/emu.h"

enum { PROGRAMS = 400, WORDS = 256, LIMIT = 3000, GUARD = 4096 };

static uint64_t random_state = 88172645463325252u;

static uint64_t
random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Registers, ports that work, seldom anything else. */
static uint8_t
random_write(void)
{
	static const uint8_t ports[] = {
		QPU_W_R0,    QPU_W_R1,	QPU_W_R2,	 QPU_W_R3,    QPU_W_R5,
		QPU_W_NOP,   QPU_W_VPM, QPU_W_VPM_SETUP, QPU_W_RECIP, QPU_W_LOG,
		QPU_W_TMURS, QPU_W_IRQ, QPU_W_MUTEX,
	};

	if (random_word() % 64 == 0)
		return random_word() % 64;
	return random_word() % 3 ? random_word() % 32 :
				   ports[random_word() % sizeof(ports)];
}

static uint8_t
random_read(void)
{
	static const uint8_t ports[] = {
		QPU_R_UNIF,	QPU_R_NUMBER,	QPU_R_NOP,
		QPU_R_VPM_BUSY, QPU_R_VPM_WAIT,
	};

	if (random_word() % 64 == 0)
		return random_word() % 64;
	return random_word() % 3 ? random_word() % 32 :
				   ports[random_word() % sizeof(ports)];
}

/* Mostly valid, and with sane signals, so that runs get somewhere. */
static uint64_t
random_instruction(void)
{
	static const uint8_t signals[] = { 1, 1, 1, 1, 1, 13, 13, 14, 14, 15 };
	struct qpu_inst inst;

	for (;;) {
		uint64_t word = random_word();

		if (random_word() % 8)
			word = (word & ~(UINT64_C(15) << 60)) |
			       (uint64_t)signals[random_word() % 10] << 60;
		if (!qpu_unpack(word, &inst))
			continue;
		inst.waddr_add = random_write();
		inst.waddr_mul = random_write();
		if (inst.kind == QPU_KIND_ALU || inst.kind == QPU_KIND_SMALL)
			inst.raddr_a = random_read();
		if (inst.kind == QPU_KIND_ALU)
			inst.raddr_b = random_read();
		/* Semaphores lock up soon. */
		if (inst.kind == QPU_KIND_SEMA && random_word() % 8)
			continue;
		/* A branch somewhere near, an address in memory. */
		if (inst.kind == QPU_KIND_BRANCH && random_word() % 8) {
			inst.rel = true;
			inst.reg = false;
			inst.imm = (uint32_t)(random_word() % 64 * 8) - 256;
		} else if (inst.kind == QPU_KIND_LOAD && random_word() % 2) {
			inst.imm = EMU_BASE + random_word() % EMU_BYTES;
		}
		return qpu_pack(&inst);
	}
}

static uint8_t *
guarded_memory(void)
{
	uint8_t *bytes = malloc(EMU_BYTES + 2 * GUARD);

	if (!bytes)
		exit(99);
	memset(bytes, 0xa5, EMU_BYTES + 2 * GUARD);
	return bytes;
}

static bool
guards_hold(const uint8_t *bytes)
{
	for (size_t i = 0; i < GUARD; i++)
		if (bytes[i] != 0xa5 || bytes[GUARD + EMU_BYTES + i] != 0xa5)
			return false;
	return true;
}

static void
no_report(void *context, const struct machine_finding *finding)
{
	(void)finding;
	++*(unsigned *)context;
}

static void
no_step(void *context, const struct machine_step *step)
{
	*(uint64_t *)context += step->word;
}

/* Fill memory, start up to 12 programs in it, run a while. */
static bool
try_programs(unsigned round, uint64_t (*word)(void), unsigned counts[4])
{
	const struct machine_options options = {
		.timed = round & 1,
		.check = round & 2,
		.profile = round & 4,
		.seed = round,
	};
	uint8_t *bytes = guarded_memory();
	uint8_t *memory = bytes + GUARD;
	struct machine *machine = machine_create(&options, NULL);
	struct machine_program programs[MACHINE_QPUS];
	const unsigned n = round % 3 ? 1 : MACHINE_QPUS;
	unsigned findings = 0;
	uint64_t sum = 0;
	bool good;

	machine_add_memory(machine, EMU_BASE, memory, EMU_BYTES, NULL);
	machine_on_finding(machine, no_report, &findings);
	if (round & 8)
		machine_on_step(machine, no_step, &sum);
	for (unsigned i = 0; i < WORDS; i++)
		qpu_word_store(memory + 8 * i, word());
	for (unsigned i = 0; i < n; i++) {
		programs[i].code = EMU_BASE + 8 * (random_word() % WORDS);
		programs[i].uniforms =
			EMU_BASE + 4096 + 4 * (random_word() % 1024);
	}
	for (unsigned i = 0; i < 4096; i += 4)
		memcpy(memory + 4096 + i,
		       &(uint32_t){ EMU_BASE + random_word() % EMU_BYTES }, 4);
	good = machine_launch(machine, programs, n, NULL);
	counts[machine_run(machine, LIMIT, 0, NULL)]++;
	/* A second look at the same machine must be harmless, too. */
	machine_run(machine, 10, 0, NULL);
	machine_reset(machine);
	good = good && guards_hold(bytes);
	machine_destroy(machine);
	free(bytes);
	return good;
}

static void
test_words(const char *name, uint64_t (*word)(void))
{
	unsigned counts[4] = { 0 };
	bool good = true;

	for (unsigned round = 0; good && round < PROGRAMS; round++)
		good = try_programs(round, word, counts);
	ok(good, "%u programs of %s do no harm", PROGRAMS, name);
	tap_note("%u ended, %u reached the limit, %u locked up, %u faulted",
		 counts[0], counts[1], counts[2], counts[3]);
}

int
main(void)
{
	test_words("random words", random_word);
	test_words("random instructions", random_instruction);
	return tap_done();
}
