/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/listing.h"

#include <stdio.h>

#include "src/engines.h"
#include "src/output.h"
#include "src/rates.h"

/* "; 1.620 GB/s, measured 2026-11-20", or as far as it is known. */
static void
describe_rate(char text[64], const struct engine *engine,
	      const struct rates *rates)
{
	const struct rate *rate = rates_find(rates, engine->name);

	if (rate)
		snprintf(text, 64, "; %.3f GB/s%s, measured %s",
			 rate->bytes_per_second / 1e9,
			 engine->per_thread ? " a thread" : "", rate->date);
	else if (engine->modelled)
		snprintf(text, 64, "; %s, modelled", engine->modelled);
	else
		snprintf(text, 64, "; not measured yet (--benchmark)");
}

void
listing_print(void)
{
	struct rates rates;

	rates_load(&rates);
	for (const struct engine_row *row = engine_rows; row->device; row++) {
		const char *name = row->engine->name;
		struct diag why_not;
		char rate[64];
		char line[sizeof(why_not.text) + 256];
		int len;

		if (engines_probe(row, &why_not)) {
			describe_rate(rate, row->engine, &rates);
			len = snprintf(line, sizeof(line),
				       "%-9s %-10s usable: %s%s\n",
				       row->device, name, row->engine->about,
				       rate);
		} else {
			len = snprintf(line, sizeof(line),
				       "%-9s %-10s not usable: %s\n",
				       row->device, name, why_not.text);
		}
		output_add(line, (size_t)len);
	}
}
