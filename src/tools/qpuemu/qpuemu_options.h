/* SPDX-License-Identifier: MIT */
/*
 * qpuemu_options: the command line of qpuemu, and what follows from its options
 * together.
 */
#ifndef SRC_TOOLS_QPUEMU_QPUEMU_OPTIONS_H
#define SRC_TOOLS_QPUEMU_QPUEMU_OPTIONS_H

#include <stdbool.h>

#include "qpu/pi/shared.h"
#include "src/base/diag.h"

enum {
	/* Exit status for what qpuemu itself cannot do, as env and timeout. */
	STATUS_TROUBLE = 125
};

/* The treatment of GPU memory and QPUs that the program leaves behind. */
enum leaks { LEAKS_REPORT, LEAKS_ERROR, LEAKS_IGNORE };

struct request {
	struct board_options options;
	unsigned kms; /* as the option says */
	enum leaks leaks;
	bool counters;
	char **program; /* and its arguments */
};

/*
 * Parse the command line.  Wrong usage ends the process with a message; false
 * and the reason if the options do not fit together.
 */
bool
options_parse(struct request *request, int argc, char **argv, struct diag *why);

#endif
