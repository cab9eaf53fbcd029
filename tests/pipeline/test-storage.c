/* SPDX-License-Identifier: MIT */
/*
 * Promise: what lies in memory is hashed where it lies; what has to be waited for is
 * read many at a time and ahead, but from a rotating disk one at a time; what never
 * answers holds up itself only; and with --uncached nothing stays in memory.
 *
 * Each row says what the storage is like, which inputs there are, and how they are
 * read.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "src/lanes/mapping.h"
#include "tests/pipeline/fake-sys.h"
#include "tests/pipeline/storage.h"
#include "tests/support/random.h"

enum { KIB = 1 << 10, MIB = 1 << 20, LONG = 9 * MIB, SMALL = 3000 };
enum { MANY = STORAGE_MANY, DISK_FILES = 12 };

/* Rows ------------------------------------------------------------------------- */

/* Options of the inputs and of the run: */
enum {
	ONLY_READS = 1, /* the engine does not write after the blocks */
	VERIFY = 2,
	UNCACHED = 4,
	WATCHED = 8,
	AS_STDIN = 16, /* the file is standard input */
	FROM_PIPE = 32,
	FROM_FIFO = 64,
	ON_DEVICE = 128,
	BESIDE_DEVICE = 256,
	ONE_BY_ONE = 512,  /* --one-at-a-time */
	NO_READERS = 1024, /* few descriptors */
	ONE_CORE = 2048,   /* as is found when somebody asks */
	TWO_CORES = 4096,
	ALONE = 8192,	    /* no read waits for others */
	COLD_END = 16384,   /* what is before it is cached */
	FALSE_ENDS = 32768, /* the cache says that files end: Linux 5.9, 5.10 */
	COLD_BEGINNING = 65536, /* what is after it is cached */
};

/* How they are read: */
enum {
	MAPPED = 1,
	NOT_MAPPED = 2,
	BY_WORKERS = 4,	  /* no thread is started to read */
	TOGETHER = 8,	  /* by MANY threads, and no more */
	AHEAD = 16,	  /* by a thread, or two for a moment */
	IN_TURNS = 32,	  /* cold files each to its end before the next */
	INTERLEAVED = 64, /* files that are not cold */
	STRICTLY = 128,	  /* each to its end before the next is opened */
	UNASKED = 256,	  /* the number of processors is not asked for */
	BY_OTHERS = 512,  /* in part by other threads */
};

#define D DISK_FILES, 1100000

/* clang-format off */
static const struct row {
	const char *promise;
	enum storage_kind kind;
	unsigned n;
	size_t bytes;
	unsigned threads, how_run, how_read;
	const char *log; /* of each input; see storage.h */
} rows[] = {
	/* File systems. */
	{ "big files of a disk are mapped",
	  CACHED, 2, 4 * MIB, 1, ONLY_READS, MAPPED, NULL },
	{ "big files of a tmpfs are mapped, where the kernel cannot tell what is "
	  "cached", MEMORY, 2, 4 * MIB, 1, ONLY_READS, MAPPED, NULL },
	{ "files of a file server are not mapped",
	  NFS, 2, 4 * MIB, 1, ONLY_READS, NOT_MAPPED, NULL },
	{ "files of FUSE are not mapped",
	  FUSE, 2, 4 * MIB, 1, ONLY_READS, NOT_MAPPED, NULL },
	{ "what is not in the cache is not mapped",
	  COLD, 2, 4 * MIB, 1, ONLY_READS | NO_READERS, NOT_MAPPED, NULL },
	{ "big files whose beginning is not in the cache are mapped behind it",
	  COLD, 2, 4 * MIB, 1, ONLY_READS | ALONE | COLD_BEGINNING, MAPPED, NULL },
	{ "no file is mapped where the kernel cannot tell what is cached",
	  BLIND, 2, 4 * MIB, 1, ONLY_READS, NOT_MAPPED, NULL },
	{ "a big file that is standard input is mapped",
	  CACHED, 1, 12 * MIB, 1, ONLY_READS | AS_STDIN, MAPPED, NULL },
	{ "files of less than a MiB are not mapped",
	  CACHED, 20, MIB - 1, 1, ONLY_READS, NOT_MAPPED, NULL },
	{ "with --verify no file is mapped",
	  CACHED, 2, 4 * MIB, 1, ONLY_READS | VERIFY, NOT_MAPPED, NULL },
	{ "with --uncached no file is mapped",
	  CACHED, 2, 4 * MIB, 1, ONLY_READS | UNCACHED, NOT_MAPPED, "" },
	{ "with --detect-changes no file is mapped",
	  CACHED, 2, 4 * MIB, 1, ONLY_READS | WATCHED, NOT_MAPPED, NULL },
	{ "no file is mapped for an engine that writes after the blocks",
	  CACHED, 2, 4 * MIB, 1, 0, NOT_MAPPED, NULL },

	/* Many at a time. */
	{ "small files in the cache: no thread is started to read, no call waits",
	  CACHED, 300, SMALL, 2, 0, BY_WORKERS, NULL },
	{ "longer files in the cache: no thread is started to read",
	  CACHED, 20, 700000, 2, 0, BY_WORKERS, NULL },
	{ "the system cannot tell what is in the cache: no thread, either",
	  MEMORY, 300, SMALL, 2, 0, BY_WORKERS, NULL },
	{ "a worker has lost its processor meanwhile: no thread, either",
	  BUSY, 300, SMALL, 2, 0, BY_WORKERS, NULL },
	{ "40 of longer files that are not in the cache are read at a time, no more",
	  COLD, 60, 500000, 2, 0, TOGETHER, NULL },
	{ "40 of small files that are not in the cache are read at a time, no more",
	  COLD, 400, SMALL, 2, 0, TOGETHER, NULL },
	{ "one thread that hashes is enough for 40 that read",
	  COLD, 400, SMALL, 1, 0, TOGETHER, NULL },
	{ "where there are few descriptors workers read",
	  COLD, 200, SMALL, 2, NO_READERS, BY_WORKERS, NULL },
	{ "small files of a disk that rotates are read by workers only",
	  DISK, 200, SMALL, 2, 0, BY_WORKERS, NULL },
	{ "longer files of a disk that rotates are read by workers only",
	  DISK, 10, 500000, 2, 0, BY_WORKERS, NULL },

	/* One long input. */
	{ "with one thread no stream is read ahead",
	  FAST, 1, LONG, 1, FROM_PIPE, BY_WORKERS, NULL },
	{ "with one thread no file is read ahead",
	  FAST, 1, LONG, 1, 0, BY_WORKERS, NULL },
	{ "a stream of less than 4 MiB is not read ahead",
	  FAST, 1, 4 * MIB - 100, 2, FROM_PIPE, BY_WORKERS, NULL },
	{ "a stream longer than 4 MiB is read ahead",
	  FAST, 1, 4 * MIB + 200000, 2, FROM_PIPE, AHEAD, NULL },
	{ "a file of less than 8 MiB is not read ahead",
	  FAST, 1, 8 * MIB - 100, 2, 0, BY_WORKERS, NULL },
	{ "a file longer than 8 MiB is read ahead",
	  FAST, 1, LONG, 2, 0, AHEAD, NULL },
	{ "for a single small file processors are not counted",
	  FAST, 1, 8 * MIB - 100, 1, TWO_CORES, BY_WORKERS | UNASKED, NULL },
	{ "on one processor a single file is not read ahead",
	  FAST, 1, LONG, 1, ONE_CORE, BY_WORKERS, NULL },
	{ "on two processors a single file is read ahead",
	  FAST, 1, LONG, 1, TWO_CORES, AHEAD, NULL },
	{ "on two processors standard input alone is read ahead",
	  FAST, 1, LONG, 1, FROM_PIPE | TWO_CORES, AHEAD, NULL },
	{ "with --verify a long FIFO is read ahead, and its digest trusted",
	  FAST, 1, LONG, 2, FROM_FIFO | VERIFY, AHEAD, NULL },
	{ "where others have the processor, one thread is enough",
	  BUSY, 1, 4 * LONG, 2, NO_READERS, AHEAD, NULL },
	{ "where none takes long, one thread reads",
	  FAST, 1, 4 * LONG, 2, 0, AHEAD, NULL },

	/* A disk that rotates. */
	{ "one thread: cold files of a disk are read one at a time",
	  DISK, D, 1, NO_READERS, IN_TURNS, NULL },
	{ "two threads: cold files of a disk are read one at a time",
	  DISK, D, 2, NO_READERS, IN_TURNS, NULL },
	{ "five threads: cold files of a disk are read one at a time",
	  DISK, D, 5, NO_READERS, IN_TURNS, NULL },
	{ "on an SSD cold files are read together",
	  SSD, D, 1, NO_READERS, INTERLEAVED, NULL },
	{ "for a device, which has to have many, cold files are read together",
	  DISK, D, 1, NO_READERS | ON_DEVICE, INTERLEAVED, NULL },
	{ "cached files are read together, even if a read took long",
	  WARM_DISK, D, 1, NO_READERS, INTERLEAVED, NULL },
	{ "one thread: cold files are read one at a time among cached ones, which "
	  "are read together",
	  MIXED_DISK, D, 1, NO_READERS, IN_TURNS | INTERLEAVED, NULL },
	{ "four threads: cold files are read one at a time among others",
	  MIXED_DISK, D, 4, NO_READERS, IN_TURNS, NULL },
	{ "a file is read to its end, whatever is said of the cache",
	  SSD, D, 1, NO_READERS | FALSE_ENDS, 0, NULL },
	{ "the same by three threads",
	  SSD, D, 3, NO_READERS | FALSE_ENDS, 0, NULL },
	{ "the same from a disk, by three threads",
	  DISK, D, 3, NO_READERS | FALSE_ENDS, 0, NULL },
	{ "where it cannot be told what is cached, files of a disk are read one at a "
	  "time", BLIND_DISK, D, 2, NO_READERS, IN_TURNS, NULL },
	{ "a file that is cold only at its end is read ahead to its end",
	  DISK, 1, LONG, 2, NO_READERS | COLD_END, BY_OTHERS, NULL },
	{ "with one file at a time no file is read before the end of the one "
	  "before it", SSD, D, 1, NO_READERS | ONE_BY_ONE, STRICTLY, NULL },

	/* --uncached. */
	{ "a small file is dropped before it is read, and after",
	  MEDIUM, 1, 1000, 1, UNCACHED, 0, "DrDc" },
	{ "of a long file pages are dropped while it is read",
	  MEDIUM, 1, 20 * MIB, 1, UNCACHED, 0, "DrdrdrDc" },
	{ "pages of a file that another thread reads are dropped",
	  MEDIUM, 1, 20 * MIB, 2, UNCACHED, 0, "DrdrdrDc" },
	{ "four threads drop the pages of each file that they read",
	  MEDIUM, 40, SMALL, 4, UNCACHED, 0, "DrDc" },
	{ "files of a device are dropped before and after",
	  MEDIUM, 40, SMALL, 1, UNCACHED | ON_DEVICE, 0, "DrDc" },
	{ "files that change hands are dropped while they are read",
	  MEDIUM, 6, LONG, 2, UNCACHED | BESIDE_DEVICE, 0, "DrdrDc" },
	{ "what is dirty is written before pages are dropped",
	  DIRTY, 3, SMALL, 1, UNCACHED, 0, "wDrDc" },
	{ "what is being written is waited for",
	  BEING_WRITTEN, 3, SMALL, 1, UNCACHED, 0, "wDrDc" },
	{ "where the system does not tell what is dirty, it is asked to write",
	  SILENT, 3, SMALL, 1, UNCACHED, 0, "wDrDc" },
	{ "without --uncached nothing is dropped or asked",
	  MEDIUM, 3, SMALL, 1, 0, 0, "rc" },
};
/* clang-format on */

static unsigned processors, asked;

static unsigned
count_processors(void)
{
	asked++;
	return processors;
}

static void
begin_row(const struct row *row)
{
	const unsigned how = row->how_run;

	storage_begin(row->kind);
	if (how & ONLY_READS) {
		rig_only_read();
		rig.cpu.lanes = 2;
	}
	if (row->n == DISK_FILES)
		rig.cpu.lanes = 4;
	/* The thread that reads ahead has time to sleep until it is called again. */
	rig.cpu.is_slow = row->how_read & AHEAD;
	rig.config.threads = row->threads;
	if (how & FROM_PIPE)
		rig_stdin(row->bytes, NULL);
	else if (how & FROM_FIFO)
		rig_fifo(row->bytes, NULL);
	else
		rig_files(row->n, row->bytes);
	for (unsigned i = 0; i < rig.n; i++)
		rig.inputs[i].watched = how & WATCHED;
	if (how & AS_STDIN)
		rig_as_stdin(&rig.inputs[0]);
	if (how & VERIFY)
		rig_verify();
	if (how & (ON_DEVICE | BESIDE_DEVICE))
		rig_use_device(row->log ? 6 : RIG_LANES, how & BESIDE_DEVICE);
	rig.config.uncached = how & UNCACHED;
	rig.config.one_at_a_time = how & ONE_BY_ONE;
	if (how & NO_READERS || row->log)
		rig.readers = storage.together = 0;
	if (how & ALONE)
		storage.together = 0;
	storage.cold_from = how & COLD_END ? 8 * MIB : 0;
	storage.cold_to = how & COLD_BEGINNING ? 4 * KIB : 0;
	storage.says_end = how & FALSE_ENDS;
	storage.log = row->log;
	asked = 0;
	processors = how & ONE_CORE ? 1 : 2;
	if (how & (ONE_CORE | TWO_CORES))
		rig.config.processors = count_processors;
	storage_use();
}

/* Return the number of threads that are no worker's. */
static unsigned
count_readers(void)
{
	return fault_count(FAULT_pthread_create) - (rig.seen.cpus - 1);
}

static const char *
find_difference(const struct row *row)
{
	const unsigned how = row->how_read, readers = count_readers();
	const unsigned cold = storage_first_cold(row->kind);
	const bool counts = row->how_run & (ONE_CORE | TWO_CORES);

	if (how & MAPPED && storage.maps == 0)
		return "nothing is mapped";
	if (how & NOT_MAPPED && storage.maps > 0)
		return "a file is mapped";
	if (how & BY_WORKERS && (readers > 0 || storage.most_waiting > 2))
		return "others read";
	if (how & BY_WORKERS && row->kind == CACHED && storage.reads > 0)
		return "a call waits";
	if (how & TOGETHER && (storage.most_waiting != MANY ||
			       readers != MANY || rig.seen.cpus > 2))
		return "it is not read by that many";
	if (how & AHEAD && (readers == 0 || readers > 2))
		return "it is not read ahead";
	if (how & IN_TURNS &&
	    (storage_returns(cold, rig.n) > 0 || storage.overlaps > 0))
		return "cold files are read together";
	if (how & IN_TURNS && cold == 0 &&
	    (rig.seen.cpus != row->threads ||
	     (row->threads == 1 && !storage_is_in_order(false))))
		return "threads or their order are others";
	if (how & INTERLEAVED &&
	    storage_returns(0, cold > 0 ? cold : rig.n) == 0)
		return "files are read one at a time";
	if (how & BY_OTHERS && storage.ahead == 0)
		return "no other thread reads";
	if (how & STRICTLY && !storage_is_in_order(true))
		return "it is read before its turn";
	if (asked != (counts && !(how & UNASKED)))
		return "processors are counted, or not";
	if (row->log && row->log[0] &&
	    (storage.matching != row->n || storage.others > 0))
		return "other things are done with pages";
	return NULL;
}

/* Test the promise of a row that was run; `good` says what else holds. */
static void
test_row(const struct row *row, bool good)
{
	const char *difference = find_difference(row);

	ok(good && !difference, "%s", row->promise);
	if (difference)
		tap_note("%s (%u readers, %u at a time, %u others)", difference,
			 count_readers(), storage.most_waiting, storage.others);
}

/* Accidents ---------------------------------------------------------------------- */

/* An accident when `at` bytes of all inputs are hashed, or at once if that is 0:
 * all calls fail from the nth on, or the first file becomes `other_bytes` long. */
static const struct accident {
	struct row row;
	uint64_t at;
	enum fault_call call;
	unsigned nth;
	int error; /* or 0 */
	size_t other_bytes;
} accidents[] = {
	/* clang-format off */
	{ { "what cannot be mapped is read",
	    CACHED, 2, 4 * MIB, 1, ONLY_READS, MAPPED, NULL },
	  1, FAULT_mmap, 1, ENOMEM, 0 },
	{ { "of a single file a thread touches the pages before they are needed",
	    CACHED, 1, 16 * MIB, 2, ONLY_READS, MAPPED | AHEAD, NULL },
	  0, FAULT_CALLS, 0, 0, 0 },
	{ { "a single file is mapped also where there is no thread to be had",
	    CACHED, 1, 16 * MIB, 2, ONLY_READS, MAPPED, NULL },
	  0, FAULT_pthread_create, 1, EAGAIN, 0 },
	{ { "a single file that shrinks before the thread touches it is read on",
	    CACHED, 1, 16 * MIB, 2, ONLY_READS, MAPPED, NULL },
	  8 * MAPPING_PIECE_BYTES, FAULT_CALLS, 0, 0, 2 * MIB + 5 },
	{ { "a file that shrinks while it is read ahead ends where it ends",
	    FAST, 1, LONG, 2, 0, AHEAD, NULL },
	  5 * MIB, FAULT_CALLS, 0, 0, 6 * MIB },
	{ { "a file that grows while it is read ahead has either size",
	    FAST, 1, LONG, 2, 0, AHEAD, NULL },
	  5 * MIB, FAULT_CALLS, 0, 0, LONG + 3 * MIB },
	{ { "without memory to read a stream ahead the worker reads",
	    FAST, 1, LONG, 2, FROM_PIPE, 0, NULL },
	  3 * MIB, FAULT_MEMORY, 1, ENOMEM, 0 },
	{ { "with memory for one piece of a stream the worker reads",
	    FAST, 1, LONG, 2, FROM_PIPE, 0, NULL },
	  3 * MIB, FAULT_MEMORY, 2, ENOMEM, 0 },
	{ { "without memory to read a file ahead the worker reads",
	    FAST, 1, LONG, 2, 0, 0, NULL },
	  3 * MIB, FAULT_MEMORY, 1, ENOMEM, 0 },
	{ { "with memory for one piece of a file the worker reads",
	    FAST, 1, LONG, 2, 0, 0, NULL },
	  3 * MIB, FAULT_MEMORY, 2, ENOMEM, 0 },
	{ { "without a thread to read a stream ahead the worker reads",
	    FAST, 1, LONG, 2, FROM_PIPE, 0, NULL },
	  0, FAULT_pthread_create, 1, EAGAIN, 0 },
	{ { "without a thread to read a file ahead the worker reads",
	    FAST, 1, LONG, 2, 0, 0, NULL },
	  0, FAULT_pthread_create, 1, EAGAIN, 0 },
	{ { "an error that is found while a stream is read ahead is that of the input",
	    FAST, 1, LONG, 2, FROM_PIPE, 0, NULL },
	  5 * MIB, FAULT_read, 1, EIO, 0 },
	{ { "an error that is found while a file is read ahead is that of the input",
	    FAST, 1, LONG, 2, 0, 0, NULL },
	  5 * MIB, FAULT_pread, 1, EIO, 0 },
	{ { "a file that would block while it is read ahead is read by the worker",
	    FAST, 1, LONG, 2, 0, 0, NULL },
	  5 * MIB, FAULT_pread, 1, EAGAIN, 0 },
	{ { "without threads workers read what is not in the cache",
	    COLD, 200, SMALL, 2, ALONE, 0, NULL },
	  0, FAULT_pthread_create, 1, EAGAIN, 0 },
	{ { "with few threads these read what is not in the cache",
	    COLD, 200, SMALL, 2, ALONE, 0, NULL },
	  0, FAULT_pthread_create, 5, EAGAIN, 0 },
	{ { "what is not in the cache is read although files cannot be opened for a "
	    "while", COLD, 200, SMALL, 2, ALONE, 0, NULL },
	  3000, FAULT_open, 1, EMFILE, 0 },
	/* clang-format on */
};

static const struct accident *next_accident;

static void
strike(uint32_t engine)
{
	const struct accident *accident = next_accident;
	uint64_t blocks;

	(void)engine;
	rig_lock();
	blocks = rig.cpu.reads_only ? rig.seen.elsewhere_blocks :
				      rig.seen.cpu_blocks;
	rig_unlock();
	if (!accident || blocks * 64 < accident->at)
		return;
	next_accident = NULL;
	if (accident->call == FAULT_open ||
	    (accident->call == FAULT_pread && accident->error == EAGAIN))
		fault_at(accident->call, accident->nth, accident->error);
	else if (accident->error)
		fault_from(accident->call, accident->nth, accident->error);
	else if (accident->other_bytes)
		rig_write_file(&rig.inputs[0], accident->other_bytes);
}

static bool is_hidden; /* files seem not to have changed */

/* Return true if the run is right and the accident has happened. */
static bool
survives(const struct accident *accident)
{
	begin_row(&accident->row);
	next_accident = accident;
	if (is_hidden)
		fault_hooks.fstat = rig_fstat_unchanged;
	rig.inputs[0].error = accident->error == EIO ? EIO : 0;
	rig.inputs[0].changes = accident->other_bytes > 0;
	rig.inputs[0].other_bytes = accident->other_bytes;
	if (accident->at == 0)
		strike(0);
	rig.cpu.before = strike;
	return rig_run() && !next_accident;
}

/* Files that are mapped change ---------------------------------------------------- */

static bool
survives_resize(unsigned rounds, size_t new_size)
{
	const struct accident accident = {
		.row = { "", CACHED, 2, 4 * MIB, 1, ONLY_READS, 0, NULL },
		.at = 1 + rounds * 2 * MAPPING_PIECE_BYTES,
		.other_bytes = new_size
	};

	return survives(&accident);
}

static void
test_resizes(void)
{
	static const size_t sizes[] = { 1,	 100,	       MIB,
					2 * MIB, 3 * MIB - 77, 4 * MIB + 4711 };
	enum { SIZES = sizeof(sizes) / sizeof(*sizes), ENDS = 8 };
	const unsigned rounds = tap_is_quick() ? 1 : 4;
	unsigned good = 0, last_page = 0, lost = 0;

	for (unsigned i = 0; i < rounds; i++) {
		for (unsigned j = 0; j < SIZES; j++)
			good += survives_resize(i, sizes[j]);
		is_hidden = true;
		lost += survives_resize(i, MIB + 100);
		is_hidden = false;
	}
	/* One of these sizes ends with a whole piece. */
	for (unsigned i = 1; i <= ENDS; i++)
		last_page += survives_resize(
			0, 2 * MIB + i * (MAPPING_PIECE_BYTES / 2) - 100);
	ok(good == rounds * SIZES,
	   "a file that changes has a digest of bytes that were there "
	   "(%u of %u)",
	   good, rounds * SIZES);
	ok(last_page == ENDS,
	   "a file of which a part of a page is gone has such a digest (%u)",
	   last_page);
	ok(lost == rounds,
	   "a file of which a page cannot be had, although it seems not to have "
	   "changed, has such a digest (%u)",
	   lost);
}

/* Big files are read and mapped in turns: by lanes, and by threads where a part of
 * them is not in the cache. */
static void
test_cold_parts(void)
{
	enum { ROUNDS = 36, PAGE = 4 * KIB };
	const unsigned rounds = tap_is_quick() ? ROUNDS / 4 : ROUNDS;
	unsigned good = 0;

	for (unsigned i = 0; i < rounds; i++) {
		const size_t bytes = MIB + random_below(4 * MIB);
		const struct row row = { "",	COLD,	   3,
					 bytes, 1 + i % 2, ONLY_READS | ALONE,
					 0,	NULL };

		begin_row(&row);
		storage.cold_from =
			i % 3 ? random_below((uint32_t)bytes) / PAGE * PAGE : 0;
		storage.cold_to = storage.cold_from +
				  PAGE * (1 + random_below(MIB / PAGE));
		good += rig_run();
	}
	ok(good == rounds,
	   "whatever part of big files is not in the cache, digests are right "
	   "(%u of %u)",
	   good, rounds);
}

int
main(void)
{
	rig_open();
	make_own_device("rotating", "1\n");
	make_own_device("still", "0\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin_row(&rows[i]);
		test_row(&rows[i], rig_run());
	}
	for (size_t i = 0; i < sizeof(accidents) / sizeof(*accidents); i++)
		test_row(&accidents[i].row, survives(&accidents[i]));
	test_resizes();
	test_cold_parts();
	return tap_done();
}
