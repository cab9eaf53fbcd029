/* SPDX-License-Identifier: MIT */
/*
 * Promise: engines and the emulated device give back what they take, however
 * they were used and whatever went wrong.
 */
#include "config.h"

#include "cpu/engine_cpu.h"
#include "cpu/engine_reference.h"
#include "cpu/sha256.h"
#include "qpu/sha/engine_qpu.h"
#include "qpu/ways/emulated.h"
#include "qpu/ways/way.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

enum { BUFFER_BYTES = 1 << 16 };

/* Open, use as far as it works, close; false: it does not open. */
static bool
use_engine(const struct engine *engine, const char *words, unsigned steps)
{
	struct engine_limits limits = { 0 };
	struct batch batch;
	struct diag why;
	void *self = engine_open(engine, words, &limits, &why);
	uint8_t *buffer;

	if (!self)
		return false;
	buffer = engine->alloc(self, BUFFER_BYTES);
	memset(&batch, 0, sizeof(batch));
	batch_set_state(&batch, 0, sha256_initial);
	for (unsigned i = 0; buffer && i < steps; i++) {
		batch.data[0] = buffer;
		batch.nblocks[0] = 2;
		if (engine->submit(self, &batch, 1, &why) == ENGINE_OK)
			engine->wait(self, &why);
	}
	engine->free(self, buffer, BUFFER_BYTES);
	engine->close(self);
	return true;
}

static void
run_cpu(void)
{
	use_engine(&engine_cpu, "", 3);
	use_engine(&engine_cpu, "-all", 1);
	use_engine(&engine_reference, "", 1);
}

static void
refuse_cpu(void)
{
	if (use_engine(&engine_cpu, "-nonsense", 1))
		exit(99);
}

static void
run_emulator(void)
{
	use_engine(&engine_emulator, "", 0);
	use_engine(&engine_emulator, "qpus=2", 2);
	use_engine(&engine_emulator, "qpus=2,timed,check", 1);
}

/* The self-test, memory, launches and words: one after the other goes wrong. */
static void
fail_emulator(void)
{
	use_engine(&engine_emulator, "qpus=2,fault=lane@1", 1);
	use_engine(&engine_emulator, "qpus=2,fault=stuck@6", 3);
	use_engine(&engine_emulator, "qpus=2,fault=refuse@6", 3);
	use_engine(&engine_emulator, "qpus=2,fault=stale@7", 3);
	use_engine(&engine_emulator, "qpus=2,fault=lane@6", 3);
	for (unsigned at = 1; at <= 4; at++) {
		char words[32];

		snprintf(words, sizeof(words), "qpus=1,fault=alloc@%u", at);
		use_engine(&engine_emulator, words, 1);
	}
	if (use_engine(&engine_emulator, "qpus=13", 1) ||
	    use_engine(&engine_emulator, "nonsense", 1))
		exit(99);
}

/* Memory that is freed, and memory that is left to close. */
static void
use_device(void)
{
	struct device_memory memories[3];
	unsigned qpus;
	void *self = device_emu.open("mem=1", &qpus, NULL);

	if (!self)
		exit(99);
	for (unsigned i = 0; i < 3; i++)
		device_emu.alloc(self, 1 << (14 + i), &memories[i], NULL);
	device_emu.free(self, &memories[1]);
	if (device_emu.alloc(self, 1 << 20, &memories[1], NULL))
		exit(99);
	device_emu.close(self);
}

int
main(void)
{
	balance_test(run_cpu, "an engine of the CPU");
	balance_test(refuse_cpu, "an engine that does not open");
	balance_test(run_emulator, "the engine of the emulator");
	balance_test(fail_emulator, "an engine whose device fails");
	balance_test(use_device, "the emulated device");
	return tap_done();
}
