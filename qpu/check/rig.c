/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/rig.h"

#include <string.h>

#include "qpu/asm/asm.h"
#include "qpu/check/beside.h"
#include "qpu/ways/emulated.h"
#include "qpu/ways/vcio.h"

/* Devices, with the options that are meant if none are given. */
static const struct {
	const struct qpu_device *device;
	const char *options;
} devices[] = { { &device_emu, "" },
		{ &device_vcio, "counters,short" },
		{ &device_beside, "" } };

static const char by_registers[] = "launches by registers";

/* Find the device, and its options after the colon. */
static const struct qpu_device *
find_device(const char *words, const char **options)
{
	const size_t len = strcspn(words, ":");

	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++) {
		const char *name = devices[i].device->name;

		*options = words[len] ? words + len + 1 : devices[i].options;
		if (strlen(name) == len && memcmp(name, words, len) == 0)
			return devices[i].device;
	}
	return NULL;
}

bool
rig_open(struct rig *rig, const char *words, struct diag *why)
{
	const char *options;

	*rig = (struct rig){ .device = find_device(words, &options) };
	if (!rig->device) {
		diag_set(why, "there is no device '%s'", words);
		return false;
	}
	if (!rig->device->probe(why))
		return false;
	rig->handle = rig->device->open(options, &rig->qpus, why);
	if (!rig->handle)
		return false;
	if (rig->device->alloc(rig->handle, RIG_BYTES, &rig->memory, why))
		return true;
	rig_close(rig);
	return false;
}

void
rig_close(struct rig *rig)
{
	if (rig->handle)
		rig->device->close(rig->handle);
	rig->handle = NULL;
}

bool
rig_renew(struct rig *rig, size_t bytes, struct diag *why)
{
	struct device_memory memory;

	if (!rig->device->alloc(rig->handle, bytes, &memory, why))
		return false;
	rig->memory = memory;
	rig->used_bytes = 0;
	return true;
}

uint64_t
rig_counter(struct rig *rig, const char *name)
{
	struct device_totals totals;

	rig->device->totals(rig->handle, &totals);
	for (unsigned i = 0; i < totals.ncounters; i++)
		if (strcmp(totals.counters[i].name, name) == 0)
			return totals.counters[i].value;
	return 0;
}

bool
rig_take(struct rig *rig, size_t bytes, struct rig_piece *piece,
	 struct diag *why)
{
	bytes = (bytes + RIG_LINE - 1) / RIG_LINE * RIG_LINE;
	if (bytes > rig->memory.bytes - rig->used_bytes) {
		diag_set(why, "the memory of the experiments is used up");
		return false;
	}
	piece->cpu = (uint32_t *)rig->memory.cpu + rig->used_bytes / 4;
	piece->bus = rig->memory.bus + (uint32_t)rig->used_bytes;
	for (size_t i = 0; i < bytes / 4; i++)
		piece->cpu[i] = 0;
	rig->used_bytes += bytes;
	return true;
}

void
rig_write(const struct rig_piece *piece, unsigned at, const uint32_t *words,
	  unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		piece->cpu[at + i] = words[i];
}

void
rig_read(const struct rig_piece *piece, uint32_t *words, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		words[i] = piece->cpu[i];
}

bool
rig_data(struct rig *rig, struct rig_piece *data, struct diag *why)
{
	if (!rig->data.cpu && !rig_take(rig, RIG_DATA_BYTES, &rig->data, why))
		return false;
	*data = rig->data;
	return true;
}

bool
rig_assemble(struct rig *rig, const char *text, uint32_t *code,
	     struct diag *why)
{
	struct qpu_asm_program program;
	struct rig_piece piece;
	bool good = false;

	if (!qpu_asm_text("experiment", text, strlen(text), NULL, &program)) {
		*why = program.ndiagnostics > 0 ?
			       program.diagnostics[0].diag :
			       (struct diag){ .text = "does not assemble" };
	} else if (rig_take(rig, program.nwords * 8, &piece, why)) {
		for (size_t i = 0; i < program.nwords; i++) {
			piece.cpu[2 * i] = (uint32_t)program.words[i].word;
			piece.cpu[2 * i + 1] =
				(uint32_t)(program.words[i].word >> 32);
		}
		*code = piece.bus;
		good = true;
	}
	qpu_asm_free(&program);
	return good;
}

/* Only the real device has two ways to start programs. */
static void
note_way(struct rig *rig, uint64_t before, struct diag *why)
{
	const bool direct = rig_counter(rig, by_registers) > before;
	const struct diag said = *why;

	rig->way = direct ? "registers" : "mailbox";
	rig->silent = rig_counter(rig, "requests without an answer") > 0;
	if (rig->broken)
		diag_set(why, "by %s: %s", rig->way, said.text);
	else if (direct)
		rig->has_registers = true;
}

bool
rig_went_by_registers(const struct rig *rig)
{
	return rig->way && strcmp(rig->way, "registers") == 0;
}

bool
rig_run(struct rig *rig, const struct device_program *programs, unsigned n,
	double expected_ms, struct diag *why)
{
	uint64_t before;

	if (rig->broken) {
		diag_set(why, "an earlier launch failed");
		return false;
	}
	before = rig_counter(rig, by_registers);
	if (rig->device->publish)
		rig->device->publish(rig->handle, &rig->memory);
	rig->broken = rig->device->run(rig->handle, programs, n, expected_ms,
				       RIG_TIMEOUT_MS, why) != DEVICE_OK;
	if (rig->device == &device_vcio)
		note_way(rig, before, why);
	if (rig->device == &device_beside)
		rig->way = "registers";
	return !rig->broken;
}
