/* SPDX-License-Identifier: MIT */
/*
 * device-client: uses the device of a Raspberry Pi without an engine.  The
 * suite runs it on virtual boards.
 *
 *	pieces N MIB	takes N pieces of memory, as many as there are; writes and
 *			reads all of them; gives them back; twice
 *	balance OPTION	opens the device with the option and closes it, some
 *			times, and tells what is left of descriptors, mappings
 *			and handlers of signals
 */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/device/device.h"
#include "qpu/driver/vcio.h"

enum { MOST_PIECES = 256 };

static const struct qpu_device *const device = &device_vcio;
static struct diag why;

static void *
open_device(const char *options)
{
	unsigned qpus;
	void *self = device->open(options, &qpus, &why);

	if (!self) {
		printf("open: %s\n", why.text);
		exit(1);
	}
	return self;
}

static bool
overlap(const struct device_memory *a, const struct device_memory *b)
{
	return a->bus < b->bus + b->bytes && b->bus < a->bus + a->bytes;
}

/* Each byte of a piece has its number. */
static bool
are_apart(const struct device_memory *pieces, unsigned n)
{
	bool good = true;

	for (unsigned i = 0; i < n; i++)
		memset(pieces[i].cpu, (int)i, pieces[i].bytes);
	for (unsigned i = 0; i < n; i++) {
		const uint8_t *bytes = pieces[i].cpu;

		good = good && bytes[0] == i && bytes[pieces[i].bytes - 1] == i;
		for (unsigned k = 0; k < i; k++)
			good = good && !overlap(&pieces[i], &pieces[k]);
	}
	return good;
}

static void
take_pieces(void *self, unsigned most, size_t bytes)
{
	struct device_memory pieces[MOST_PIECES];
	unsigned n = 0;

	while (n < most && device->alloc(self, bytes, &pieces[n], &why))
		n++;
	printf("%u pieces of %zu MiB, %s\n", n, bytes >> 20,
	       are_apart(pieces, n) ? "apart" : "mixed up");
	if (n < most)
		printf("%s\n", why.text);
	while (n > 0)
		device->free(self, &pieces[--n]);
}

static unsigned
count_descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static unsigned
count_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned n = 0;
	int c;

	if (!maps)
		exit(1);
	while ((c = getc(maps)) != EOF)
		n += c == '\n';
	fclose(maps);
	return n;
}

/* Signals that are not handled as by default; that of faults is qpuemu's. */
static unsigned
count_handlers(void)
{
	unsigned n = 0;

	for (int number = 1; number < NSIG; number++) {
		struct sigaction action;

		n += number != SIGSEGV &&
		     sigaction(number, NULL, &action) == 0 &&
		     action.sa_handler != SIG_DFL;
	}
	return n;
}

/* One piece of memory is left to the end. */
static void
use(const char *options)
{
	void *self = open_device(options);
	struct device_memory pieces[2];

	for (unsigned i = 0; i < 2; i++)
		if (!device->alloc(self, 1 << 16, &pieces[i], &why))
			exit(1);
	device->free(self, &pieces[0]);
	device->close(self);
}

/* What the first time leaves stays: it is qpuemu's. */
static void
balance(const char *options)
{
	const unsigned handlers = count_handlers();
	unsigned descriptors, mappings;

	use(options);
	descriptors = count_descriptors();
	mappings = count_mappings();
	use(options);
	use(options);
	printf("left: %d descriptors, %d mappings, %d handlers\n",
	       (int)(count_descriptors() - descriptors),
	       (int)(count_mappings() - mappings),
	       (int)(count_handlers() - handlers));
}

int
main(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "";
	void *self;

	if (strcmp(command, "balance") == 0) {
		balance(argc > 2 ? argv[2] : "");
		return 0;
	}
	self = open_device("mailbox");
	if (strcmp(command, "pieces") == 0 && argc == 4) {
		const unsigned n = (unsigned)atoi(argv[2]);
		const size_t bytes = (size_t)atoi(argv[3]) << 20;

		take_pieces(self, n < MOST_PIECES ? n : MOST_PIECES, bytes);
		take_pieces(self, n < MOST_PIECES ? n : MOST_PIECES, bytes);
	}
	device->close(self);
	return 0;
}
