/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/bench/cycles.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/clock.h"

static double
now(void)
{
	return (double)clock_ns() / CLOCK_NS_PER_S;
}

/*
 * One addition of two registers has a latency of one cycle everywhere.  (An
 * immediate operand would not do: some cores fold those when renaming.)
 */
static double
time_additions(unsigned rounds)
{
	enum { ADDITIONS = 32 };
	unsigned long sum = 0, term = 1;
	const double start = now();

	__asm__ volatile("" : "+r"(term));
	for (unsigned i = 0; i < rounds; i++) {
#define ADD                                                                    \
	sum += term;                                                           \
	__asm__ volatile("" : "+r"(sum));
#define ADD_8 ADD ADD ADD ADD ADD ADD ADD ADD
		ADD_8 ADD_8 ADD_8 ADD_8
#undef ADD
#undef ADD_8
	}
	return (double)rounds * ADDITIONS / (now() - start);
}

static int
compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double
cycles_quantile(double *values, size_t count, double part)
{
	qsort(values, count, sizeof(*values), compare_doubles);
	return values[(size_t)((double)count * part)];
}

/* The median: interruptions make single ones slow, and where the clock
 * dithers, the fastest would be as wrong as the slowest. */
double
cycles_hz(void)
{
	enum { RUNS = 9 };
	double hz[RUNS];

	for (int i = 0; i < RUNS; i++)
		hz[i] = time_additions(1000);
	return cycles_quantile(hz, RUNS, 0.5);
}

static uint64_t
read_counter(const struct cycles *cycles)
{
	uint64_t count = 0;

	if (read(cycles->counter_fd, &count, sizeof(count)) != sizeof(count))
		return 0;
	return count;
}

void
cycles_open(struct cycles *cycles)
{
	struct perf_event_attr attr;

	memset(cycles, 0, sizeof(*cycles));
	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_HARDWARE;
	attr.config = PERF_COUNT_HW_CPU_CYCLES;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	cycles->counter_fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
					  PERF_FLAG_FD_CLOEXEC);
	if (cycles->counter_fd < 0) {
		cycles->counter_fd = -1;
		return;
	}

	/* Some virtual machines have a counter that does not count. */
	const uint64_t before = read_counter(cycles);
	time_additions(1000);
	if (read_counter(cycles) == before)
		cycles_close(cycles);
}

bool
cycles_has_counter(const struct cycles *cycles)
{
	return cycles->counter_fd >= 0;
}

void
cycles_start(struct cycles *cycles)
{
	if (cycles_has_counter(cycles))
		cycles->start_count = read_counter(cycles);
	else
		cycles->start_hz = cycles_hz();
	cycles->start_seconds = now();
}

struct cycles_span
cycles_stop(struct cycles *cycles)
{
	struct cycles_span span = { .seconds = now() - cycles->start_seconds };

	if (cycles_has_counter(cycles)) {
		span.cycles =
			(double)(read_counter(cycles) - cycles->start_count);
	} else {
		const double hz = (cycles_hz() + cycles->start_hz) / 2;

		span.cycles = span.seconds * hz;
	}
	return span;
}

void
cycles_close(struct cycles *cycles)
{
	if (cycles->counter_fd >= 0)
		close(cycles->counter_fd);
	cycles->counter_fd = -1;
}
