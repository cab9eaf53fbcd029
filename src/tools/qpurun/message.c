/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/tools/qpurun/message.h"

bool
complain(const char *where, unsigned number, const char *text)
{
	fprintf(stderr, "qpurun: %s%s%s [E%u]\n", where, *where ? ": " : "",
		text, number);
	return false;
}

bool
complain_diag(const struct diag *why)
{
	return complain(why->file, why->rule, why->text);
}
