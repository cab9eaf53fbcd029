/* SPDX-License-Identifier: MIT */
/*
 * Promise: the number of files and their sizes are known when all lists have
 * been read; what can be read only once is left to the work.
 */
#include "config.h"

#include "src/inputs/survey.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/descriptor.h"
#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

#define DIGEST                                                                 \
	"01ba4719c80b6fe911b091a7c05124b64eeece964e09c058ef8f9805daca546b"

static char kib[] = "kib", more[] = "more", missing[] = "missing",
	    folder[] = "folder", fifo[] = "fifo", standard[] = "-",
	    tree[] = "tree", list[] = "list", tagged[] = "tagged",
	    zeros[] = "zeros", raw[] = "raw";

/* clang-format off */
static const struct {
	const char *promise;
	struct input_options options;
	char *operands[4];
	bool check;
	const char *input; /* standard input, or NULL if it cannot be known */
	/* The survey's results at once, and at the end. */
	size_t first_files, files, kib;
} rows[] = {
	{ "operands are counted at once, and then looked at",
	  { .noperands = 4 }, { kib, folder, missing, more }, false, NULL,
	  4, 4, 4 },
	{ "nothing is opened that others would notice",
	  { .noperands = 2 }, { fifo, kib }, false, NULL,
	  2, 2, 0 },
	{ "a regular standard input has the size of what is left of it",
	  { .noperands = 0 }, { NULL }, false, more,
	  1, 1, 2 },
	{ "another standard input has no size",
	  { .noperands = 2 }, { kib, standard }, false, fifo,
	  2, 2, 0 },
	{ "a device that is no disk has no size on standard input",
	  { .noperands = 2 }, { kib, standard }, false, "/dev/zero",
	  2, 2, 0 },
	{ "lines of check lists are counted as far as they are valid",
	  { .noperands = 3 }, { list, missing, tagged }, true, NULL,
	  0, 5, 8 },
	{ "lines of check lists may end with a NUL",
	  { .noperands = 1, .check_zero = true }, { raw }, true, NULL,
	  0, 2, 4 },
	{ "names in a list for --files0-from are counted",
	  { .files0_from = zeros }, { NULL }, false, NULL,
	  0, 3, 4 },
	{ "a list that can be read only once is left to the work",
	  { .noperands = 2 }, { list, fifo }, true, NULL,
	  0, 0, 0 },
	{ "names that can be read only once are left to the work",
	  { .files0_from = fifo }, { NULL }, false, NULL,
	  0, 0, 0 },
	{ "files of trees are counted, and what is not hashed is not",
	  { .noperands = 3, .recursive = true }, { folder, tree, kib }, false,
	  NULL, 0, 4, 6 },
	{ "of a tree the files of other parts are not counted",
	  { .noperands = 1, .recursive = true, .part = { 2, 2 } }, { tree },
	  false, NULL, 0, 1, 1 },
	{ "files of other parts are not looked at",
	  { .noperands = 2, .part = { 2, 2 } }, { fifo, kib }, false, NULL,
	  0, 1, 1 },
	{ "lines of check lists for other parts are not counted",
	  { .noperands = 1, .part = { 1, 2 } }, { list }, true, NULL,
	  0, 0, 0 },
	{ "of an update nothing is known in advance",
	  { .noperands = 1, .recursive = true, .update = list }, { tree },
	  false, NULL, 0, 0, 0 },
};
/* clang-format on */

static void
use_input(const char *name)
{
	const int fd = open(name, O_RDWR);

	if (fd < 0 || dup2(fd, STDIN_FILENO) != STDIN_FILENO)
		exit(99);
	close(fd);
	lseek(STDIN_FILENO, 1024, SEEK_SET);
}

static void
test_rows(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct input_options options = rows[i].options;
		struct survey survey;
		struct forecast *forecast = &survey.forecast;
		size_t first_files;

		options.operands = (char **)(uintptr_t)rows[i].operands;
		if (rows[i].input)
			use_input(rows[i].input);
		survey_init(&survey, &options, rows[i].check, true);
		first_files = forecast->files;
		while (forecast->count(forecast, 0))
			continue;
		ok(first_files == rows[i].first_files &&
			   forecast->files == rows[i].files &&
			   forecast->kib == rows[i].kib,
		   "%s", rows[i].promise);
		tap_note("%zu, %zu files, %zu KiB", first_files,
			 forecast->files, forecast->kib);
		survey_close(&survey);
	}
}

static unsigned asked;

/* The device has 3 KiB. */
static int
answer_device(int fd, unsigned long request, void *arg)
{
	if (request != BLKGETSIZE64)
		return fault_real_ioctl(fd, request, arg);
	asked++;
	*(uint64_t *)arg = 3072;
	return 0;
}

static void
test_device(void)
{
	const struct input_options options = { .noperands = 0 };
	struct survey survey;

	use_input("/dev/zero");
	fault_hooks.ioctl = answer_device;
	survey_init(&survey, &options, false, false);
	ok(survey.forecast.files == 1 && asked == 0 &&
		   !survey.forecast.count(&survey.forecast, 0),
	   "without --progress only the number of operands is known");
	survey_close(&survey);
	survey_init(&survey, &options, false, true);
	while (survey.forecast.count(&survey.forecast, 0))
		continue;
	ok(survey.forecast.kib == 3,
	   "a block device on standard input has a size");
	survey_close(&survey);
	fault_clear();
}

static void
test_time(void)
{
	struct input_options options = { .noperands = 1 };
	char *const operands[] = { list };
	struct survey survey;
	unsigned looks = 1;

	options.operands = (char **)(uintptr_t)operands;
	survey_init(&survey, &options, true, true);
	fault_clock_set(FAULT_SECOND);
	fault_clock_step(CLOCK_NS_PER_MS);
	while (survey.forecast.count(&survey.forecast,
				     clock_ns() + 4 * CLOCK_NS_PER_MS))
		looks++;
	ok(looks >= 2 && survey.forecast.files == 3,
	   "it looks as long as it may, and goes on from there");
	survey_close(&survey);
	fault_clear();
}

int
main(void)
{
	descriptor_init();
	scratch_enter();
	scratch_pattern(kib, 1024);
	scratch_pattern(more, 3072);
	scratch_folder(folder);
	scratch_fifo(fifo);
	scratch_folder(tree);
	scratch_pattern("tree/a", 3072);
	scratch_folder("tree/b");
	scratch_pattern("tree/b/c", 1024);
	scratch_pattern("tree/d", 1024);
	scratch_fifo("tree/fifo");
	if (symlink("a", "tree/link") != 0)
		return 99;
	scratch_text(list, DIGEST "  kib\n# kib\nkib\n" DIGEST
				  "  missing\n" DIGEST "  more\n");
	scratch_text(tagged, "SHA256 (kib) = " DIGEST
			     "\nSHA256 (more) = " DIGEST "\nMD5 (kib) = 00");
	scratch_file(zeros, "kib\0\0missing\0more", 17);
	scratch_file(raw, DIGEST "  kib\0" DIGEST "  more", 141);
	test_rows();
	test_device();
	test_time();
	return tap_done();
}
