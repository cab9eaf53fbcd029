/* SPDX-License-Identifier: MIT */
/* section: what the pieces of the hot loop are made of. */
#include "config.h"
#include "qpu/tools/section.h"

#include <string.h>

#include "qpu/tools/body.h"

const struct section_row section_rows[SECTIONS] = {
	[SECTION_HEAVY] = { "heavy", "brr.alln -, :heavy", 6 },
	[SECTION_LIGHT] = { "light", "brr.alln -, :light", 2 },
	[SECTION_END] = { "end", "brr.anynn -, :heavy", 1 },
};

/* Three rounds of the light section move one more rotation to the mul ALU,
 * and half of the rows are added in place: found by trying. */
enum { LIGHT_ROR22_ON_MUL = 0x49, END_IN_PLACE = 0x69 };

void
section_build(struct graph *graph, enum section section)
{
	struct body body;

	body_open(&body, graph);
	if (section == SECTION_END) {
		body_end(&body, END_IN_PLACE);
		return;
	}
	body_count(&body);
	for (int t = 0; t < BODY_ROUNDS; t++) {
		const bool ror22_on_mul = section == SECTION_LIGHT &&
					  LIGHT_ROR22_ON_MUL >> t & 1;

		body_round(&body, t, ror22_on_mul);
		body_shift(&body, t);
		if (section == SECTION_HEAVY)
			body_schedule(&body, t);
		else
			body_load(&body, t);
	}
}

enum section
section_find(const char *name)
{
	enum section section = 0;

	while (section < SECTIONS &&
	       strcmp(section_rows[section].name, name) != 0)
		section++;
	return section;
}

int
section_last_slot(const struct graph *graph, enum section section, int op,
		  int nslots)
{
	const struct op *o = &graph->ops[op];
	const bool decides = o->sets_flags &&
			     (section != SECTION_END || o->value >= 0);

	/* Three delay slots; of the end, the mask's flags come first. */
	if (decides)
		return nslots - 4;
	if (o->port == PORT_UNIFORMS)
		return nslots - 3;
	return nslots - 1;
}
