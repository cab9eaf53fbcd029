/* SPDX-License-Identifier: MIT */
/*
 * Promise: whatever the engine does within its contract, and on however many
 * threads, every job comes back in order with the right digest.
 */
#include "config.h"

#include "src/pipeline/pipeline.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "cpu/engine_reference.h"
#include "cpu/sha256.h"
#include "tests/pipeline/numbered.h"
#include "tests/support/tap.h"

enum { NFILES = 300, BIG_BYTES = 400000, SHORT_READ = 40001 };

struct file {
	char name[32];
	size_t len;
	uint8_t digest[32];
	int error;
};

static struct file files[NFILES];
static char directory[] = "test-pipeline-XXXXXX";
static uint8_t content[BIG_BYTES];

static bool short_reads; /* some of them */

/* Linked in place of read (--wrap). */
ssize_t
__real_read(int fd, void *to, size_t bytes);
ssize_t
__wrap_read(int fd, void *to, size_t bytes);

/* What a read gets that asks for so many bytes. */
static size_t
shorten(size_t bytes)
{
	static unsigned reads;

	if (short_reads && bytes > SHORT_READ &&
	    __atomic_add_fetch(&reads, 1, __ATOMIC_RELAXED) % 3 == 0)
		bytes = SHORT_READ;
	return bytes;
}

ssize_t
__wrap_read(int fd, void *to, size_t bytes)
{
	return __real_read(fd, to, shorten(bytes));
}

/* Of small files. */
ssize_t
__real_pread(int fd, void *to, size_t bytes, off_t offset);
ssize_t
__wrap_pread(int fd, void *to, size_t bytes, off_t offset);
ssize_t
__real_pread64(int fd, void *to, size_t bytes, off_t offset);
ssize_t
__wrap_pread64(int fd, void *to, size_t bytes, off_t offset);

ssize_t
__wrap_pread(int fd, void *to, size_t bytes, off_t offset)
{
	return __real_pread(fd, to, shorten(bytes), offset);
}

ssize_t
__wrap_pread64(int fd, void *to, size_t bytes, off_t offset)
{
	return __real_pread64(fd, to, shorten(bytes), offset);
}

/* Threads that were started, those with a large stack, and those for which the
 * C library may make a heap of its own. */
static unsigned threads_started, large_stacks, own_heaps;
static bool one_heap;

int
__real_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
		      void *(*run)(void *), void *arg);
int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
		      void *(*run)(void *), void *arg);
int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
		      void *(*run)(void *), void *arg)
{
	size_t bytes = SIZE_MAX;

	if (attr)
		pthread_attr_getstacksize(attr, &bytes);
	__atomic_add_fetch(&threads_started, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&large_stacks, bytes > 1 << 20, __ATOMIC_RELAXED);
	__atomic_add_fetch(&own_heaps, !one_heap, __ATOMIC_RELAXED);
	return __real_pthread_create(thread, attr, run, arg);
}

#ifdef M_ARENA_MAX
int
__real_mallopt(int parameter, int value);
int
__wrap_mallopt(int parameter, int value);

int
__wrap_mallopt(int parameter, int value)
{
	if (parameter == M_ARENA_MAX && value == 1)
		__atomic_store_n(&one_heap, true, __ATOMIC_RELAXED);
	return __real_mallopt(parameter, value);
}
#endif

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
		if (fd < 0 || write(fd, from, file->len) != (ssize_t)file->len)
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
	int pipe_fd; /* >= 0: a byte must be read for each job */
};

static enum source_answer
list_next(struct source *source, struct job *job, bool is_oldest)
{
	struct list *list = (struct list *)source;
	unsigned i = list->made % NFILES;
	char byte;

	(void)is_oldest;
	if (list->made == list->rounds * NFILES)
		return SOURCE_END;
	if (list->pipe_fd >= 0 && read(list->pipe_fd, &byte, 1) < 0)
		return SOURCE_LATER;
	job->kind = i % 37 == 36 ? JOB_REMARK : JOB_FILE;
	job->name = files[i].name;
	numbered_write(job, list->made++);
	return SOURCE_JOB;
}

static void
list_emit(struct source *source, struct job *job)
{
	struct list *list = (struct list *)source;
	const struct file *file = &files[list->emitted % NFILES];

	if (numbered_read(job) != list->emitted || job->name != file->name)
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
	*list = (struct list){ .source = { list_next, list_emit, list_flush,
					   -1 },
			       .rounds = rounds,
			       .pipe_fd = -1 };
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

static bool
run_list(struct list *list, const struct engine *engine, unsigned threads,
	 const struct libcrypto *crypto, struct worker_report *report)
{
	struct pipeline_config config = { .engine = engine,
					  .options = "",
					  .fallback = &engine_reference,
					  .threads = threads,
					  .crypto = crypto };
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

/* As many as there are must fit under a small limit of address space. */
static void
test_address_space(void)
{
	ok(threads_started > 0 && large_stacks == 0,
	   "threads have small stacks");
#ifdef M_ARENA_MAX
	ok(own_heaps == 0, "and all of them one heap");
#endif
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

/*
 * An engine that makes full use of the slack: it writes on the bytes behind
 * the blocks of each lane, at the beginning of a step and at its end.  Some
 * reads are short meanwhile and leave an incomplete block; the
 * slack is larger than a page, to which the buffers of lanes are rounded up.
 */
enum { SLACK_BYTES = 5000 };

static unsigned slack_steps;

static void *
slack_open(const void *context, const char *words, struct engine_limits *limits,
	   struct diag *why_not)
{
	limits->slack_bytes = SLACK_BYTES;
	return engine_reference.open(context, words, limits, why_not);
}

static void
scribble(const struct batch *batches, unsigned n, uint8_t byte)
{
	for (const struct batch *batch = batches; batch < batches + n; batch++)
		for (unsigned lane = 0; lane < BATCH_LANES; lane++)
			if (batch->nblocks[lane] > 0)
				memset((uint8_t *)batch->data[lane] +
					       (size_t)batch->nblocks[lane] *
						       SHA256_BLOCK_BYTES,
				       byte, SLACK_BYTES);
}

static enum engine_status
slack_submit(void *self, struct batch *batches, unsigned n, struct diag *why)
{
	enum engine_status status;

	scribble(batches, n, 0xaa);
	status = lazy_submit(self, batches, n, why);
	scribble(batches, n, 0x55);
	__atomic_add_fetch(&slack_steps, 1, __ATOMIC_RELAXED);
	return status;
}

static void
test_slack(void)
{
	struct engine engine = engine_reference;
	struct worker_report report;
	struct list list;

	short_reads = true;
	engine.open = slack_open;
	engine.submit = slack_submit;
	for (unsigned threads = 1; threads <= 3; threads += 2) {
		slack_steps = 0;
		list_init(&list, 2);
		ok(run_list(&list, &engine, threads, NULL, &report) &&
			   list.emitted == 2 * NFILES && list.wrong == 0 &&
			   slack_steps > 0,
		   "an engine writes on the slack, %u threads: all digests "
		   "right",
		   threads);
	}
	short_reads = false;
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
	test_address_space();
	test_verify();
	test_slack();
	test_slow_source();
	if (chdir("..") != 0)
		return 99;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command) == 0 ? tap_done() : 99;
}
