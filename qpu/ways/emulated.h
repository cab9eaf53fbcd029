/* SPDX-License-Identifier: MIT */
/*
 * emulated: an emulated VideoCore IV in this process, in both kinds of way.h.
 * It runs the same words on the same memory as a real one; its times are
 * modelled.  As a tile device it is the driver of a real one on a model of the
 * kernel's driver (qpu/vc4).
 */
#ifndef QPU_WAYS_EMULATED_H
#define QPU_WAYS_EMULATED_H

#include <stdbool.h>

struct device_totals;
struct machine;
struct machine_finding;

/* What an emulated machine counts, as totals of a device: all but busy_ms. */
void
emulated_totals(struct machine *, bool timed, struct device_totals *);

/* For machine_on_finding: keeps the first one in a struct diag. */
void
emulated_note_finding(void *diag, const struct machine_finding *);

#endif
