/* SPDX-License-Identifier: MIT */
/*
 * finding_text: findings of a run, and the places where its programs stand, as
 * text with the source line.
 *
 * The emulator reports a rule once for each code address; with a line map a
 * rule is told once for each source line.
 */
#ifndef QPU_TRACE_FINDING_TEXT_H
#define QPU_TRACE_FINDING_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "qpu/trace/trace.h"

enum { FINDING_TEXT_SIZE = 1000 };

/* A rule that was told of a line. */
struct finding_told {
	const char *file; /* owned by the line map */
	unsigned rule, line;
};

/* What was told so far; all zero but for the lines at first. */
struct findings_told {
	const struct trace_lines *lines;
	struct finding_told *told;
	size_t ntold;
};

/*
 * "FILE:LINE: hazard R5: WHAT (QPU 3 at 0x40000008)" and a second line with
 * the source, without an end of line.  False if the rule was told of that line
 * before.
 */
bool
finding_text(struct findings_told *all, const struct machine_finding *finding,
	     char text[FINDING_TEXT_SIZE]);

/*
 * "FILE:LINE: QPU 3 waits for mutex", and the source; false where no source
 * line is known.
 */
bool
place_text(const struct findings_told *all, const struct machine_place *place,
	   char text[FINDING_TEXT_SIZE]);

void
findings_told_free(struct findings_told *all);

#endif
