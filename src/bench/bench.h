/* SPDX-License-Identifier: MIT */
/*
 * bench: measure every kernel and every engine on this machine, in memory,
 * without files and threads.  Each is first checked against the reference.
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
};

enum bench_result {
	BENCH_DONE,
	BENCH_WRONG,	/* something computed a wrong result */
	BENCH_NO_MEMORY /* something was not measured, or not written */
};

/* All that this program and this CPU have. */
void
bench_all(struct bench_subjects *subjects);

/* Add a table for people, or a JSON object, to the text; a few seconds.  *rates
 * becomes the best of each engine. */
enum bench_result
bench_run(const struct bench_subjects *subjects, struct text *text, bool json,
	  struct rates *rates);

#endif
