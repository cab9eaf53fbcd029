/* SPDX-License-Identifier: MIT */
/*
 * emulated: devices of the program on the model of a Raspberry Pi, in this process,
 * with the options of emulated_options.h after their names and a colon.
 */
#ifndef QPU_PI_EMULATED_H
#define QPU_PI_EMULATED_H

#include "qpu/emulator/emulator.h"
#include "qpu/ways/way.h"

/* In lanes, and in tiles. */
extern const struct way way_emulated, way_emulated_tiles;

/* Fill in an emulated machine's counts, all totals but busy_ms. */
void
emulated_totals(struct machine *, bool timed, struct device_totals *);

/* For machine_on_message: keep the first one in a struct diag. */
void
emulated_keep_message(void *diag, const struct qpu_message *);

#endif
