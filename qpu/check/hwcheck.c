/* SPDX-License-Identifier: MIT */
/*
 * qpu-hwcheck: what a VideoCore IV does where the program depends on it and we
 * are not sure, and how long things take on it.
 *
 *	qpu-hwcheck [-q] DEVICE
 *
 * asks DEVICE all questions; the answers go to standard output.  -q makes fewer
 * launches.  check-hardware.sh makes the report of it.  Status 1: the device
 * failed; 2: it cannot be used; 3: the firmware did not answer in time, and
 * nothing more should be asked of it before a reboot.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qpu/check/questions.h"
#include "qpu/ways/drm.h"

enum { EXIT_UNUSABLE = 2, EXIT_SILENT = 3 };

/* Report why neither way can be used.  The kernel driver's reason comes first,
 * since the other way gives access to all memory of the machine. */
static int
unusable(const char *device, const struct diag *why)
{
	struct diag driver;

	if (strcmp(device, "qpu") != 0 || way_drm.probe(&driver) ||
	    strcmp(driver.text, why->text) == 0)
		printf("%s cannot be used: %s\n", device, why->text);
	else
		printf("%s cannot be used: %s\n"
		       "Nor by the firmware, with access to all memory: %s\n",
		       device, driver.text, why->text);
	return EXIT_UNUSABLE;
}

/* Ask what an ordinary user can ask, by the kernel's driver. */
static bool
examine_tiles(struct rig *rig, bool quick)
{
	return tile_answers_print(rig, stdout) &&
	       tile_times_print(rig, quick, stdout);
}

static bool
examine_programs(struct rig *rig, bool quick)
{
	bool good;

	if (!rig->emulated)
		facts_print_v3d("enabled", stdout);
	launches_print_memory(rig, stdout);
	good = launches_print(rig, quick, stdout) &&
	       launches_print_forms(rig, stdout) &&
	       rates_print_device(rig, stdout);
	if (rig->silent)
		puts("The firmware did not answer in time, and no more "
		     "questions are asked: reboot now");
	else if (!rig->emulated)
		facts_print_v3d(good ? "after all launches" :
				       "after the failure",
				stdout);
	settle(stdout);
	return good;
}

static int
examine(const char *device, bool quick)
{
	const struct way *way = rig_way(device);
	const bool by_firmware = !way || way->kind == WAY_LANES;
	struct rig rig;
	struct diag why;
	bool good;

	facts_print(device, by_firmware, stdout);
	if (by_firmware && strncmp(device, "qpu", 3) == 0)
		power_print(stdout);
	if (!rig_open(&rig, device, &why))
		return unusable(device, &why);
	good = by_firmware ? examine_programs(&rig, quick) :
			     examine_tiles(&rig, quick);
	rig_close(&rig);
	return rig.silent ? EXIT_SILENT : good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int
main(int argc, char **argv)
{
	bool quick = false;
	int option, status;

	while ((option = getopt(argc, argv, "q")) != -1) {
		if (option == '?')
			return EXIT_UNUSABLE;
		quick = true;
	}
	if (argc - optind != 1) {
		fputs("usage: qpu-hwcheck [-q] DEVICE\n", stderr);
		return EXIT_UNUSABLE;
	}
	status = examine(argv[optind], quick);
	if (fflush(stdout) != 0) {
		perror("qpu-hwcheck");
		status = EXIT_FAILURE;
	}
	return status;
}
