/* SPDX-License-Identifier: MIT */
/*
 * questions: the parts of the report of make check-hardware, each in a file of
 * its own.  A part prints lines of text.  A function that is not void is false
 * when the device has failed, which ends the report; with `quick` it makes a
 * hundredth of the launches.
 *
 * The report is written to disk before anything is tried that may stop the
 * machine.
 */
#ifndef QPU_CHECK_QUESTIONS_H
#define QPU_CHECK_QUESTIONS_H

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "qpu/check/rig.h"
#include "qpu/check/tile_rig.h"
#include "qpu/sha/forms.h"

/* fsync fails if the report is a pipe. */
static inline void
settle(FILE *report)
{
	fflush(report);
	(void)fsync(fileno(report));
}

/* A part begins; those who wait at a terminal see it. */
static inline void
begin_part(const char *title, FILE *report)
{
	fprintf(report, "\n== %s ==\n", title);
	settle(report);
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "  %s\n", title);
}

/* The line about forms of instructions; false: there was no answer. */
static inline bool
print_forms(enum forms_verdict verdict, const struct diag *answer, FILE *report)
{
	fprintf(report, "%s%s%s\n",
		verdict == FORMS_NOT_RUN ? "NO ANSWER: " : "", answer->text,
		verdict == FORMS_NOT_RUN ? "" :
		verdict == FORMS_WORK	 ? " (as emulated)" :
					   " (NOT as emulated)");
	return verdict != FORMS_NOT_RUN;
}

/* --- facts: the machine, and nothing about its owner ---------------------- */

/* Print this project, the kernel, the board and its firmware, and the obstacles
 * to the firmware's way to the QPUs if `by_firmware`. */
void
facts_print(const char *device, bool by_firmware, FILE *report);

/* The V3D's power and clock, and the supply's voltage, as the firmware sees them;
 * `when` is a moment ("enabled").  Nothing where it cannot be asked. */
void
facts_print_v3d(const char *when, FILE *report);

/* --- power: the QPUs, switched on and off by the firmware ----------------- */

/* Print the firmware's answers, and the value of IDENT0, the first register of
 * the V3D, after each. */
void
power_print(FILE *report);

/* --- launches: programs that have the QPUs for themselves ----------------- */

/* Print the origin of the device's memory, and its bus alias. */
void
launches_print_memory(struct rig *, FILE *report);

/* What a launch costs, the clock by launches of known length, and whether the
 * words that each one leaves are right. */
bool
launches_print(struct rig *, bool quick, FILE *report);

/* Print the device's answers to forms of instructions that few programs have. */
bool
launches_print_forms(struct rig *, FILE *report);

/* --- rates: memory -------------------------------------------------------- */

enum { RATES_BYTES = 1 << 20 };

/* How fast the CPU fills, writes and reads RATES_BYTES of a memory, and as many
 * of the program's own. */
void
rates_print(const char *name, void *memory, FILE *report);

/* The same of memory that is allocated for this. */
bool
rates_print_device(struct rig *, FILE *report);

/* --- tile_answers, tile_times: programs for pixels ------------------------ */

/* What programs leave in four samples of each pixel, which pixels share a
 * thread, and on which QPUs they are. */
bool
tile_answers_print(struct rig *, FILE *report);

/* How long things take: threads side by side, tiles one after the other, jobs
 * that do nothing, and memory; and the clock. */
bool
tile_times_print(struct rig *, bool quick, FILE *report);

#endif
