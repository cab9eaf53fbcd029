/* SPDX-License-Identifier: MIT */
/*
 * Promise: a note comes back as it was written, and cannot be read as one of
 * another kind.
 */
#include "config.h"

#include "src/inputs/note.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/tap.h"

#ifndef NDEBUG
/* Does reading the note as this kind end the process by an assertion? */
static bool
aborts(const struct job *job, enum note_kind kind)
{
	const pid_t child = fork();
	int status = 0;

	if (child == 0) {
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		note_read(job, kind);
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child &&
	       WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}
#endif

int
main(void)
{
	struct note entry = { .kind = NOTE_CHECK_ENTRY };
	struct job job = { .kind = JOB_FILE };
	struct note back;

	ok(note_kind(&job) == NOTE_NONE, "a new job has no note");

	entry.entry.line = UINTMAX_MAX;
	memset(entry.entry.expected, 0xa5, sizeof(entry.entry.expected));
	note_write(&job, &entry);
	back = note_read(&job, NOTE_CHECK_ENTRY);
	ok(note_kind(&job) == NOTE_CHECK_ENTRY &&
		   back.entry.line == UINTMAX_MAX &&
		   memcmp(back.entry.expected, entry.entry.expected,
			  sizeof(entry.entry.expected)) == 0,
	   "a note comes back as it was written");
#ifdef NDEBUG
	tap_skip("built without assertions");
#else
	ok(aborts(&job, NOTE_CHECK_MALFORMED) && aborts(&job, NOTE_NONE) &&
		   !aborts(&job, NOTE_CHECK_ENTRY),
	   "a note of another kind cannot be read");
#endif
	return tap_done();
}
