/* SPDX-License-Identifier: MIT */
/*
 * Promise: the words of the progress have the work of all threads, and of what
 * total, per cent and time left as far as the sizes of the files are known.
 */
#include "config.h"

#include "src/output/progress_words.h"

#include <string.h>

#include "src/lanes/progress.h"
#include "src/lanes/sequencer.h"
#include "tests/support/tap.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static const struct {
	const char *expected;
	size_t files, sized; /* in all, and of them looked at */
	uint64_t bytes;	     /* of these */
	uint64_t done_files;
	uint64_t done_bytes;
	uint64_t ms;
} rows[] = {
	{ "0 files, 0 kB, 0 kB/s", 0, 0, 0, 0, 0, 0 },
	{ "0 of 1 file, 0 kB, 0 kB/s", 1, 0, 0, 0, 0, 500 },
	{ "1 of 1 file, 1 kB, 1 kB/s", 1, 0, 0, 1, 1024, 1000 },
	{ "1 file, 1 kB, 1 kB/s", 0, 0, 0, 1, 1024, 1000 },
	{ "2 files, 999 kB, 999 kB/s", 0, 0, 0, 2, 976 << 10, 1000 },
	{ "2 files, 1.0 MB, 1.0 MB/s", 0, 0, 0, 2, 977 << 10, 1000 },
	{ "12 of 40 files, 1.0 MB of 2.1 MB (50 %), 0:02 left, 524 kB/s", 40,
	  40, 2 * MIB, 12, MIB, 2000 },
	{ "3 files, 999.3 MB, 999.3 MB/s", 0, 0, 0, 3, 953 * MIB, 1000 },
	{ "3 files, 1.0 GB, 1.0 GB/s", 0, 0, 0, 3, 954 * MIB, 1000 },
	{ "3 of 4 files, 1.1 GB of 4.3 GB (25 %), 3:00 left, 17.9 MB/s", 4, 4,
	  4 * GIB, 3, GIB, 60000 },
	/* 3600 and 36000 s */
	{ "0 of 1 file, 1.0 MB of 3.8 GB (0 %), 1:00:00 left, 1.0 MB/s", 1, 1,
	  3601 * MIB, 0, MIB, 1000 },
	{ "0 of 1 file, 1.0 MB of 3.8 GB (0 %), 59:59 left, 1.0 MB/s", 1, 1,
	  3600 * MIB, 0, MIB, 1000 },
	{ "0 of 1 file, 1.0 MB of 37.7 GB (0 %), 10:00:00 left, 1.0 MB/s", 1, 1,
	  36001 * MIB, 0, MIB, 1000 },
	{ "9 files, 5497.6 TB, 5.5 TB/s", 0, 0, 0, 9, 5000 * 1024 * GIB,
	  1000000 },
	/* The sizes of some files only: the rest is extrapolated, from those
	 * that were looked at or, if these are more, from those hashed. */
	{ "4 of 40 files, 1.0 MB of ~8.4 MB, ~0:07 left, 1.0 MB/s", 40, 10,
	  2 * MIB, 4, MIB, 1000 },
	{ "20 of 40 files, 1.0 MB of ~2.1 MB, ~0:01 left, 1.0 MB/s", 40, 10,
	  99 * MIB, 20, MIB, 1000 },
	{ "4 of 40 files, 1.0 MB, 1.0 MB/s", 40, 10, 9 << 10, 4, MIB, 1000 },
	/* The end, and files that have grown. */
	{ "4 of 4 files, 1.0 MB of 1.0 MB (100 %), 0:00 left, 1.0 MB/s", 4, 4,
	  MIB, 4, MIB, 1000 },
	{ "4 of 4 files, 2.1 MB, 2.1 MB/s", 4, 4, MIB, 4, 2 * MIB, 1000 },
	/* More than was said. */
	{ "5 files, 0 kB, 0 kB/s", 4, 4, MIB, 5, 0, 1000 },
	/* Nothing has come yet: no time left to tell. */
	{ "0 of 1 file, 0 kB of 1.0 MB (0 %), 0 kB/s", 1, 1, MIB, 0, 0, 1000 },
};

/* The words for a forecast and the work that was noted. */
static const char *
say(const struct forecast *forecast, uint64_t ms)
{
	static char text[PROGRESS_WORDS_BYTES + 1];
	struct words words = { text, text + PROGRESS_WORDS_BYTES };

	words_add_progress(&words, forecast, ms);
	*words.at = '\0';
	return text;
}

int
main(void)
{
	struct forecast forecast;
	const char *said;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (sizeof(size_t) < 8 && rows[i].done_bytes > 1024 * GIB) {
			ok(true, "so much is not counted # SKIP 32 bits");
			continue;
		}
		forecast = (struct forecast){
			.files = rows[i].files,
			.sized = rows[i].sized,
			.kib = (size_t)(rows[i].bytes >> 10),
		};
		progress_note(0, rows[i].done_bytes, rows[i].done_files);
		is(say(&forecast, rows[i].ms), rows[i].expected,
		   "the progress is '%s'", rows[i].expected);
	}
	forecast = (struct forecast){ .files = 2, .sized = 2, .kib = 1024 };
	forecast_set(&forecast.unsized, 1);
	progress_note(0, 0, 0);
	is(say(&forecast, 0), "0 of 2 files, 0 kB, 0 kB/s",
	   "one file of unknown size makes the total unknown");
	forecast = (struct forecast){ .files = 0 };
	for (unsigned i = 0; i < SEQUENCER_WORKERS; i++)
		progress_note(i, 100 * MIB, 1000);
	for (unsigned i = 0; i < SEQUENCER_WORKERS; i++)
		progress_note(i, MIB, 1);
	is(say(&forecast, 1000), "256 files, 268.4 MB, 268.4 MB/s",
	   "the work of all workers is added up, each with its last word");
	forecast = (struct forecast){ .files = SIZE_MAX,
				      .sized = SIZE_MAX - 1,
				      .kib = SIZE_MAX };
	progress_note(0, UINT64_MAX / 4, SIZE_MAX - 2);
	said = say(&forecast, UINT64_C(1000) * 3600 * 1000);
	is(said + strlen(said) - 2, "/s", "the longest words have room");
	return tap_done();
}
