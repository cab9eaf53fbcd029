/* SPDX-License-Identifier: MIT */
/*
 * Promise: a speed is that of the moments in which nothing disturbed it, in
 * cycles of the frequency that the core had then.
 */
#include "config.h"

#include "src/bench/measure.h"

#include <stdlib.h>

#include "tests/support/fault.h"
#include "tests/support/tap.h"

enum {
	/* Between two looks at the clock: 32,000 additions at 2 GHz. */
	TICK = 16000,
	BLOCKS = 16, /* of a run: 1 KiB */
	SAMPLES = 60
};

/* A run of the work, and one of the probe, takes this long the n-th time. */
static uint64_t (*work_ns)(unsigned n);
static uint64_t (*probe_ns)(unsigned n);
static unsigned runs, probes, fails_at;

static uint64_t
run_work(void *what)
{
	(void)what;
	fault_clock_advance(work_ns(runs++));
	return runs == fails_at ? 0 : BLOCKS;
}

static void
run_probe(uint32_t (*state)[BATCH_LANES], const uint8_t *const *data,
	  size_t nblocks)
{
	(void)state;
	(void)data;
	(void)nblocks;
	fault_clock_advance(probe_ns(probes++));
}

static const struct cpu_kernel probe = { "probe", 16, 0, NULL, run_probe };
static const struct work work = { run_work, NULL };

static uint64_t
no_time(unsigned n)
{
	(void)n;
	return 0;
}

/* What a run takes with the look at the clock. */
static uint64_t run_ns;

static uint64_t
even_run(unsigned n)
{
	(void)n;
	return run_ns - TICK;
}

static struct core
new_core(void)
{
	fault_clear();
	fault_clock_set(1);
	fault_clock_step(TICK);
	/* 1 MB/s, 2000 cycles/B. */
	run_ns = 1024000;
	work_ns = even_run;
	probe_ns = no_time;
	runs = probes = fails_at = 0;
	return (struct core){ .probe = &probe };
}

static bool
is_near(double value, double expected)
{
	return value > expected * 0.9999 && value < expected * 1.0001;
}

/* The readings of the clock, as steps to the next; ends with 0. */
static const uint16_t *steps;
static uint64_t scripted_now;

static int
scripted_clock(clockid_t clock, struct timespec *to)
{
	(void)clock;
	scripted_now += *steps ? *steps++ : TICK;
	*to = (struct timespec){ .tv_nsec = (long)scripted_now };
	return 0;
}

static void
test_look(void)
{
	static const uint16_t slow_last[] = { 9,    1000, 9,	8000, 9,
					      1000, 9,	  4000, 9,    1000,
					      9,    1000, 9,	8000, 9,
					      8000, 9,	  8000, 0 };
	static const uint16_t fast_last[] = { 9,    8000, 9,	8000, 9,
					      1000, 9,	  1000, 9,    4000,
					      9,    8000, 9,	8000, 9,
					      1000, 9,	  1000, 0 };
	struct core core = new_core();
	struct core_state state = core_look(&core);

	ok(is_near(state.hz, 2e9), "the frequency is that of additions");
	ok(probes == 5 && is_near(state.probe_cycles, TICK * 2.0 / 64),
	   "the probe takes its cycles for a block of one lane");
	for (int i = 0; i < 2; i++) {
		fault_hooks.clock_gettime = scripted_clock;
		steps = i ? fast_last : slow_last;
		scripted_now = 0;
		ok(is_near(core_look(&core).hz, 8e9) && *steps == 0,
		   "the frequency is the median of nine (%d)", i + 1);
	}
	fault_clear();
	core.probe = cpu_kernels;
	while (core.probe->needs)
		core.probe++;
	state = core_look(&core);
	ok(state.hz > 0 && state.probe_cycles > 0,
	   "this core has a frequency, and kernels take time on it");
}

/* The median of each five readings is 1000 ns more than the clock's tick. */
static uint64_t
uneven_probe(unsigned n)
{
	static const uint64_t ns[] = { 9000, 999, 1000, 1, 7000 };

	return ns[n % 5];
}

static uint64_t
short_run(unsigned n)
{
	(void)n;
	return 40000;
}

/* All differ: 1 to 1.59 ms, in another order, the longest first. */
static uint64_t
uneven_run(unsigned n)
{
	return 1000000 + 10000 * ((59 + n * 7) % 60) - TICK;
}

static void
test_samples(void)
{
	struct core core = new_core();
	struct speed speed;

	ok(measure_speed(&core, &work, &speed) && runs == SAMPLES &&
		   probes == 5 * (SAMPLES + 1),
	   "sixty runs are measured, with the probe around each");
	ok(is_near(speed.bytes_per_second, 1e6) &&
		   is_near(speed.cycles_per_byte, 2000) && !speed.disturbed,
	   "a speed is bytes in a second and cycles for a byte");

	core = new_core();
	probe_ns = uneven_probe;
	measure_speed(&core, &work, &speed);
	ok(is_near(core.best, (TICK + 1000) * 2.0 / 64),
	   "the probe's time is the median of five");

	core = new_core();
	work_ns = uneven_run;
	measure_speed(&core, &work, &speed);
	ok(is_near(speed.bytes_per_second, 1024 / 1.06e-3),
	   "one tenth of the samples are better than the speed");
	ok(is_near(speed.cycles_per_byte, 1.06e-3 * 2e9 / 1024),
	   "one tenth of the samples have fewer cycles");

	core = new_core();
	work_ns = short_run;
	measure_speed(&core, &work, &speed);
	ok(runs == 1 + 2 + SAMPLES * 4 &&
		   is_near(speed.bytes_per_second, 4096 / 176e-6),
	   "runs are doubled until a sample is long enough");
	core = new_core();
	run_ns = 150000;
	measure_speed(&core, &work, &speed);
	ok(runs == SAMPLES, "a sample of 0.15 ms is long enough");
	core = new_core();
	run_ns = 149999;
	measure_speed(&core, &work, &speed);
	ok(runs == 1 + 2 * SAMPLES, "a sample below 0.15 ms is doubled");

	core = new_core();
	run_ns = 50000000;
	measure_speed(&core, &work, &speed);
	ok(runs == SAMPLES, "work of 50 ms is run sixty times");
	core = new_core();
	run_ns = 50000001;
	ok(measure_speed(&core, &work, &speed) && runs == 1 &&
		   is_near(speed.bytes_per_second, 1024 / 0.050000001) &&
		   !speed.disturbed,
	   "work of more than 50 ms is run once");

	for (unsigned n = 1; n <= SAMPLES; n += SAMPLES - 1) {
		core = new_core();
		fails_at = n;
		ok(!measure_speed(&core, &work, &speed) && runs == n,
		   "work that fails in run %u is not measured", n);
	}
}

/* While the probe is slow, so is the work. */
static unsigned quiet_from, quiet_to; /* looks at the core, from 0 */
static uint64_t busy_ns, quiet_ns;

static bool
is_quiet_look(unsigned look)
{
	return look >= quiet_from && look < quiet_to;
}

static uint64_t
changing_probe(unsigned n)
{
	return is_quiet_look(n / 5) ? quiet_ns : busy_ns;
}

/* The sample with number n is between the looks n and n + 1. */
static uint64_t
changing_run(unsigned n)
{
	return (is_quiet_look(n) && is_quiet_look(n + 1) ? 1000000 : 2000000) -
	       TICK;
}

/* A core whose probe takes 100 units in its best moments, and 100 or another
 * number of them now. */
static void
measure_beside(struct core *core, unsigned from, unsigned to, unsigned quiet,
	       unsigned busy, struct speed *speed)
{
	const double best = core->best;

	*core = new_core();
	core->best = best;
	probe_ns = changing_probe;
	work_ns = changing_run;
	quiet_from = from;
	quiet_to = to;
	quiet_ns = TICK * (uint64_t)quiet / 100 - TICK;
	busy_ns = TICK * (uint64_t)busy / 100 - TICK;
	measure_speed(core, &work, speed);
}

static void
test_disturbed(void)
{
	const double best = TICK * 2.0 / 64;
	const double quiet = 1024 / 1e-3, busy = 1024 / 2e-3;
	struct core core = { .best = 0 };
	struct speed speed;

	/* Eight quiet looks: seven quiet samples, more than one tenth. */
	measure_beside(&core, 20, 28, 100, 130, &speed);
	ok(!speed.disturbed && is_near(speed.bytes_per_second, quiet) &&
		   is_near(speed.cycles_per_byte, 2e9 / quiet),
	   "only samples with a fast probe before and after them count");
	core.best = best;
	measure_beside(&core, 0, 6, 100, 130, &speed);
	ok(!speed.disturbed && is_near(speed.bytes_per_second, quiet),
	   "five quiet samples are enough, and no others count");
	core.best = best;
	measure_beside(&core, 20, 25, 100, 130, &speed);
	ok(speed.disturbed && is_near(speed.bytes_per_second, busy),
	   "four quiet samples of sixty may be chance");
	ok(is_near(core.best, best),
	   "slow moments do not change what is known of fast ones");

	core.best = best;
	measure_beside(&core, 0, 0, 100, 107, &speed);
	ok(!speed.disturbed, "a probe that is slower by 7 %% is quiet");
	core.best = best;
	measure_beside(&core, 0, 0, 100, 109, &speed);
	ok(speed.disturbed, "a probe that is slower by 9 %% is disturbed");
	core.best = 0;
	measure_beside(&core, 0, 0, 100, 200, &speed);
	ok(!speed.disturbed && is_near(core.best, 2 * best),
	   "what the probe can do is not known before the first measurement");
	measure_beside(&core, 0, 61, 100, 200, &speed);
	ok(!speed.disturbed && is_near(core.best, best),
	   "a core that has become quiet is noticed");
	measure_beside(&core, 0, 0, 100, 200, &speed);
	ok(speed.disturbed, "what counted before is disturbed from then on");

	core = new_core();
	core.best = 2 * best;
	run_ns = 50000001;
	measure_speed(&core, &work, &speed);
	ok(!speed.disturbed && is_near(core.best, 2 * best),
	   "one slow run counts, but is no evidence of a quieter core");
	core = new_core();
	core.best = best / 2;
	run_ns = 50000001;
	measure_speed(&core, &work, &speed);
	ok(speed.disturbed, "one slow run can be disturbed");
}

/* The core becomes half as fast in the middle of a sample. */
static uint64_t
slowing_run(unsigned n)
{
	(void)n;
	fault_clock_step(2 * TICK);
	return 60000000;
}

static void
test_frequency(void)
{
	struct core core = new_core();
	struct speed speed;

	work_ns = slowing_run;
	measure_speed(&core, &work, &speed);
	ok(is_near(speed.cycles_per_byte, 1.5e9 / speed.bytes_per_second),
	   "the frequency of a sample is the mean before and after it");
}

int
main(void)
{
	test_look();
	test_samples();
	test_disturbed();
	test_frequency();
	return tap_done();
}
