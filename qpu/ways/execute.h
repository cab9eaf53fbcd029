/* SPDX-License-Identifier: MIT */
/*
 * execute: runs programs by requests to a firmware, the real one (vcio.c) or a
 * model (qpu/pi/emulated.c).  A launch is one request.  After a failed launch
 * this module decides whether to restart the QPUs.
 *
 * The functions implement a struct way of kind WAY_LANES.
 */
#ifndef QPU_WAYS_EXECUTE_H
#define QPU_WAYS_EXECUTE_H

#include "qpu/abi/mailbox.h"
#include "qpu/ways/way.h"

enum firmware_power {
	POWER_ON,
	POWER_LOST,    /* the QPUs did not come back */
	POWER_RESTART, /* off and on, after that */
	POWER_OFF      /* likewise; false: they may still run */
};

/* The firmware, and the memory that its QPUs reach. */
struct firmware_calls {
	void *context;
	/* Send a tag: values[0..request) go, values[0..response) come back.
	 * False and errno. */
	bool (*ask)(void *context, enum mailbox_tag, uint32_t *values,
		    unsigned request, unsigned response);
	/* Begin and end a use of the QPUs, during which no other thread returns
	 * anything.  Return false if the program is about to end.  Optional. */
	bool (*enter)(void *context);
	void (*leave)(void *context);
	/* *answer, for POWER_ON and POWER_RESTART, is the firmware's.  Return
	 * false if that is impossible, with errno where it gave no answer. */
	bool (*power)(void *context, enum firmware_power, uint32_t *answer);
	/* Memory, as of a struct way; publish is optional. */
	bool (*alloc)(void *context, size_t bytes, struct way_memory *,
		      struct diag *why_not);
	void (*free)(void *context, const struct way_memory *);
	void (*publish)(void *context, const struct way_memory *);
	/* Make the CPU's writes reach memory, or results of a launch that has ended
	 * reach the CPU.  On failure return false with errno.  Optional. */
	bool (*sync)(void *context, const struct device_launch *ended);
	/* Return everything. */
	void (*close)(void *context);
};

struct execute;

/* Switch the QPUs on, and take memory for requests.  Null and the reason: all was
 * returned. */
struct execute *
execute_open(const struct firmware_calls *, struct diag *why_not);

const struct firmware_calls *
execute_calls(const struct execute *);

bool
execute_alloc(void *self, size_t bytes, struct way_memory *,
	      struct diag *why_not);
void
execute_free(void *self, const struct way_memory *);
void
execute_publish(void *self, const struct way_memory *);
enum device_status
execute_submit(void *self, const struct way_job *, uint64_t *ticket,
	       struct diag *why);
bool
execute_restart(void *self, struct diag *why_not);
void
execute_totals(void *self, struct device_totals *);
void
execute_close(void *self);

#endif
