/* SPDX-License-Identifier: MIT */
/*
 * forms: does a device have the forms of instructions that our programs stand on
 * and no other program is known to have?  They are results of the mul ALU in a
 * part of a register of file A (qpu/kernel/README.md).
 *
 * A device is asked when its known answers were wrong, so that the reason names
 * what has failed, and by make check-hardware.
 */
#ifndef QPU_SHA_FORMS_H
#define QPU_SHA_FORMS_H

#include "qpu/ways/way.h"

#define FORMS_QUESTION "Results of the mul ALU in parts of file A"

enum forms_verdict {
	FORMS_NOT_RUN,
	FORMS_UNCLEAR, /* elements differ, or have stored nothing */
	FORMS_WORK,
	FORMS_FAIL
};

/* *answer says what the device does with them, or why that is not known.  No
 * program may be running. */
enum forms_verdict
forms_ask_lanes(const struct qpu_device *, void *device_self,
		struct diag *answer);

/* The results, of a tile, are overwritten. */
enum forms_verdict
forms_ask_tiles(const struct tile_device *, void *device_self,
		const struct tile_memory *results, struct diag *answer);

/* Add to the reason for which known answers were wrong the forms that fail. */
void
forms_explain(enum forms_verdict, const struct diag *answer, struct diag *why);

#endif
