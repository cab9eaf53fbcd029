/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/vc4_node.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/abi/v3d.h"

enum {
	/* A list that cannot be binned is tried as often. */
	RESETS_MOST = 10,

	/* A wait asks the machine for this much at once. */
	SLICE_CLOCKS = 100000,
	/* Functional mode: 12 QPUs need 4 clocks for an instruction. */
	INSTRUCTIONS_A_CLOCK = 3,
};

enum {
	NS_A_JIFFY = 4000000,	/* 250 Hz */
	NS_A_POLL = 100000,	/* a poll */
	NS_A_CHECK = 100000000, /* at least until the next check for hangs */
	NS_A_SECOND = 1000000000
};

/* Time for which another client has the V3D.  The kernel ends a job that hangs
 * after 1.1 to 2.1 s, a second later if a job is submitted just before that, and
 * half a second later if other jobs have all slots of the binner (vc4_irq.c). */
static const uint64_t others_ns[] = {
	[PI_OTHERS] = 50000000,
	[PI_OTHERS_HANG] = UINT64_C(3590000000),
};

static void
push(struct vc4_fifo *fifo, struct vc4_job *job)
{
	job->next = NULL;
	if (fifo->last)
		fifo->last->next = job;
	else
		fifo->first = job;
	fifo->last = job;
}

static struct vc4_job *
pop(struct vc4_fifo *fifo)
{
	struct vc4_job *job = fifo->first;

	fifo->first = job->next;
	if (!fifo->first)
		fifo->last = NULL;
	return job;
}

static void
clear_caches(struct vc4 *vc4, const struct vc4_job *job, uint32_t which)
{
	faults_before_clear(&vc4->faults, vc4->machine, job->seqno);
	machine_write(vc4->machine, V3D_L2CACTL, V3D_L2_CLEAR);
	machine_write(vc4->machine, V3D_SLCACTL, which);
}

/* ---- faults of a job ---- */

/* What faults see of a job: memory without programs, and its tiles.  The caller
 * frees run->memory and run->results. */
static void
describe(const struct vc4 *vc4, const struct vc4_job *job,
	 struct faults_run *run)
{
	struct pi_memory *memory =
		malloc((job->nbuffers + 1) * sizeof(*memory));
	struct pi_memory *tiles = malloc((job->ntiles + 1) * sizeof(*tiles));

	*run = (struct faults_run){ .number = job->seqno,
				    .machine = vc4->machine,
				    .qpus = vc4->options.machine.qpus ?
						    vc4->options.machine.qpus :
						    MACHINE_QPUS,
				    .expected = job->expected,
				    .memory = memory,
				    .results = tiles };
	for (uint32_t i = 0; memory && i < job->nbuffers; i++)
		if (!job->buffers[i]->is_program)
			memory[run->nmemory++] = (struct pi_memory){
				job->buffers[i]->pages.host,
				job->buffers[i]->pages.bytes
			};
	for (uint32_t i = 0; tiles && i < job->ntiles; i++)
		tiles[run->nresults++] = (struct pi_memory){
			job->tiles + (size_t)i * VC4_TILE_BYTES, VC4_TILE_BYTES
		};
}

static void
at_job(struct vc4 *vc4, const struct vc4_job *job,
       void (*moment)(struct faults *, const struct faults_run *))
{
	struct faults_run run;

	if (vc4->options.fault.kind == PI_NO_FAULT)
		return;
	describe(vc4, job, &run);
	moment(&vc4->faults, &run);
	free((void *)run.memory);
	free((void *)run.results);
}

/* ---- the V3D ---- */

static void
start_list(struct vc4 *vc4, unsigned thread, uint32_t start, uint32_t end)
{
	machine_write(vc4->machine, V3D_CT0CA + 4 * thread, start);
	machine_write(vc4->machine, V3D_CT0EA + 4 * thread, end);
}

/* vc4_queue_hangcheck: the timer fires at whole seconds only
 * (round_jiffies_up). */
static void
set_timer(struct vc4 *vc4)
{
	const uint64_t earliest = vc4->now_ns + NS_A_CHECK;

	vc4->check_ns = (earliest / NS_A_SECOND + 1) * NS_A_SECOND;
}

/* Work of another client, which the V3D renders before ours until some time. */
static void
add_others_job(struct vc4 *vc4)
{
	struct vc4_job *job = calloc(1, sizeof(*job));

	if (!job)
		return;
	job->others_end_ns = vc4->now_ns + others_ns[vc4->options.fault.kind];
	push(&vc4->rendering, job);
	set_timer(vc4);
}

static void
finish(struct vc4 *vc4)
{
	struct vc4_job *job = pop(&vc4->rendering);

	vc4->render_busy = false;
	vc4->finished += job->others_end_ns == 0;
	if (job->has_begun)
		at_job(vc4, job, faults_end);
	job_free(vc4, job);
}

static void
start_render(struct vc4 *vc4)
{
	struct vc4_job *job = vc4->rendering.first;

	vc4->render_busy = true;
	if (job->others_end_ns)
		return;
	clear_caches(vc4, job, V3D_SLICES_CLEAR_TMUS);
	job->has_begun = true;
	at_job(vc4, job, faults_begin);
	start_list(vc4, 1, job->render_start, job->render_end);
}

static void
start_bin(struct vc4 *vc4)
{
	struct vc4_job *job = vc4->binning.first;

	if (vc4_suffers(vc4, PI_OTHERS, job->seqno) ||
	    vc4_suffers(vc4, PI_OTHERS_HANG, job->seqno))
		add_others_job(vc4);
	clear_caches(vc4, job, V3D_SLICES_CLEAR_ALL);
	if (job->bin_start == job->bin_end) {
		push(&vc4->rendering, pop(&vc4->binning));
		return;
	}
	vc4->bin_busy = true;
	start_list(vc4, 0, job->bin_start, job->bin_end);
}

/* A job that is lost comes back at once, as if it had run. */
static bool
lose_job(struct vc4 *vc4)
{
	struct vc4_job *job = vc4->binning.first;

	if (!job || vc4->bin_busy || vc4->rendering.first ||
	    !vc4_suffers(vc4, PI_LOST, job->seqno))
		return false;
	push(&vc4->rendering, pop(&vc4->binning));
	finish(vc4);
	return true;
}

static void
start_jobs(struct vc4 *vc4)
{
	while (lose_job(vc4))
		;
	while (vc4->binning.first && !vc4->bin_busy &&
	       !vc4_suffers(vc4, PI_LOST, vc4->binning.first->seqno))
		start_bin(vc4);
	if (vc4->rendering.first && !vc4->render_busy)
		start_render(vc4);
}

/* Do the work of the interrupt handler. */
static void
answer_interrupts(struct vc4 *vc4)
{
	const uint32_t interrupts = machine_read(vc4->machine, V3D_INTCTL);

	machine_write(vc4->machine, V3D_INTCTL, interrupts);
	if (interrupts & V3D_INT_FLUSH_DONE && vc4->bin_busy) {
		vc4->bin_busy = false;
		push(&vc4->rendering, pop(&vc4->binning));
	}
	if (interrupts & V3D_INT_FRAME_DONE && vc4->render_busy)
		finish(vc4);
}

/* vc4_reset: the power goes off and on. The job that was being rendered
 * completes for all waiters, and one that was being binned comes last. */
static void
reset(struct vc4 *vc4)
{
	if (vc4->host.log_reset)
		vc4->host.log_reset(vc4->host.context, vc4->stopped.text);
	vc4->stopped.text[0] = '\0';
	machine_reset(vc4->machine);
	if (vc4->bin_busy) {
		struct vc4_job *job = pop(&vc4->binning);

		vc4->bin_busy = false;
		/* The kernel would try for ever; a fault would come again. */
		job->resets = vc4->is_faulty ? RESETS_MOST : job->resets + 1;
		if (job->resets < RESETS_MOST)
			push(&vc4->binning, job);
		else
			push(&vc4->rendering, job);
	}
	if (vc4->render_busy || (vc4->rendering.first &&
				 vc4->rendering.first->resets == RESETS_MOST))
		finish(vc4);
	vc4->is_faulty = false;
}

static uint64_t
clocks_of(const struct vc4 *vc4)
{
	return vc4->options.machine.timed ? machine_clocks(vc4->machine) :
					    machine_instructions(vc4->machine) /
						    INSTRUCTIONS_A_CLOCK;
}

static uint64_t
ns_of(const struct vc4 *vc4, uint64_t clocks)
{
	return clocks * 1000 / vc4->options.v3d_mhz;
}

/* Let the V3D work until some time, but not longer than a slice.  Return false if it
 * is idle, or its lists wait and no clock has passed. */
static bool
run_machine(struct vc4 *vc4, uint64_t until_ns)
{
	const uint64_t left_ns = until_ns - vc4->now_ns;
	uint64_t clocks = SLICE_CLOCKS, now;
	enum machine_status status;
	struct diag why;
	bool works;

	if (left_ns < ns_of(vc4, SLICE_CLOCKS))
		clocks = left_ns * vc4->options.v3d_mhz / 1000 + 1;
	status = vc4->options.machine.timed ?
			 machine_run(vc4->machine, 0, clocks, &why) :
			 machine_run(vc4->machine,
				     clocks * INSTRUCTIONS_A_CLOCK, 0, &why);
	now = clocks_of(vc4);
	works = status == MACHINE_LIMIT && now > vc4->clocks;
	vc4->now_ns += ns_of(vc4, now - vc4->clocks);
	vc4->clocks = now;
	if (status == MACHINE_DEADLOCK || status == MACHINE_FAULT)
		vc4->stopped = why;
	vc4->is_faulty |= status == MACHINE_FAULT;
	return works;
}

/* Return true if the list of the first job has moved on since the last check. A
 * new job always has: last_ct0ca and last_ct1ca begin as 0. */
static bool
has_moved(struct vc4 *vc4, struct vc4_job *job, unsigned thread)
{
	uint32_t at, last;

	if (!job)
		return false;
	if (job->others_end_ns)
		return true;
	at = machine_read(vc4->machine, V3D_CT0CA + 4 * thread);
	last = job->last_address[thread];
	job->last_address[thread] = at;
	return at != last;
}

/* vc4_hangcheck_elapsed: two checks in a row at the same place are a hang. */
static void
check_for_hang(struct vc4 *vc4)
{
	const bool is_binned = has_moved(vc4, vc4->binning.first, 0);

	if (!has_moved(vc4, vc4->rendering.first, 1) && !is_binned)
		reset(vc4);
	set_timer(vc4);
}

/* Advance the time of a waiting program by one step. */
static void
step(struct vc4 *vc4, uint64_t until_ns)
{
	const uint64_t finished = vc4->finished;
	const struct vc4_job *binned = vc4->binning.first;
	uint64_t others_end_ns;
	bool works;

	start_jobs(vc4);
	if (!vc4->bin_busy && !vc4->render_busy)
		return;
	if (until_ns > vc4->check_ns)
		until_ns = vc4->check_ns;
	others_end_ns =
		vc4->rendering.first ? vc4->rendering.first->others_end_ns : 0;
	if (others_end_ns && others_end_ns < until_ns)
		until_ns = others_end_ns;
	works = !vc4->stopped.text[0] && run_machine(vc4, until_ns);
	answer_interrupts(vc4);
	if (finished != vc4->finished || binned != vc4->binning.first)
		works = true;
	/* A hung V3D stays hung. */
	if (!works)
		vc4->now_ns = until_ns;
	if (others_end_ns && others_end_ns <= vc4->now_ns)
		finish(vc4);
	if (vc4->now_ns >= vc4->check_ns)
		check_for_hang(vc4);
}

/* ---- waits ---- */

int
queue_wait(struct vc4 *vc4, uint64_t seqno, uint64_t timeout_ns)
{
	uint64_t until = UINT64_MAX;

	if (timeout_ns < UINT64_MAX - vc4->now_ns - NS_A_POLL)
		until = vc4->now_ns + timeout_ns / NS_A_JIFFY * NS_A_JIFFY +
			NS_A_POLL;
	if (vc4->finished < seqno && timeout_ns && vc4->interrupted < seqno &&
	    vc4_suffers(vc4, PI_INTERRUPTED, seqno)) {
		vc4->interrupted = seqno;
		return -EINTR;
	}
	while (vc4->finished < seqno && vc4->now_ns < until) {
		/* A job that was never submitted never ends. */
		if (seqno > vc4->emitted && vc4->finished == vc4->emitted) {
			if (until == UINT64_MAX)
				return -EINTR;
			vc4->now_ns = until;
			break;
		}
		if (vc4->host.signal_came &&
		    vc4->host.signal_came(vc4->host.context))
			return -EINTR;
		step(vc4, until);
	}
	return vc4->finished < seqno ? -ETIME : 0;
}

uint64_t
queue_add(struct vc4 *vc4, struct vc4_job *job)
{
	job->seqno = ++vc4->emitted;
	job->expected = vc4->expected;
	push(&vc4->binning, job);
	if (vc4->binning.first == job)
		set_timer(vc4);
	return job->seqno;
}

bool
queue_take_bin_slot(struct vc4 *vc4, uint32_t *slot)
{
	/* All slots are of jobs, which end. */
	while (vc4->bin_used == UINT32_MAX)
		if (queue_wait(vc4, vc4->finished + 1, UINT64_MAX) != 0)
			return false;
	*slot = 0;
	while (vc4->bin_used >> *slot & 1)
		++*slot;
	vc4->bin_used |= UINT32_C(1) << *slot;
	return true;
}

void
queue_clear(struct vc4 *vc4)
{
	machine_reset(vc4->machine);
	while (vc4->rendering.first)
		job_free(vc4, pop(&vc4->rendering));
	while (vc4->binning.first)
		job_free(vc4, pop(&vc4->binning));
}

/* After a signal return the remaining time. */
int
queue_wait_seqno(struct vc4 *vc4, void *request)
{
	struct vc4_wait_seqno *wait = request;
	const uint64_t start = vc4->now_ns;
	const int error = queue_wait(vc4, wait->seqno, wait->timeout_ns);
	const uint64_t passed = vc4->now_ns - start;

	if (error == -EINTR && wait->timeout_ns != UINT64_MAX &&
	    wait->timeout_ns >= passed)
		wait->timeout_ns -= passed;
	return error;
}
