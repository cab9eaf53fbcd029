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

/* --- facts: the machine, and nothing about its owner ---------------------- */

/* This project, the kernel, the board and its firmware, and what is in the way
 * of the firmware's way to the QPUs if that is the one to ask. */
void
facts_print(const char *device, bool by_firmware, FILE *report);

/* The V3D's power and clock, and the supply's voltage, as the firmware sees them;
 * `when` is a moment ("enabled").  Nothing where it cannot be asked. */
void
facts_print_v3d(const char *when, FILE *report);

/* --- power: the QPUs, switched on and off by the firmware ----------------- */

/* What the firmware answers, and what IDENT0, the first register of the V3D,
 * shows then. */
void
power_print(FILE *report);

/* --- launches: programs that have the QPUs for themselves ----------------- */

/* Where the device's memory comes from, and its bus alias. */
void
launches_print_memory(struct rig *, FILE *report);

/* What a launch costs, the clock by launches of known length, and whether the
 * words that each one leaves are right. */
bool
launches_print(struct rig *, bool quick, FILE *report);

bool
launches_print_packs(struct rig *, FILE *report);

/* --- packs: results of the mul ALU in parts of registers of file A --------- */

/* The programs of this project stand on them, and few others have them.  The
 * result 0x80f17e01 comes into ra16 to ra19, where 0x3c3c3c3c was. */
#define PACKS_QUESTION                                                         \
	"Results of the mul ALU in ra.16a, ra.16b, ra.8a and ra.8d"
#define PACKS_SOURCE                                                           \
	"ldi r0, 0x80f17e01\nldi r1, 0x3c3c3c3c\n"                             \
	"mov ra16, r1\nmov ra17, r1\nmov ra18, r1\nmov ra19, r1\n"             \
	"v8min ra16.16a, r0, r0\nv8min ra17.16b, r0, r0\n"                     \
	"v8min ra18.8a, r0, r0\nv8min ra19.8d, r0, r0\nnop\n"

/* What the four registers hold then; the first answer is as emulated. */
enum { PACKS = 4, PACKS_ANSWERS = 3 };
#define PACKS_TABLE                                                            \
	{                                                                      \
		{ "are packed",                                                \
		  { 0x3c3c7e01, 0x7e013c3c, 0x3c3c3c01, 0x013c3c3c } },        \
			{ "are not packed",                                    \
			  { 0x80f17e01, 0x80f17e01, 0x80f17e01,                \
			    0x80f17e01 } },                                    \
		{                                                              \
			"are lost",                                            \
			{                                                      \
				0x3c3c3c3c, 0x3c3c3c3c, 0x3c3c3c3c, 0x3c3c3c3c \
			}                                                      \
		}                                                              \
	}

/* --- streams, rates: lookups, and memory ---------------------------------- */

/* How fast the TMUs deliver 192 streams, one for each lane, beside the cycle
 * model's rate; and the rates of the memory that they are in. */
bool
streams_print(struct rig *, bool quick, FILE *report);

enum { RATES_BYTES = 1 << 20 };

/* How fast the CPU fills, writes and reads RATES_BYTES of a memory, and as many
 * of the program's own. */
void
rates_print(const char *name, void *memory, FILE *report);

/* --- tile_answers, tile_times: programs for pixels ------------------------ */

/* What programs leave in four samples of each pixel, which pixels share a
 * thread, and on which QPUs they are. */
bool
tile_answers_print(struct tile_rig *, FILE *report);

/* How long things take: threads side by side, tiles one after the other, jobs
 * that do nothing, lookups, and memory; and the clock. */
bool
tile_times_print(struct tile_rig *, bool quick, FILE *report);

/*
 * The kernel looks once a second whether a job goes on, and resets the GPU if
 * not.  Longer and longer jobs find the shortest one that it takes for a hang;
 * the first reset ends this, so it is the last question.
 */
bool
tile_times_print_hang(struct tile_rig *, bool quick, FILE *report);

#endif
