/* SPDX-License-Identifier: MIT */
/*
 * engines: the table of all devices and engines, and the choice among them.
 */
#ifndef SRC_PIPELINE_ENGINES_H
#define SRC_PIPELINE_ENGINES_H

#include "src/base/engine.h"
#include "src/lanes/run.h"

struct engine_row {
	const char *device; /* its name in --device */
	const struct engine *engine;
	bool automatic; /* a candidate of --device=auto */
	/* Is this the way that the machine is set up for, whether or not this
	 * user can use it?  NULL: nothing is known of that. */
	bool (*is_set_up)(void);
};

/* In order of preference; several rows of a device are ways to it.  Ends with a row without a device. */
extern const struct engine_row engine_rows[];

/* The devices that this build leaves out (configure --disable-qpu), or NULL. */
extern const char *const engines_left_out;

/* The engine that takes over when a device fails: the best on this CPU. */
const struct engine *
engines_fallback(void);

/* Can the engine be used here?  If not, *why_not has the reason. */
bool
engines_probe(const struct engine_row *row, struct diag *why_not);

/* Is it a word for --device: "auto", or a device, "+cpu" and ":OPTIONS" as far
 * as it takes them?  Whether or not it is built in and can be used here. */
bool
engines_is_device(const char *word);

/* Call `one` for each name that --device takes in this build: "auto", and
 * "NAME", "NAME:", "NAME+cpu" and "NAME+cpu:" of devices, where the colon stands
 * for options. */
void
engines_each_name(void (*one)(void *context, const char *name), void *context);

/* The table of the options that may follow the colon of a word for --device:
 * the nth of its ways, from 0.  NULL after the last one. */
const struct option_row *
engines_options(const char *word, unsigned nth);

/*
 * Set the engine, its options and whether CPU and device share the work as
 * --device=WORD says.  Of several ways to a device the first one is taken that
 * knows all the options and can be used here.  False: it cannot be used here, and *why_not has the
 * reason.
 */
bool
engines_choose(const char *word, struct pipeline_config *,
	       struct diag *why_not);

#endif
