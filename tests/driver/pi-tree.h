/* SPDX-License-Identifier: MIT */
/*
 * pi-tree: trees of /proc, /sys and /dev below a directory of the test's own,
 * for tests of pi_board.  Header only; uname is wrapped.
 */
#ifndef TESTS_DRIVER_PI_TREE_H
#define TESTS_DRIVER_PI_TREE_H

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "qpu/driver/pi_board.h"
#include "tests/support/tap.h"

enum { OTHER_USER = 65534 };

static char root[64];

/* Everything of the tree before. */
static inline void
clear(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'/*", root);
	if (system(command) != 0)
		exit(99);
}

static inline void
path_of(char path[512], const char *name)
{
	snprintf(path, 512, "%s/%s", root, name);
}

static inline void
make_directories(const char *name)
{
	char path[512];

	path_of(path, name);
	for (char *at = path + strlen(root) + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		mkdir(path, 0755);
		*at = '/';
	}
}

static inline void
put_bytes(const char *name, const void *bytes, size_t len, unsigned mode)
{
	char path[512];
	FILE *file;

	make_directories(name);
	path_of(path, name);
	unlink(path);
	file = fopen(path, "w");
	if (!file || fwrite(bytes, 1, len, file) != len || fclose(file) != 0 ||
	    chmod(path, mode) != 0)
		exit(99);
}

/* With the NUL at its end, as a device tree has it. */
static inline void
put(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text) + 1, 0644);
}

static inline void
put_node(const char *name, unsigned mode)
{
	put_bytes(name, "", 0, mode);
}

static inline void
unlink_node(const char *name)
{
	char path[512];

	path_of(path, name);
	unlink(path);
}

/* What would keep a reader waiting. */
static inline void
put_fifo(const char *name)
{
	char path[512];

	make_directories(name);
	path_of(path, name);
	if (mkfifo(path, 0644) != 0)
		exit(99);
}

/* "compatible" is two strings. */
static inline void
put_board(const char *model, const char *board, const char *chip)
{
	char both[128];
	const int len = snprintf(both, sizeof(both), "%s%c%s", board, 0, chip);

	clear();
	if (model[0])
		put("proc/device-tree/model", model);
	put_bytes("proc/device-tree/compatible", both, (size_t)len + 1, 0644);
}

static inline void
put_status(const char *status)
{
	put("proc/device-tree/soc/v3d@7ec00000/status", status);
}

/* A Pi on which nothing is in the way. */
static inline void
put_good_pi(void)
{
	put_board("Raspberry Pi 3 Model B Rev 1.2", "raspberrypi,3-model-b",
		  "brcm,bcm2837");
	put_status("disabled");
	put_node("dev/vcio", 0660);
	put_node("dev/vcsm-cma", 0660);
	put_node("dev/mem", 0640);
}

/* What the kernel says that it runs on. */
static const char *machine = "armv7l";

int
__wrap_uname(struct utsname *name);

int
__wrap_uname(struct utsname *name)
{
	memset(name, 0, sizeof(*name));
	memcpy(name->machine, machine, strlen(machine));
	return 0;
}

static struct pi_board board;
static struct diag why;

static inline bool
look(void)
{
	why.text[0] = '\0';
	return pi_board_look(root, &board, &why);
}

static inline bool
refused(enum pi_obstacle obstacle, const char *remedy)
{
	const bool usable = look();

	if (usable || board.obstacle != obstacle || !strstr(why.text, remedy)) {
		tap_note("obstacle %d, not %d: %s", (int)board.obstacle,
			 (int)obstacle, why.text);
		return false;
	}
	return true;
}

/* As a user who is in no group of theirs and owns nothing. */
static inline void
become(unsigned user)
{
	static unsigned self = 1;

	if (self == 1)
		self = geteuid();
	if (self != 0)
		return;
	if (seteuid(0) != 0 || setegid(user) != 0 || seteuid(user) != 0)
		exit(99);
}

static inline bool
refused_to_others(enum pi_obstacle obstacle, const char *remedy)
{
	bool answer;

	become(OTHER_USER);
	answer = refused(obstacle, remedy);
	become(0);
	return answer;
}

/* False: no directory can be had. */
static inline bool
begin_tree(void)
{
	const char *directory = getenv("TMPDIR");

	/* Root's may be closed to the other user. */
	if (!directory || geteuid() == 0)
		directory = "/tmp";
	snprintf(root, sizeof(root), "%.40s/board-XXXXXX", directory);
	if (!mkdtemp(root) || chmod(root, 0755) != 0)
		return false;
	return true;
}

static inline void
end_tree(void)
{
	clear();
	rmdir(root);
}

#endif
