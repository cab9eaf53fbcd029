/* SPDX-License-Identifier: MIT */
/*
 * engines: the table of all devices and engines, and the choice among them.
 */
#ifndef SRC_ENGINES_H
#define SRC_ENGINES_H

#include "cpu/engine.h"

struct engine_row {
	const char *device;		/* the word of --device */
	const struct engine *engine;
	bool automatic;			/* a candidate of --device=auto */
};

/* In order of preference; ends with a row without a device. */
extern const struct engine_row engine_rows[];

/* What takes over when a device fails: the best engine for this CPU. */
const struct engine *
engines_fallback(void);

/* Can the row be used here?  Else the reason. */
bool
engines_probe(const struct engine_row *row, struct diag *why_not);

/*
 * The engine for --device=WORD; *words becomes the options behind the colon
 * ("" if none).  NULL and the reason when it cannot be used here.
 */
const struct engine *
engines_choose(const char *word, const char **words, struct diag *why_not);

#endif
