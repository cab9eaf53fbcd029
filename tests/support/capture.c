/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "tests/support/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BROKEN_HARNESS = 99 };

static void
broken(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(BROKEN_HARNESS);
}

/* The child puts the files in place and runs. */
_Noreturn static void
become(int (*child)(void *data), void *data, int out, int err)
{
	int null = open("/dev/null", O_RDONLY);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
		_exit(BROKEN_HARNESS);
	close(null);
	_exit(child(data));
}

/* Take what a file has, and close it. */
static void
collect(FILE *file, struct text *text)
{
	char bytes[4096];
	size_t n;

	rewind(file);
	do {
		n = fread(bytes, 1, sizeof(bytes), file);
		if (!text_add(text, bytes, n))
			broken("text");
	} while (n > 0);
	fclose(file);
}

void
capture_run(struct capture *capture, int (*child)(void *data), void *data,
	    bool together)
{
	FILE *const out = tmpfile(), *const err = tmpfile();
	int status;

	*capture = (struct capture){ 0 };
	fflush(stdout);
	if (!out || !err)
		broken("tmpfile");

	pid_t pid = fork();
	if (pid < 0)
		broken("fork");
	if (pid == 0)
		become(child, data, fileno(out), fileno(together ? out : err));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			broken("waitpid");
	collect(out, &capture->out);
	collect(err, &capture->err);
	capture->status = WIFEXITED(status) ? WEXITSTATUS(status) :
					      128 + WTERMSIG(status);
	if (capture->status == BROKEN_HARNESS)
		broken("child");
}

void
capture_free(struct capture *capture)
{
	text_free(&capture->out);
	text_free(&capture->err);
}
