/* SPDX-License-Identifier: MIT */
/*
 * qpu-hwcheck: what a VideoCore IV does where we are not sure, and how long
 * things take on it.
 *
 *	qpu-hwcheck [-lnqx] [-m MINUTES] DEVICE RAW
 *
 * runs all experiments on DEVICE and times its units.  The answers go to
 * standard output, the words from which they follow to the file RAW.  -l is
 * a launch of each kind and nothing else, -m adds that many minutes of jobs of
 * the kernel's driver, -n leaves out the times, -q makes fewer launches, -x adds
 * programs that may hang the QPUs until the power is off.  check-hardware.sh
 * makes the report of it.  Status 1: the device failed; 2: it cannot be used; 3:
 * the firmware did not answer in time, and nothing more should be asked of it
 * before a reboot.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qpu/check/experiment.h"
#include "qpu/check/facts.h"
#include "qpu/check/hammer.h"
#include "qpu/check/hang.h"
#include "qpu/check/rates.h"
#include "qpu/check/rig.h"
#include "qpu/check/settle.h"
#include "qpu/check/sweep.h"
#include "qpu/check/tile_answers.h"
#include "qpu/check/tile_times.h"
#include "qpu/check/timing.h"
#include "qpu/check/turns.h"
#include "qpu/check/v3d.h"

enum { EXIT_UNUSABLE = 2, EXIT_SILENT = 3 };

/* The parts that are wanted. */
struct wanted {
	bool launches_alone, times, quick, risky, load;
	unsigned load_minutes;
};

/* Only the real device has firmware and registers. */
static bool
is_real(const char *device)
{
	return strncmp(device, "qpu", 3) == 0 &&
	       (device[3] == '\0' || device[3] == ':');
}

static bool
is_beside(const char *device)
{
	return strcmp(device, "beside") == 0;
}

/* The cycle model does not use the device. */
static bool
examine_times(struct rig *rig, FILE *raw)
{
	struct rig model;
	struct diag why;
	bool good;

	if (!rig_open(&model, "emulator:timed", &why)) {
		fprintf(stderr, "qpu-hwcheck: the cycle model: %s\n", why.text);
		return false;
	}
	good = timings_print(rig, &model, timing_rows, stdout, raw);
	rig_close(&model);
	return good;
}

static bool
examine_risks(struct rig *rig, const char *device, FILE *raw)
{
	struct diag why;

	/* Should the machine stop, its file systems are as they should be. */
	sync();
	if (!rig_renew(rig, RIG_BYTES, &why)) {
		printf("No memory: %s\n", why.text);
		return false;
	}
	return experiments_print(rig, true, stdout, raw) &&
	       hang_print(rig, device, stdout);
}

/* Questions that may hang the QPUs come last, and before them those that may
 * be a bus error. */
static bool
examine_device(struct rig *rig, const char *device, struct v3d *v3d,
	       const struct wanted *wanted, FILE *raw)
{
	if (wanted->launches_alone)
		return !v3d || v3d_print_registers(v3d, rig, stdout);
	hammer_print_memory(rig, stdout);
	if ((v3d && !v3d_print_registers(v3d, rig, stdout)) ||
	    !experiments_print(rig, false, stdout, raw) ||
	    !sweep_print(rig, stdout, raw) ||
	    (wanted->times && !examine_times(rig, raw)) ||
	    !hammer_print_launches(rig, wanted->quick, stdout) ||
	    !turns_print(rig, wanted->quick, stdout))
		return false;
	if (v3d) {
		facts_print_v3d("after all launches", stdout);
		rates_print(stdout);
	}
	return !wanted->risky || examine_risks(rig, device, raw);
}

/* An ordinary user asks these by way of the kernel's driver vc4. */
static int
examine_tiles(const char *device, const struct wanted *wanted, FILE *raw)
{
	struct tile_rig rig;
	struct diag why;
	bool good;

	facts_print(device, stdout);
	puts("Way: the kernel's driver vc4");
	if (!tile_rig_open(&rig, device, &why)) {
		printf("%s cannot be used: %s\n", device, why.text);
		return EXIT_UNUSABLE;
	}
	good = tile_answers_print(&rig, stdout, raw) &&
	       tile_threads_print(&rig, stdout, raw) &&
	       (!wanted->times ||
		tile_times_print(&rig, device, wanted->quick, stdout)) &&
	       (!wanted->load ||
		tile_times_print_load(&rig, wanted->load_minutes, stdout)) &&
	       (!wanted->times ||
		tile_times_print_hang(&rig, wanted->quick, stdout));
	tile_rig_close(&rig);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* What can still be seen after a failure, before the driver cleans up. */
static void
print_failure(const struct v3d *v3d, const struct rig *rig)
{
	puts("\n== After the failure ==");
	v3d_print_failure(v3d, stdout);
	if (rig->silent)
		puts("The firmware did not answer in time, and no more "
		     "questions are asked: reboot now");
	else
		facts_print_v3d("after the failure", stdout);
	settle(stdout);
}

static int
examine(const char *device, const struct wanted *wanted, FILE *raw)
{
	struct v3d v3d;
	struct v3d *real = is_real(device) || is_beside(device) ? &v3d : NULL;
	struct rig rig;
	struct diag why;
	bool good, silent;

	if (!wanted->launches_alone)
		facts_print(device, stdout);
	if (real)
		v3d_open(real, is_beside(device));
	if (is_beside(device))
		puts("Way: by registers, beside the kernel's driver vc4");
	else if (real && !wanted->launches_alone)
		v3d_print_power(real, stdout);
	if (!rig_open(&rig, device, &why)) {
		printf("%s cannot be used: %s\n", device, why.text);
		if (real)
			v3d_close(real);
		return EXIT_UNUSABLE;
	}
	good = examine_device(&rig, device, real, wanted, raw);
	silent = rig.silent;
	if (real && !good)
		print_failure(real, &rig);
	rig_close(&rig);
	if (real)
		v3d_close(real);
	return silent ? EXIT_SILENT : good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int
main(int argc, char **argv)
{
	struct wanted wanted = { .times = true };
	FILE *raw;
	int option, status;

	while ((option = getopt(argc, argv, "lm:nqx")) != -1) {
		if (option == 'm') {
			wanted.load = true;
			wanted.load_minutes =
				(unsigned)strtoul(optarg, NULL, 10);
		}
		wanted.launches_alone = wanted.launches_alone || option == 'l';
		wanted.times = wanted.times && option != 'n';
		wanted.quick = wanted.quick || option == 'q';
		wanted.risky = wanted.risky || option == 'x';
		if (option == '?')
			return EXIT_UNUSABLE;
	}
	if (argc - optind != 2) {
		fputs("usage: qpu-hwcheck [-lnqx] [-m MINUTES] DEVICE RAW\n",
		      stderr);
		return EXIT_UNUSABLE;
	}
	raw = fopen(argv[optind + 1], "w");
	if (!raw) {
		perror(argv[optind + 1]);
		return EXIT_UNUSABLE;
	}
	status = tile_rig_is_meant(argv[optind]) ?
			 examine_tiles(argv[optind], &wanted, raw) :
			 examine(argv[optind], &wanted, raw);
	if (fclose(raw) != 0 || fflush(stdout) != 0) {
		perror("qpu-hwcheck");
		status = EXIT_FAILURE;
	}
	return status;
}
