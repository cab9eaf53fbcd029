/* SPDX-License-Identifier: MIT */
/*
 * Promise: a board's directory is made where no other user can reach it, and
 * what killed processes left there is removed, and nothing else.
 */
#include "config.h"

#include "src/tools/qpuemu/board_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/scratch.h"
#include "tests/support/tap.h"

static char top[PATH_MAX];

/* Names of directories come from here; how many of a kind are drawn. */
static uint64_t drawn[16];
static unsigned ndrawn;
static bool has_random = true;

ssize_t
getrandom(void *bytes, size_t n, unsigned flags)
{
	errno = ENOSYS;
	if (n != sizeof(uint64_t) || flags != 0 || !has_random)
		return -1;
	memcpy(bytes, &drawn[ndrawn % 16], n);
	ndrawn++;
	return (ssize_t)n;
}

/* Another user has this number. */
static uid_t another_user;

uid_t
geteuid(void)
{
	return getuid() + another_user;
}

static void
run(const char *command)
{
	if (system(command) != 0)
		exit(99);
}

/* The number whose name has this as its first letter, then zeros. */
static void
draw(uint64_t first, uint64_t then)
{
	ndrawn = 0;
	for (unsigned i = 0; i < 16; i++)
		drawn[i] = i == 0 ? first : then;
}

static bool
is_there(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0;
}

/* Make a board with this TMPDIR; its directory without what is above. */
static const char *
makes(const char *tmpdir, bool *made)
{
	static char dir[BOARD_DIRECTORY];
	struct diag why = { .text = "" };
	char place[PATH_MAX + 64];

	if (*tmpdir == '.' || !*tmpdir)
		snprintf(place, sizeof(place), "%s", tmpdir);
	else
		snprintf(place, sizeof(place), "%s/%s", top, tmpdir);
	setenv("TMPDIR", place, 1);
	*made = board_directory_make(dir, &why);
	if (!*made)
		return strcpy(dir, why.text);
	if (strncmp(dir, top, strlen(top)) == 0)
		return dir + strlen(top);
	return dir;
}

/* It is made there, and removed. */
static void
is_made(const char *tmpdir, const char *expected, const char *name)
{
	bool made;
	const char *dir = makes(tmpdir, &made);

	ok(made, "%s", name);
	is(dir, expected, "%s: which directory", name);
	if (made) {
		const char *path = *dir == '/' && !is_there(dir) ? dir + 1 :
								   dir;

		board_directory_remove(path);
		ok(!is_there(path), "%s: it goes", name);
	}
}

/* It is not made there but elsewhere. */
static void
is_elsewhere(const char *tmpdir, const char *name)
{
	bool made;
	const char *dir;

	/* Others may be there: no two processes have the same name. */
	draw((uint64_t)getpid(), (uint64_t)getpid());
	dir = makes(tmpdir, &made);
	ok(made && (strncmp(dir, "/dev/shm/qpuemu.", 16) == 0 ||
		    strncmp(dir, "/tmp/qpuemu.", 12) == 0),
	   "%s", name);
	if (made)
		board_directory_remove(dir);
	draw(0, 0);
}

static void
test_places(void)
{
	draw(0, 0);
	run("mkdir -p good sticky/in open/in 'a b' a:b 'a;b' && chmod 700 good "
	    "sticky/in open/in && chmod 1777 sticky && chmod 777 open && "
	    "ln -s good link && touch file");
	is_made("good", "/good/qpuemu.000000",
		"a directory of one's own is used");
	is_made("link", "/good/qpuemu.000000", "a directory is used by a link");
	is_made("sticky", "/sticky/qpuemu.000000",
		"a directory in which others may not remove is used");
	is_made("sticky/in", "/sticky/in/qpuemu.000000",
		"a directory in a sticky one is used");
	is_elsewhere("open",
		     "a directory in which others may remove is not used");
	is_elsewhere(
		"open/in",
		"a directory in one in which others may remove is not used");
	is_elsewhere("a b", "a directory with a blank in its name is not used");
	is_elsewhere("a:b", "a directory with a colon in its name is not used");
	is_elsewhere("a;b",
		     "a directory with a semicolon in its name is not used");
	is_elsewhere("file", "a file is not used as a directory");
	is_elsewhere("none", "a directory that is missing is not used");
	is_elsewhere("", "an empty TMPDIR is not used");
	run("chmod 770 open");
	is_elsewhere("open",
		     "a directory in which a group may remove is not used");
	run("chmod 755 open");
	is_made("open", "/open/qpuemu.000000",
		"a directory in which the group may no longer remove is used");
	is_elsewhere("./good", "a relative TMPDIR is not used");
}

/* Is this place taken?  Without random numbers nothing is made there. */
static bool
is_taken(const char *tmpdir)
{
	bool made;

	return strncmp(makes(tmpdir, &made), top, strlen(top)) == 0;
}

static void
test_users(void)
{
	has_random = false;
	ok(is_taken("good"), "a directory of one's own is taken");
	another_user = 1;
	if (getuid() == 0)
		ok(is_taken("good"), "a directory of root is taken");
	if (getuid() == 0 && chown("good", 2, (gid_t)-1) != 0)
		exit(99);
	ok(!is_taken("good"), "a directory of another user is not taken");
	if (getuid() == 0 && chown("good", 0, (gid_t)-1) != 0)
		exit(99);
	another_user = 0;
	has_random = true;
}

static void
test_names(void)
{
	uint64_t last = 35;
	bool made;

	draw(35, 0);
	is_made("good", "/good/qpuemu.z00000",
		"a random name may have the last letter");
	draw(36, 0);
	is_made("good", "/good/qpuemu.010000",
		"a random number of 36 is two letters");
	for (unsigned i = 0; i < 5; i++)
		last = last * 36 + 35;
	draw(last, 0);
	is_made("good", "/good/qpuemu.zzzzzz",
		"a random name may have the last letter everywhere");
	draw(10, 11);
	run("mkdir good/qpuemu.a00000");
	is_made("good", "/good/qpuemu.b00000",
		"another name is drawn for one that is taken");
	draw(10, 10);
	ok(strcmp(makes("good", &made) + strlen(top), "") != 0 && !made &&
		   ndrawn == 10,
	   "ten names are tried");
	run("rmdir good/qpuemu.a00000");
	has_random = false;
	is(makes("good", &made) + strlen(top),
	   "/good: Function not implemented",
	   "a kernel without random numbers is told");
	has_random = true;
}

static void
test_mode(void)
{
	char path[PATH_MAX + 32];
	struct stat status;
	bool made;
	int fd;

	draw(0, 0);
	makes("good", &made);
	snprintf(path, sizeof(path), "%s/good/qpuemu.000000", top);
	ok(made && stat(path, &status) == 0 &&
		   status.st_mode == (S_IFDIR | S_ISVTX | 0700),
	   "the directory is for this user alone");
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ok(flock(fd, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK,
	   "the directory is locked");
	close(fd);
	draw(1, 1);
	is_made("good", "/good/qpuemu.100000", "a second directory is made");
	ok(is_there(path), "making a second directory leaves the first alone");
	run("mkdir -p good/qpuemu.000000/a/b && touch "
	    "good/qpuemu.000000/shared good/qpuemu.000000/a/b/shared && "
	    "ln -s ../.. good/qpuemu.000000/a/up");
	board_directory_remove(path);
	ok(!is_there(path) && is_there("good"), "a directory goes with "
						"all that is in it");
	board_directory_remove(path);
	ok(!is_there(path), "removing a directory that is gone does nothing");
}

/* A file that knows its length, as that of a board does. */
static void
make_shared(const char *path, uint32_t bytes, off_t length)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (write(fd, &bytes, sizeof(bytes)) != sizeof(bytes) ||
	    ftruncate(fd, length) != 0)
		exit(99);
	close(fd);
}

static void
test_sweep(void)
{
	int locked;
	bool made;

	run("cd good && mkdir -m 700 qpuemu.whole0 qpuemu.other0 qpuemu.longer1 "
	    "qpuemu.short qpuemu.lock00 qpuemu.noboar qpuemu.wrong0 && "
	    "mkdir -m 1700 qpuemu.begun0 qpuemu.begun1 qpuemu.begun2 && "
	    "mkdir -m 700 qpuemX.whole0 qpuemu.whole0/a && "
	    "touch qpuemu.whole0/a/file qpuemu.noboar/file && "
	    ": >qpuemu.begun1/shared && : >qpuemu.begun2/else && "
	    ": >qpuemu.filefi && ln -s qpuemu.whole0 qpuemu.linked");
	make_shared("good/qpuemu.whole0/shared", 5000, 5000);
	make_shared("good/qpuemu.longer1/shared", 5000, 5000);
	make_shared("good/qpuemu.short/shared", 5000, 5000);
	make_shared("good/qpuemu.lock00/shared", 5000, 5000);
	make_shared("good/qpuemX.whole0/shared", 5000, 5000);
	make_shared("good/qpuemu.wrong0/shared", 5000, 5001);
	run("mkdir good/qpuemu.other0/shared");
	locked = open("good/qpuemu.lock00", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (flock(locked, LOCK_EX | LOCK_NB) != 0)
		exit(99);
	draw(0, 0);
	makes("good", &made);
	ok(made && !is_there("good/qpuemu.whole0"),
	   "a board that nobody uses is removed");
	ok(is_there("good/qpuemu.lock00"), "a board in use is not removed");
	ok(!is_there("good/qpuemu.begun0") && !is_there("good/qpuemu.begun1"),
	   "a board that was only begun is removed");
	ok(is_there("good/qpuemu.begun2/else"),
	   "a begun board with another file is not removed");
	ok(is_there("good/qpuemu.longer1") && is_there("good/qpuemu.short") &&
		   is_there("good/qpuemX.whole0"),
	   "boards with other names are not removed");
	ok(is_there("good/qpuemu.other0") && is_there("good/qpuemu.noboar") &&
		   is_there("good/qpuemu.wrong0") &&
		   is_there("good/qpuemu.filefi") &&
		   is_there("good/qpuemu.linked"),
	   "a directory that is no board is not removed");
	close(locked);
	draw(1, 1);
	is_made("good", "/good/qpuemu.100000", "a directory is made later");
	ok(!is_there("good/qpuemu.lock00") && is_there("good/qpuemu.000000"),
	   "the one that was in use is removed, and that of this process is "
	   "not");
}

int
main(void)
{
	umask(022);
	scratch_enter();
	if (!getcwd(top, sizeof(top)))
		return 99;
	close(STDIN_FILENO); /* 0 is a good descriptor */
	test_places();
	test_users();
	test_names();
	test_mode();
	test_sweep();
	return tap_done();
}
