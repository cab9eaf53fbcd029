/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "tests/support/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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

/* The child puts the pipes in place and runs. */
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

/* Read both pipes until they are closed. */
static void
collect(int fds[2], struct text *texts[2])
{
	struct pollfd polls[2] = {
		{ .fd = fds[0], .events = POLLIN },
		{ .fd = fds[1], .events = POLLIN },
	};

	while (polls[0].fd >= 0 || polls[1].fd >= 0) {
		if (poll(polls, 2, -1) < 0 && errno != EINTR)
			broken("poll");
		for (int i = 0; i < 2; i++) {
			char bytes[4096];

			if (polls[i].fd < 0 || !polls[i].revents)
				continue;
			ssize_t n = read(polls[i].fd, bytes, sizeof(bytes));
			if (n > 0 && !text_add(texts[i], bytes, (size_t)n))
				broken("text");
			if (n == 0 || (n < 0 && errno != EINTR)) {
				close(polls[i].fd);
				polls[i].fd = -1;
			}
		}
	}
}

void
capture_run(struct capture *capture, int (*child)(void *data), void *data,
	    bool together)
{
	int out[2], err[2], status;

	*capture = (struct capture){ 0 };
	if (!text_add(&capture->out, "", 0) || !text_add(&capture->err, "", 0))
		broken("text");
	fflush(stdout);
	if (pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0)
		broken("pipe");

	pid_t pid = fork();
	if (pid < 0)
		broken("fork");
	if (pid == 0)
		become(child, data, out[1], together ? out[1] : err[1]);
	close(out[1]);
	close(err[1]);
	collect((int[]){ out[0], err[0] },
		(struct text *[]){ &capture->out, &capture->err });
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			broken("waitpid");
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
