/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/admission.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "src/lanes/buffer_layout.h"
#include "src/lanes/run.h"

/* Opening ------------------------------------------------------------------- */

/* Return whether the input is to be opened in its turn, as its name shows.  What the
 * filter will refuse is refused at once. */
static bool
must_wait(const struct run *run, const struct job *job)
{
	struct stat st;

	return __atomic_load_n(&run->is_strict, __ATOMIC_RELAXED) &&
	       !job->root && !job->is_open &&
	       (!job->filter || job->filter->any_kind) &&
	       stat(job->name, &st) == 0 && !S_ISREG(st.st_mode) &&
	       !S_ISDIR(st.st_mode);
}

/* Return whether a FIFO that was opened before its turn stays open: closing it could
 * kill its writer.  Several workers may have opened one before names were looked up,
 * and of these only the first stays. */
static bool
keeps_fifo(struct run *run, const struct file_version *fifo)
{
	bool keeps = true;

	sequencer_lock(&run->sequencer);
	for (unsigned i = 0; i < run->nfifos; i++)
		keeps &= run->fifos[i].device != fifo->device ||
			 run->fifos[i].inode != fifo->inode;
	keeps &= run->nfifos < RUN_FIFOS;
	if (keeps)
		run->fifos[run->nfifos++] = *fifo;
	sequencer_unlock(&run->sequencer);
	return keeps;
}

/* Return true if all inputs before this one are done. */
static bool
is_its_turn(struct run *run, const struct job *job)
{
	bool answer;

	sequencer_lock(&run->sequencer);
	answer = run->sequencer.head == job->seq;
	sequencer_unlock(&run->sequencer);
	return answer;
}

/* Check the open input: its filter may refuse it, or earlier writes to it may
 * have failed. */
static enum admission
accept(const struct run *run, struct message *message)
{
	struct job *job = message->job;

	if (message_is_refused(message))
		return ADMISSION_REFUSE;
	if (!run->config->uncached ||
	    reader_avoid_cache(&message->reader, &job->was_cached))
		return ADMISSION_OPEN;
	job->error = errno;
	return ADMISSION_REFUSE;
}

static enum admission
refuse(struct job *job, int error)
{
	job->error = error;
	return error == EMFILE || error == ENFILE ? ADMISSION_WAIT :
						    ADMISSION_REFUSE;
}

/* Choose whether reads may wait.  What fits into one read is not worth the claim of
 * a disk, nor, alone, another thread. */
static void
choose_mode(const struct run *run, struct reader *reader, size_t capacity,
	    bool asks)
{
	if (!run->disks)
		return;
	if (reader->size > capacity ||
	    (asks && !run->config->one_input && fetch_is_possible(&run->fetch)))
		reader_avoid_waiting(reader);
	else
		reader->is_blind = true;
}

enum admission
admission_open(struct run *run, struct message *message, uint8_t *buffer,
	       size_t capacity, bool asks, bool may_wait)
{
	struct reader *reader = &message->reader;
	struct job *job = message->job;
	/* The type and times of a small file are needed only for these. */
	const bool briefly = !job->filter && !job->watched &&
			     !job->begins_again && !run->config->uncached;
	const enum reader_look look = !briefly ? READER_LOOK_WHOLE :
				      may_wait ? READER_LOOK_SIZE :
						 READER_LOOK_READ;
	enum admission admission;

	job->error = 0;
	if (job->kind == JOB_STDIN) {
		job->opened = true;
		reader_open_stdin(reader, buffer, capacity);
		return accept(run, message);
	}
	if (must_wait(run, job)) {
		reader_begin_postponed(reader, buffer, capacity);
		return ADMISSION_OPEN;
	}
	if (!reader_open(reader, job, buffer, capacity, look)) {
		if (errno == EAGAIN && look == READER_LOOK_READ)
			return ADMISSION_FETCH;
		/* A file that is gone since a device has read it is not one
		 * that never was there. */
		job->opened |= job->begins_again;
		return refuse(job, errno);
	}
	admission = accept(run, message);
	if (admission != ADMISSION_OPEN)
		return admission;
	if (!reader->must_be_oldest)
		choose_mode(run, reader, capacity, asks);
	else if (!reader->is_postponed && !keeps_fifo(run, &reader->version)) {
		/* In its turn its writer may have come, and must not lose what
		 * it has written. */
		if (is_its_turn(run, job))
			reader_reopen(reader, job);
		else
			reader_postpone(reader);
	}
	if (reader->must_be_oldest)
		__atomic_store_n(&run->is_strict, true, __ATOMIC_RELAXED);
	return ADMISSION_OPEN;
}

enum admission
admission_open_postponed(struct run *run, struct message *message)
{
	struct reader *reader = &message->reader;
	struct job *job = message->job;
	enum admission admission;

	job->opened = reader_open_postponed(reader, job);
	if (!job->opened)
		return refuse(job, errno);
	admission = accept(run, message);
	if (admission == ADMISSION_OPEN && !reader->must_be_oldest)
		choose_mode(run, reader, reader->capacity, true);
	return admission;
}

/* Disks --------------------------------------------------------------------- */

bool
admission_claim_disk(struct run *run, struct message *message)
{
	struct reader *reader = &message->reader;

	if (!disk_claim(run->disks, reader->version.device, reader->fd,
			message->job->seq, &message->disk))
		return false;
	reader_use_disk(reader);
	return true;
}

bool
admission_rotates(struct run *run, struct message *message)
{
	struct reader *reader = &message->reader;

	if (!reader_know_device(reader) ||
	    !disk_rotates(run->disks, reader->version.device, reader->fd))
		return false;
	fetch_turn_off(&run->fetch);
	return true;
}

enum admission
admission_wait(struct run *run, struct message *message)
{
	if (!admission_rotates(run, message)) {
		/* If residency is unknown, assume what recent files did. */
		if (message->reader.is_blind ?
			    fetch_expects_waiting(&run->fetch) :
			    fetch_is_possible(&run->fetch))
			return ADMISSION_FETCH;
	} else if (message->reader.size > LANE_BYTES) {
		return admission_claim_disk(run, message) ? ADMISSION_OPEN :
							    ADMISSION_WAIT;
	}
	reader_use_disk(&message->reader);
	return ADMISSION_OPEN;
}

void
admission_release(struct run *run, struct message *message)
{
	if (!message->disk)
		return;
	disk_release(run->disks, message->disk);
	message->disk = NULL;
	sequencer_wake(&run->sequencer);
}
