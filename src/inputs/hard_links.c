/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/hard_links.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "src/output/stats.h"

/* Longer than a tick of any file system's clock but FAT's, which has no links. */
enum { YOUNG_SECONDS = 2 };

struct file {
	struct file_version version;
	uint64_t seq;	 /* of the job that hashes it */
	bool is_settled; /* its job has returned: */
	int error;
	enum job_verdict verdict;
	uint64_t size;
	const char *device;
	uint8_t digest[SHA256_DIGEST_BYTES];
};

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int
compare(const void *one, const void *other)
{
	const struct file_version *a = &((const struct file *)one)->version;
	const struct file_version *b = &((const struct file *)other)->version;
	int order = ORDER(a->inode, b->inode);

	order = order ? order : ORDER(a->device, b->device);
	order = order ? order : ORDER(a->size, b->size);
	order = order ? order : ORDER(a->changed.tv_sec, b->changed.tv_sec);
	order = order ? order : ORDER(a->changed.tv_nsec, b->changed.tv_nsec);
	order = order ? order : ORDER(a->modified.tv_sec, b->modified.tv_sec);
	return order ? order : ORDER(a->modified.tv_nsec, b->modified.tv_nsec);
}

static struct file *
find(struct hard_links *links, const struct file_version *version)
{
	const struct file key = { .version = *version };
	struct file *const *const found = tfind(&key, &links->files, compare);

	return found ? *found : NULL;
}

/* Return true if another change now might give the file the same ctime. */
static bool
is_young(const struct timespec *changed)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec - changed->tv_sec <= YOUNG_SECONDS;
}

/* Remember that the job hashes the file.  Without memory it is hashed again. */
static void
add(struct hard_links *links, const struct job *job)
{
	struct file *file = malloc(sizeof(*file));

	if (!file)
		return;
	*file = (struct file){ .version = job->version, .seq = job->seq };
	if (!tsearch(file, &links->files, compare))
		free(file);
}

static bool
knows(const struct job *job)
{
	struct hard_links *const links = job->filter->context;
	const struct file *file;
	bool known = false;

	if (!job->version.has_names)
		return false;
	pthread_mutex_lock(&links->lock);
	file = find(links, &job->version);
	if (file)
		known = file->seq < job->seq;
	else if (!is_young(&job->version.changed))
		add(links, job);
	pthread_mutex_unlock(&links->lock);
	return known;
}

void
hard_links_init(struct hard_links *links, bool on, struct job_filter *walked)
{
	*links = (struct hard_links){
		.on = on,
		.named = { .any_kind = true, .knows = knows, .context = links },
		.lock = PTHREAD_MUTEX_INITIALIZER
	};
	if (!on)
		return;
	walked->knows = knows;
	walked->context = links;
}

void
hard_links_prepare(struct hard_links *links, struct job *job)
{
	if (links->on && job->kind == JOB_FILE && !job->filter)
		job->filter = &links->named;
}

static void
keep(struct file *file, const struct job *job)
{
	file->is_settled = true;
	file->error = job->error;
	file->verdict = job->verdict;
	file->size = job->size;
	file->device = job->device;
	memcpy(file->digest, job->digest, sizeof(file->digest));
}

static void
give(const struct file *file, struct job *job)
{
	job->error = file->is_settled ? file->error : EIO;
	job->verdict = file->verdict;
	job->size = file->size;
	job->device = file->device;
	memcpy(job->digest, file->digest, sizeof(job->digest));
}

void
hard_links_settle(struct hard_links *links, struct job *job)
{
	struct file *file;

	if (!links->on || job->kind != JOB_FILE || !job->version.has_names)
		return;
	pthread_mutex_lock(&links->lock);
	file = find(links, &job->version);
	if (file && job->verdict == JOB_KNOWN) {
		give(file, job);
		links->shared++;
	} else if (file && file->seq == job->seq) {
		keep(file, job);
	}
	pthread_mutex_unlock(&links->lock);
}

void
hard_links_sum_up(const struct hard_links *links, bool stats)
{
	if (stats && links->on)
		stats_report_counts((const struct stats_count[]){
			{ "other names of hashed files", links->shared },
			{ NULL, 0 } });
}

void
hard_links_close(struct hard_links *links)
{
	tdestroy(links->files, free);
}
