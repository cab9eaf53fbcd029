/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/questions.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/base/clock.h"

/* --- Rates of memory --------------------------------------------------------- */

/* read(2) from a file in memory costs what it costs to read a file that the
 * kernel has in its cache. */
struct own {
	void *memory;
	int file;
};

/* In MB/s. */
static double
rate(uint64_t begun_ns)
{
	const uint64_t ns = clock_ns() - begun_ns;

	return RATES_BYTES * 1e3 / (double)(ns > 0 ? ns : 1);
}

static void
print_memory(const char *name, void *memory, const struct own *own,
	     FILE *report)
{
	volatile uint32_t *words = memory;
	double stored, written, read, got;
	uint64_t begun;

	/* From now on all pages are mapped. */
	for (size_t i = 0; i < RATES_BYTES / sizeof(*words); i++)
		words[i] = 0;
	begun = clock_ns();
	for (size_t i = 0; i < RATES_BYTES / sizeof(*words); i++)
		words[i] = 0x55555555;
	stored = rate(begun);
	begun = clock_ns();
	memcpy(memory, own->memory, RATES_BYTES);
	written = rate(begun);
	begun = clock_ns();
	read = pread(own->file, memory, RATES_BYTES, 0) == RATES_BYTES ?
		       rate(begun) :
		       0;
	begun = clock_ns();
	memcpy(own->memory, memory, RATES_BYTES);
	/* The compiler must not leave out any access. */
	__asm__ volatile("" : : "r"(own->memory), "r"(memory) : "memory");
	got = rate(begun);
	fprintf(report,
		"%s: word by word %.0f MB/s, copied to %.0f MB/s, read(2) into "
		"%.0f MB/s, copied from %.0f MB/s\n",
		name, stored, written, read, got);
	settle(report);
}

void
rates_print(const char *name, void *memory, FILE *report)
{
	struct own own = { .memory = calloc(1, RATES_BYTES),
			   .file = memfd_create("rates", MFD_CLOEXEC) };
	void *plain = malloc(RATES_BYTES);

	if (own.memory && plain && own.file >= 0 &&
	    write(own.file, own.memory, RATES_BYTES) == RATES_BYTES) {
		print_memory(name, memory, &own, report);
		print_memory("Memory of its own", plain, &own, report);
	}
	if (own.file >= 0)
		close(own.file);
	free(own.memory);
	free(plain);
}

/* --- Lookups ------------------------------------------------------------------ */

enum {
	LANES = 16,
	APART = 4160, /* 4096 would be one set of a TMU's cache for all */
	ROUND_BYTES = 16,
	ROUNDS = 4096 / ROUND_BYTES, /* once through each stream */
	TRIES = 5
};

/* Rounds, the address of the first lane, then four lookups at a time, which go
 * around in 4 KiB. */
static const char text[] = "mov r0, unif\n"
			   "mov ra31, unif\n"
			   "mov r2, unif\n"
			   "ldi r0, 4160\n"
			   "mul24 r0, r0, elem_num\n"
			   "add ra1, r0, r2\n"
			   "mov r1, 0\n"
			   "ldi r3, 4095\n"
			   ":round\n"
			   ".rep i, 4\n"
			   "add t0s, ra1, r1\n"
			   "add r1, r1, 4\n"
			   "and r1, r1, r3\n"
			   ".endr\n"
			   ".rep i, 4\nldtmu0\n.endr\n"
			   "sub.setf ra31, ra31, 1\n"
			   "brr.anynz -, r:round\n"
			   "nop\nnop\nnop\n";

/* The shortest of some launches: in the first one caches are cold that no launch
 * clears, and a real device has noise. */
static bool
time_rounds(struct rig *rig, const struct rig_program *program, uint32_t rounds,
	    double *best_ms, struct diag *why)
{
	double ms;

	for (unsigned i = 0; i < TRIES; i++) {
		for (unsigned qpu = 0; qpu < program->n; qpu++)
			program->uniforms[qpu][2] = rounds;
		if (!rig_run(rig, program, &ms, why))
			return false;
		if (i == 0 || ms < *best_ms)
			*best_ms = ms;
	}
	return true;
}

/* The difference of a long run and a short one, in MB/s. */
static bool
measure(struct rig *rig, const struct device_memory *data, unsigned longer,
	double *rate, struct diag *why)
{
	struct rig_program program;
	double few_ms, many_ms;

	if (!rig_assemble(rig, text, rig->qpus, &program, why))
		return false;
	for (unsigned i = 0; i < rig->qpus; i++)
		program.uniforms[i][3] = data->bus + i * LANES * APART;
	if (!time_rounds(rig, &program, ROUNDS, &few_ms, why) ||
	    !time_rounds(rig, &program, longer * ROUNDS, &many_ms, why))
		return false;
	*rate = rig->qpus * LANES * ROUND_BYTES * (longer - 1.0) * ROUNDS /
		((many_ms - few_ms) * 1e3);
	return true;
}

static double
model_rate(void)
{
	struct device_memory data;
	struct diag why;
	struct rig model;
	double rate = 0;

	if (!rig_open(&model, "emulator:timed", &why))
		return 0;
	if (!model.device->alloc(model.handle, RATES_BYTES, &data, &why) ||
	    !measure(&model, &data, 2, &rate, &why))
		rate = 0;
	rig_close(&model);
	return rate;
}

bool
streams_print(struct rig *rig, bool quick, FILE *report)
{
	struct device_memory data;
	struct diag why;
	double rate;
	bool good;

	begin_part("Streams and memory", report);
	good = rig->device->alloc(rig->handle, RATES_BYTES, &data, &why);
	if (good) {
		rates_print("Memory of the device", data.cpu, report);
		good = measure(rig, &data, quick ? 2 : 30, &rate, &why);
		rig->device->free(rig->handle, &data);
	}
	if (good)
		fprintf(report,
			"%u streams through the TMUs: %.0f MB/s, modelled "
			"%.0f MB/s at 250 MHz\n",
			rig->qpus * LANES, rate, model_rate());
	else
		fprintf(report, "Streams: NO ANSWER: %s\n", why.text);
	return good;
}
