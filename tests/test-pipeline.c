/* SPDX-License-Identifier: MIT */
/*
 * Promise: whatever the engine does within its contract, and on however many
 * threads, every job comes back in order with the right digest.
 */
#include "config.h"

#include "src/pipeline.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "cpu/engine_reference.h"
#include "cpu/sha256.h"
#include "tests/tap.h"

enum { NFILES = 300, BIG_BYTES = 400000 };

struct file {
	char name[32];
	size_t len;
	uint8_t digest[32];
	int error;
};

static struct file files[NFILES];
static char directory[] = "test-pipeline-XXXXXX";
static uint8_t content[BIG_BYTES];

static uint32_t
next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static void
make_files(void)
{
	uint32_t seed = 42;

	for (size_t i = 0; i < sizeof(content); i++)
		content[i] = (uint8_t)(next_random(&seed) >> 16);
	for (unsigned i = 0; i < NFILES; i++) {
		struct file *file = &files[i];
		uint32_t r = next_random(&seed);

		file->len = r % 10 == 0 ? r % BIG_BYTES : r % 3000;
		snprintf(file->name, sizeof(file->name), "f%03u", i);
		if (i % 50 == 49) {
			file->error = ENOENT;
			continue;
		}
		int fd = open(file->name, O_CREAT | O_WRONLY, 0600);
		const uint8_t *from = content + (BIG_BYTES - file->len) / 2;
		if (fd < 0 ||
		    write(fd, from, file->len) != (ssize_t)file->len)
			exit(99);
		close(fd);
		EVP_Digest(from, file->len, file->digest, NULL, EVP_sha256(),
			   NULL);
	}
}

/* A source over all files, `rounds` times, with a remark now and then. */
struct list {
	struct source source;
	unsigned rounds, made, emitted, wrong, flushes, pending;
	int pipe_fd;		/* >= 0: a byte must be read for each job */
};

static enum source_answer
list_next(struct source *source, struct job *job, bool alone)
{
	struct list *list = (struct list *)source;
	unsigned i = list->made % NFILES;
	char byte;

	(void)alone;
	if (list->made == list->rounds * NFILES)
		return SOURCE_END;
	if (list->pipe_fd >= 0 && read(list->pipe_fd, &byte, 1) < 0)
		return SOURCE_LATER;
	job->kind = i % 37 == 36 ? JOB_REMARK : JOB_FILE;
	job->name = files[i].name;
	job->number[0] = list->made++;
	return SOURCE_JOB;
}

static void
list_emit(struct source *source, struct job *job)
{
	struct list *list = (struct list *)source;
	const struct file *file = &files[list->emitted % NFILES];

	if (job->number[0] != list->emitted || job->name != file->name)
		list->wrong++;
	else if (job->kind == JOB_FILE &&
		 (job->error != file->error ||
		  (!job->error && memcmp(job->digest, file->digest, 32))))
		list->wrong++;
	list->emitted++;
	list->pending++;
}

static void
list_flush(struct source *source)
{
	struct list *list = (struct list *)source;

	list->flushes++;
	list->pending = 0;
}

static void
list_init(struct list *list, unsigned rounds)
{
	*list = (struct list){
		.source = { list_next, list_emit, list_flush, -1 },
		.rounds = rounds,
		.pipe_fd = -1
	};
}

/* An engine that does as little, and as unevenly, as its contract allows. */
static enum engine_status
lazy_submit(void *self, struct batch *batches, unsigned n, struct diag *why)
{
	static _Thread_local uint32_t seed = 5;
	struct batch *batch = batches;
	bool progress = false;

	(void)self;
	(void)why;
	(void)n;
	for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
		uint32_t state[SHA256_STATE_WORDS];
		uint32_t blocks = batch->nblocks[lane];

		if (blocks == 0)
			continue;
		if (progress)
			blocks = next_random(&seed) % (blocks + 1);
		progress = true;
		batch_get_state(batch, lane, state);
		sha256_blocks(state, batch->data[lane], blocks);
		batch_set_state(batch, lane, state);
		batch->done[lane] = blocks;
	}
	return ENGINE_OK;
}

/* Works for a while, then damages its batch and fails. */
static enum engine_status
failing_submit(void *self, struct batch *batches, unsigned n,
	       struct diag *why)
{
	static unsigned steps;

	if (++steps % 5 != 0)
		return engine_reference.submit(self, batches, n, why);
	memset(batches->state, 0xaa, sizeof(batches->state));
	memset(batches->done, 0, sizeof(batches->done));
	diag_set(why, "stopped answering");
	return ENGINE_TIMEOUT;
}

static bool
run_list(struct list *list, const struct engine *engine, unsigned threads,
	 const struct libcrypto *crypto, struct worker_report *report)
{
	struct pipeline_config config = {
		.engine = engine,
		.words = "",
		.fallback = &engine_reference,
		.threads = threads,
		.crypto = crypto
	};
	struct diag why_not;

	return pipeline_run(&config, &list->source, report, &why_not);
}

static void
test_threads(const struct engine *engine, const char *name)
{
	struct worker_report report;
	struct list list;

	for (unsigned threads = 1; threads <= 5; threads += 2) {
		list_init(&list, 2);
		ok(run_list(&list, engine, threads, NULL, &report) &&
			   list.emitted == 2 * NFILES && list.wrong == 0,
		   "%s on %u threads: all digests right and in order", name,
		   threads);
		ok(list.flushes > 0 && list.pending == 0,
		   "all that was emitted is flushed");
	}
}

static void
test_verify(void)
{
	struct worker_report report;
	struct libcrypto crypto = { 0 };
	struct diag why_not;
	struct list list;

	if (!libcrypto_load(&crypto, &why_not)) {
		tap_skip("libcrypto cannot be loaded: %s", why_not.text);
		return;
	}
	list_init(&list, 1);
	ok(run_list(&list, &engine_reference, 2, &crypto, &report) &&
		   list.emitted == NFILES && list.wrong == 0,
	   "with --verify all digests are right and in order");
	libcrypto_unload(&crypto);
}

static void
test_failing_engine(void)
{
	struct engine failing = engine_reference;
	struct worker_report report;
	struct list list;

	failing.name = "failing";
	failing.per_thread = false;
	failing.submit = failing_submit;
	list_init(&list, 1);
	ok(run_list(&list, &failing, 4, NULL, &report) &&
		   list.emitted == NFILES && list.wrong == 0,
	   "a device that fails halfway costs no digest");
	ok(report.failed == &failing &&
		   strcmp(report.why.text, "stopped answering") == 0,
	   "its failure is reported with the cause");
}

/*
 * An engine that works between submit and wait, on many batches.  It looks at
 * where lanes lie, that the last one is left alone, and that nobody touches
 * what it has.
 */
enum { OVERLAP_BATCHES = 3 };

static struct {
	struct batch *batches;		/* between submit and wait */
	struct batch seen[OVERLAP_BATCHES];
	struct batch *sets[2];		/* that were ever submitted */
	unsigned touched, misplaced, unspared, steps, fails_at;
} overlap;

static void *
overlap_open(const char *words, struct engine_limits *limits,
	     struct diag *why_not)
{
	memset(&overlap, 0, sizeof(overlap));
	limits->batches = OVERLAP_BATCHES;
	limits->lanes = BATCH_LANES;
	limits->spare = 1;
	limits->overlaps = true;
	(void)words;
	(void)why_not;
	return &overlap;
}

static void *
overlap_alloc(void *self, size_t bytes)
{
	(void)self;
	return aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
}

/* (address / 64) mod 64 = lane mod 64, at the start of a message. */
static void
look_at_lanes(const struct batch *batches)
{
	for (unsigned i = 0; i < OVERLAP_BATCHES * BATCH_LANES; i++) {
		const struct batch *batch = &batches[i / BATCH_LANES];
		const uintptr_t data = (uintptr_t)batch->data[i % BATCH_LANES];

		if (batch->nblocks[i % BATCH_LANES] == 0)
			continue;
		if (data / 64 % 64 != i % 64)
			overlap.misplaced++;
		if (i + 1 == OVERLAP_BATCHES * BATCH_LANES)
			overlap.unspared++;
	}
}

static enum engine_status
overlap_submit(void *self, struct batch *batches, unsigned n,
	       struct diag *why)
{
	(void)self;
	(void)why;
	if (overlap.batches || n != OVERLAP_BATCHES)
		overlap.touched++;
	overlap.batches = batches;
	if (!overlap.sets[0])
		overlap.sets[0] = batches;
	else if (batches != overlap.sets[0])
		overlap.sets[1] = batches;
	look_at_lanes(batches);
	memcpy(overlap.seen, batches, sizeof(overlap.seen));
	return ENGINE_OK;
}

static enum engine_status
overlap_wait(void *self, struct diag *why)
{
	struct batch *batches = overlap.batches;

	overlap.batches = NULL;
	if (memcmp(overlap.seen, batches, sizeof(overlap.seen)) != 0)
		overlap.touched++;
	if (++overlap.steps != overlap.fails_at)
		return engine_reference.submit(self, batches, OVERLAP_BATCHES,
					       why);
	memset(batches->state, 0xaa, sizeof(batches->state));
	diag_set(why, "lost its way");
	return ENGINE_FAULT;
}

static void
test_overlap(void)
{
	struct engine engine = engine_reference;
	struct worker_report report;
	struct list list;

	engine.per_thread = false;
	engine.open = overlap_open;
	engine.alloc = overlap_alloc;
	engine.submit = overlap_submit;
	engine.wait = overlap_wait;
	list_init(&list, 2);
	ok(run_list(&list, &engine, 4, NULL, &report) &&
		   list.emitted == 2 * NFILES && list.wrong == 0,
	   "an engine that works meanwhile: all digests right and in order");
	ok(overlap.touched == 0, "what it works on is left alone");
	ok(overlap.sets[0] && overlap.sets[1] &&
		   overlap.sets[0] != overlap.sets[1],
	   "there are two sets of batches");
	ok(overlap.misplaced == 0, "lanes lie a cache line apart");
	ok(overlap.unspared == 0, "the spare lane is left idle");
	ok(report.blocks > 0, "blocks are counted");
}

static enum engine_status
late_failure(void *self, struct diag *why)
{
	overlap.fails_at = 5;
	return overlap_wait(self, why);
}

static void
test_overlap_fails(void)
{
	struct engine engine = engine_reference;
	struct worker_report report;
	struct list list;

	engine.per_thread = false;
	engine.open = overlap_open;
	engine.alloc = overlap_alloc;
	engine.submit = overlap_submit;
	engine.wait = late_failure;
	list_init(&list, 2);
	ok(run_list(&list, &engine, 4, NULL, &report) &&
		   list.emitted == 2 * NFILES && list.wrong == 0,
	   "it fails at the end of a step: no digest is lost");
	ok(report.failed && overlap.steps == 5 &&
		   strcmp(report.why.text, "lost its way") == 0,
	   "the failure is reported, and the engine not used again");
}

static void *
no_memory(void *self, size_t bytes)
{
	(void)self;
	(void)bytes;
	return NULL;
}

static void
test_overlap_memory(void)
{
	struct engine engine = engine_reference;
	struct worker_report report;
	struct list list;

	engine.per_thread = false;
	engine.open = overlap_open;
	engine.alloc = no_memory;
	list_init(&list, 1);
	ok(run_list(&list, &engine, 4, NULL, &report) &&
		   list.emitted == NFILES && list.wrong == 0 && report.failed,
	   "a device without memory is replaced, and that is reported");
}

/* Every job is wanted only after the emitted ones were seen. */
static void *
feed_pipe(void *arg)
{
	for (unsigned i = 0; i < NFILES; i++)
		if (write(*(int *)arg, "x", 1) != 1)
			break;
	return NULL;
}

static void
test_slow_source(void)
{
	struct worker_report report;
	struct list list;
	pthread_t feeder;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		exit(99);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	list_init(&list, 1);
	list.pipe_fd = list.source.wait_fd = ends[0];
	pthread_create(&feeder, NULL, feed_pipe, &ends[1]);
	ok(run_list(&list, &engine_reference, 3, NULL, &report) &&
		   list.emitted == NFILES && list.wrong == 0,
	   "a source that has to be waited for loses nothing");
	pthread_join(feeder, NULL);
	close(ends[0]);
	close(ends[1]);
}

int
main(void)
{
	struct engine lazy = engine_reference;
	char command[64];

	if (!mkdtemp(directory) || chdir(directory) != 0)
		return 99;
	make_files();
	lazy.submit = lazy_submit;
	test_threads(&engine_reference, "reference");
	test_threads(&lazy, "lazy");
	test_verify();
	test_failing_engine();
	test_overlap();
	test_overlap_fails();
	test_overlap_memory();
	test_slow_source();
	if (chdir("..") != 0)
		return 99;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command) == 0 ? tap_done() : 99;
}
