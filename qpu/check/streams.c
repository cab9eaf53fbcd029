/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/questions.h"

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
