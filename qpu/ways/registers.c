/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/registers.h"

#include <poll.h>
#include <sched.h>
#include <sys/mman.h>

#include "qpu/ways/barrier.h"
#include "src/base/clock.h"

/* Byte offsets (hardware reference, section 12). */
enum {
	V3D_IDENT0 = 0x000,
	V3D_L2CACTL = 0x020,
	V3D_SLCACTL = 0x024,
	V3D_SQRSV0 = 0x410,
	V3D_SQRSV1 = 0x414,
	V3D_SRQPC = 0x430,
	V3D_SRQUA = 0x434,
	V3D_SRQCS = 0x43c,
	V3D_VPMBASE = 0x504,
	V3D_DBCFG = 0xe00,
	V3D_DBQITE = 0xe2c,
	V3D_DBQITC = 0xe30
};

enum {
	IDENT0_V3D2 = 0x02443356, /* 'V', '3', 'D', 2 */
	L2CACTL_CLEAR = 1 << 2,
	/* TMUs, uniforms and instructions of all slices. */
	SLCACTL_CLEAR = 0x0f0f0f0f,
	/* Queue error, requests and ends. */
	SRQCS_CLEAR = 1 << 7 | 1 << 8 | 1 << 16,
	SRQCS_QUEUED_MASK = 0x3f,
	SRQCS_REQUESTED_SHIFT = 8,
	SRQCS_ENDED_SHIFT = 16,
	SRQCS_COUNT_MASK = 0xff,
	IDLE_MS = 20,
	VPMBASE_ALL_ROWS = 16,
	ALL_QPUS = 0xffff
};

/*
 * What a launch needs, whatever the firmware or a program that was killed has
 * left: no interrupts, and all QPUs and all rows of the VPM for user programs.
 */
static const struct setting {
	uint16_t offset, value;
} settings[] = {
	{ V3D_DBCFG, 0 },
	{ V3D_DBQITE, 0 },
	{ V3D_SQRSV0, 0 },
	{ V3D_SQRSV1, 0 },
	{ V3D_VPMBASE, VPMBASE_ALL_ROWS },
};

enum { SETTINGS = sizeof(settings) / sizeof(*settings) };

bool
registers_map(struct registers *registers, int mem, const struct soc *soc)
{
	void *base = mmap(NULL, SOC_V3D_BYTES, PROT_READ | PROT_WRITE,
			  MAP_SHARED, mem,
			  (off_t)soc->peripherals + SOC_V3D_OFFSET);

	registers->base = base == MAP_FAILED ? NULL : base;
	return registers->base != NULL;
}

void
registers_unmap(struct registers *registers)
{
	if (registers->base)
		munmap((void *)registers->base, SOC_V3D_BYTES);
	registers->base = NULL;
}

static uint32_t
get(const struct registers *registers, unsigned offset)
{
	return registers->base[offset / 4];
}

static void
set(const struct registers *registers, unsigned offset, uint32_t value)
{
	registers->base[offset / 4] = value;
}

bool
registers_answer(const struct registers *registers)
{
	return registers->base && get(registers, V3D_IDENT0) == IDENT0_V3D2;
}

bool
registers_idle(const struct registers *registers)
{
	const uint32_t status = get(registers, V3D_SRQCS);

	return !(status & SRQCS_QUEUED_MASK) &&
	       (status >> SRQCS_REQUESTED_SHIFT & SRQCS_COUNT_MASK) ==
		       (status >> SRQCS_ENDED_SHIFT & SRQCS_COUNT_MASK);
}

bool
registers_stay_idle(const struct registers *registers)
{
	for (unsigned ms = 0; ms < IDLE_MS; ms++) {
		if (!registers_idle(registers))
			return false;
		poll(NULL, 0, 1);
	}
	return registers_idle(registers);
}

bool
registers_reset(const struct registers *registers)
{
	return get(registers, V3D_SRQCS) == 0;
}

void
registers_tidy(const struct registers *registers)
{
	set(registers, V3D_DBQITC, ALL_QPUS);
	set(registers, V3D_VPMBASE, VPMBASE_ALL_ROWS);
}

void
registers_clear_caches(const struct registers *registers)
{
	set(registers, V3D_L2CACTL, L2CACTL_CLEAR);
	set(registers, V3D_SLCACTL, SLCACTL_CLEAR);
}

/* Clears the caches: the CPU has written to memory since. */
static void
start(const struct registers *registers, const struct device_program *programs,
      unsigned n)
{
	registers_clear_caches(registers);
	set(registers, V3D_SRQCS, SRQCS_CLEAR);
	for (unsigned i = 0; i < n; i++) {
		/* UNSURE(U7): V3D_SRQUL as the firmware left it. */
		set(registers, V3D_SRQUA, programs[i].uniforms);
		set(registers, V3D_SRQPC, programs[i].code);
	}
}

static bool
have_ended(const struct registers *registers, unsigned n)
{
	return (get(registers, V3D_SRQCS) >> SRQCS_ENDED_SHIFT &
		SRQCS_COUNT_MASK) == n;
}

static bool
wait_until_ended(const struct registers *registers, unsigned n,
		 unsigned timeout_ms)
{
	const uint64_t deadline =
		clock_ns() + (uint64_t)timeout_ms * CLOCK_NS_PER_MS;

	while (!have_ended(registers, n)) {
		/* This thread may have lost the CPU since the last look. */
		if (clock_ns() >= deadline)
			return have_ended(registers, n);
		sched_yield();
	}
	return true;
}

/* What was found goes to found[]. */
static void
set_up(const struct registers *registers, uint32_t found[SETTINGS])
{
	for (unsigned i = 0; i < SETTINGS; i++) {
		found[i] = get(registers, settings[i].offset);
		set(registers, settings[i].offset, settings[i].value);
	}
	set(registers, V3D_DBQITC, ALL_QPUS);
}

/* The last program's interrupt is cleared before any is enabled. */
static void
set_back(const struct registers *registers, const uint32_t found[SETTINGS])
{
	set(registers, V3D_DBQITC, ALL_QPUS);
	for (unsigned i = SETTINGS; i > 0; i--)
		set(registers, settings[i - 1].offset, found[i - 1]);
}

/*
 * Section 12.2.  The last program raises the host interrupt, which is meant
 * for the firmware: it is disabled here, and cleared before the firmware's
 * settings are restored.  After a timeout no register is touched.
 */
bool
registers_run(const struct registers *registers,
	      const struct device_program *programs, unsigned n,
	      unsigned timeout_ms)
{
	uint32_t found[SETTINGS];

	set_up(registers, found);
	/* Writes to memory come before the start. */
	memory_barrier();
	start(registers, programs, n);
	if (!wait_until_ended(registers, n, timeout_ms))
		return false;
	/* Reads of the results come after the end. */
	memory_barrier();
	set_back(registers, found);
	return true;
}

/* Counters ----------------------------------------------------------------- */

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
