/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/output/progress_words.h"

#include "src/lanes/progress.h"

void
words_add(struct words *words, const char *string)
{
	while (*string && words->at < words->end)
		*words->at++ = *string++;
}

static void
add_number(struct words *words, uint64_t number, int min_digits)
{
	char digits[24];
	char *at = digits + sizeof(digits) - 1;

	*at = '\0';
	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
		min_digits--;
	} while (number > 0 || min_digits > 0);
	words_add(words, at);
}

/* "512 kB", "5.2 MB": from 1 MB on with one decimal, rounded. */
static void
add_bytes(struct words *words, uint64_t bytes)
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
		add_number(words, bytes / unit, 1);
	} else {
		const uint64_t tenths = (bytes + unit / 20) / (unit / 10);

		add_number(words, tenths / 10, 1);
		words_add(words, ".");
		add_number(words, tenths % 10, 1);
	}
	words_add(words, units[i]);
}

static void
add_duration(struct words *words, uint64_t seconds)
{
	if (seconds >= 3600) {
		add_number(words, seconds / 3600, 1);
		words_add(words, ":");
	}
	add_number(words, seconds / 60 % 60, seconds >= 3600 ? 2 : 1);
	words_add(words, ":");
	add_number(words, seconds % 60, 2);
}

/* How many KiB there are in all. */
struct total {
	uint64_t kib;	   /* 0: not known */
	bool extrapolated; /* from the files that were looked at or hashed */
};

/* A total that is exceeded, by files that have grown, is not known; nor is it
 * if nobody looks at files, since then one may be a stream. */
static struct total
find_total(const struct forecast *forecast, uint64_t kib, uint64_t files)
{
	const size_t all = forecast_get(&forecast->files);
	const size_t sized = forecast_get(&forecast->sized);
	struct total total = { .kib = forecast_get(&forecast->kib) };

	if (sized == 0 || files > all || forecast_get(&forecast->unsized))
		return (struct total){ .kib = 0 };
	if (sized < all) {
		const bool ahead = sized > files;
		const double part = ahead ? (double)total.kib : (double)kib;
		const double parts = ahead ? (double)sized : (double)files;

		total.extrapolated = true;
		total.kib = parts > 0 ? (uint64_t)(part / parts * (double)all) :
					0;
	}
	if (total.kib < kib)
		total.kib = 0;
	return total;
}

void
words_add_progress(struct words *words, const struct forecast *forecast,
		   uint64_t ms)
{
	const size_t all = forecast_get(&forecast->files);
	uint64_t kib, files, rate;
	struct total total;
	const char *about;

	progress_sum(&kib, &files);
	total = find_total(forecast, kib, files);
	about = total.extrapolated ? "~" : "";
	rate = kib * 1000 / (ms > 0 ? ms : 1); /* per second */
	add_number(words, files, 1);
	if (all > 0 && files <= all) {
		words_add(words, " of ");
		add_number(words, all, 1);
		files = all;
	}
	words_add(words, files == 1 ? " file, " : " files, ");
	add_bytes(words, kib << 10);
	if (total.kib > 0) {
		words_add(words, " of ");
		words_add(words, about);
		add_bytes(words, total.kib << 10);
	}
	if (total.kib > 0 && !total.extrapolated) {
		words_add(words, " (");
		add_number(words, kib * 100 / total.kib, 1);
		words_add(words, " %)");
	}
	if (total.kib > 0 && rate > 0) {
		words_add(words, ", ");
		words_add(words, about);
		add_duration(words, (total.kib - kib) / rate);
		words_add(words, " left");
	}
	words_add(words, ", ");
	add_bytes(words, rate << 10);
	words_add(words, "/s");
}
