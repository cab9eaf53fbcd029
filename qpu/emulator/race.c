/* SPDX-License-Identifier: MIT */
/*
 * race: accesses of the VPM and of memory that nothing orders: by different QPUs, or
 * by a QPU and its own DMA (machine.h).
 *
 * Each program, its loads and its stores by DMA are a thread of their own with
 * a clock (vector clocks).  A program learns another one's clock when it takes
 * a mutex or a semaphore that the other gave back, and its own DMA's clock when
 * it waits for it.  Each word of the VPM and of memory keeps its last writer
 * and the last two readers since.  So every race reported is real, but not all
 * are found: a third reader replaces an earlier one, and words that are looked
 * up are left to C30, since programs look up a little more than they use
 * (elorimer's table ends where results of another QPU begin).
 */
#include "config.h"

#include "qpu/emulator/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	STORES = MACHINE_QPUS, /* threads: stores by DMA of QPU 0 and so on, */
	LOADS = 2 * MACHINE_QPUS, /* and loads */
	THREADS = 3 * MACHINE_QPUS,
	READERS = 2,
	COLUMNS = 16,
	PAGE_BYTES = 4096,
	PAGES = (MACHINE_BUS_MASK + 1u) / PAGE_BYTES,
	IN_MEMORY = -1, /* in place of a row of the VPM */
};

/* Clocks of all threads as a program knows them. */
struct knowledge {
	uint32_t clock[THREADS];
};

/* An access, by the thread's clock (or 0 for none) and its instruction. */
struct access {
	uint32_t clock, pc;
	uint8_t thread;
};

/* The last accesses of a word. */
struct word {
	struct access writer, readers[READERS];
};

struct page {
	uint32_t launch; /* that its words are of */
	struct word words[PAGE_BYTES / 4];
};

struct emu_race {
	uint32_t launch;
	bool by_mailbox;
	uint32_t clock[THREADS];
	struct knowledge of[MACHINE_QPUS];
	/* Knowledge that the mutex, a semaphore or the end of programs passes on. */
	struct knowledge mutex, semaphore[EMU_SEMAPHORES], ended;
	struct access last[THREADS]; /* of memory */
	struct access interrupt;     /* the first one of the launch */
	struct knowledge at_interrupt;
	struct word vpm[EMU_VPM_ROWS * COLUMNS];
	struct page **pages; /* by bus address */
};

struct emu_race *
emu_race_create(void)
{
	struct emu_race *race = calloc(1, sizeof(*race));

	if (race && !(race->pages = calloc(PAGES, sizeof(*race->pages)))) {
		free(race);
		race = NULL;
	}
	return race;
}

void
emu_race_free(struct emu_race *race)
{
	for (size_t i = 0; race && i < PAGES; i++)
		free(race->pages[i]);
	if (race)
		free(race->pages);
	free(race);
}

void
emu_race_launch(struct machine *machine, bool by_mailbox)
{
	struct emu_race *race = machine->race;
	struct page **const pages = race->pages;
	const uint32_t launch = race->launch + 1;

	memset(race, 0, sizeof(*race));
	race->pages = pages;
	race->launch = launch;
	race->by_mailbox = by_mailbox;
	for (unsigned i = 0; i < MACHINE_QPUS; i++)
		race->clock[i] = 1;
}

static void
learn(struct knowledge *to, const struct knowledge *from)
{
	for (unsigned i = 0; i < THREADS; i++)
		if (to->clock[i] < from->clock[i])
			to->clock[i] = from->clock[i];
}

/* Return true if an access is over for a program that knows this, or of its own QPU. */
static bool
is_over(const struct knowledge *known, const struct access *access,
	unsigned qpu)
{
	return !access->clock || access->thread % MACHINE_QPUS == qpu ||
	       known->clock[access->thread] >= access->clock;
}

/* Pass on what a program knows and has done up to now; its clock advances. */
static void
tell(struct emu_race *race, unsigned qpu, struct knowledge *to)
{
	struct knowledge *known = &race->of[qpu];

	known->clock[qpu] = race->clock[qpu]++;
	learn(to, known);
}

void
emu_race_start(struct emu_qpu *qpu)
{
	struct emu_race *race = qpu->machine->race;

	/* The host may have seen other programs end. */
	learn(&race->of[qpu->number], &race->ended);
}

static void
wait_for_dma(struct emu_race *race, unsigned qpu, unsigned engine)
{
	race->of[qpu].clock[engine + qpu] = race->clock[engine + qpu];
}

/* Return true if an access is by DMA that the QPU which started it has not waited
 * for. */
static bool
is_pending(const struct emu_race *race, const struct access *access,
	   unsigned engine)
{
	const unsigned qpu = access->thread - engine;

	return access->clock && access->thread >= engine &&
	       qpu < MACHINE_QPUS &&
	       race->of[qpu].clock[access->thread] < access->clock;
}

void
emu_race_end(struct emu_qpu *qpu)
{
	struct emu_race *race = qpu->machine->race;

	/* UNSURE(U11): whether the hardware waits by itself. */
	if (is_pending(race, &race->last[STORES + qpu->number], STORES))
		emu_report(qpu, QPU_RULE_STORE_LEFT);
	wait_for_dma(race, qpu->number, STORES);
	wait_for_dma(race, qpu->number, LOADS);
	tell(race, qpu->number, &race->ended);
}

static void
report_race(struct emu_qpu *qpu, const struct access *other, int row)
{
	char what[64] = "memory";

	if (row != IN_MEMORY)
		snprintf(what, sizeof(what), "row %d of the VPM", row);
	emu_report_pair(qpu, emu_qpu_pc(qpu), QPU_RULE_RACE, what,
			other->thread % MACHINE_QPUS, other->pc);
}

/* C27 and C28: a word of the VPM is used by a program whose own DMA may not have
 * ended. */
static void
check_dma(struct emu_qpu *qpu, const struct word *word, bool writes)
{
	const struct emu_race *race = qpu->machine->race;

	if (!writes && word->writer.thread == LOADS + qpu->number &&
	    is_pending(race, &word->writer, LOADS))
		emu_report(qpu, QPU_RULE_LOAD_BUSY);
	for (unsigned i = 0; writes && i < READERS; i++)
		if (word->readers[i].thread == STORES + qpu->number &&
		    is_pending(race, &word->readers[i], STORES))
			emu_report(qpu, QPU_RULE_STORE_BUSY);
}

/* An access of a word by a program or its DMA: C50 if it is not ordered with those
 * that are kept, then it is kept. */
static void
touch(struct emu_qpu *qpu, struct word *word, const struct access *access,
      bool writes, int row)
{
	struct emu_race *race = qpu->machine->race;
	const struct knowledge *known = &race->of[qpu->number];
	const struct access *other = NULL;

	if (!is_over(known, &word->writer, qpu->number))
		other = &word->writer;
	for (unsigned i = 0; writes && i < READERS; i++)
		if (!is_over(known, &word->readers[i], qpu->number))
			other = &word->readers[i];
	if (other)
		report_race(qpu, other, row);
	if (writes) {
		*word = (struct word){ .writer = *access };
	} else {
		if (word->readers[0].thread != access->thread)
			word->readers[1] = word->readers[0];
		word->readers[0] = *access;
	}
}

/* C47: is an access of memory one that the host is not to expect any more, after
 * the interrupt of a QPU that knows this? */
static void
check_interrupt(struct emu_qpu *qpu, const struct access *access)
{
	struct emu_race *race = qpu->machine->race;
	const struct access *interrupt = &race->interrupt;

	if (access->clock && interrupt->clock &&
	    race->at_interrupt.clock[access->thread] < access->clock)
		emu_report_pair(&qpu->machine->qpu[interrupt->thread],
				interrupt->pc, QPU_RULE_EARLY_INTERRUPT, "",
				access->thread % MACHINE_QPUS, access->pc);
}

/* One more access of memory by a thread. */
static void
use_memory(struct emu_qpu *qpu, const struct access *access)
{
	qpu->machine->race->last[access->thread] = *access;
	check_interrupt(qpu, access);
}

static void
touch_memory(struct emu_qpu *qpu, const struct access *access, bool writes,
	     uint32_t addr)
{
	struct emu_race *race = qpu->machine->race;
	struct page **page =
		&race->pages[(addr & MACHINE_BUS_MASK) / PAGE_BYTES];

	/* Without memory for them words are not looked at. */
	if (!*page && !(*page = calloc(1, sizeof(**page))))
		return;
	if ((*page)->launch != race->launch)
		memset(*page, 0, sizeof(**page));
	(*page)->launch = race->launch;
	touch(qpu, &(*page)->words[addr % PAGE_BYTES / 4], access, writes,
	      IN_MEMORY);
}

static struct access
access_of(const struct emu_qpu *qpu, unsigned thread)
{
	return (struct access){
		.clock = qpu->machine->race->clock[thread],
		.pc = emu_qpu_pc(qpu),
		.thread = thread,
	};
}

static void
touch_block(struct emu_qpu *qpu, const struct emu_vpm_block *block, bool writes)
{
	const struct access access = access_of(qpu, qpu->number);
	uint16_t words[EMU_LANES];

	emu_vpm_words(block, words);
	for (unsigned i = 0; i < EMU_LANES; i++) {
		struct word *word = &qpu->machine->race->vpm[words[i]];

		check_dma(qpu, word, writes);
		touch(qpu, word, &access, writes, words[i] / COLUMNS);
	}
}

void
emu_race_inst(struct emu_qpu *qpu, const struct emu_op *op)
{
	struct machine *machine = qpu->machine;
	struct emu_race *race = machine->race;
	struct knowledge *known = &race->of[qpu->number];
	const uint32_t ports = op->ports;

	if (ports & QPU_PORT_MUTEX_ACQUIRE)
		learn(known, &race->mutex);
	if (ports & QPU_PORT_SEMA_DOWN)
		learn(known, &race->semaphore[op->sema]);
	if (ports & QPU_PORT_VR_WAIT ||
	    (ports & QPU_PORT_VR_BUSY && !machine->vdr_busy))
		wait_for_dma(race, qpu->number, LOADS);
	if (ports & QPU_PORT_VW_WAIT ||
	    (ports & QPU_PORT_VW_BUSY && !machine->vdw_busy))
		wait_for_dma(race, qpu->number, STORES);
	if (ports & QPU_PORT_UNIFORM) {
		const struct access access = access_of(qpu, qpu->number);

		use_memory(qpu, &access);
	}
	if (ports & QPU_PORT_VPM_READ && emu_vpm_readable(&qpu->vpm))
		touch_block(qpu, &qpu->vpm.read[0], false);
	if (ports & QPU_PORT_VPM_WRITE)
		touch_block(qpu, &qpu->vpm.write, true);
	if (ports & QPU_PORT_SEMA_UP)
		tell(race, qpu->number, &race->semaphore[op->sema]);
	if (ports & QPU_PORT_MUTEX_RELEASE && machine->mutex == qpu->number)
		tell(race, qpu->number, &race->mutex);
}

void
emu_race_transfer(struct emu_qpu *qpu, bool store)
{
	struct emu_race *race = qpu->machine->race;
	const struct emu_transfer *transfer = &qpu->machine->transfer;
	const unsigned thread = (store ? STORES : LOADS) + qpu->number;
	uint16_t columns[EMU_VPM_ROWS];
	struct access access;

	race->clock[thread]++;
	access = access_of(qpu, thread);
	emu_dma_words(&qpu->dma, store, columns);
	for (unsigned i = 0; i < EMU_VPM_ROWS * COLUMNS; i++)
		if (columns[i / COLUMNS] >> i % COLUMNS & 1)
			touch(qpu, &race->vpm[i], &access, !store, i / COLUMNS);
	for (unsigned row = 0; row < transfer->rows; row++) {
		const uint32_t at = transfer->start + row * transfer->pitch;
		const uint32_t end = at + transfer->row_bytes;

		for (uint32_t addr = at & ~3u; addr < end; addr += 4)
			touch_memory(qpu, &access, store, addr);
	}
	use_memory(qpu, &access);
}

/* Return true if DMA that nothing has waited for stores to the line. */
static bool
is_being_stored(const struct emu_race *race, uint32_t addr)
{
	const uint32_t at = addr % PAGE_BYTES & ~(EMU_CACHE_LINE - 1u);
	const struct page *page =
		race->pages[(addr & MACHINE_BUS_MASK) / PAGE_BYTES];

	for (unsigned i = 0;
	     page && page->launch == race->launch && i < EMU_CACHE_LINE / 4;
	     i++)
		if (is_pending(race, &page->words[at / 4 + i].writer, STORES))
			return true;
	return false;
}

/*
 * The TMU's caches do not see stores, and a line that is stored
 * after it was fetched comes back as it was, as long as they hold it: seen on
 * a board (VC4C, issue 60).
 */
void
emu_race_lookup(struct emu_qpu *qpu, const emu_vec *addresses, unsigned old)
{
	const struct access access = access_of(qpu, qpu->number);

	if (qpu->kind == EMU_THREAD_USER)
		use_memory(qpu, &access);
	for (unsigned lane = 0; lane < EMU_LANES; lane++)
		if (old >> lane & 1 ||
		    is_being_stored(qpu->machine->race, (*addresses)[lane]))
			emu_report(qpu, QPU_RULE_STALE_LOOKUP);
}

void
emu_race_interrupt(struct emu_qpu *qpu)
{
	struct emu_race *race = qpu->machine->race;

	if (!race->by_mailbox || race->interrupt.clock)
		return;
	race->interrupt = access_of(qpu, qpu->number);
	race->at_interrupt = race->of[qpu->number];
	race->at_interrupt.clock[qpu->number] = race->clock[qpu->number];
	for (unsigned i = 0; i < THREADS; i++)
		check_interrupt(qpu, &race->last[i]);
}
