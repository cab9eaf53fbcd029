/* SPDX-License-Identifier: MIT */
/*
 * Promise: the file of rates is where the XDG specification says, is made if
 * need be, has the lines of other machines and engines again, and is left as it
 * was if it cannot be replaced.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "src/bench/rates.h"
#include "tests/support/tap.h"

#define V PACKAGE_VERSION

static char scratch[] = "test-rates-file-XXXXXX";
static char top[PATH_MAX];

/* This machine, this day, and what is opened ------------------------------ */

static const char *node = "here";
static bool no_uname, no_stream;
static int opened_with;

int
__wrap_uname(struct utsname *name);
time_t
__wrap_time(time_t *now);
int
__real_open(const char *path, int flags, ...);
int
__wrap_open(const char *path, int flags, ...);
int
__wrap_open64(const char *path, int flags, ...)
	__attribute__((alias("__wrap_open")));
FILE *
__real_fdopen(int fd, const char *mode);
FILE *
__wrap_fdopen(int fd, const char *mode);

int
__wrap_uname(struct utsname *name)
{
	memset(name, 0, sizeof(*name));
	if (no_uname)
		return -1;
	strcpy(name->nodename, node);
	return 0;
}

time_t
__wrap_time(time_t *now)
{
	(void)now;
	return 1789000000; /* 2026-09-10 */
}

int
__wrap_open(const char *path, int flags, ...)
{
	opened_with = flags;
	return __real_open(path, flags);
}

FILE *
__wrap_fdopen(int fd, const char *mode)
{
	return no_stream ? NULL : __real_fdopen(fd, mode);
}

/* Files ------------------------------------------------------------------- */

static void
set_places(const char *cache, const char *home)
{
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	if (cache)
		setenv("XDG_CACHE_HOME", cache, 1);
	if (home)
		setenv("HOME", home, 1);
}

static void
write_file(const char *text)
{
	FILE *file = fopen("qpu-sha256sum/rates", "w");

	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		exit(99);
}

/* The file holds just this. */
static void
file_is(const char *path, const char *expected, const char *promise)
{
	char text[4096];
	FILE *file = fopen(path, "r");
	const size_t len = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	if (file)
		fclose(file);
	text[len] = '\0';
	is(text, expected, "%s", promise);
}

static unsigned
count_files(const char *path)
{
	DIR *dir = opendir(path);
	unsigned n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n > 2 ? n - 2 : 0;
}

static bool
save_one(const char *engine, double rate)
{
	struct rates rates = { .n = 0 };

	rates_note(&rates, engine, rate);
	return rates_save(&rates);
}

static unsigned
rates_there(void)
{
	struct rates rates = { .n = 99 };

	rates_load(&rates);
	return rates.n;
}

static mode_t
mode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_mode & 07777 : 0;
}

/* ------------------------------------------------------------------------- */

static void
test_places(void)
{
	struct rates none = { .n = 0 };
	char path[sizeof(top) + 8];

	set_places(NULL, NULL);
	ok(!save_one("cpu", 1) && rates_there() == 0,
	   "without XDG_CACHE_HOME and HOME there is no place");
	set_places("relative", "relative");
	ok(!save_one("cpu", 1) && rates_there() == 0 && count_files(".") == 0,
	   "relative paths are none");

	snprintf(path, sizeof(path), "%s/home", top);
	if (mkdir("home", 0755) != 0)
		exit(99);
	set_places("relative", path);
	ok(rates_there() == 0 && !rates_save(&none) && count_files("home") == 0,
	   "to load rates, or to save none, makes no folder");
	ok(save_one("cpu", 12) && rates_there() == 1, "the place below HOME");
	file_is("home/.cache/qpu-sha256sum/rates",
		"here " V " 2026-09-10 cpu 12\n",
		"is .cache/qpu-sha256sum/rates");
	ok(mode_of("home/.cache") == 0700 &&
		   mode_of("home/.cache/qpu-sha256sum") == 0700 &&
		   mode_of("home/.cache/qpu-sha256sum/rates") == 0600,
	   "and the user's alone");
	set_places(top, path);
	ok(rates_there() == 0 && save_one("cpu", 7),
	   "XDG_CACHE_HOME comes before HOME");
	file_is("qpu-sha256sum/rates", "here " V " 2026-09-10 cpu 7\n",
		"and is the folder itself");
	ok(rates_there() == 1 && (opened_with & ~O_LARGEFILE) ==
					 (O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
					  O_NOCTTY | O_CLOEXEC),
	   "nothing is waited for, followed or inherited");
}

/* The longest path that a file of rates, and its new one, may have. */
static void
test_long_places(void)
{
	const size_t most =
		PATH_MAX - strlen("/qpu-sha256sum/rates.XXXXXX") - 1;
	char path[2 * PATH_MAX];

	memset(path, '/', sizeof(path));
	memcpy(path, top, strlen(top));
	path[most] = '\0';
	set_places(path, NULL);
	ok(rates_there() == 1 && save_one("cpu", 8),
	   "a path may be as long as there is room for its new name");
	path[most] = '/';
	path[most + 1] = '\0';
	set_places(path, NULL);
	ok(rates_there() == 0 && !save_one("cpu", 9), "and no longer");
	path[most + 1] = '/';
	path[PATH_MAX + 20] = '\0';
	set_places(path, NULL);
	ok(rates_there() == 0 && !save_one("cpu", 9), "much longer");
	set_places(top, NULL);
}

/* A line of a node, a version and an engine of these lengths. */
static unsigned
load_words(int node_len, int version_len, int engine_len)
{
	static const char x[] =
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
	char line[400];

	snprintf(line, sizeof(line),
		 "%.*s %.*s 2000-01-01 %.*s 5\nhere " V " 2000-01-01 a 5\n",
		 node_len, x, version_len, x, engine_len, x);
	write_file(line);
	/* What is not a line of this file is dropped. */
	if (!save_one("cpu", 3))
		return 99;
	return mode_of("qpu-sha256sum/rates") ? 0 : 99;
}

static void
test_words(void)
{
	static const struct {
		int node, version, engine;
		bool kept;
	} rows[] = {
		{ 64, 31, 31, true },  { 65, 31, 31, true },
		{ 66, 31, 31, false }, { 1, 1, 1, true },
		{ 1, 32, 1, false },   { 1, 1, 32, false },
		{ 0, 1, 1, false },    { 1, 0, 1, false },
		{ 1, 1, 0, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[1024] = "";
		FILE *file;

		if (load_words(rows[i].node, rows[i].version, rows[i].engine) !=
		    0)
			exit(99);
		file = fopen("qpu-sha256sum/rates", "r");
		if (!file || fread(text, 1, sizeof(text) - 1, file) == 0)
			exit(99);
		fclose(file);
		ok((strncmp(text, "here ", 5) != 0) == rows[i].kept,
		   "words of %d, %d and %d bytes are %s", rows[i].node,
		   rows[i].version, rows[i].engine,
		   rows[i].kept ? "kept" : "dropped");
	}
}

static void
test_lines(void)
{
	static const char long_name[] =
		"an-engine-whose-name-is-too-long-for-it";
	char text[64000] = "";
	struct rates rates = { .n = 0 };
	size_t len = 0;

	write_file("there 0 2000-01-01 cpu 5\n"
		   "here 0 2000-01-01 cpu 6\n"
		   "here 0 2000-01-01 old 6\n"
		   "here " V " 2000-01-01 cpu 7\n"
		   "here " V " 2000-01-01 qpu 8\n"
		   "there " V " 2000-01-01 qpu 9\n"
		   "here " V " 2000-01-02 qpu 4\n");
	rates_load(&rates);
	ok(rates.n == 2 && rates_find(&rates, "cpu")->bytes_per_second == 7 &&
		   rates_find(&rates, "qpu")->bytes_per_second == 8 &&
		   strcmp(rates_find(&rates, "qpu")->date, "2000-01-01") == 0 &&
		   !rates_find(&rates, "old"),
	   "the best of this machine and version count");
	ok(save_one("cpu", 2.6), "new rates");
	file_is("qpu-sha256sum/rates",
		"there 0 2000-01-01 cpu 5\n"
		"here " V " 2000-01-01 qpu 8\n"
		"there " V " 2000-01-01 qpu 9\n"
		"here " V " 2000-01-02 qpu 4\n"
		"here " V " 2026-09-10 cpu 3\n",
		"replace those of the engine, and of other versions here");

	for (int i = 1; i <= 1002; i++)
		len += (size_t)snprintf(
			text + len, sizeof(text) - len,
			i < 1000  ? "there 0 2000-01-01 cpu 5\n" :
			i == 1000 ? "here " V " 2000-01-01 last 5\n" :
				    "here " V " 2000-01-01 more 5\n");
	write_file(text);
	rates_load(&rates);
	ok(rates.n == 1 && rates_find(&rates, "last"),
	   "a thousand lines are read");

	rates.n = 0;
	for (int i = 0; i < RATES_MOST + 2; i++) {
		snprintf(text, sizeof(text), "e%d", i);
		rates_note(&rates, text, i + 1);
	}
	ok(rates.n == RATES_MOST && rates_find(&rates, "e15") &&
		   !rates_find(&rates, "e16"),
	   "there is room for sixteen engines");
	rates_note(&rates, "e15", 99);
	rates_note(&rates, "e15", 98);
	ok(rates.n == RATES_MOST &&
		   rates_find(&rates, "e15")->bytes_per_second == 99,
	   "of each the best counts");
	rates.n = 0;
	rates_note(&rates, long_name, 1);
	ok(rates.n == 1 && strlen(rates.rows[0].engine) == 31,
	   "a long name is cut");
}

static void
test_failures(void)
{
	static const char before[] = "here " V " 2000-01-01 cpu 7\n";
	struct rlimit limit, none;

	write_file(before);
	no_uname = true;
	ok(rates_there() == 0 && !save_one("cpu", 1), "no name of the machine");
	no_uname = false;
	no_stream = true;
	ok(rates_there() == 0 && !save_one("cpu", 1), "no memory for a stream");
	no_stream = false;

	if (getrlimit(RLIMIT_FSIZE, &limit) != 0)
		exit(99);
	signal(SIGXFSZ, SIG_IGN);
	none = limit;
	none.rlim_cur = 10;
	setrlimit(RLIMIT_FSIZE, &none);
	const bool saved = save_one("cpu", 1);
	setrlimit(RLIMIT_FSIZE, &limit);
	ok(!saved, "no room on the disk");
	file_is("qpu-sha256sum/rates", before, "the file is as it was");
	ok(count_files("qpu-sha256sum") == 1, "and nothing lies beside it");

	if (unlink("qpu-sha256sum/rates") != 0 ||
	    mkdir("qpu-sha256sum/rates", 0700) != 0)
		exit(99);
	ok(!save_one("cpu", 1) && count_files("qpu-sha256sum") == 1 &&
		   rates_there() == 0,
	   "a directory in its place is left alone");
	rmdir("qpu-sha256sum/rates");
}

int
main(void)
{
	setenv("TZ", "UTC0", 1);
	umask(022);
	if (!mkdtemp(scratch) || chdir(scratch) != 0 ||
	    !getcwd(top, sizeof(top)))
		return 99;
	test_places();
	test_long_places();
	test_words();
	test_lines();
	test_failures();
	ok(unlink("home/.cache/qpu-sha256sum/rates") == 0 &&
		   rmdir("home/.cache/qpu-sha256sum") == 0 &&
		   rmdir("home/.cache") == 0 && rmdir("home") == 0 &&
		   rmdir("qpu-sha256sum") == 0 && chdir("..") == 0 &&
		   rmdir(scratch) == 0,
	   "nothing is left behind");
	return tap_done();
}
