/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/listing.h"

#include <stdio.h>

#include "src/engines.h"
#include "src/output.h"

void
listing_print(void)
{
	for (const struct engine_row *row = engine_rows; row->device; row++) {
		const char *name = row->engine ? row->engine->name : "-";
		struct diag why_not;
		char line[sizeof(why_not.text) + 128];
		int len;

		if (engines_probe(row, &why_not))
			len = snprintf(line, sizeof(line),
				       "%-9s %-10s usable: %s\n", row->device,
				       name, row->engine->about);
		else
			len = snprintf(line, sizeof(line),
				       "%-9s %-10s not usable: %s\n",
				       row->device, name, why_not.text);
		output_add(line, (size_t)len);
	}
}
