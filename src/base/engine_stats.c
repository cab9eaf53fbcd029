/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/base/engine_stats.h"

#include <stdarg.h>
#include <stdio.h>

void
engine_stats_add(struct engine_stats *stats, double value, unsigned decimals,
		 const char *unit, const char *label_format, ...)
{
	struct engine_stat *row;
	va_list args;

	if (stats->nrows == ENGINE_STATS_ROWS)
		return;
	row = &stats->rows[stats->nrows++];
	row->value = value;
	row->decimals = decimals;
	row->unit = unit;
	va_start(args, label_format);
	vsnprintf(row->label, sizeof(row->label), label_format, args);
	va_end(args);
}
