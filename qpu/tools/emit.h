/* SPDX-License-Identifier: MIT */
/*
 * emit: sections as kernel text, and the map of their fixed registers.
 *
 * Each line of a section is one instruction; behind it stands, for each of
 * its halves, the round of the section and what of FIPS 180-4 it computes.
 */
#ifndef QPU_TOOLS_EMIT_H
#define QPU_TOOLS_EMIT_H

#include <stdio.h>

#include "qpu/tools/allocation.h"

void emit_map(FILE *stream, const struct graph *graph);
void emit_section(FILE *stream, const struct allocation *allocation);

#endif
