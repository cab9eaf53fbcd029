/* SPDX-License-Identifier: MIT */
/*
 * report: the messages on stderr, and the exit status, which only worsens: 0,
 * then 1.  Beside it only progress is told there (ticker, status_line).
 *
 * Each message is one write, and what output has collected goes first, so
 * that both keep their order on one pipe.  errno survives every call.
 * A message that stderr does not take makes the status 1, as GNU has it.
 * Not for threads: whoever emits results in order also emits the messages.
 */
#ifndef SRC_REPORT_H
#define SRC_REPORT_H

/* The program's name from argv[0]; before everything else. */
void
report_init(const char *argv0);

/* The program's name as messages show it. */
const char *
report_program(void);

/* Status 1 without a word. */
void
report_fail(void);

/* "PROG: text", status 1. */
__attribute__((format(printf, 1, 2)))
void
report_error(const char *format, ...);

/* "PROG: text: reason", status 1. */
__attribute__((format(printf, 2, 3)))
void
report_errno(int errnum, const char *format, ...);

/* "PROG: NAME: reason", NAME quoted where needed, status 1. */
void
report_file_error(const char *name, int errnum);

/* "PROG: text", the status stays. */
__attribute__((format(printf, 1, 2)))
void
report_warning(const char *format, ...);

/* "Try 'PROG --help' for more information.", status 1. */
void
report_try_help(void);

/* What main returns: after output_close. */
int
report_status(void);

#endif
