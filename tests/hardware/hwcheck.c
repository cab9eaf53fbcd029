/* SPDX-License-Identifier: MIT */
/*
 * qpu-hwcheck: what a VideoCore IV does where we are not sure, and how long
 * things take on it.
 *
 *	qpu-hwcheck [-nqx] DEVICE RAW
 *
 * asks DEVICE all experiments and times its units.  What they mean goes to
 * standard output, the words themselves to the file RAW.  -n leaves out the
 * times, -q makes fewer launches, -x adds what may hang the QPUs until the power is off.
 * check-hardware.sh makes the report of it.  Status 1: the device failed; 2:
 * it cannot be used.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/hardware/answers.h"
#include "tests/hardware/facts.h"
#include "tests/hardware/hammer.h"
#include "tests/hardware/rig.h"
#include "tests/hardware/sweep.h"
#include "tests/hardware/times.h"

enum { EXIT_UNUSABLE = 2 };

/* The cycle model beside it is never in the way of the device. */
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

/* What may hang the QPUs comes last. */
static int
examine(const char *device, bool times, bool quick, bool risky, FILE *raw)
{
	struct rig rig;
	struct diag why;
	bool good;

	facts_print(device, stdout);
	if (!rig_open(&rig, device, &why)) {
		printf("%s cannot be used: %s\n", device, why.text);
		return EXIT_UNUSABLE;
	}
	hammer_print_memory(&rig, stdout);
	good = answers_print(&rig, false, stdout, raw) &&
	       sweep_print(&rig, stdout, raw) &&
	       (!times || examine_times(&rig, raw)) &&
	       hammer_print_launches(&rig, quick, stdout) &&
	       (!risky || answers_print(&rig, true, stdout, raw));
	rig_close(&rig);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int
main(int argc, char **argv)
{
	bool times = true, quick = false, risky = false;
	FILE *raw;
	int option, status;

	while ((option = getopt(argc, argv, "nqx")) != -1) {
		times = times && option != 'n';
		quick = quick || option == 'q';
		risky = risky || option == 'x';
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
	status = examine(argv[optind], times, quick, risky, raw);
	if (fclose(raw) != 0 || fflush(stdout) != 0) {
		perror("qpu-hwcheck");
		status = EXIT_FAILURE;
	}
	return status;
}
