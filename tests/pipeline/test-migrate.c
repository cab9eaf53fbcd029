/* SPDX-License-Identifier: MIT */
/*
 * Promise: long messages are shared with idle workers, on however many
 * threads, and their digests stay right.
 *
 * Every block of a file bears the file's number, so that the engine can see
 * which worker hashes which file.
 */
#include "config.h"

#include "src/pipeline/pipeline.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "cpu/engine_reference.h"
#include "cpu/sha256.h"
#include "tests/pipeline/numbered.h"
#include "tests/support/tap.h"

enum {
	NFILES = BATCH_LANES,
	FILE_BYTES = 3 << 20,
	MOST_THREADS = 5,
	/* What the engine does in a step of what it may do. */
	STEP_BLOCKS = 256
};

static char directory[] = "test-migrate-XXXXXX";
static char names[NFILES][8];
static uint8_t content[FILE_BYTES + NFILES];
static uint8_t digests[NFILES][SHA256_DIGEST_BYTES];

/* The rest is for one run. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t help_came = PTHREAD_COND_INITIALIZER;
static bool wanted, helped;
static pthread_t first_worker;
static uint32_t hashed_by[NFILES]; /* a bit for each worker */
static unsigned workers;

static size_t
file_bytes(unsigned i)
{
	return FILE_BYTES + i;
}

static void
make_files(void)
{
	for (unsigned i = 0; i < NFILES; i++) {
		uint32_t seed = i;
		int fd;

		for (size_t at = 0; at < file_bytes(i); at++) {
			seed = seed * 1664525 + 1013904223;
			content[at] = at % SHA256_BLOCK_BYTES == 0 ?
					      (uint8_t)i :
					      (uint8_t)(seed >> 24);
		}
		snprintf(names[i], sizeof(names[i]), "f%u", i);
		fd = open(names[i], O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
		if (fd < 0 ||
		    write(fd, content, file_bytes(i)) != (ssize_t)file_bytes(i))
			exit(99);
		close(fd);
		EVP_Digest(content, file_bytes(i), digests[i], NULL,
			   EVP_sha256(), NULL);
	}
}

/* All files.  The first worker has a lane for each of them, so that the first
 * one to hear of the end is another worker. */
struct list {
	struct source source;
	unsigned files, made, emitted, right;
};

static enum source_answer
list_next(struct source *source, struct job *job, bool is_oldest)
{
	struct list *list = (struct list *)source;

	(void)is_oldest;
	pthread_mutex_lock(&lock);
	if (!pthread_equal(first_worker, pthread_self()))
		helped = true;
	pthread_cond_signal(&help_came);
	pthread_mutex_unlock(&lock);
	if (list->made == list->files)
		return SOURCE_END;
	job->kind = JOB_FILE;
	job->name = names[list->made];
	numbered_write(job, list->made++);
	return SOURCE_JOB;
}

static void
list_emit(struct source *source, struct job *job)
{
	struct list *list = (struct list *)source;

	if (numbered_read(job) == list->emitted && job->error == 0 &&
	    memcmp(job->digest, digests[list->emitted], SHA256_DIGEST_BYTES) ==
		    0)
		list->right++;
	list->emitted++;
}

static void
list_flush(struct source *source)
{
	(void)source;
}

static void *
noting_open(const void *context, const char *words,
	    struct engine_limits *limits, struct diag *why_not)
{
	unsigned *self = malloc(sizeof(*self));

	if (!self || !engine_reference.open(context, words, limits, why_not)) {
		free(self);
		return NULL;
	}
	pthread_mutex_lock(&lock);
	*self = workers++;
	pthread_mutex_unlock(&lock);
	return self;
}

static void
noting_close(void *self)
{
	free(self);
}

/* No worker hashes before there is one that could be idle. */
static enum engine_status
noting_submit(void *self, struct batch *batch, unsigned n, struct diag *why)
{
	(void)n;
	(void)why;
	pthread_mutex_lock(&lock);
	while (wanted && !helped)
		pthread_cond_wait(&help_came, &lock);
	for (unsigned lane = 0; lane < BATCH_LANES; lane++)
		if (batch->nblocks[lane] > 0)
			hashed_by[batch->data[lane][0] % NFILES] |=
				1U << *(unsigned *)self;
	pthread_mutex_unlock(&lock);

	for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
		uint32_t state[SHA256_STATE_WORDS];
		uint32_t blocks = batch->nblocks[lane];

		if (blocks == 0)
			continue;
		if (blocks > STEP_BLOCKS)
			blocks = STEP_BLOCKS;
		batch_get_state(batch, lane, state);
		sha256_blocks(state, batch->data[lane], blocks);
		batch_set_state(batch, lane, state);
		batch->done[lane] = blocks;
	}
	sched_yield();
	return ENGINE_OK;
}

static void
test_threads(const struct engine *engine, unsigned threads)
{
	struct list list = { .source = { list_next, list_emit, list_flush, -1 },
			     .files = NFILES };
	struct pipeline_config config = { .engine = engine,
					  .options = "",
					  .fallback = engine,
					  .threads = threads };
	struct worker_report report;
	unsigned shared = 0;

	first_worker = pthread_self();
	wanted = threads > 1;
	helped = false;
	workers = 0;
	memset(hashed_by, 0, sizeof(hashed_by));
	ok(pipeline_run(&config, &list.source, &report, NULL) &&
		   list.emitted == NFILES && list.right == NFILES,
	   "%u threads: all digests are right and in order", threads);
	for (unsigned i = 0; i < NFILES; i++)
		shared += (hashed_by[i] & (hashed_by[i] - 1)) != 0;
	if (threads == 1)
		ok(workers == 1 && shared == 0, "one worker does it all");
	else
		ok(workers > 1 && shared > 0,
		   "%u threads: several workers hash one message, in turn",
		   threads);
	tap_note("%u messages of %u were shared by %u workers", shared,
		 (unsigned)NFILES, workers);
}

int
main(void)
{
	struct engine noting = engine_reference;
	char command[64];

	alarm(300);
	noting.open = noting_open;
	noting.submit = noting_submit;
	noting.close = noting_close;
	if (!mkdtemp(directory) || chdir(directory) != 0)
		return 99;
	make_files();
	for (unsigned threads = 1; threads <= MOST_THREADS; threads++)
		test_threads(&noting, threads);
	if (chdir("..") != 0)
		return 99;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command) == 0 ? tap_done() : 99;
}
