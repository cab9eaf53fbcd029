/* SPDX-License-Identifier: MIT */
/*
 * machine_message: qpurun's own messages, each with a number, on standard error.
 */
#ifndef SRC_TOOLS_QPURUN_MACHINE_MESSAGE_H
#define SRC_TOOLS_QPURUN_MACHINE_MESSAGE_H

#include <stdbool.h>

#include "src/base/diag.h"

/* Numbers of messages; those about images are in image.h. */
enum {
	ERROR_ADDRESSES = 310,
	ERROR_NUMBER,
	ERROR_PROGRAMS,
	ERROR_MACHINE,
	ERROR_LINES,
	ERROR_TRACE,
	ERROR_RULE,
	ERROR_DEADLOCK = 320,
	ERROR_LIMIT,
	ERROR_FAULT,
	ERROR_HAZARDS,
};

/* "qpurun: WHERE: TEXT [ENUMBER]"; always false. */
bool
complain(const char *where, unsigned number, const char *text);

/* The same about a file, or a line of it unless that is 0.  The name is quoted if
 * a shell would need that. */
bool
complain_file(const char *path, unsigned line, unsigned number,
	      const char *text);

/* The same with the file, number and text that a library gave. */
bool
complain_diag(const struct diag *why);

#endif
