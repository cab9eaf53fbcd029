/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/admission.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "src/lanes/buffer_layout.h"
#include "src/lanes/run.h"

/* FIFOs --------------------------------------------------------------------- */

void
fifos_init(struct fifos *fifos)
{
	pthread_mutex_init(&fifos->lock, NULL);
	fifos->first = NULL;
}

void
fifos_destroy(struct fifos *fifos)
{
	pthread_mutex_destroy(&fifos->lock);
}

/* Claim a FIFO for a message, if it is open or others have claimed it before.
 * Returns whether they have. */
static bool
claim_fifo(struct fifos *fifos, struct fifo *claim, bool is_open)
{
	const struct fifo *other;

	pthread_mutex_lock(&fifos->lock);
	other = fifos->first;
	while (other &&
	       (other->device != claim->device || other->inode != claim->inode))
		other = other->next;
	claim->is_claimed = other || is_open;
	if (claim->is_claimed) {
		claim->next = fifos->first;
		__atomic_store_n(&fifos->first, claim, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&fifos->lock);
	return other;
}

static void
release_fifo(struct fifos *fifos, struct fifo *claim)
{
	struct fifo **at = &fifos->first;

	pthread_mutex_lock(&fifos->lock);
	while (*at != claim)
		at = &(*at)->next;
	__atomic_store_n(at, claim->next, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&fifos->lock);
}

/* Opening ------------------------------------------------------------------- */

/* Is it by its name a FIFO that another lane has claimed?  While there is none
 * nothing is asked. */
static bool
is_claimed_fifo(struct fifos *fifos, const struct job *job, struct fifo *claim)
{
	struct stat st;

	if (!__atomic_load_n(&fifos->first, __ATOMIC_RELAXED) || job->root ||
	    stat(job->name, &st) != 0 || !S_ISFIFO(st.st_mode))
		return false;
	*claim = (struct fifo){ .device = st.st_dev, .inode = st.st_ino };
	return claim_fifo(fifos, claim, false);
}

/* The input is open: its filter may refuse it, or its medium lack what was
 * written to it. */
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
	       size_t capacity, bool asks)
{
	struct claims *claims = &message->claims;
	struct reader *reader = &message->reader;
	struct job *job = message->job;
	/* Most jobs can do without what fstat says of a small file. */
	const bool briefly = !job->filter && !job->watched &&
			     !job->begins_again && !run->config->uncached;
	enum admission admission;

	job->error = 0;
	if (job->kind == JOB_STDIN) {
		job->opened = true;
		reader_open_stdin(reader, buffer, capacity);
		return accept(run, message);
	}
	if (is_claimed_fifo(&run->fifos, job, &claims->fifo)) {
		reader_begin_postponed_fifo(reader, buffer, capacity);
		return ADMISSION_OPEN;
	}
	if (!reader_open(reader, job, buffer, capacity, briefly)) {
		/* A file that is gone since a device has read it is not one
		 * that never was there. */
		job->opened |= job->begins_again;
		job->error = errno;
		return errno == EMFILE || errno == ENFILE ? ADMISSION_WAIT :
							    ADMISSION_REFUSE;
	}
	admission = accept(run, message);
	if (admission != ADMISSION_OPEN)
		return admission;
	if (reader->is_fifo) {
		claims->fifo = (struct fifo){ .device = reader->version.device,
					      .inode = reader->version.inode };
		if (claim_fifo(&run->fifos, &claims->fifo, true))
			reader_postpone(reader);
	} else {
		choose_mode(run, reader, capacity, asks);
	}
	return ADMISSION_OPEN;
}

enum admission
admission_open_postponed(struct run *run, struct message *message)
{
	struct reader *reader = &message->reader;
	struct job *job = message->job;
	enum admission admission;

	job->opened = reader_open_postponed(reader, job);
	if (!job->opened) {
		job->error = errno;
		return ADMISSION_REFUSE;
	}
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
			message->job->seq, &message->claims.disk))
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
		/* Where nobody can tell, it waits if others had to. */
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
	struct claims *claims = &message->claims;

	if (claims->disk) {
		disk_release(run->disks, claims->disk);
		sequencer_wake(&run->sequencer);
	}
	if (claims->fifo.is_claimed)
		release_fifo(&run->fifos, &claims->fifo);
	*claims = (struct claims){ .disk = NULL };
}
