/* SPDX-License-Identifier: MIT */
/*
 * Promise: what --benchmark measured is found again, by several programs at a
 * time; whatever else lies in the place of its file is neither waited for, nor
 * followed, nor believed, nor printed.
 */
#include "config.h"

#include "src/bench/rates.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/tap.h"

static char scratch[] = "test-rates-XXXXXX";
static char path[] = "qpu-sha256sum/rates";
static struct utsname here;

static void
write_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		exit(99);
}

static void
read_file(const char *name, char text[4096])
{
	FILE *file = fopen(name, "r");
	size_t len = file ? fread(text, 1, 4095, file) : 0;

	if (file)
		fclose(file);
	text[len] = '\0';
}

/* The rate of the engine "cpu" if the file holds this after the name of the
 * machine and the version, else 0. */
static double
rate_of(const char *rest)
{
	const struct rate *rate;
	struct rates rates;
	char line[512];

	snprintf(line, sizeof(line), "%s %s %s", here.nodename, PACKAGE_VERSION,
		 rest);
	write_file(path, line);
	rates_load(&rates);
	rate = rates_find(&rates, "cpu");
	return rate ? rate->bytes_per_second : 0;
}

static void
check_parsing(void)
{
	static const struct {
		const char *rest;
		double rate;
	} rows[] = {
		{ "2026-11-20 cpu 1500000000\n", 1.5e9 },
		{ "2026-11-20 cpu 9999999999999\n", 9999999999999 },
		{ "0000-09-99 cpu 1\n", 1 },
		{ "9999-99-90 cpu 0000000000019\n", 19 },
		{ "2026-11-20 cpu 00000000000019\n", 0 },
		{ "2026-11-200 cpu 5\n", 0 },
		{ "2026-11-2/ cpu 5\n", 0 },
		{ "2026-11-2: cpu 5\n", 0 },
		{ "2026-11020 cpu 5\n", 0 },
		{ "2026-11-20 cpu\t5\n", 0 },
		{ "2026-11-20 cpu 5 \n", 0 },
		{ "2026-11-20 cpu 5\n ", 5 },
		{ "2026-11-20 cpu 5/\n", 0 },
		{ "2026-11-20 cpu 5:\n", 0 },
		{ "2026-11-20 Cpu 5\n", 0 },
		{ "2026-11-20 cpu inf\n", 0 },
		{ "2026-11-20 cpu nan\n", 0 },
		{ "2026-11-20 cpu 1e300\n", 0 },
		{ "2026-11-20 cpu -1\n", 0 },
		{ "2026-11-20 cpu 0\n", 0 },
		{ "2026-11-20 cpu 0x10\n", 0 },
		{ "2026-11-20 cpu 1.5\n", 0 },
		{ "2026-11-20 cpu 99999999999999\n", 0 },
		{ "2026-11-20 cpu 5 6\n", 0 },
		{ "2026-11-20 cpu 5", 0 },
		{ "2026-11-20 cpu \n", 0 },
		{ "2026-11-20  cpu 5\n", 0 },
		{ "2026-11-2 cpu 5\n", 0 },
		{ "2026/11/20 cpu 5\n", 0 },
		{ "\033[2J\033[31m cpu 5\n", 0 },
		{ "2026-1\033-20 cpu 5\n", 0 },
		{ "2026-11-2\xff cpu 5\n", 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		ok(rate_of(rows[i].rest) == rows[i].rate, "line %zu is %s", i,
		   rows[i].rate > 0 ? "believed" : "refused");
}

static unsigned
count_lines(const char *text)
{
	unsigned n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void
check_saving(void)
{
	char text[4096];
	struct rates rates = { .n = 0 };

	write_file(path, "elsewhere 1.0 2026-11-20 cpu 7\njunk\n");
	rates_note(&rates, "cpu", 2e9);
	rates_note(&rates, "cpu", 1e9);
	ok(rates_save(&rates), "rates are saved");
	rates_load(&rates);
	ok(rates.n == 1 && rates_find(&rates, "cpu")->bytes_per_second == 2e9,
	   "and loaded again");
	read_file(path, text);
	ok(strstr(text, "elsewhere 1.0 2026-11-20 cpu 7\n") &&
		   !strstr(text, "junk"),
	   "lines of other machines stay, others go");
	ok(count_lines(text) == 2, "and nothing else is written");
}

static void
check_links(void)
{
	const char *const other = "other";
	char text[4096];
	struct rates rates = { .n = 0 };
	struct stat st;

	write_file(other, "");
	rates_note(&rates, "cpu", 3e9);
	unlink(path);
	if (symlink("../other", path) != 0)
		exit(99);
	ok(rates_save(&rates), "a link in the place of the file");
	read_file(other, text);
	ok(!*text && lstat(path, &st) == 0 && S_ISREG(st.st_mode),
	   "is replaced, and not written to");

	rate_of("2026-11-20 cpu 5\n");
	if (rename(path, other) != 0 || symlink("../other", path) != 0)
		exit(99);
	rates_load(&rates);
	ok(rates.n == 0, "and not read");

	/* What earlier versions wrote to. */
	snprintf(text, sizeof(text), "%s.new", path);
	write_file(other, "");
	if (symlink("../other", text) != 0)
		exit(99);
	rates_note(&rates, "cpu", 3e9);
	ok(rates_save(&rates), "the name of a new file is not known before");
	unlink(text);
	read_file(other, text);
	ok(!*text, "so that nobody can put a link there");
}

static void
check_fifo(void)
{
	struct rates rates = { .n = 0 };

	unlink(path);
	if (mkfifo(path, 0600) != 0)
		exit(99);
	alarm(20);
	rates_load(&rates);
	ok(rates.n == 0, "a FIFO in the place of the file is not waited for");
	rates_note(&rates, "cpu", 3e9);
	ok(rates_save(&rates), "and is replaced");
	alarm(0);
}

/* Each saves the rate of an engine; the file is a whole one at any time. */
static void
check_writers(void)
{
	enum { WRITERS = 8, TIMES = 100 };
	unsigned lost = 0, nread = 0;
	int status;

	for (int i = 0; i < WRITERS; i++) {
		if (fork() != 0)
			continue;
		for (int n = 0; n < TIMES; n++) {
			struct rates rates = { .n = 0 };

			rates_note(&rates, "cpu", 1e9 + i);
			if (!rates_save(&rates))
				_exit(1);
			rates_load(&rates);
			if (rates.n != 1)
				_exit(1);
		}
		_exit(0);
	}
	while (wait(&status) > 0) {
		nread++;
		lost += status != 0;
	}
	ok(nread == WRITERS && lost == 0,
	   "%d programs that save at the same time lose no file", WRITERS);
}

int
main(void)
{
	char top[PATH_MAX];

	if (!mkdtemp(scratch) || chdir(scratch) != 0 ||
	    !getcwd(top, sizeof(top)) || mkdir("qpu-sha256sum", 0700) != 0 ||
	    uname(&here) != 0)
		return 99;
	setenv("XDG_CACHE_HOME", top, 1);
	check_parsing();
	check_saving();
	check_links();
	check_fifo();
	check_writers();

	ok(unlink("other") == 0 && unlink(path) == 0 &&
		   rmdir("qpu-sha256sum") == 0 && chdir("..") == 0 &&
		   rmdir(scratch) == 0,
	   "nothing is left behind");
	return tap_done();
}
