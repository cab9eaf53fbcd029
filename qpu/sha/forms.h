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

/* Ask an open way, while none of its programs runs.  *answer says what the device
 * does with them, or why that is not known. */
enum forms_verdict
forms_ask(const struct way *, void *self, struct diag *answer);

/* Add to the reason for which known answers were wrong the forms that fail. */
void
forms_explain(enum forms_verdict, const struct diag *answer, struct diag *why);

#endif
