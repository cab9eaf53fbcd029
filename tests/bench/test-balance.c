/* SPDX-License-Identifier: MIT */
/*
 * Promise: stored rates and the counter of cycles give back what they take,
 * whatever lies in the place of the file.
 */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "src/bench/cycles.h"
#include "src/bench/rates.h"
#include "tests/support/balance.h"

static char scratch[] = "test-balance-XXXXXX";
static char path[] = "qpu-sha256sum/rates";

static void
load(void)
{
	struct rates rates;

	rates_load(&rates);
	if (rates.n > 0 && !rates_find(&rates, "cpu"))
		exit(99);
}

/* A file that is missing, a FIFO, a directory, and one with rates. */
static void
load_all(void)
{
	struct rates rates = { .n = 0 };

	unlink(path);
	load();
	if (mkfifo(path, 0600) != 0)
		exit(99);
	load();
	if (unlink(path) != 0 || mkdir(path, 0700) != 0)
		exit(99);
	load();
	rates_note(&rates, "cpu", 2e9);
	if (rates_save(&rates) || rmdir(path) != 0 || !rates_save(&rates) ||
	    !rates_save(&rates))
		exit(99);
	load();
	if (unlink(path) != 0)
		exit(99);
}

static void
save_nowhere(void)
{
	struct rates rates = { .n = 0 };

	rates_note(&rates, "cpu", 2e9);
	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	if (rates_save(&rates))
		exit(99);
	load();
}

static void
count_cycles(void)
{
	struct cycles cycles;

	cycles_open(&cycles);
	cycles_start(&cycles);
	cycles_stop(&cycles);
	cycles_close(&cycles);
}

int
main(void)
{
	char top[PATH_MAX];

	alarm(60);
	if (!mkdtemp(scratch) || chdir(scratch) != 0 ||
	    !getcwd(top, sizeof(top)) || mkdir("qpu-sha256sum", 0700) != 0)
		return 99;
	setenv("XDG_CACHE_HOME", top, 1);
	balance_test(load_all, "a file of rates");
	balance_test(save_nowhere, "a place that cannot have one");
	balance_test(count_cycles, "the counter of cycles");
	if (rmdir("qpu-sha256sum") != 0 || chdir("..") != 0 ||
	    rmdir(scratch) != 0)
		return 99;
	return tap_done();
}
