/* SPDX-License-Identifier: MIT */
/*
 * qpu-hwcheck: what a VideoCore IV does where we are not sure, and how long
 * things take on it.
 *
 * *       qpu-hwcheck [-nqx] DEVICE RAW
 *
 * runs all experiments on DEVICE and times its units.  The answers go to
 * standard output, the words from which they follow to the file RAW.  -n leaves
 * out the times, -q makes fewer launches, -x adds programs that may hang the
 * QPUs until the power is off.  check-hardware.sh makes the report of it.
 * Status 1: the device failed; 2: it cannot be used.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qpu/check/answers.h"
#include "qpu/check/facts.h"
#include "qpu/check/hammer.h"
#include "qpu/check/hang.h"
#include "qpu/check/rates.h"
#include "qpu/check/rig.h"
#include "qpu/check/sweep.h"
#include "qpu/check/tile_answers.h"
#include "qpu/check/tile_times.h"
#include "qpu/check/times.h"
#include "qpu/check/turns.h"
#include "qpu/check/v3d.h"

enum { EXIT_UNUSABLE = 2 };

/* The parts that are wanted. */
struct wanted {
	bool times, quick, risky;
};

/* Only the real device has firmware and registers. */
static bool
is_real(const char *device)
{
	return strncmp(device, "qpu", 3) == 0 &&
	       (device[3] == '\0' || device[3] == ':');
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
	good = times_print(rig, &model, timing_rows, stdout, raw);
	rig_close(&model);
	return good;
}

static bool
examine_risks(struct rig *rig, const char *device, FILE *raw)
{
	struct diag why;

	if (!rig_renew(rig, RIG_BYTES, &why)) {
		printf("No memory: %s\n", why.text);
		return false;
	}
	return answers_print(rig, true, stdout, raw) &&
	       hang_print(rig, device, stdout);
}

/* Questions that may hang the QPUs come last, and before them those that may
 * be a bus error. */
static bool
examine_device(struct rig *rig, const char *device, struct v3d *v3d,
	       const struct wanted *wanted, FILE *raw)
{
	hammer_print_memory(rig, stdout);
	if ((v3d && !v3d_print_registers(v3d, rig, stdout)) ||
	    !answers_print(rig, false, stdout, raw) ||
	    !sweep_print(rig, stdout, raw) ||
	    (wanted->times && !examine_times(rig, raw)) ||
	    !hammer_print_launches(rig, wanted->quick, stdout) ||
	    !turns_print(rig, wanted->quick, stdout))
		return false;
	if (v3d)
		rates_print(stdout);
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
		tile_times_print(&rig, device, wanted->quick, stdout));
	tile_rig_close(&rig);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int
examine(const char *device, const struct wanted *wanted, FILE *raw)
{
	struct v3d v3d, *real = is_real(device) ? &v3d : NULL;
	struct rig rig;
	struct diag why;
	bool good;

	facts_print(device, stdout);
	if (real) {
		v3d_open(real);
		v3d_print_power(real, stdout);
	}
	if (!rig_open(&rig, device, &why)) {
		printf("%s cannot be used: %s\n", device, why.text);
		return EXIT_UNUSABLE;
	}
	good = examine_device(&rig, device, real, wanted, raw);
	rig_close(&rig);
	if (real)
		v3d_close(real);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int
main(int argc, char **argv)
{
	struct wanted wanted = { .times = true };
	FILE *raw;
	int option, status;

	while ((option = getopt(argc, argv, "nqx")) != -1) {
		wanted.times = wanted.times && option != 'n';
		wanted.quick = wanted.quick || option == 'q';
		wanted.risky = wanted.risky || option == 'x';
		if (option == '?')
			return EXIT_UNUSABLE;
	}
	if (argc - optind != 2) {
		fputs("usage: qpu-hwcheck [-nqx] DEVICE RAW\n", stderr);
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
