/* SPDX-License-Identifier: MIT */
/*
 * bench: measure every kernel and every engine on this machine, in memory,
 * without files and threads.  Each is first checked against the reference.
 *
 * Core cycles are computed from the time and from the frequency of the core,
 * which a chain of dependent additions measures before and after all samples.
 * (The time-stamp counter runs at a fixed rate of its own.)
 * Other programs can only make a sample slower, so the best of many short ones
 * counts.  A busy thread on the same core makes all of them slower, by up to a
 * third, and nothing here notices that.
 */
#ifndef SRC_BENCH_BENCH_H
#define SRC_BENCH_BENCH_H

#include <stdbool.h>

#include "cpu/kernels.h"
#include "src/base/text.h"
#include "src/bench/rates.h"
#include "src/pipeline/engines.h"

struct bench_subjects {
	const struct cpu_kernel *kernels; /* ends with a null name */
	uint32_t features;		  /* of the CPU that runs them */
	const struct engine_row *engines; /* ends without a device */
	const char *device;		  /* a word of --device, or NULL */
};

enum bench_result {
	BENCH_DONE,
	BENCH_WRONG,	/* something computed a wrong result */
	BENCH_NO_MEMORY /* something was not measured, or not written */
};

/* Choose all that this program and this CPU have, or only what is of the device,
 * unless it is "auto". */
void
bench_all(struct bench_subjects *subjects, const char *device);

/* Add a table for people, or a JSON object, to the text; a few seconds.  *rates
 * becomes the best of each engine. */
enum bench_result
bench_run(const struct bench_subjects *subjects, struct text *text, bool json,
	  struct rates *rates);

#endif
