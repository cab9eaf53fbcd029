/* SPDX-License-Identifier: MIT */
/*
 * access: hazards of what a program shares with its DMA, other QPUs and the caches:
 * rows of the VPM and words of memory (machine.h).
 */
#include "config.h"

#include "qpu/emulator/machine.h"

#include <stdlib.h>
#include <string.h>

/* Accesses of one QPU that later ones are compared with. */
struct access {
	uint8_t setups;			/* written, by enum qpu_setup */
	uint64_t load_rows, store_rows; /* VPM rows that a DMA may use */
	struct emu_transfer store;	/* of the store_rows */
};

struct emu_access {
	struct access qpu[MACHINE_QPUS];
};

struct emu_access *
emu_access_create(void)
{
	return calloc(1, sizeof(struct emu_access));
}

static struct access *
access_of(struct emu_qpu *qpu)
{
	return &qpu->machine->access->qpu[qpu->number];
}

/* Return true if the program has written such a set-up. */
static bool
is_set_up(struct emu_qpu *qpu, enum qpu_setup kind)
{
	return access_of(qpu)->setups >> kind & 1;
}

void
emu_access_start(struct emu_qpu *qpu)
{
	*access_of(qpu) = (struct access){ 0 };
	if (qpu->kind == EMU_THREAD_USER)
		emu_race_start(qpu);
}

/* C27, C28 and C44: uses of the VPM while a DMA of this QPU may not have ended, or
 * without a set-up. */
void
emu_access_inst(struct emu_qpu *qpu, const struct emu_op *op)
{
	struct access *access = access_of(qpu);
	const struct machine *machine = qpu->machine;

	if (op->ports & QPU_PORT_VR_WAIT ||
	    (op->ports & QPU_PORT_VR_BUSY && !machine->vdr_busy))
		access->load_rows = 0;
	if (op->ports & QPU_PORT_VW_WAIT ||
	    (op->ports & QPU_PORT_VW_BUSY && !machine->vdw_busy))
		access->store_rows = 0;
	if (op->ports & QPU_PORT_VPM_READ && emu_vpm_readable(&qpu->vpm) &&
	    access->load_rows & emu_vpm_rows(&qpu->vpm.read[0]))
		emu_report(qpu, QPU_RULE_LOAD_BUSY);
	if (op->ports & QPU_PORT_VPM_WRITE &&
	    access->store_rows & emu_vpm_rows(&qpu->vpm.write))
		emu_report(qpu, QPU_RULE_STORE_BUSY);
	if (op->ports & QPU_PORT_VPM_WRITE &&
	    !is_set_up(qpu, QPU_SETUP_VPM_WRITE))
		emu_report_of(qpu, QPU_RULE_NO_SETUP, "vpm_setup");
	if (qpu->kind == EMU_THREAD_USER)
		emu_race_inst(qpu, op);
}

void
emu_access_setup(struct emu_qpu *qpu, enum qpu_setup kind)
{
	access_of(qpu)->setups |= 1u << kind;
	if (kind == QPU_SETUP_VPM_READ)
		emu_check_reads_set_up(qpu);
}

void
emu_access_end(struct emu_qpu *qpu)
{
	/* UNSURE(U11): whether the hardware waits by itself. */
	if (access_of(qpu)->store_rows)
		emu_report(qpu, QPU_RULE_STORE_LEFT);
	if (qpu->kind == EMU_THREAD_USER)
		emu_race_end(qpu);
}

/* The rows of the VPM that a DMA touches, as bits. */
static uint64_t
rows_of(const struct emu_dma *dma, bool store)
{
	uint16_t columns[EMU_VPM_ROWS];
	uint64_t rows = 0;

	emu_dma_words(dma, store, columns);
	for (unsigned i = 0; i < EMU_VPM_ROWS; i++)
		rows |= (uint64_t)(columns[i] != 0) << i;
	return rows;
}

/* C44 and C49: a transfer with set-ups that the program has not written, or beyond
 * the VPM. */
static void
check_transfer(struct emu_qpu *qpu, bool store)
{
	const bool many = qpu->machine->transfer.rows > 1;

	if (!is_set_up(qpu, store ? QPU_SETUP_STORE : QPU_SETUP_LOAD))
		emu_report_of(qpu, QPU_RULE_NO_SETUP, "%s",
			      store ? "vdw_setup_0" : "vdr_setup_0");
	else if (emu_dma_wraps(&qpu->dma, store))
		emu_report(qpu, QPU_RULE_DMA_WRAPS);
	if (many && store && !is_set_up(qpu, QPU_SETUP_STRIDE))
		emu_report_of(qpu, QPU_RULE_NO_SETUP, "vdw_setup_1");
	else if (many && !store && !is_set_up(qpu, QPU_SETUP_PITCH) &&
		 emu_dma_has_pitch(&qpu->dma))
		emu_report_of(qpu, QPU_RULE_NO_SETUP, "vdr_setup_1");
	if (qpu->kind == EMU_THREAD_USER)
		emu_race_transfer(qpu, store);
}

void
emu_access_load(struct emu_qpu *qpu)
{
	check_transfer(qpu, false);
	access_of(qpu)->load_rows |= rows_of(&qpu->dma, false);
}

static uint32_t
line_of(uint32_t addr)
{
	return (addr & MACHINE_BUS_MASK) / EMU_CACHE_LINE;
}

void
emu_access_store(struct emu_qpu *qpu)
{
	const struct emu_transfer *transfer = &qpu->machine->transfer;
	struct access *access = access_of(qpu);

	check_transfer(qpu, true);
	access->store_rows |= rows_of(&qpu->dma, true);
	access->store = *transfer;
	for (unsigned row = 0; row < transfer->rows; row++)
		emu_stale_store(qpu->machine->stale,
				transfer->start + row * transfer->pitch,
				transfer->row_bytes);
}

/* Return true if a QPU has started to store the line and not waited for it. */
static bool
line_is_being_stored(const struct emu_access *all, uint32_t line)
{
	for (int n = 0; n < MACHINE_QPUS; n++) {
		const struct access *access = &all->qpu[n];
		const struct emu_transfer *store = &access->store;

		for (unsigned row = 0; access->store_rows && row < store->rows;
		     row++) {
			const uint32_t at = store->start + row * store->pitch;

			if (line >= line_of(at) &&
			    line <= line_of(at + store->row_bytes - 1))
				return true;
		}
	}
	return false;
}

/*
 * Section 9: the TMU's caches do not see stores, and a line that is stored
 * after it was fetched comes back as it was, as long as they hold it: seen on
 * a board (VC4C, issue 60).
 */
void
emu_access_lookup(struct emu_qpu *qpu, const emu_vec *addresses, unsigned old)
{
	if (qpu->kind == EMU_THREAD_USER)
		emu_race_lookup(qpu);
	for (unsigned lane = 0; lane < EMU_LANES; lane++)
		if (old >> lane & 1 ||
		    line_is_being_stored(qpu->machine->access,
					 line_of((*addresses)[lane])))
			emu_report(qpu, QPU_RULE_STALE_LOOKUP);
}
