/* SPDX-License-Identifier: MIT */
/*
 * engines: the table of all devices and engines, and the choice among them.
 */
#ifndef SRC_PIPELINE_ENGINES_H
#define SRC_PIPELINE_ENGINES_H

#include "src/base/engine.h"
#include "src/base/option.h"
#include "src/lanes/run.h"

/* The obstacles between a machine and a way to its device. */
enum engine_prospect {
	PROSPECT_NONE,	 /* it does not have this device */
	PROSPECT_OTHER,	 /* it is set up for another way, or for none */
	PROSPECT_SET_UP, /* it is set up for this one, though perhaps not for
			  * this user */
};

struct engine_row {
	const char *device; /* its name in --device */
	const struct engine *engine;
	bool automatic; /* a candidate of --device=auto */
	/* Return the obstacle to one of several ways to a device.  NULL if
	 * nothing is known of it. */
	enum engine_prospect (*prospect)(void);
};

/* In order of preference; a device has one row for each way to reach it, one after the
 * other.  Ends with a row without a device. */
extern const struct engine_row engine_rows[];

/* The devices that this build leaves out (configure --disable-qpu), or NULL. */
extern const char *const engines_left_out;

/* The engine that takes over when a device fails. */
extern const struct engine *const engines_fallback;

/*
 * Return true if it is a word for --device: "auto", or a device, with "+cpu"
 * and ":OPTIONS" if it takes them.  The device need not be built in or usable
 * here.
 */
bool
engines_is_device(const char *word);

/* Call `one` for each name that --device takes in this build: "auto", and
 * "NAME", "NAME:", "NAME+cpu" and "NAME+cpu:" of devices, where the colon stands
 * for options. */
void
engines_each_name(void (*one)(void *context, const char *name), void *context);

/* Return true if the row is worth showing.  If a device has several ways, only
 * those that may work on this machine are. */
bool
engines_is_listed(const struct engine_row *rows, const struct engine_row *row);

/* More than all ways to one device have. */
enum { ENGINES_OPTIONS = 32 };

/* The options that may follow the colon of a word for --device, of all ways to
 * the device that know those before the last comma, each name once.  A row without a
 * name ends them. */
void
engines_options(const char *word, struct option_row all[ENGINES_OPTIONS]);

/*
 * Set the engine, its options and whether CPU and device share the work as
 * --device=WORD asks.  Among several ways to a device take the first one that
 * knows all the options and can be used here.  On failure return false with
 * the reason in *why_not.
 */
bool
engines_choose(const char *word, struct pipeline_config *,
	       struct diag *why_not);

#endif
