/* SPDX-License-Identifier: MIT */
/*
 * units: what the QPUs share, by the clock of the cycle model (timed.h).
 *
 * Data are moved when an instruction is executed, by the same code as without a
 * clock; here is only time.  Each unit is a clock at which it is free, or a short
 * queue of clocks at which something is ready:
 *
 *	uniforms	a FIFO of two, filled by a prefetcher through a cache
 *	texture unit	a queue of lookups; a tag stage takes one lane after another,
 *			hits end there, misses ask the path to memory at their own
 *			clock; results leave in the order of the lookups
 *	VPM		one port for all; reads take a turn, writes have a FIFO of two
 *	DMA		one load and one store at a time, each with rows and a set-up
 *	semaphores	a change can be seen from a clock on
 *	mutex		goes to the QPU that waits longest
 *
 * An instruction goes through three calls.  emu_units_fetch() says when its line of
 * code is there; emu_units_wait() names the first unit that makes it wait, and until
 * when; emu_units_done() books what it did.  A wait whose end is not known yet
 * (EMU_NEVER) ends when another actor calls wake(): the texture unit that finds
 * the result, the QPU that gives the mutex or a semaphore back, or the pipe that
 * has stored a tile.  If nothing is left that could, the machine is in a deadlock,
 * and timed.c says so.
 *
 * Events happen in the order of their clocks, so that a unit never hears of a
 * request that is earlier than one it has served.
 */
#include "config.h"

#include "qpu/emulator/timed.h"

#include <string.h>

#include "qpu/emulator/machine.h"

static inline uint64_t
later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The uniform prefetcher gets its next word, not before a clock. */
static uint64_t
uniform_fetch(struct emu_timed *timed, struct emu_qpu *qpu, uint64_t clock)
{
	struct emu_ports *ports = &timed->ports[qpu->number];
	uint64_t *counters = qpu->machine->counters;
	bool hit, dirty;
	struct emu_line *line;

	clock = later(clock, ports->uniform_free);
	line = emu_cache_lookup(&emu_slice_of(timed, qpu)->uniforms,
				ports->uniform_next, &hit, &dirty);
	if (hit) {
		clock = later(clock, line->ready) + COST_UNIFORM_HIT;
		counters[MACHINE_COUNTER_UNIFORM_HITS]++;
	} else {
		/* Measured end to end; the path only learns of the line. */
		emu_path_read(&timed->path, ports->uniform_next, clock);
		clock += COST_UNIFORM_MISS;
		line->ready = clock;
		counters[MACHINE_COUNTER_UNIFORM_MISSES]++;
	}
	ports->uniform_next += 4;
	ports->uniform_free = clock;
	return clock;
}

static void
uniform_refill(struct emu_timed *timed, struct emu_qpu *qpu, uint64_t clock)
{
	struct emu_ports *ports = &timed->ports[qpu->number];

	ports->uniform_next = qpu->uniform_addr;
	ports->uniform_free = clock;
	for (unsigned i = 0; i < EMU_UNIFORM_FIFO; i++)
		ports->uniform[i] = uniform_fetch(timed, qpu, clock);
}

void
emu_units_start(struct emu_timed *timed, struct emu_qpu *qpu, uint64_t clock)
{
	struct emu_ports *ports = &timed->ports[qpu->number];

	memset(ports, 0, sizeof(*ports));
	ports->active = true;
	ports->start = clock;
	ports->stalled_since = EMU_NEVER;
	uniform_refill(timed, qpu, clock);
}

/*
 * A line is looked up when the QPU enters it, and again when the slice has
 * replaced any line since: it may have been this one.
 */
uint64_t
emu_units_fetch(struct emu_timed *timed, struct emu_qpu *qpu, uint64_t clock)
{
	struct emu_ports *ports = &timed->ports[qpu->number];
	struct emu_slice *slice = emu_slice_of(timed, qpu);
	const uint32_t addr = emu_qpu_pc(qpu);
	const uint32_t number = addr / EMU_CACHE_LINE + 1;
	bool hit, dirty;
	struct emu_line *line;

	if (ports->line == number && ports->line_at == slice->icache.changes)
		return clock;
	line = emu_cache_lookup(&slice->icache, addr, &hit, &dirty);
	if (!hit) {
		qpu->machine->counters[MACHINE_COUNTER_ICACHE_MISSES]++;
		line->ready = emu_path_read(&timed->path, addr, clock) +
			      COST_ICACHE_OVERHEAD;
	}
	ports->line = number;
	ports->line_at = slice->icache.changes;
	return later(clock, line->ready);
}

static bool
waits_until(uint64_t ready, uint64_t clock, uint64_t *until)
{
	*until = ready;
	return ready > clock;
}

static enum machine_stall
wait_for_tmu(const struct emu_qpu *qpu, unsigned tmu, uint64_t clock,
	     uint64_t *until)
{
	const unsigned unit = emu_tmu_unit(qpu->number, qpu->noswap, tmu);
	const struct emu_tmu_fifo *fifo = &qpu->tmu[unit];

	return waits_until(fifo->ready[fifo->head], clock, until) ?
		       MACHINE_STALL_TMU :
		       MACHINE_STALL_NONE;
}

/* A turn at the VPM's port, kept until the read is done. */
static uint64_t
vpm_turn(struct emu_timed *timed, struct emu_ports *ports, uint64_t clock)
{
	if (!ports->vpm_turn) {
		ports->vpm_turn =
			later(later(ports->vpm_read, clock), timed->vpm_free);
		timed->vpm_free = ports->vpm_turn + COST_VPM_HORIZONTAL;
	}
	return ports->vpm_turn;
}

/* Return what an instruction waits for at the VPM and its DMA. */
static enum machine_stall
wait_for_vpm(struct emu_timed *timed, const struct emu_qpu *qpu, uint32_t needs,
	     uint64_t clock, uint64_t *until)
{
	struct emu_ports *ports = &timed->ports[qpu->number];

	if (needs & QPU_PORT_VPM_READ &&
	    waits_until(vpm_turn(timed, ports, clock), clock, until))
		return MACHINE_STALL_VPM_READ;
	if (needs & QPU_PORT_VPM_WRITE &&
	    waits_until(ports->vpm_written[0], clock, until))
		return MACHINE_STALL_VPM_WRITE;
	if ((needs & QPU_PORT_VR_ADDR &&
	     waits_until(timed->vdr_free, clock, until)) ||
	    (needs & QPU_PORT_VR_WAIT &&
	     waits_until(ports->vdr_done, clock, until)))
		return MACHINE_STALL_VDR;
	if ((needs & QPU_PORT_VW_ADDR &&
	     waits_until(timed->vdw_free, clock, until)) ||
	    (needs & QPU_PORT_VW_WAIT &&
	     waits_until(ports->vdw_done, clock, until)))
		return MACHINE_STALL_VDW;
	return MACHINE_STALL_NONE;
}

enum machine_stall
emu_units_wait(struct emu_timed *timed, const struct emu_qpu *qpu,
	       const struct emu_op *op, uint64_t clock, uint64_t *until)
{
	struct emu_ports *ports = &timed->ports[qpu->number];
	const uint32_t needs = op->ports;
	enum machine_stall cause = emu_port_wait(qpu, op);

	*until = EMU_NEVER;
	if (cause)
		return cause;
	if (needs & QPU_PORTS_SEMA &&
	    waits_until(timed->visible[op->sema], clock, until))
		return MACHINE_STALL_SEMAPHORE;
	if (needs & QPU_PORT_MUTEX_ACQUIRE && timed->mutex_next != EMU_NO_QPU &&
	    timed->mutex_next != qpu->number)
		return MACHINE_STALL_MUTEX;
	if (needs & QPU_PORT_UNIFORM &&
	    waits_until(ports->uniform[0], clock, until))
		return MACHINE_STALL_UNIFORM;
	if (needs & QPU_PORT_LDTMU0 &&
	    (cause = wait_for_tmu(qpu, 0, clock, until)))
		return cause;
	if (needs & QPU_PORT_LDTMU1 &&
	    (cause = wait_for_tmu(qpu, 1, clock, until)))
		return cause;
	return wait_for_vpm(timed, qpu, needs, clock, until);
}

/* Let QPUs that wait for a semaphore, or for the mutex, try again. */
static void
wake(struct emu_timed *timed, struct emu_qpu *qpu, uint64_t clock)
{
	const uint64_t when = emu_phase(qpu, clock);

	if (when < timed->when[qpu->number])
		timed->when[qpu->number] = when;
}

static bool
is_waiting(const struct emu_timed *timed, const struct emu_qpu *qpu,
	   enum machine_stall cause)
{
	const struct emu_ports *ports = &timed->ports[qpu->number];

	return qpu->running && ports->stalled_since != EMU_NEVER &&
	       ports->cause == cause;
}

void
emu_units_unlocked(struct emu_timed *timed, struct machine *machine,
		   uint64_t clock)
{
	for (unsigned i = 0; i < MACHINE_QPUS; i++)
		if (is_waiting(timed, &machine->qpu[i],
			       MACHINE_STALL_SCOREBOARD))
			wake(timed, &machine->qpu[i], clock);
}

/* The change can be seen in the next slot; M [0..2 clocks later]. */
static void
semaphore_changed(struct emu_timed *timed, struct machine *machine,
		  unsigned number, uint64_t clock)
{
	const uint64_t visible =
		(clock / EMU_SLOT_CLOCKS + 1) * EMU_SLOT_CLOCKS;
	bool waited = false;

	for (unsigned i = 0; i < MACHINE_QPUS; i++) {
		struct emu_qpu *qpu = &machine->qpu[i];

		if (is_waiting(timed, qpu, MACHINE_STALL_SEMAPHORE) &&
		    qpu->op->sema == number) {
			wake(timed, qpu, visible);
			waited = true;
		}
	}
	/* A semaphore that could be taken before still can. */
	if (waited || machine->semaphore[number] <= 1)
		timed->visible[number] = visible;
}

/* The QPU that waits longest gets the mutex. */
static void
mutex_released(struct emu_timed *timed, struct machine *machine, uint64_t clock)
{
	struct emu_qpu *first = NULL;

	for (unsigned i = 0; i < MACHINE_QPUS; i++) {
		struct emu_qpu *qpu = &machine->qpu[i];

		if (is_waiting(timed, qpu, MACHINE_STALL_MUTEX) &&
		    (!first ||
		     timed->ports[i].stalled_since <
			     timed->ports[first->number].stalled_since))
			first = qpu;
	}
	if (!first)
		return;
	timed->mutex_next = first->number;
	wake(timed, first, clock + EMU_SLOT_CLOCKS + COST_MUTEX_HANDOVER);
}

static void
tmu_requested(struct emu_timed *timed, struct emu_qpu *qpu, unsigned tmu,
	      const emu_vec *addresses, uint64_t clock)
{
	const unsigned unit = emu_tmu_unit(qpu->number, qpu->noswap, tmu);
	const unsigned number = qpu->number / EMU_SLICE_QPUS * 2 + unit;
	struct emu_tmu *slice_tmu = &timed->tmu[number];
	struct emu_tmu_fifo *fifo = &qpu->tmu[unit];
	const unsigned place =
		(emu_tmu_tail(fifo) + EMU_TMU_DEPTH - 1) % EMU_TMU_DEPTH;
	struct emu_lookup *lookup =
		&slice_tmu->queue[(slice_tmu->head + slice_tmu->count) %
				  EMU_TMU_QUEUE];

	fifo->ready[place] = EMU_NEVER;
	lookup->addresses = *addresses;
	lookup->arrives = clock + COST_TMU_ISSUE;
	lookup->qpu = qpu->number;
	lookup->place = place;
	if (!slice_tmu->count++)
		timed->when[MACHINE_QPUS + number] =
			later(lookup->arrives, slice_tmu->tag_free);
}

/*
 * Tenths of a clock for a row: what lies between one word and 64 bytes; a
 * longer one costs as many as it fills.
 */
static unsigned
row_clocks_x10(unsigned bytes, unsigned row_x10, unsigned word_x10)
{
	if (bytes <= 4)
		return word_x10;
	if (bytes < EMU_CACHE_LINE)
		return word_x10 + (row_x10 - word_x10) * (bytes - 4) /
					  (EMU_CACHE_LINE - 4);
	return row_x10 * ((bytes + EMU_CACHE_LINE - 1) / EMU_CACHE_LINE);
}

static void
dma_started(struct emu_timed *timed, struct emu_qpu *qpu, uint32_t needs,
	    uint64_t clock)
{
	const struct emu_transfer *transfer = &qpu->machine->transfer;
	struct emu_ports *ports = &timed->ports[qpu->number];

	if (needs & QPU_PORT_VR_ADDR) {
		const unsigned row = row_clocks_x10(transfer->row_bytes,
						    COST_VDR_ROW_X10,
						    COST_VDR_WORD_X10);

		ports->vdr_done = clock + COST_VDR_FIXED +
				  (row * transfer->rows + 9) / 10;
		timed->vdr_free = ports->vdr_done;
	}
	if (needs & QPU_PORT_VW_ADDR) {
		unsigned row = row_clocks_x10(transfer->row_bytes,
					      COST_VDW_ROW_X10,
					      COST_VDW_WORD_X10);

		if (transfer->pitch >= COST_VDW_FAR_BYTES && transfer->rows > 1)
			row = later(row, COST_VDW_FAR_ROW_X10);
		/* The store waits for the QPU's own writes. */
		clock = later(clock, ports->vpm_written[EMU_VPM_FIFO - 1]);
		ports->vdw_done = clock + COST_VDW_FIXED +
				  (row * transfer->rows + 9) / 10;
		timed->vdw_free = ports->vdw_done;
		for (unsigned i = 0; i < transfer->rows; i++)
			emu_path_store(&timed->path,
				       transfer->start + i * transfer->pitch,
				       transfer->row_bytes);
	}
}

static void
vpm_used(struct emu_timed *timed, struct emu_qpu *qpu, uint32_t needs,
	 uint64_t clock)
{
	struct emu_ports *ports = &timed->ports[qpu->number];
	uint64_t drained;

	if (needs & QPU_PORT_VPM_READ) {
		ports->vpm_read = clock + EMU_SLOT_CLOCKS;
		ports->vpm_turn = 0;
	}
	if (needs & QPU_PORT_VPM_WRITE) {
		drained = later(timed->vpm_free, clock) +
			  (qpu->vpm.write.horizontal ? COST_VPM_HORIZONTAL :
						       COST_VPM_VERTICAL);
		timed->vpm_free = drained;
		ports->vpm_written[0] = ports->vpm_written[1];
		ports->vpm_written[1] = drained;
	}
	if (needs & QPU_PORT_VR_SETUP)
		ports->vpm_read = clock + COST_VPM_READ_SETUP;
	if (needs & (QPU_PORT_VR_ADDR | QPU_PORT_VW_ADDR))
		dma_started(timed, qpu, needs, clock);
}

static const emu_vec *
written_to(const struct emu_qpu *qpu, const struct emu_op *op, unsigned waddr)
{
	return &qpu->file[op->add.port == waddr ? EMU_SLOT_OUT_ADD :
						  EMU_SLOT_OUT_MUL];
}

void
emu_units_done(struct emu_timed *timed, struct emu_qpu *qpu,
	       const struct emu_op *op, uint64_t clock)
{
	struct emu_ports *ports = &timed->ports[qpu->number];
	const uint32_t needs = op->ports;

	if (needs & QPU_PORT_UNIFORM) {
		ports->uniform[0] = ports->uniform[1];
		ports->uniform[1] = uniform_fetch(timed, qpu, clock);
	}
	if (needs & QPU_PORT_UNIF_ADDR)
		uniform_refill(timed, qpu, clock + EMU_SLOT_CLOCKS);
	if (needs & QPU_PORT_T0S)
		tmu_requested(timed, qpu, 0, written_to(qpu, op, QPU_W_T0S),
			      clock);
	if (needs & QPU_PORT_T1S)
		tmu_requested(timed, qpu, 1, written_to(qpu, op, QPU_W_T1S),
			      clock);
	if (needs & QPU_PORTS_SEMA)
		semaphore_changed(timed, qpu->machine, op->sema, clock);
	if (needs & QPU_PORT_MUTEX_ACQUIRE)
		timed->mutex_next = EMU_NO_QPU;
	if (needs & QPU_PORT_MUTEX_RELEASE && qpu->machine->mutex == EMU_NO_QPU)
		mutex_released(timed, qpu->machine, clock);
	vpm_used(timed, qpu, needs, clock);
}

/* The place of an open line that is done by a clock, or is done first. */
static uint64_t *
tmu_fill_slot(struct emu_tmu *tmu)
{
	uint64_t *first = &tmu->fills[0];

	for (unsigned i = 1; i < COST_TMU_OUTSTANDING; i++)
		if (tmu->fills[i] < *first)
			first = &tmu->fills[i];
	return first;
}

/*
 * Lanes of the first lookup, in order.  Hits only take time in the tag stage;
 * a miss asks the path, which must hear of it at its own clock.
 */
static bool
tmu_lanes(struct emu_timed *timed, struct machine *machine, struct emu_tmu *tmu,
	  uint64_t clock, uint64_t *when)
{
	const struct emu_lookup *lookup = &tmu->queue[tmu->head];

	for (; tmu->lane < EMU_LANES; tmu->lane++) {
		const uint32_t addr = lookup->addresses[tmu->lane];
		const uint32_t number =
			(addr & MACHINE_BUS_MASK) / EMU_CACHE_LINE;
		struct emu_line *line =
			&tmu->cache.lines[emu_cache_set(&tmu->cache, number)];

		if (line->tag != number + 1) {
			uint64_t *fill = tmu_fill_slot(tmu);

			tmu->tag_free = later(tmu->tag_free, *fill);
			if (tmu->tag_free > clock) {
				*when = tmu->tag_free;
				return false;
			}
			line->tag = number + 1;
			line->ready = emu_path_read(&timed->path, addr, clock) +
				      COST_TMU_MISS;
			*fill = line->ready;
			machine->counters[MACHINE_COUNTER_TMU_MISSES]++;
		}
		tmu->data_ready = later(tmu->data_ready, line->ready);
		tmu->tag_free += COST_TMU_LANE;
	}
	return true;
}

void
emu_units_tmu(struct emu_timed *timed, struct machine *machine, unsigned number,
	      uint64_t clock)
{
	struct emu_tmu *tmu = &timed->tmu[number];
	uint64_t *when = &timed->when[MACHINE_QPUS + number];
	const struct emu_lookup *lookup = &tmu->queue[tmu->head];
	struct emu_qpu *qpu = &machine->qpu[lookup->qpu];
	uint64_t ready;

	tmu->tag_free = later(tmu->tag_free, clock);
	if (!tmu_lanes(timed, machine, tmu, clock, when))
		return;
	ready = later(tmu->data_ready, tmu->tag_free) + COST_TMU_TAIL;
	ready = later(ready, tmu->last_result);
	tmu->last_result = ready;
	qpu->tmu[number & 1].ready[lookup->place] = ready;
	if (is_waiting(timed, qpu, MACHINE_STALL_TMU))
		wake(timed, qpu, ready);
	tmu->lane = 0;
	tmu->data_ready = 0;
	tmu->head = (tmu->head + 1) % EMU_TMU_QUEUE;
	tmu->count--;
	*when = tmu->count ?
			later(tmu->queue[tmu->head].arrives, tmu->tag_free) :
			EMU_NEVER;
}

/* Remove a QPU's lookups from a unit's queue. */
static void
drop_lookups(struct emu_tmu *tmu, unsigned qpu)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < tmu->count; i++) {
		const struct emu_lookup *lookup =
			&tmu->queue[(tmu->head + i) % EMU_TMU_QUEUE];

		if (lookup->qpu != qpu) {
			tmu->queue[(tmu->head + kept++) % EMU_TMU_QUEUE] =
				*lookup;
		} else if (i == 0) {
			tmu->lane = 0;
			tmu->data_ready = 0;
		}
	}
	tmu->count = kept;
}

void
emu_units_end(struct emu_timed *timed, const struct emu_qpu *qpu)
{
	const unsigned first = qpu->number / EMU_SLICE_QPUS * 2;

	for (unsigned unit = 0; unit < 2; unit++) {
		struct emu_tmu *tmu = &timed->tmu[first + unit];

		if (!qpu->tmu[unit].count)
			continue;
		drop_lookups(tmu, qpu->number);
		timed->when[MACHINE_QPUS + first + unit] =
			tmu->count ? later(tmu->queue[tmu->head].arrives,
					   tmu->tag_free) :
				     EMU_NEVER;
	}
}
