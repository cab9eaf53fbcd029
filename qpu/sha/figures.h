/* SPDX-License-Identifier: MIT */
/*
 * figures: what the launches and their device have done, as facts for --stats.
 */
#ifndef QPU_SHA_FIGURES_H
#define QPU_SHA_FIGURES_H

#include <stdint.h>

#include "qpu/ways/way.h"
#include "src/base/facts.h"

/* Sums over all launches that were right, without the self-test. */
struct figures {
	unsigned qpus;
	unsigned lanes; /* of a vector */
	uint64_t launches;
	uint64_t blocks;   /* of messages */
	uint64_t vectors;  /* blocks of all its lanes, full or not */
	uint64_t capacity; /* blocks, if all lanes had been full */
	uint64_t failed_tests;
};

/* What the device did between `before` and `after` is no part of its launches,
 * which began with the totals `start`. */
void
figures_leave_out(struct device_totals *start,
		  const struct device_totals *before,
		  const struct device_totals *after);

/* `start` and `end` are the device's totals before and after. */
void
figures_add_rows(const struct figures *, const struct device_totals *start,
		 const struct device_totals *end, struct facts *);

#endif
