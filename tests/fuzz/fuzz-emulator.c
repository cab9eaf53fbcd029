/* SPDX-License-Identifier: MIT */
/*
 * Promise: no program can harm the emulator or reach memory that it was not
 * given, in any mode; a run ends within its limit.
 *
 * The input is memory, then three bytes: the first chooses modes, the next one
 * the number of programs, the last one the instruction where the last of them
 * begins.
 */
#include "config.h"

#include "qpu/emulator/emulator.h"
#include "qpu/isa/rules.h"
#include "tests/fuzz/fuzz.h"

enum {
	BASE = 0x40000000,
	BYTES = 16 << 10,
	UNIFORMS = BYTES / 2,
	TRAILER = 3,
	LIMIT = 2000
};

static void
count_finding(void *context, const struct qpu_message *message)
{
	const unsigned rule = qpu_rule_number_of(message->rule);

	if (message->severity == QPU_SEVERITY_NOTE)
		return;
	FUZZ_HOLDS(rule > 0 && rule < QPU_RULES);
	FUZZ_HOLDS(qpu_rules[rule].seen && message->text);
	++*(unsigned *)context;
}

/* Uniforms are addresses around the memory. */
static void
fill(uint8_t *memory, const uint8_t *data, size_t len)
{
	for (uint32_t i = 0; i < BYTES; i += 4) {
		const uint32_t address = BASE + i * 5 % (BYTES + 64);

		memcpy(memory + i, &address, sizeof(address));
	}
	memcpy(memory, data, len < BYTES ? len : BYTES);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct machine_program programs[MACHINE_QPUS];
	struct machine_options options = { 0 };
	struct machine *machine;
	unsigned findings = 0;
	uint8_t *memory, modes;
	unsigned n;

	if (len < TRAILER + 8)
		return -1;
	len -= TRAILER;
	modes = data[len];
	options.timed = modes & 1;
	options.check = modes & 2;
	options.profile = modes & 4;
	options.simd = modes & 8 ? MACHINE_SIMD_PORTABLE : MACHINE_SIMD_BEST;
	options.seed = modes;
	n = data[len + 1] % MACHINE_QPUS + 1;
	memory = malloc(BYTES);
	machine = machine_create(&options, NULL);
	FUZZ_HOLDS(memory && machine);
	fill(memory, data, len);
	machine_add_memory(machine, BASE, memory, BYTES, NULL);
	machine_on_message(machine, count_finding, &findings);
	for (unsigned i = 0; i < n; i++)
		programs[i] = (struct machine_program){
			.code = BASE + (i + 1 == n ? data[len + 2] * 8 : 0),
			.uniforms = BASE + UNIFORMS + 256 * i
		};
	if (machine_launch(machine, programs, n, NULL))
		machine_run(machine, LIMIT, 0, NULL);
	machine_destroy(machine);
	free(memory);
	return 0;
}
