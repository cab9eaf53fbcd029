/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/driver/counters.h"

/* Byte offsets (hardware reference, section 12). */
enum {
	V3D_PCTRC = 0x670,
	V3D_PCTRE = 0x674,
	V3D_PCTR0 = 0x680,
	V3D_PCTRS0 = 0x684,
	PCTR_BYTES = 8, /* from one counter to the next */
	PCTRC_ALL = 0xffff
};

/* The enabled ones by bit, and a last bit that none counts without. */
#define PCTRE_ON UINT32_C(0x80000000)

static const struct {
	unsigned source;
	bool user;
	const char *name;
} sources[] = {
#define COUNTER(id, NAME, user, name) { id, user, name },
#include "qpu/isa/counter.def"
#undef COUNTER
};

enum { SOURCES = sizeof(sources) / sizeof(*sources) };

#define COUNTER(id, NAME, user, name) +user
_Static_assert(0
#include "qpu/isa/counter.def"
		       <= COUNTERS,
	       "all of user programs count at the same time");
#undef COUNTER

static void
set(const struct registers *registers, unsigned offset, uint32_t value)
{
	registers->base[offset / 4] = value;
}

/* Each time, since between launches the V3D may have been without power. */
void
counters_begin(const struct registers *registers)
{
	unsigned n = 0;

	for (unsigned i = 0; i < SOURCES; i++)
		if (sources[i].user)
			set(registers, V3D_PCTRS0 + PCTR_BYTES * n++,
			    sources[i].source);
	set(registers, V3D_PCTRC, PCTRC_ALL);
	set(registers, V3D_PCTRE, PCTRE_ON | ((1u << n) - 1));
}

/* 12 QPUs fill 32 bits of clocks in 0.9 s at 400 MHz; ours end earlier. */
void
counters_end(const struct registers *registers, struct counters *counters)
{
	unsigned n = 0;

	set(registers, V3D_PCTRE, 0);
	for (unsigned i = 0; i < SOURCES; i++)
		if (sources[i].user) {
			counters->totals[n] +=
				registers->base[(V3D_PCTR0 + PCTR_BYTES * n) /
						4];
			n++;
		}
	counters->any = true;
}

void
counters_tell(const struct counters *counters, struct device_totals *totals)
{
	unsigned n = 0;

	for (unsigned i = 0; counters->any && i < SOURCES; i++)
		if (sources[i].user) {
			totals->counters[totals->ncounters++] =
				(struct device_counter){
					.name = sources[i].name,
					.value = counters->totals[n++]
				};
		}
}
