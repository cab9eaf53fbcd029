/* SPDX-License-Identifier: MIT */
/*
 * tap: the Test Anything Protocol for the C test programs, in one header.
 *
 *	int main(void) { ok(1 + 1 == 2, "adding %d", 1); return tap_done(); }
 *
 * Every case is one ok() line named after the promise it checks; tap_done()
 * prints the plan and returns main's exit status.
 */
#ifndef TESTS_SUPPORT_TAP_H
#define TESTS_SUPPORT_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One count for all files of a program. */
__attribute__((weak)) unsigned tap_count, tap_failures;

/* Return true if a short run was asked for, as for sanitizers and emulated
 * CPUs. */
__attribute__((unused)) static bool
tap_is_quick(void)
{
	const char *tests = getenv("QPU_TESTS");

	return tests && strcmp(tests, "quick") == 0;
}

/* A line of explanation for the reader of the log. */
__attribute__((format(printf, 1, 2), unused)) static void
tap_note(const char *format, ...)
{
	va_list args;

	fputs("# ", stdout);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

__attribute__((format(printf, 4, 5), unused)) static bool
tap_ok(bool passed, const char *file, int line, const char *format, ...)
{
	va_list args;

	printf("%sok %u - ", passed ? "" : "not ", ++tap_count);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	if (!passed) {
		tap_failures++;
		tap_note("failed at %s:%d", file, line);
	}
	fflush(stdout);
	return passed;
}

#define ok(passed, ...) tap_ok((passed), __FILE__, __LINE__, __VA_ARGS__)

/* Two strings are equal; shows both when they are not. */
#define is(got, expected, ...)                                                 \
	do {                                                                   \
		const char *got_ = (got), *expected_ = (expected);             \
		if (!ok(strcmp(got_, expected_) == 0, __VA_ARGS__))            \
			tap_note("got '%s', expected '%s'", got_, expected_);  \
	} while (0)

/* One case that could not run here, and why. */
__attribute__((format(printf, 1, 2), unused)) static void
tap_skip(const char *format, ...)
{
	va_list args;

	printf("ok %u # SKIP ", ++tap_count);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static inline int
tap_done(void)
{
	printf("1..%u\n", tap_count);
	return tap_failures != 0;
}

#endif
