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
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/scratch.h"
#include "tests/support/tap.h"

static char top[PATH_MAX];

static void
run(const char *command)
{
	if (system(command) != 0)
		exit(99);
}

static bool
is_there(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0;
}

/* Make a board with this TMPDIR; its directory, or the reason. */
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
	return *made ? dir : strcpy(dir, why.text);
}

/* Is a board made below this directory of the test?  It is removed. */
static bool
is_made_in(const char *tmpdir, const char *folder)
{
	char begin[PATH_MAX + 64];
	bool made, here;
	const char *dir = makes(tmpdir, &made);

	snprintf(begin, sizeof(begin), "%s/%s/qpuemu.", top, folder);
	here = strncmp(dir, begin, strlen(begin)) == 0;
	if (made)
		board_directory_remove(dir);
	return made && here && !is_there(dir);
}

static void
test_places(void)
{
	static const struct {
		const char *tmpdir, *made, *what;
	} rows[] = {
		{ "good", "good", "a directory of one's own is used" },
		{ "link", "good", "a directory is used by a link" },
		{ "sticky", "sticky",
		  "a directory in which others may not remove is used" },
		{ "sticky/in", "sticky/in",
		  "a directory in a sticky one is used" },
		{ "open", NULL,
		  "a directory in which others may remove is not used" },
		{ "open/in", NULL,
		  "a directory in one in which others may remove is not used" },
		{ "group", NULL,
		  "a directory in which a group may remove is not used" },
		{ "a b", NULL, "a directory with a blank is not used" },
		{ "a:b", NULL, "a directory with a colon is not used" },
		{ "a;b", NULL, "a directory with a semicolon is not used" },
		{ "file", NULL, "a file is not used as a directory" },
		{ "none", NULL, "a directory that is missing is not used" },
		{ "", NULL, "an empty TMPDIR is not used" },
		{ "./good", NULL, "a relative TMPDIR is not used" },
	};

	run("mkdir -p good sticky/in open/in group 'a b' a:b 'a;b' && "
	    "chmod 700 good sticky/in open/in && chmod 1777 sticky && "
	    "chmod 777 open && chmod 770 group && ln -s good link && "
	    "touch file");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		bool made;
		const char *dir;

		if (rows[i].made) {
			ok(is_made_in(rows[i].tmpdir, rows[i].made), "%s",
			   rows[i].what);
			continue;
		}
		dir = makes(rows[i].tmpdir, &made);
		ok(made && (strncmp(dir, "/dev/shm/qpuemu.", 16) == 0 ||
			    strncmp(dir, "/tmp/qpuemu.", 12) == 0),
		   "%s", rows[i].what);
		if (made)
			board_directory_remove(dir);
	}
}

static void
test_users(void)
{
	if (getuid() != 0) {
		tap_skip("only root gives directories away");
		return;
	}
	if (chown("good", 2, (gid_t)-1) != 0)
		exit(99);
	ok(!is_made_in("good", "good"),
	   "a directory of another user is not used");
	if (chown("good", 0, (gid_t)-1) != 0)
		exit(99);
}

static void
test_directory(void)
{
	char path[PATH_MAX + 64], command[2 * PATH_MAX];
	struct stat status;
	bool made;
	int fd;

	strcpy(path, makes("good", &made));
	ok(made && stat(path, &status) == 0 &&
		   status.st_mode == (S_IFDIR | 0700),
	   "the directory is for this user alone");
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ok(flock(fd, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK,
	   "the directory is locked");
	close(fd);
	ok(is_made_in("good", "good") && is_there(path),
	   "making a second directory leaves the first alone");
	snprintf(command, sizeof(command),
		 "cd %s && mkdir -p a/b && touch shared a/b/shared && "
		 "ln -s ../.. a/up",
		 path);
	run(command);
	board_directory_remove(path);
	ok(!is_there(path) && is_there("good"),
	   "a directory goes with all that is in it");
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
	    "qpuemu.short qpuemu.lock00 qpuemu.noboar qpuemu.wrong0 "
	    "qpuemu.begun0 qpuemu.begun1 qpuemu.begun2 && "
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
	ok(is_made_in("good", "good") && !is_there("good/qpuemu.lock00"),
	   "the one that was in use is removed later");
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
	test_directory();
	test_sweep();
	return tap_done();
}
