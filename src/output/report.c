/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/output/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "src/base/descriptor.h"
#include "src/base/quote.h"
#include "src/output/output.h"
#include "src/output/status_line.h"

static struct {
	const char *program;
	const char *name; /* the last part of argv[0] */
	int status;
} report = { "", "", EXIT_SUCCESS };

void
report_init(const char *argv0)
{
	/* libtool runs a program that is not installed as
	 * DIR/.libs/lt-NAME; like GNU, show NAME only. */
	static const char libs[] = "/.libs/";
	const size_t libs_len = sizeof(libs) - 1;

	/* For getopt, which writes a message in pieces. */
	setvbuf(stderr, NULL, _IOLBF, 0);

	if (!argv0)
		argv0 = "";
	report.program = argv0;

	const char *slash = strrchr(argv0, '/');

	report.name = slash ? slash + 1 : argv0;
	if (!slash || (size_t)(slash + 1 - argv0) < libs_len ||
	    memcmp(slash + 1 - libs_len, libs, libs_len) != 0)
		return;
	report.program = slash + 1;
	if (strncmp(report.program, "lt-", 3) == 0)
		report.program += 3;
	report.name = report.program;
}

const char *
report_program(void)
{
	return report.program;
}

const char *
report_name(void)
{
	return report.name;
}

void
report_fail(void)
{
	report.status = EXIT_FAILURE;
}

int
report_status(void)
{
	return report.status;
}

static void
set_part(struct iovec *part, const char *string)
{
	/* writev does not modify the string. */
	part->iov_base = (void *)(uintptr_t)string;
	part->iov_len = strlen(string);
}

/* One write for the whole message; more only if it was cut short. */
static void
write_all(struct iovec *parts, int nparts)
{
	while (nparts > 0) {
		ssize_t n = writev(descriptor_standard(STDERR_FILENO), parts,
				   nparts);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			report_fail();
			return;
		}
		while (nparts > 0 && (size_t)n >= parts->iov_len) {
			n -= (ssize_t)parts->iov_len;
			parts++;
			nparts--;
		}
		if (nparts > 0) {
			parts->iov_base = (char *)parts->iov_base + n;
			parts->iov_len -= (size_t)n;
		}
	}
}

static void
write_parts(struct iovec *parts, int nparts)
{
	status_line_hide();
	write_all(parts, nparts);
	status_line_release();
}

/*
 * "PROG: [NAME: ]text[: reason]".  If memory is short, the name is not quoted and
 * a long text is truncated.
 */
__attribute__((format(printf, 3, 0))) static void
say(const char *name, int errnum, const char *format, va_list args)
{
	const int saved_errno = errno;
	struct text quoted = { 0 };
	struct iovec parts[8];
	char small[512];
	char *large = NULL;
	int nparts = 0;
	va_list again;

	output_flush();
	va_copy(again, args);
	const int len = vsnprintf(small, sizeof(small), format, args);
	if (len >= (int)sizeof(small))
		large = malloc((size_t)len + 1);
	if (large)
		vsnprintf(large, (size_t)len + 1, format, again);
	va_end(again);

	set_part(&parts[nparts++], report.name);
	set_part(&parts[nparts++], ": ");
	if (name) {
		set_part(&parts[nparts++], quote_name(&quoted, name));
		set_part(&parts[nparts++], len > 0 ? ": " : "");
	}
	set_part(&parts[nparts++], large ? large : small);
	if (errnum) {
		set_part(&parts[nparts++], ": ");
		set_part(&parts[nparts++], strerror_l(errnum, user_locale()));
	}
	set_part(&parts[nparts++], "\n");
	write_parts(parts, nparts);

	free(large);
	text_free(&quoted);
	errno = saved_errno;
}

/* Say it with the arguments after the format. */
#define SAY(name, errnum, format)                                              \
	do {                                                                   \
		va_list args;                                                  \
		va_start(args, format);                                        \
		say(name, errnum, format, args);                               \
		va_end(args);                                                  \
	} while (0)

void
report_error(const char *format, ...)
{
	SAY(NULL, 0, format);
	report_fail();
}

void
report_errno(int errnum, const char *format, ...)
{
	SAY(NULL, errnum, format);
	report_fail();
}

void
report_warning(const char *format, ...)
{
	SAY(NULL, 0, format);
}

void
report_file_problem(const char *name, const char *format, ...)
{
	SAY(name, 0, format);
	report_fail();
}

void
report_file_note(const char *name, const char *format, ...)
{
	SAY(name, 0, format);
}

/* Report the reason of `name` alone; the format is empty. */
static void
say_reason(const char *name, int errnum, const char *format, ...)
{
	SAY(name, errnum, format);
}

void
report_file_error(const char *name, int errnum)
{
	say_reason(name, errnum, "%s", "");
	report_fail();
}

void
report_try_help(void)
{
	const int saved_errno = errno;
	struct iovec parts[3];

	output_flush();
	set_part(&parts[0], "Try '");
	set_part(&parts[1], report.program);
	set_part(&parts[2], " --help' for more information.\n");
	write_parts(parts, 3);
	report_fail();
	errno = saved_errno;
}
