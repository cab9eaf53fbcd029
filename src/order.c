/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/order.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

void
order_init(struct order *order, struct source *source, unsigned max_workers)
{
	pthread_mutex_init(&order->lock, NULL);
	pthread_cond_init(&order->moved, NULL);
	order->source = source;
	order->next = order->head = order->moves = 0;
	order->ended = order->emitting = false;
	order->polling = order->starved = false;
	order->held_bytes = 0;
	order->workers = 0;
	order->max_workers = max_workers < ORDER_MAX_WORKERS ?
				     max_workers :
				     ORDER_MAX_WORKERS;
	order->idle = order->ngifts = 0;
	memset(order->busy, 0, sizeof(order->busy));
	memset(order->fifos, 0, sizeof(order->fifos));
	memset(order->chunks, 0, sizeof(order->chunks));
	order->chunks[0] = order->first_chunk;
}

void
order_destroy(struct order *order)
{
	/* They were allocated one after the other. */
	for (unsigned i = 1; i < ORDER_CHUNKS && order->chunks[i]; i++)
		free(order->chunks[i]);
	pthread_cond_destroy(&order->moved);
	pthread_mutex_destroy(&order->lock);
}

int
order_add_worker(struct order *order)
{
	int worker = -1;

	pthread_mutex_lock(&order->lock);
	if (order->workers < order->max_workers)
		worker = (int)order->workers++;
	pthread_mutex_unlock(&order->lock);
	return worker;
}

void
order_drop_worker(struct order *order)
{
	pthread_mutex_lock(&order->lock);
	order->max_workers = --order->workers;
	pthread_mutex_unlock(&order->lock);
}

/* The job of a sequence number; NULL when there is no memory for it. */
static struct job *
job_at(struct order *order, uint64_t seq)
{
	struct job **chunk =
		&order->chunks[seq / ORDER_CHUNK % ORDER_CHUNKS];

	if (!*chunk)
		*chunk = malloc(ORDER_CHUNK * sizeof(**chunk));
	return *chunk ? &(*chunk)[seq % ORDER_CHUNK] : NULL;
}

/*
 * The job to be taken next.  Where there is no memory for more chunks, the
 * numbers go round to the first one as soon as it is not in use any more.
 */
static struct job *
next_job(struct order *order)
{
	struct job *job = job_at(order, order->next);

	if (!job && order->next == order->head) {
		order->next += ORDER_WINDOW - order->next % ORDER_WINDOW;
		order->head = order->next;
		job = job_at(order, order->next);
	}
	return job;
}

static void
wake_all(struct order *order)
{
	order->moves++;
	pthread_cond_broadcast(&order->moved);
}

/*
 * Emit all jobs that are next in line and done.  Called and left with the
 * lock held; emitting itself happens without it, by one worker at a time.
 */
static void
drain(struct order *order)
{
	bool unseen = false;

	if (order->emitting)
		return;
	order->emitting = true;
	for (;;) {
		uint64_t first = order->head, end = first;
		size_t released = 0;

		while (end < order->next && job_at(order, end)->done)
			end++;
		if (end == first && !unseen)
			break;

		pthread_mutex_unlock(&order->lock);
		for (uint64_t seq = first; seq < end; seq++) {
			struct job *job = job_at(order, seq);

			released += job->held_bytes;
			order->source->emit(order->source, job);
		}
		if (end == first)
			order->source->flush(order->source);
		pthread_mutex_lock(&order->lock);

		unseen = end > first;
		if (unseen) {
			order->held_bytes -= released;
			order->head = end;
			wake_all(order);
		}
	}
	order->emitting = false;
}

/*
 * Idle workers want to know when nobody is left who could give, and a starved
 * one when nobody is left who could close a descriptor.
 */
static void
set_busy(struct order *order, unsigned worker, unsigned busy)
{
	if (busy == 0 && order->busy[worker] > 0 &&
	    (order->idle > 0 || order->starved))
		wake_all(order);
	order->busy[worker] = busy;
}

static bool
window_has_room(const struct order *order)
{
	return order->next == order->head ||
	       (order->next - order->head < ORDER_WINDOW &&
		order->held_bytes < ORDER_HELD_BYTES);
}

unsigned
order_take(struct order *order, unsigned worker, unsigned busy,
	   struct ticket *tickets, unsigned max, struct order_view *view)
{
	unsigned taken = 0;
	bool remarks = false;

	pthread_mutex_lock(&order->lock);
	set_busy(order, worker, busy);
	view->source_waits = false;
	while (taken < max && !order->ended && !order->polling &&
	       window_has_room(order)) {
		struct job *job = next_job(order);
		enum source_answer answer;

		if (!job)
			break;
		memset(job, 0, sizeof(*job));
		answer = order->source->next(order->source, job,
					     order->next == order->head);
		if (answer == SOURCE_END) {
			order->ended = true;
			wake_all(order);
			break;
		}
		if (answer == SOURCE_LATER) {
			view->source_waits = order->source->wait_fd >= 0;
			break;
		}
		order->held_bytes += job->held_bytes;
		if (job->kind == JOB_REMARK) {
			job->done = true;
			remarks = true;
		} else {
			tickets[taken].job = job;
			tickets[taken].seq = order->next;
			taken++;
		}
		order->next++;
	}
	order->busy[worker] += taken;
	/* Remarks emitted right here may be what the source waits for. */
	view->moves = order->moves;
	if (remarks)
		drain(order);
	view->head = order->head;
	view->ended = order->ended;
	view->idle_workers = order->idle > order->ngifts;
	pthread_mutex_unlock(&order->lock);
	return taken;
}

void
order_publish(struct order *order, const struct ticket *tickets, unsigned n)
{
	pthread_mutex_lock(&order->lock);
	for (unsigned i = 0; i < n; i++)
		tickets[i].job->done = true;
	if (order->starved) {
		order->starved = false;
		wake_all(order);
	}
	drain(order);
	pthread_mutex_unlock(&order->lock);
}

/* Does the source wait even now?  Others may have asked it meanwhile. */
static bool
source_waits(const struct order *order, const struct order_view *view)
{
	return view->source_waits && order->source->wait_fd >= 0;
}

/* One idle worker waits for the source's descriptor, the others for it. */
static void
poll_source(struct order *order)
{
	struct pollfd input = {
		.fd = order->source->wait_fd,
		.events = POLLIN
	};

	order->polling = true;
	pthread_mutex_unlock(&order->lock);
	poll(&input, 1, -1);
	pthread_mutex_lock(&order->lock);
	order->polling = false;
	wake_all(order);
}

void
order_wait(struct order *order, const struct order_view *view)
{
	pthread_mutex_lock(&order->lock);
	while (order->moves == view->moves)
		pthread_cond_wait(&order->moved, &order->lock);
	pthread_mutex_unlock(&order->lock);
}

void
order_wake(struct order *order)
{
	pthread_mutex_lock(&order->lock);
	wake_all(order);
	pthread_mutex_unlock(&order->lock);
}

/* Has some other worker a job?  Lock held. */
static bool
others_are_busy(const struct order *order, unsigned worker)
{
	for (unsigned other = 0; other < order->workers; other++)
		if (other != worker && order->busy[other] > 0)
			return true;
	return false;
}

bool
order_wait_idle(struct order *order, unsigned worker,
		const struct order_view *view)
{
	bool more = true;

	pthread_mutex_lock(&order->lock);
	set_busy(order, worker, 0);
	if (order->ended && order->ngifts == 0)
		more = others_are_busy(order, worker);
	if (more && order->moves == view->moves && order->ngifts == 0) {
		if (source_waits(order, view) && !order->polling) {
			poll_source(order);
		} else {
			order->idle++;
			while (order->moves == view->moves &&
			       order->ngifts == 0)
				pthread_cond_wait(&order->moved, &order->lock);
			order->idle--;
		}
	}
	pthread_mutex_unlock(&order->lock);
	return more;
}

bool
order_give(struct order *order, unsigned worker, void **gifts, unsigned n)
{
	bool welcome;

	pthread_mutex_lock(&order->lock);
	welcome = order->idle > order->ngifts &&
		  order->ngifts + n <= ORDER_GIFTS;
	if (welcome) {
		for (unsigned i = 0; i < n; i++)
			order->gifts[order->ngifts++] = gifts[i];
		order->busy[worker] -= n;
		wake_all(order);
	}
	pthread_mutex_unlock(&order->lock);
	return welcome;
}

void *
order_accept(struct order *order, unsigned worker)
{
	void *gift = NULL;

	pthread_mutex_lock(&order->lock);
	if (order->ngifts > 0) {
		gift = order->gifts[--order->ngifts];
		order->busy[worker]++;
	}
	pthread_mutex_unlock(&order->lock);
	return gift;
}

bool
order_starve(struct order *order, unsigned worker)
{
	bool others;

	pthread_mutex_lock(&order->lock);
	others = others_are_busy(order, worker) || order->ngifts > 0;
	order->starved = others;
	pthread_mutex_unlock(&order->lock);
	return others;
}

/* The slot of a FIFO, or a free one, or NULL.  Lock held. */
static struct order_fifo *
find_fifo(struct order *order, dev_t device, ino_t inode)
{
	struct order_fifo *found = NULL;

	for (unsigned i = 0; i < ORDER_FIFOS; i++) {
		struct order_fifo *fifo = &order->fifos[i];

		if (fifo->uses == 0)
			found = found ? found : fifo;
		else if (fifo->device == device && fifo->inode == inode)
			return fifo;
	}
	return found;
}

bool
order_claim_fifo(struct order *order, dev_t device, ino_t inode)
{
	bool first = false;

	pthread_mutex_lock(&order->lock);
	struct order_fifo *fifo = find_fifo(order, device, inode);
	if (fifo) {
		first = fifo->uses++ == 0;
		fifo->device = device;
		fifo->inode = inode;
	}
	pthread_mutex_unlock(&order->lock);
	return first;
}

void
order_release_fifo(struct order *order, dev_t device, ino_t inode)
{
	pthread_mutex_lock(&order->lock);
	struct order_fifo *fifo = find_fifo(order, device, inode);
	if (fifo && fifo->uses > 0)
		fifo->uses--;
	pthread_mutex_unlock(&order->lock);
}
