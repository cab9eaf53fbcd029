/* SPDX-License-Identifier: MIT */
/*
 * Promise: what --benchmark measured is found again, by several programs at a
 * time, where the XDG specification says.  Whatever else is in the file is
 * neither believed nor printed; what cannot be replaced is left alone.
 */
#include "config.h"

#include "src/bench/rates.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

/* In lines of the file: "@" is this board. */
#define V "@ " PACKAGE_VERSION

static const char path[] = "qpu-sha256sum/rates";
static const char *top;
static char board[64];

/* This machine is called "here", and today is 2026-09-10. */
static int
name_machine(struct utsname *name)
{
	memset(name, 0, sizeof(*name));
	strcpy(name->nodename, "here");
	return 0;
}

static void
reset(void)
{
	fault_clear();
	fault_hooks.uname = name_machine;
	fault_clock_set(1789000000 * FAULT_SECOND);
}

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
read_file(const char *name, char text[4096])
{
	FILE *file = fopen(name, "r");
	const size_t len = file ? fread(text, 1, 4095, file) : 0;

	if (file)
		fclose(file);
	text[len] = '\0';
}

/* The text with the name of this board. */
static const char *
here(const char *text)
{
	static char lines[4096];
	char *end = lines;

	for (; *text; text++)
		if (*text == '@')
			end = stpcpy(end, board);
		else
			*end++ = *text;
	*end = '\0';
	return lines;
}

static void
file_is(const char *name, const char *expected, const char *promise)
{
	char text[4096];

	read_file(name, text);
	is(text, here(expected), "%s", promise);
}

static unsigned
count_files(const char *name)
{
	DIR *dir = opendir(name);
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
mode_of(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 ? st.st_mode & 07777 : 0;
}

static void
test_places(void)
{
	const struct rates none = { .n = 0 };
	char home[PATH_MAX], text[4096];

	reset();
	set_places(NULL, NULL);
	ok(!save_one("cpu", 1) && rates_there() == 0,
	   "without XDG_CACHE_HOME and HOME nothing is stored");
	scratch_folder("relative");
	set_places("relative", "relative");
	ok(!save_one("cpu", 1) && rates_there() == 0 &&
		   count_files("relative") == 0,
	   "relative paths are ignored");

	snprintf(home, sizeof(home), "%s/home", top);
	scratch_folder("home");
	set_places("relative", home);
	ok(rates_there() == 0 && !rates_save(&none) && count_files("home") == 0,
	   "to load rates, or to save none, makes no folder");
	ok(save_one("cpu", 12) && rates_there() == 1,
	   "rates are stored below HOME, and loaded from there");
	read_file("home/.cache/qpu-sha256sum/rates", text);
	ok(sscanf(text, "here %63s ", board) == 1 && *board,
	   "a line has the name of the board");
	file_is("home/.cache/qpu-sha256sum/rates",
		"here " V " 2026-09-10 cpu 12\n",
		"the file is .cache/qpu-sha256sum/rates, a line an engine");
	ok(mode_of("home/.cache") == 0700 &&
		   mode_of("home/.cache/qpu-sha256sum") == 0700 &&
		   mode_of("home/.cache/qpu-sha256sum/rates") == 0600,
	   "the file and its folders are the user's alone");
	set_places(top, home);
	ok(rates_there() == 0 && save_one("cpu", 7),
	   "XDG_CACHE_HOME comes before HOME");
	file_is(path, "here " V " 2026-09-10 cpu 7\n",
		"XDG_CACHE_HOME stands for .cache");
}

/* Parse what follows the name of the machine and the version. */
static void
test_parsing(void)
{
	static const struct {
		const char *rest;
		double rate; /* 0 for a line that is refused */
	} rows[] = {
		{ "2026-11-20 cpu 1500000000\n", 1.5e9 },
		{ "2026-11-20 cpu 9999999999999\n", 9999999999999 },
		{ "2026-11-20 cpu 99999999999999\n", 0 },
		{ "2026-11-2/ cpu 5\n", 0 },
		{ "2026-11-20 Cpu 5\n", 0 },
		{ "2026-11-20 cpu inf\n", 0 },
		{ "2026-11-20 cpu nan\n", 0 },
		{ "2026-11-20 cpu 1e300\n", 0 },
		{ "2026-11-20 cpu -1\n", 0 },
		{ "2026-11-20 cpu 0\n", 0 },
		{ "2026-11-20 cpu \n", 0 },
		{ "2026-11-20\n", 0 },
		{ "\033[2J\033[31m cpu 5\n", 0 },
		{ "2026-1\033-20 cpu 5\n", 0 },
		{ "2026-11-2\xff cpu 5\n", 0 },
	};

	reset();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct rate *rate;
		struct rates rates;
		char line[512];

		snprintf(line, sizeof(line), "here " V " %s", rows[i].rest);
		scratch_text(path, here(line));
		rates_load(&rates);
		rate = rates_find(&rates, "cpu");
		ok((rate ? rate->bytes_per_second : 0) == rows[i].rate,
		   "a line is %s, form %zu",
		   rows[i].rate > 0 ? "believed" : "refused", i + 1);
	}
}

static void
test_lines(void)
{
	char text[16];
	struct rates rates = { .n = 0 };

	reset();
	scratch_text(path, here("there " V " 2000-01-01 cpu 5\n"
				"here @ 0 2000-01-01 cpu 6\n"
				"here @ 0 2000-01-01 old 6\n"
				"here " V " 2000-01-01 cpu 7\n"
				"junk\n"
				"here pi 1.1 2000-01-01 cpu 9\n"
				"here " V " 2000-01-01 qpu 8\n"
				"there " V " 2000-01-01 qpu 9\n"
				"here " V " 2000-01-02 qpu 4\n"));
	rates_load(&rates);
	ok(rates.n == 2 && rates_find(&rates, "cpu")->bytes_per_second == 7 &&
		   rates_find(&rates, "qpu")->bytes_per_second == 8 &&
		   strcmp(rates_find(&rates, "qpu")->date, "2000-01-01") == 0 &&
		   !rates_find(&rates, "old"),
	   "the best rate of this board and version counts");
	setenv("QPUEMU_DIR", top, 1);
	ok(!save_one("cpu", 2), "nothing is stored under qpuemu");
	unsetenv("QPUEMU_DIR");
	ok(save_one("cpu", 2.6), "new rates are saved");
	file_is(path,
		"there " V " 2000-01-01 cpu 5\n"
		"here pi 1.1 2000-01-01 cpu 9\n"
		"here " V " 2000-01-01 qpu 8\n"
		"there " V " 2000-01-01 qpu 9\n"
		"here " V " 2000-01-02 qpu 4\n"
		"here " V " 2026-09-10 cpu 3\n",
		"new rates replace those of their engines on this board");

	rates.n = 0;
	for (int i = 0; i < RATES_MOST + 2; i++) {
		snprintf(text, sizeof(text), "e%d", i);
		rates_note(&rates, text, i + 2);
		rates_note(&rates, text, i + 1);
	}
	ok(rates.n == RATES_MOST && !rates_find(&rates, "e16") &&
		   rates_find(&rates, "e15")->bytes_per_second == 17,
	   "there is room for the best rates of sixteen engines");
}

/* Something else may lie in the place of the file. */
static void
test_other_kinds(void)
{
	struct stat st;

	reset();
	scratch_remove(path);
	scratch_text("other", "");
	scratch_link(path, "../other");
	ok(save_one("cpu", 3) && lstat(path, &st) == 0 && S_ISREG(st.st_mode),
	   "a link in the place of the file is replaced");
	file_is("other", "", "what a link leads to is not written to");
	scratch_remove(path);
	scratch_folder(path);
	ok(!save_one("cpu", 1) && rates_there() == 0 &&
		   count_files("qpu-sha256sum") == 1,
	   "a directory in the place of the file is left alone");
	scratch_remove(path);
}

static void
test_failures(void)
{
	const char *const before = "here " V " 2000-01-01 cpu 7\n";
	struct rlimit limit, none;

	reset();
	scratch_text(path, here(before));
	fault_from(FAULT_uname, 1, EFAULT);
	ok(rates_there() == 0 && !save_one("cpu", 1),
	   "without the machine's name no rates are loaded or saved");
	reset();
	fault_from(FAULT_fdopen, 1, ENOMEM);
	fault_from(FAULT_fopen, 1, ENOMEM);
	ok(rates_there() == 0 && !save_one("cpu", 1),
	   "without memory no rates are loaded or saved");

	reset();
	if (getrlimit(RLIMIT_FSIZE, &limit) != 0)
		exit(99);
	signal(SIGXFSZ, SIG_IGN);
	none = limit;
	none.rlim_cur = 10;
	setrlimit(RLIMIT_FSIZE, &none);
	const bool saved = save_one("cpu", 1);
	setrlimit(RLIMIT_FSIZE, &limit);
	ok(!saved, "a full disk is no success");
	file_is(path, before, "after a failure the file is as it was");
	ok(count_files("qpu-sha256sum") == 1,
	   "after a failure nothing lies beside the file");
}

/* Each saves the rate of an engine; the file is a whole one at any time. */
static void
test_writers(void)
{
	enum { WRITERS = 4, TIMES = 40 };
	unsigned ended = 0, failed = 0;
	int status;

	reset();
	for (int i = 0; i < WRITERS; i++) {
		if (fork() != 0)
			continue;
		for (int n = 0; n < TIMES; n++)
			if (!save_one("cpu", 1e9 + i) || rates_there() != 1)
				_exit(1);
		_exit(0);
	}
	while (wait(&status) > 0) {
		ended++;
		failed += status != 0;
	}
	ok(ended == WRITERS && failed == 0,
	   "%d programs that save at the same time lose no file", WRITERS);
}

static void
use_file(void)
{
	scratch_remove(path);
	if (rates_there() != 0 || !save_one("cpu", 2e9) ||
	    !save_one("cpu", 2e9) || rates_there() != 1)
		exit(99);
	set_places("/dev/null", NULL);
	if (save_one("cpu", 2e9) || rates_there() != 0)
		exit(99);
	set_places(top, NULL);
}

int
main(void)
{
	setenv("TZ", "UTC0", 1);
	umask(022);
	top = scratch_enter();
	close(STDIN_FILENO); /* 0 is a good descriptor */
	test_places();
	test_parsing();
	test_lines();
	test_other_kinds();
	test_failures();
	test_writers();
	balance_test(use_file, "the file of rates");
	return tap_done();
}
