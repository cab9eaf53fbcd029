/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/progress.h"

#include <stdalign.h>

#include "src/base/clock.h"
#include "src/lanes/sequencer.h"

/*
 * Counts are of the size that every machine loads and stores in one piece,
 * which 64 bits are not; in kibibytes they last for 4 TiB even so.
 */
static struct {
	uint64_t begin_ns;
	size_t files; /* expected, 0 = unknown */
	size_t kib;   /* expected, 0 = unknown */
	struct {
		alignas(64) size_t kib;
		size_t files;
	} done[SEQUENCER_WORKERS];
} progress;

void
progress_begin(size_t files)
{
	progress.files = files;
	progress.kib = 0;
	progress.begin_ns = clock_ns();
}

void
progress_note(unsigned worker, uint64_t bytes, uint64_t files)
{
	__atomic_store_n(&progress.done[worker].kib, (size_t)(bytes >> 10),
			 __ATOMIC_RELAXED);
	__atomic_store_n(&progress.done[worker].files, (size_t)files,
			 __ATOMIC_RELAXED);
}

void
progress_expect(size_t files, uint64_t bytes)
{
	__atomic_store_n(&progress.files, files, __ATOMIC_RELAXED);
	__atomic_store_n(&progress.kib, (size_t)(bytes >> 10),
			 __ATOMIC_RELAXED);
}

/* Text, without a function that a signal handler may not call -------------- */

struct words {
	char *at;
	char *end; /* one byte stays for the zero */
};

static void
put(struct words *words, const char *string)
{
	while (*string && words->at < words->end)
		*words->at++ = *string++;
}

static void
put_number(struct words *words, uint64_t number, int min_digits)
{
	char digits[24];
	char *at = digits + sizeof(digits) - 1;

	*at = '\0';
	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
		min_digits--;
	} while (number > 0 || min_digits > 0);
	put(words, at);
}

/* "512 kB", "5.2 MB": from 1 MB on with one decimal, rounded. */
static void
put_bytes(struct words *words, uint64_t bytes)
{
	static const char *const units[] = { " kB", " MB", " GB", " TB" };
	const size_t last = sizeof(units) / sizeof(*units) - 1;
	uint64_t unit = 1000;
	size_t i = 0;

	while (i < last && bytes >= 1000 * unit - unit / 20) {
		unit *= 1000;
		i++;
	}
	if (i == 0) {
		put_number(words, bytes / unit, 1);
	} else {
		const uint64_t tenths = (bytes + unit / 20) / (unit / 10);

		put_number(words, tenths / 10, 1);
		put(words, ".");
		put_number(words, tenths % 10, 1);
	}
	put(words, units[i]);
}

static void
put_duration(struct words *words, uint64_t seconds)
{
	if (seconds >= 3600) {
		put_number(words, seconds / 3600, 1);
		put(words, ":");
	}
	put_number(words, seconds / 60 % 60, seconds >= 3600 ? 2 : 1);
	put(words, ":");
	put_number(words, seconds % 60, 2);
}

/* "3 of 4 files" */
static void
put_files(struct words *words, size_t files)
{
	const size_t all = __atomic_load_n(&progress.files, __ATOMIC_RELAXED);

	put_number(words, files, 1);
	if (all >= files && all > 0) {
		put(words, " of ");
		put_number(words, all, 1);
	}
	put(words,
	    (all >= files && all > 0 ? all : files) == 1 ? " file" : " files");
}

size_t
progress_words(char line[PROGRESS_BYTES])
{
	struct words words = { line, line + PROGRESS_BYTES - 1 };
	uint64_t all = __atomic_load_n(&progress.kib, __ATOMIC_RELAXED);
	const uint64_t ms = (clock_ns() - progress.begin_ns) / CLOCK_NS_PER_MS;
	uint64_t kib = 0, rate;
	size_t files = 0;

	for (unsigned i = 0; i < SEQUENCER_WORKERS; i++) {
		kib += __atomic_load_n(&progress.done[i].kib, __ATOMIC_RELAXED);
		files += __atomic_load_n(&progress.done[i].files,
					 __ATOMIC_RELAXED);
	}
	rate = kib * 1000 / (ms > 0 ? ms : 1); /* per second */
	put_files(&words, files);
	put(&words, ", ");
	put_bytes(&words, kib << 10);
	/* Files may have grown. */
	if (all > 0 && kib <= all) {
		put(&words, " of ");
		put_bytes(&words, all << 10);
	}
	put(&words, ", ");
	put_bytes(&words, rate << 10);
	put(&words, "/s");
	if (all > 0 && kib <= all && rate > 0) {
		put(&words, ", ");
		put_duration(&words, (all - kib) / rate);
		put(&words, " left");
	}
	*words.at = '\0';
	return (size_t)(words.at - line);
}
