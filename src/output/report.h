/* SPDX-License-Identifier: MIT */
/*
 * report: the messages on stderr, and the exit status: 0 until a failure is
 * reported, then 1.  Only progress (status_line) also writes to stderr.
 *
 * Each message is one write.  The buffer of output is flushed first, so that
 * results and messages keep their order on one pipe.  errno is preserved.
 * As with GNU, a message that cannot be written makes the status 1.
 * Not thread-safe: messages come from the thread that emits the results.
 */
#ifndef SRC_OUTPUT_REPORT_H
#define SRC_OUTPUT_REPORT_H

/* Take the program's name from argv[0]; call it first. */
void
report_init(const char *argv0);

/* The program's name as it was called, for "Usage:". */
const char *
report_program(void);

/* The last part of it, which messages begin with. */
const char *
report_name(void);

/* Status 1 without a message. */
void
report_fail(void);

/* "PROG: text", status 1. */
__attribute__((format(printf, 1, 2))) void
report_error(const char *format, ...);

/* "PROG: text: reason", status 1. */
__attribute__((format(printf, 2, 3))) void
report_errno(int errnum, const char *format, ...);

/* The same about a file or a list, whose NAME is quoted where needed: "PROG: NAME:
 * reason" or "PROG: NAME: text", status 1. */
void
report_file_error(const char *name, int errnum);
__attribute__((format(printf, 2, 3))) void
report_file_problem(const char *name, const char *format, ...);

/* "PROG: text" and "PROG: NAME: text"; the status is unchanged. */
__attribute__((format(printf, 1, 2))) void
report_warning(const char *format, ...);
__attribute__((format(printf, 2, 3))) void
report_file_note(const char *name, const char *format, ...);

/* "Try 'PROG --help' for more information.", status 1. */
void
report_try_help(void);

/* The exit status; call it after output_close. */
int
report_status(void);

#endif
