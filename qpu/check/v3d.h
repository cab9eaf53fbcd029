/* SPDX-License-Identifier: MIT */
/*
 * v3d: what the registers of the V3D hold, before and after a launch, and
 * whether it has power.  It reads them beside the driver and writes none.
 */
#ifndef QPU_CHECK_V3D_H
#define QPU_CHECK_V3D_H

#include <stdbool.h>
#include <stdio.h>

#include "qpu/check/rig.h"
#include "qpu/ways/registers.h"

enum { V3D_ROWS = 14 };

/* The moments at which registers are read: columns of the report. */
enum v3d_moment {
	V3D_AT_FIRST, /* as others have left them */
	V3D_ENABLED,
	V3D_AFTER_MAILBOX, /* after a launch */
	V3D_AFTER_REGISTERS,
	V3D_MOMENTS
};

struct v3d {
	struct registers registers;
	struct diag why_not; /* why they cannot be mapped */
	bool noted[V3D_MOMENTS];
	uint32_t values[V3D_MOMENTS][V3D_ROWS];
};

/* The registers need not be mapped.  beside: the kernel's driver has the V3D. */
void
v3d_open(struct v3d *, bool beside);
void
v3d_close(struct v3d *);

/* Enable twice and disable twice, and print the firmware's answers and IDENT0.
 * False if there are no QPUs. */
bool
v3d_print_power(struct v3d *, FILE *report);

/* Launch by mailbox, then by registers, and print all registers.  False when
 * the device failed. */
bool
v3d_print_registers(struct v3d *, struct rig *, FILE *report);

/* One line: what the registers say of the queue, of interrupts and errors after
 * a launch that failed. */
void
v3d_print_failure(const struct v3d *, FILE *report);

#endif
