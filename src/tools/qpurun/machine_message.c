/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/tools/qpurun/machine_message.h"

#include "src/base/quote.h"

bool
complain(const char *where, unsigned number, const char *text)
{
	fprintf(stderr, "qpurun: %s%s%s [E%u]\n", where, *where ? ": " : "",
		text, number);
	return false;
}

bool
complain_file(const char *path, unsigned line, unsigned number,
	      const char *text)
{
	struct text name = { 0 };

	fprintf(stderr, "qpurun: %s", quote_name(&name, path));
	if (line)
		fprintf(stderr, ":%u", line);
	fprintf(stderr, ": %s [E%u]\n", text, number);
	text_free(&name);
	return false;
}

bool
complain_diag(const struct diag *why)
{
	return complain(why->file, why->rule, why->text);
}
