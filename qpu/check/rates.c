/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/questions.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/base/clock.h"

/* read(2) from a file in memory costs what it costs to read a file that the
 * kernel has in its cache. */
struct own {
	void *memory;
	int file;
};

/* In MB/s. */
static double
rate(uint64_t begun_ns)
{
	const uint64_t ns = clock_ns() - begun_ns;

	return RATES_BYTES * 1e3 / (double)(ns > 0 ? ns : 1);
}

static void
print_memory(const char *name, void *memory, const struct own *own,
	     FILE *report)
{
	volatile uint32_t *words = memory;
	double stored, written, read, got;
	uint64_t begun;

	/* Touch each page, so that all are mapped. */
	for (size_t i = 0; i < RATES_BYTES / sizeof(*words); i++)
		words[i] = 0;
	begun = clock_ns();
	for (size_t i = 0; i < RATES_BYTES / sizeof(*words); i++)
		words[i] = 0x55555555;
	stored = rate(begun);
	begun = clock_ns();
	memcpy(memory, own->memory, RATES_BYTES);
	written = rate(begun);
	begun = clock_ns();
	read = pread(own->file, memory, RATES_BYTES, 0) == RATES_BYTES ?
		       rate(begun) :
		       0;
	begun = clock_ns();
	memcpy(own->memory, memory, RATES_BYTES);
	/* The compiler must not leave out any access. */
	__asm__ volatile("" : : "r"(own->memory), "r"(memory) : "memory");
	got = rate(begun);
	fprintf(report,
		"%s: word by word %.0f MB/s, copied to %.0f MB/s, read(2) into "
		"%.0f MB/s, copied from %.0f MB/s\n",
		name, stored, written, read, got);
	settle(report);
}

void
rates_print(const char *name, void *memory, FILE *report)
{
	struct own own = { .memory = calloc(1, RATES_BYTES),
			   .file = memfd_create("rates", MFD_CLOEXEC) };
	void *plain = malloc(RATES_BYTES);

	if (own.memory && plain && own.file >= 0 &&
	    write(own.file, own.memory, RATES_BYTES) == RATES_BYTES) {
		print_memory(name, memory, &own, report);
		print_memory("Memory of its own", plain, &own, report);
	}
	if (own.file >= 0)
		close(own.file);
	free(own.memory);
	free(plain);
}

bool
rates_print_device(struct rig *rig, FILE *report)
{
	struct way_memory memory;
	struct diag why;

	begin_part("Rates of memory", report);
	if (!rig->way->alloc(rig->handle, RATES_BYTES, &memory, &why)) {
		fprintf(report, "Memory: NO ANSWER: %s\n", why.text);
		return false;
	}
	rates_print("Memory of the device", memory.cpu, report);
	rig->way->free(rig->handle, &memory);
	return true;
}
