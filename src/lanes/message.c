/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/message.h"

#include <stdlib.h>

struct message *
message_new(void)
{
	struct message *message = calloc(1, sizeof(*message));

	if (!message)
		return NULL;
	message->reader = reader_new();
	if (!message->reader) {
		free(message);
		return NULL;
	}
	return message;
}

void
message_free(struct message *message)
{
	if (!message)
		return;
	reader_free(message->reader);
	free(message);
}

void
message_begin(struct message *message, struct job *job,
	      const struct libcrypto *crypto)
{
	message->job = job;
	message->handed_bytes = 0;
	message->leaves = message->for_lane = false;
	message->unopened = message->refused = message->fetched = false;
	message->may_be_mapped = false;
	reader_reset(message->reader);
	verify_start(&message->verify, crypto);
}

static bool
is_same_version(const struct file_version *a, const struct file_version *b)
{
	return a->device == b->device && a->inode == b->inode &&
	       a->size == b->size && a->modified.tv_sec == b->modified.tv_sec &&
	       a->modified.tv_nsec == b->modified.tv_nsec;
}

bool
message_is_refused(const struct message *message)
{
	const struct reader *reader = message->reader;
	struct job *job = message->job;
	const struct job_filter *filter = job->filter;

	struct file_version version;

	job->verdict = JOB_TRUSTED;
	if (reader->is_postponed)
		return false;
	reader_version(reader, &version);
	if (job->begins_again && !is_same_version(&version, &job->version))
		job->verdict = JOB_CHANGED;
	else if (!filter)
		return false;
	else if (!reader->is_regular)
		job->verdict = JOB_NOT_REGULAR;
	else if (filter->has_output && reader->device == filter->device &&
		 reader->inode == filter->inode)
		job->verdict = JOB_IS_OUTPUT;
	return job->verdict != JOB_TRUSTED;
}

bool
message_avoid_cache(struct message *message)
{
	return reader_avoid_cache(message->reader, &message->job->was_cached);
}

uint64_t
message_blocks_left(const struct message *message)
{
	return message_padded_blocks(reader_remaining(message->reader));
}
