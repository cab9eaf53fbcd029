/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/vc4/perfmon.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/abi/vc4.h"
#include "qpu/vc4/copy.h"

enum {
	PCTRC = 0x670,
	PCTRE = 0x674,
	PCTR0 = 0x680, /* each followed by its PCTRS */
	EVENTS = 30
};

#define PCTRE_ON UINT32_C(0x80000000)

struct vc4_perfmon {
	struct vc4_perfmon *next;
	uint32_t id;
	unsigned references, n;
	uint8_t events[VC4_PERFMON_COUNTERS];
	uint64_t values[VC4_PERFMON_COUNTERS];
};

int
perfmon_create(struct vc4 *vc4, void *request)
{
	struct vc4_perfmon_create *create = request;
	struct vc4_perfmon *perfmon;

	if (create->ncounters == 0 || create->ncounters > VC4_PERFMON_COUNTERS)
		return -EINVAL;
	for (uint32_t i = 0; i < create->ncounters; i++)
		if (create->events[i] >= EVENTS)
			return -EINVAL;
	perfmon = calloc(1, sizeof(*perfmon));
	if (!perfmon)
		return -ENOMEM;
	perfmon->references = 1;
	perfmon->n = create->ncounters;
	memcpy(perfmon->events, create->events, perfmon->n);
	perfmon->id = create->id = ++vc4->last_perfmon;
	perfmon->next = vc4->perfmons;
	vc4->perfmons = perfmon;
	return 0;
}

static struct vc4_perfmon **
find(struct vc4 *vc4, uint32_t id)
{
	struct vc4_perfmon **link = &vc4->perfmons;

	while (*link && (*link)->id != id)
		link = &(*link)->next;
	return link;
}

int
perfmon_destroy(struct vc4 *vc4, void *request)
{
	const struct vc4_perfmon_destroy *destroy = request;
	struct vc4_perfmon **link = find(vc4, destroy->id);
	struct vc4_perfmon *perfmon = *link;

	if (!perfmon)
		return -EINVAL;
	*link = perfmon->next;
	perfmon_put(perfmon);
	return 0;
}

int
perfmon_values(struct vc4 *vc4, void *request)
{
	const struct vc4_perfmon_values *values = request;
	const struct vc4_perfmon *perfmon = *find(vc4, values->id);

	return perfmon ? vc4_copy_out(values->values, perfmon->values,
				      perfmon->n * sizeof(uint64_t)) :
			 -EINVAL;
}

struct vc4_perfmon *
perfmon_get(struct vc4 *vc4, uint32_t id)
{
	struct vc4_perfmon *perfmon = *find(vc4, id);

	if (perfmon)
		perfmon->references++;
	return perfmon;
}

void
perfmon_put(struct vc4_perfmon *perfmon)
{
	if (perfmon && --perfmon->references == 0)
		free(perfmon);
}

void
perfmon_start(struct vc4 *vc4, struct vc4_perfmon *perfmon)
{
	const uint32_t mask = (UINT32_C(1) << perfmon->n) - 1;

	if (vc4->active_perfmon == perfmon)
		return;
	for (unsigned i = 0; i < perfmon->n; i++)
		machine_write(vc4->machine, PCTR0 + 8 * i + 4,
			      perfmon->events[i]);
	machine_write(vc4->machine, PCTRC, mask);
	machine_write(vc4->machine, PCTRE, PCTRE_ON | mask);
	vc4->active_perfmon = perfmon;
}

void
perfmon_stop(struct vc4 *vc4, struct vc4_perfmon *perfmon, bool capture)
{
	if (vc4->active_perfmon != perfmon)
		return;
	for (unsigned i = 0; i < perfmon->n && capture; i++)
		perfmon->values[i] += machine_read(vc4->machine, PCTR0 + 8 * i);
	machine_write(vc4->machine, PCTRE, 0);
	vc4->active_perfmon = NULL;
}

void
perfmon_close_all(struct vc4 *vc4)
{
	while (vc4->perfmons) {
		struct vc4_perfmon *next = vc4->perfmons->next;

		perfmon_put(vc4->perfmons);
		vc4->perfmons = next;
	}
}
