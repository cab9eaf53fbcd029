/* SPDX-License-Identifier: MIT */
/*
 * Promise: cycles come from the hardware counter where it counts, and else from
 * the time and the frequency before and after.
 */
#include "config.h"

#include "src/bench/cycles.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "tests/support/tap.h"

/* Each look at the clock finds that so much time has gone by. */
static uint64_t now, step;
static const uint16_t *steps; /* instead, if there are any */

uint64_t
__wrap_clock_ns(void);

uint64_t
__wrap_clock_ns(void)
{
	return now += steps ? *steps++ : step;
}

/* The counter: refused, or a descriptor of nothing. */
static bool refused;
static struct perf_event_attr asked;
static long asked_of[4];
static int counter_fd;

long
__wrap_syscall(long number, ...);

long
__wrap_syscall(long number, ...)
{
	const struct perf_event_attr *attr;
	va_list args;

	va_start(args, number);
	attr = va_arg(args, const struct perf_event_attr *);
	asked_of[0] = va_arg(args, int);
	asked_of[1] = va_arg(args, int);
	asked_of[2] = va_arg(args, int);
	asked_of[3] = va_arg(args, unsigned long);
	va_end(args);
	if (number != SYS_perf_event_open)
		return -1;
	asked = *attr;
	if (refused) {
		errno = EACCES;
		return -5;
	}
	counter_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return counter_fd;
}

static uint64_t count, count_step;
static bool short_reads;

ssize_t
__wrap_read(int fd, void *to, size_t len);

ssize_t
__wrap_read(int fd, void *to, size_t len)
{
	if (fd != counter_fd || len != sizeof(count))
		return -1;
	count += count_step;
	memcpy(to, &count, sizeof(count));
	return short_reads ? 4 : (ssize_t)len;
}

static bool
is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void
test_counter(void)
{
	struct cycles cycles;
	struct cycles_span span;

	step = 1000;
	count_step = 500;
	cycles_open(&cycles);
	ok(cycles_has_counter(&cycles) && cycles.counter_fd == counter_fd,
	   "a counter that counts is used");
	ok(asked.type == PERF_TYPE_HARDWARE &&
		   asked.config == PERF_COUNT_HW_CPU_CYCLES &&
		   asked.size == sizeof(asked) && asked.exclude_kernel &&
		   asked.exclude_hv && !asked.exclude_user && !asked.disabled &&
		   asked_of[0] == 0 && asked_of[1] == -1 && asked_of[2] == -1 &&
		   asked_of[3] == PERF_FLAG_FD_CLOEXEC,
	   "it counts cycles of this thread outside of the kernel");
	cycles_start(&cycles);
	count += 123000;
	now += 2000000;
	span = cycles_stop(&cycles);
	ok(span.cycles == 123500 && span.seconds > 0.0020009 &&
		   span.seconds < 0.0020011,
	   "a span has its time and its cycles");
	cycles_start(&cycles);
	short_reads = true;
	span = cycles_stop(&cycles);
	short_reads = false;
	ok(span.cycles != 500, "a read that is too short is not believed");
	cycles_close(&cycles);
	ok(!cycles_has_counter(&cycles) && !is_open(counter_fd),
	   "it is closed");
	cycles_close(&cycles);
	ok(!cycles_has_counter(&cycles), "once");

	count_step = 0;
	cycles_open(&cycles);
	ok(!cycles_has_counter(&cycles) && !is_open(counter_fd),
	   "a counter that does not count is closed at once");
}

static void
test_calibration(void)
{
	struct cycles cycles;
	struct cycles_span span;

	refused = true;
	cycles_open(&cycles);
	ok(!cycles_has_counter(&cycles) && cycles.counter_fd == -1,
	   "without a counter there is the clock");
	/* 1000 rounds of 32 additions in 8000 ns. */
	step = 8000;
	ok(cycles_hz() > 3.9999e9 && cycles_hz() < 4.0001e9,
	   "the frequency is that of additions");
	cycles_start(&cycles);
	/* Half as fast at the end. */
	step = 16000;
	now += 1000000;
	span = cycles_stop(&cycles);
	ok(span.seconds > 0.0010159 && span.seconds < 0.0010161,
	   "a span has its time");
	ok(span.cycles > 0.001016 * 2.9999e9 &&
		   span.cycles < 0.001016 * 3.0001e9,
	   "and as many cycles as at the mean frequency");
	cycles_close(&cycles);
}

/* Nine runs, between two looks at the clock each. */
static void
test_median(void)
{
	static const uint16_t slow_last[] = { 9, 1000, 9, 8000, 9, 1000,
					      9, 4000, 9, 1000, 9, 1000,
					      9, 8000, 9, 8000, 9, 8000,
					      9, 1,    9, 1,	0 };
	static const uint16_t fast_last[] = { 9, 8000,	9, 8000,  9, 1000,
					      9, 1000,	9, 4000,  9, 8000,
					      9, 8000,	9, 1000,  9, 1000,
					      9, 60000, 9, 60000, 0 };

	double hz;

	steps = slow_last;
	hz = cycles_hz();
	ok(hz > 7.9999e9 && hz < 8.0001e9 && steps == slow_last + 18,
	   "the frequency is the median of nine");
	steps = fast_last;
	hz = cycles_hz();
	ok(hz > 7.9999e9 && hz < 8.0001e9 && steps == fast_last + 18,
	   "whichever came last");
	steps = NULL;
}

static void
test_quantile(void)
{
	double values[] = { 5, 4, 3, 2, 1, 0, 9, 8, 7, 6 };
	double one[] = { 3 };

	ok(cycles_quantile(values, 10, 0) == 0 &&
		   cycles_quantile(values, 10, 0.19) == 1 &&
		   cycles_quantile(values, 10, 0.21) == 2 &&
		   cycles_quantile(values, 10, 0.99) == 9,
	   "a quantile is one of the values");
	ok(cycles_quantile(one, 1, 0.9) == 3, "even of one");
	for (int i = 0; i < 9; i++)
		if (values[i] > values[i + 1])
			one[0] = 0;
	ok(one[0] == 3, "they are sorted then");
}

int
main(void)
{
	test_counter();
	test_calibration();
	test_median();
	test_quantile();
	return tap_done();
}
