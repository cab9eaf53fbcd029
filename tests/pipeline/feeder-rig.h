/* SPDX-License-Identifier: MIT */
/*
 * feeder-rig: files with known digests, and a source that compares what comes
 * back.
 */
#ifndef TESTS_PIPELINE_FEEDER_RIG_H
#define TESTS_PIPELINE_FEEDER_RIG_H

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu/sha256.h"
#include "src/feed/work_split.h"
#include "src/lanes/message.h"
#include "src/lanes/reader.h"
#include "src/pipeline/pipeline.h"
#include "tests/pipeline/chaining.h"
#include "tests/pipeline/numbered.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

enum { MOST_FILES = 4000, CONTENT_BYTES = 4 << 20, NAME_BYTES = 16 };

/* A directory of files with parts of `content`, as a source. */
struct file {
	char name[NAME_BYTES];
	size_t from, len;
	int error;
	bool is_stdin;
	uint8_t digest[SHA256_DIGEST_BYTES];
	/* It may also have changed meanwhile: */
	bool changes;
	size_t other_len;
	int other_error;
	uint8_t other_digest[SHA256_DIGEST_BYTES];
};

static struct file files[MOST_FILES];
static unsigned nfiles;
static uint8_t content[CONTENT_BYTES];
static char directory[] = "test-feeder-XXXXXX";
/* By the reference, which has been compared with others elsewhere. */
static inline void
hash(const uint8_t *data, size_t len, uint8_t digest[SHA256_DIGEST_BYTES])
{
	uint32_t state[SHA256_STATE_WORDS];
	uint8_t tail[128];
	const size_t whole = len / 64 * 64;

	memcpy(state, sha256_initial, sizeof(state));
	sha256_blocks(state, data, whole / 64);
	memcpy(tail, data + whole, len - whole);
	sha256_blocks(state, tail, reader_pad(tail, len - whole, len));
	sha256_digest(state, digest);
}

static inline void
write_file(const char *name, const uint8_t *data, size_t len)
{
	int fd = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		exit(99);
	close(fd);
}

static inline struct file *
add_name(const char *name)
{
	struct file *file = &files[nfiles++];

	*file = (struct file){ .error = 0 };
	snprintf(file->name, sizeof(file->name), "%s", name);
	return file;
}

static inline struct file *
add_file(size_t len)
{
	char name[NAME_BYTES];
	struct file *file;

	snprintf(name, sizeof(name), "f%04u", nfiles % MOST_FILES);
	file = add_name(name);
	file->len = len;
	file->from = random_32() % (CONTENT_BYTES - len + 1);
	write_file(name, content + file->from, len);
	hash(content + file->from, len, file->digest);
	return file;
}

struct list {
	struct source source;
	unsigned made, emitted, wrong, out_of_order, corrected;
	unsigned by_device, outputs;
	struct job_filter *filter;
	void (*on_end)(void); /* when all have been taken */
};

static inline bool
is_right(const struct job *job, int error, size_t len, const uint8_t *digest)
{
	if (job->error != error)
		return false;
	return error ||
	       (memcmp(job->digest, digest, SHA256_DIGEST_BYTES) == 0 &&
		job->size == len);
}

static inline enum source_answer
list_next(struct source *source, struct job *job, bool is_oldest)
{
	struct list *list = (struct list *)source;
	struct file *file = &files[list->made];

	(void)is_oldest;
	if (list->made == nfiles) {
		if (list->on_end)
			list->on_end();
		return SOURCE_END;
	}
	job->kind = file->is_stdin ? JOB_STDIN : JOB_FILE;
	job->name = file->name;
	job->filter = list->filter;
	numbered_write(job, list->made++);
	return SOURCE_JOB;
}

static inline void
list_emit(struct source *source, struct job *job)
{
	struct list *list = (struct list *)source;
	const struct file *file = &files[list->emitted];

	list->out_of_order += numbered_read(job) != list->emitted;
	list->corrected += job->verdict == JOB_CORRECTED;
	list->by_device += job->device == engine_chaining.name;
	list->outputs += job->verdict == JOB_IS_OUTPUT;
	if (job->verdict != JOB_IS_OUTPUT &&
	    !is_right(job, file->error, file->len, file->digest) &&
	    !(file->changes && is_right(job, file->other_error, file->other_len,
					file->other_digest)))
		list->wrong++;
	__atomic_add_fetch(&list->emitted, 1, __ATOMIC_RELAXED);
}

static inline void
list_flush(struct source *source)
{
	(void)source;
}

static inline void
list_init(struct list *list)
{
	*list = (struct list){ .source = { list_next, list_emit, list_flush,
					   -1 } };
}

static struct worker_report report;

/* True: all were emitted in order, and nothing was wrong. */
static inline bool
run_list(struct list *list, unsigned threads, bool shared,
	 const struct libcrypto *crypto)
{
	struct pipeline_config config = { .engine = &engine_chaining,
					  .options = "",
					  .fallback = &engine_cpu,
					  .threads = threads,
					  .shared = shared,
					  .crypto = crypto };
	struct diag why_not = { .text = "" };
	const bool ran =
		pipeline_run(&config, &list->source, &report, &why_not);

	if (!ran)
		tap_note("%s", why_not.text);
	if (list->emitted != nfiles || list->wrong || list->out_of_order)
		tap_note("%u of %u, %u wrong, %u out of order", list->emitted,
			 nfiles, list->wrong, list->out_of_order);
	return ran && list->emitted == nfiles && list->wrong == 0 &&
	       list->out_of_order == 0 && chaining.touched == 0 &&
	       chaining.misplaced == 0 && chaining.unstaggered == 0 &&
	       chaining.used_after_failure == 0;
}

static inline bool
run_quietly(unsigned threads, bool shared)
{
	struct list list;

	list_init(&list);
	return run_list(&list, threads, shared, NULL);
}

/* Mostly small, some of 100 kB, some empty, some that are not there. */
static inline void
mix_files(unsigned n, size_t most)
{
	nfiles = 0;
	while (nfiles < n) {
		const uint32_t r = random_32();

		if (nfiles % 97 == 96)
			add_name("missing")->error = ENOENT;
		else if (nfiles % 53 == 52)
			add_name(".")->error = EISDIR;
		else
			add_file(r % 11 == 0 ? 0 :
				 r % 7 == 0  ? random_32() % most :
					       random_32() % (most / 20));
	}
}

/* A directory of its own, and something to fill files with. */
static inline bool
rig_open(void)
{
	alarm(300);
	if (!mkdtemp(directory) || chdir(directory) != 0)
		return false;
	for (size_t i = 0; i < sizeof(content); i++)
		content[i] = (uint8_t)random_32();
	return true;
}

static inline bool
rig_close(void)
{
	char command[64];

	if (chdir("..") != 0)
		return false;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command) == 0;
}

#endif
