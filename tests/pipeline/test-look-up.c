/* SPDX-License-Identifier: MIT */
/*
 * Promise: a name tells how many blocks its file has, and what has to wait for
 * its turn, and nothing is opened for that.
 */
#include "config.h"

#include "src/feed/look_up.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/lanes/job.h"
#include "tests/support/tap.h"

static char directory[] = "test-look-up-XXXXXX";

static const struct {
	const char *name;
	enum look_up way;
	uint64_t blocks;
	const char *what;
} rows[] = {
	{ "1", LOOK_UP_SIZED, 1, "a file of a byte" },
	{ "55", LOOK_UP_SIZED, 1, "one whose padding fits into its block" },
	{ "56", LOOK_UP_SIZED, 2, "one whose padding does not" },
	{ "link", LOOK_UP_SIZED, 2, "a link to a file" },
	{ "0", LOOK_UP_PLAIN, 0, "an empty file" },
	{ "missing", LOOK_UP_PLAIN, 0, "a name that is not there" },
	{ ".", LOOK_UP_PLAIN, 0, "a directory" },
	{ "fifo", LOOK_UP_IN_TURN, 0, "a FIFO" },
	{ "/dev/null", LOOK_UP_IN_TURN, 0, "a device" },
};

static void
make_file(const char *name)
{
	const int fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, atoi(name)) != 0 || close(fd) != 0)
		exit(99);
}

int
main(void)
{
	struct job job;
	char command[64];

	if (!mkdtemp(directory) || chdir(directory) != 0 ||
	    mkfifo("fifo", 0600) != 0 || symlink("56", "link") != 0)
		return 99;
	make_file("0");
	make_file("1");
	make_file("55");
	make_file("56");
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		job = (struct job){ .name = (char *)rows[i].name };
		ok(look_up(&job) == rows[i].way && job.blocks == rows[i].blocks,
		   "%s", rows[i].what);
	}
	job = (struct job){ .kind = JOB_STDIN, .name = (char *)"56" };
	ok(look_up(&job) == LOOK_UP_IN_TURN && job.blocks == 0,
	   "standard input, whatever its name");
	job = (struct job){ .name = (char *)"missing", .blocks = 7 };
	ok(look_up(&job) == LOOK_UP_SIZED && job.blocks == 7,
	   "a file that has been looked up");
	if (chdir("..") != 0)
		return 99;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command) == 0 ? tap_done() : 99;
}
