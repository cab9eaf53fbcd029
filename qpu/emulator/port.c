/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/machine.h"

#include <string.h>

#include "qpu/emulator/base/float.h"
#include "qpu/emulator/pipe.h"

static struct emu_tmu_fifo *
tmu_fifo(struct emu_qpu *qpu, unsigned tmu)
{
	return &qpu->tmu[emu_tmu_unit(qpu->number, qpu->noswap, tmu)];
}

static bool
tmu_counts(const struct emu_qpu *qpu, unsigned tmu, unsigned count)
{
	return qpu->tmu[emu_tmu_unit(qpu->number, qpu->noswap, tmu)].count ==
	       count;
}

enum machine_stall
emu_port_wait(const struct emu_qpu *qpu, const struct emu_op *op)
{
	const struct machine *machine = qpu->machine;
	const uint32_t ports = op->ports;

	if (ports & QPU_PORT_SEMA_DOWN && !machine->semaphore[op->sema])
		return MACHINE_STALL_SEMAPHORE;
	if (ports & QPU_PORT_SEMA_UP &&
	    machine->semaphore[op->sema] == EMU_SEMAPHORE_MAX)
		return MACHINE_STALL_SEMAPHORE;
	if (ports & QPU_PORT_MUTEX_ACQUIRE && machine->mutex != EMU_NO_QPU)
		return MACHINE_STALL_MUTEX;
	if ((ports & QPU_PORT_LDTMU0 && tmu_counts(qpu, 0, 0)) ||
	    (ports & QPU_PORT_LDTMU1 && tmu_counts(qpu, 1, 0)))
		return MACHINE_STALL_TMU;
	if ((ports & QPU_PORT_T0S && tmu_counts(qpu, 0, EMU_TMU_DEPTH)) ||
	    (ports & QPU_PORT_T1S && tmu_counts(qpu, 1, EMU_TMU_DEPTH)))
		return MACHINE_STALL_TMU_FULL;
	if (ports & QPU_PORT_VPM_READ && !emu_vpm_readable(&qpu->vpm))
		return MACHINE_STALL_VPM_READ;
	/* Another kind of program is refused, and does not wait. */
	if (ports & QPU_PORT_SCOREBOARD && qpu->kind == EMU_THREAD_FRAGMENT &&
	    !emu_fragment_may_draw(qpu))
		return MACHINE_STALL_SCOREBOARD;
	return MACHINE_STALL_NONE;
}

static void
broadcast(emu_vec *value, uint32_t word)
{
	*value = (emu_vec){ 0 } + word;
}

static bool
read_uniform(struct emu_qpu *qpu, emu_vec *value)
{
	const void *host = NULL;
	uint32_t word = 0;

	/* After SRQUL uniforms the stream is off; what it yields is unknown. */
	if (!qpu->uniforms_limited || qpu->uniforms_left) {
		host = emu_memory_at(&qpu->machine->memory,
				     qpu->uniform_addr & ~3u, sizeof(word));
		if (!host) {
			emu_fault(qpu,
				  "uniform read at 0x%08x is outside "
				  "memory",
				  qpu->uniform_addr);
			return false;
		}
		memcpy(&word, host, sizeof(word));
		qpu->uniforms_left -= qpu->uniforms_limited;
	} else {
		emu_report(qpu, QPU_RULE_UNIFORM_LIMIT);
	}
	qpu->uniform_addr += sizeof(word);
	broadcast(value, word);
	return true;
}

/* Each unit is read once, and files A and B get the same value. */
static void
read_file(struct emu_qpu *qpu, unsigned addr, bool file_b,
	  const emu_vec *uniform, const emu_vec *vpm, emu_vec *in)
{
	const struct machine *machine = qpu->machine;

	switch (addr) {
	case QPU_R_UNIF: *in = *uniform; break;
	case QPU_R_VPM: *in = *vpm; break;
	case QPU_R_VPM_BUSY:
		broadcast(in, file_b ? machine->vdw_busy : machine->vdr_busy);
		break;
	case QPU_R_MUTEX:
		*in = qpu->file[file_b ? EMU_SLOT_QPU : EMU_SLOT_ELEMENT];
		break;
	default: *in = qpu->file[EMU_SLOT_NOTHING]; break;
	}
}

static bool
read_ports(struct emu_qpu *qpu, const struct emu_op *op)
{
	emu_vec uniform = { 0 }, vpm = { 0 };

	if (op->ports & QPU_PORT_UNIFORM && !read_uniform(qpu, &uniform))
		return false;
	if (op->ports & QPU_PORT_VPM_READ &&
	    !emu_vpm_read(qpu->read_window, &qpu->vpm, &vpm)) {
		qpu->machine->registers.errors |= 1 << 5;
		emu_report(qpu, QPU_RULE_VPM_RANGE);
	}
	if (op->ports & QPU_PORT_MUTEX_ACQUIRE)
		qpu->machine->mutex = qpu->number;
	read_file(qpu, op->read_a, false, &uniform, &vpm,
		  &qpu->file[EMU_SLOT_IN_A]);
	read_file(qpu, op->read_b, true, &uniform, &vpm,
		  &qpu->file[EMU_SLOT_IN_B]);
	return true;
}

enum emu_stop
emu_port_before(struct emu_qpu *qpu, const struct emu_op *op)
{
	struct machine *machine = qpu->machine;

	if (!emu_fragment_allows(qpu, op)) {
		emu_qpu_refuse(qpu, op);
		return EMU_STOP_FAULT;
	}
	qpu->waits = emu_port_wait(qpu, op);
	if (qpu->waits)
		return EMU_STOP_STALL;
	if (op->ports & QPU_PORT_SEMA_UP)
		machine->semaphore[op->sema]++;
	if (op->ports & QPU_PORT_SEMA_DOWN)
		machine->semaphore[op->sema]--;
	if (op->ports & QPU_PORTS_READ && !read_ports(qpu, op))
		return EMU_STOP_FAULT;
	return EMU_STOP_BUDGET;
}

/* There is no MMU: a lookup outside of memory does not end anything. */
static void
write_tmu(struct emu_qpu *qpu, unsigned tmu, const emu_vec *value)
{
	struct machine *machine = qpu->machine;
	struct emu_tmu_fifo *fifo = tmu_fifo(qpu, tmu);
	emu_vec *words = emu_tmu_push(fifo);
	const unsigned unit = qpu->number / EMU_SLICE_QPUS * 2 +
			      emu_tmu_unit(qpu->number, qpu->noswap, tmu);
	unsigned outside, old = 0;

	machine->counters[MACHINE_COUNTER_TMU_QUADS] += EMU_LANES;
	if (machine->stale)
		outside = emu_stale_gather(machine->stale, machine, unit, value,
					   words, machine->check ? &old : NULL);
	else
		outside = emu_memory_gather(&machine->memory, value, words);
	if (machine->check)
		emu_race_lookup(qpu, value, old);
	if (fifo->count > EMU_TMU_RELIABLE)
		emu_report(qpu, QPU_RULE_TMU_DEPTH);
	if (outside) {
		const unsigned lane = __builtin_ctz(outside);

		emu_report_outside(qpu, (*value)[lane], lane);
	}
}

static bool
start_load(struct emu_qpu *qpu, uint32_t addr)
{
	struct machine *machine = qpu->machine;
	struct emu_transfer *transfer = &machine->transfer;

	if (addr & 3)
		emu_report(qpu, QPU_RULE_DMA_ALIGNMENT);
	const bool whole = emu_dma_load(&qpu->dma, &machine->memory,
					&machine->vpm, addr, transfer);

	if (machine->check)
		emu_check_transfer(qpu, false);
	if (whole)
		return true;
	emu_fault(qpu, "DMA load (VDR) at 0x%08x is outside memory",
		  transfer->bad);
	return false;
}

void
emu_stored(struct machine *machine, uint32_t bus_addr, uint32_t bytes)
{
	emu_code_invalidate(&machine->code, bus_addr, bytes);
	if (machine->check)
		emu_stale_store(machine->stale, bus_addr, bytes);
}

static bool
start_store(struct emu_qpu *qpu, uint32_t addr)
{
	struct machine *machine = qpu->machine;
	struct emu_transfer *transfer = &machine->transfer;
	bool whole;

	if (addr & 3)
		emu_report(qpu, QPU_RULE_DMA_ALIGNMENT);
	whole = emu_dma_store(&qpu->dma, &machine->memory, &machine->vpm, addr,
			      transfer);
	for (unsigned row = 0; row < transfer->rows; row++)
		emu_stored(machine, transfer->start + row * transfer->pitch,
			   transfer->row_bytes);
	if (machine->check)
		emu_check_transfer(qpu, true);
	if (whole)
		return true;
	emu_fault(qpu, "DMA store (VDW) at 0x%08x is outside memory",
		  transfer->bad);
	return false;
}

static void
write_setup(struct emu_qpu *qpu, bool store, uint32_t setup)
{
	const enum qpu_setup kind = qpu_setup_kind(store, setup);

	if (!emu_dma_setup(&qpu->dma, kind, setup))
		emu_report(qpu, QPU_RULE_DMA_PITCH);
	if (qpu->machine->check)
		emu_check_setup(qpu, kind);
	if (kind == QPU_SETUP_VPM_WRITE)
		emu_vpm_decode(setup, &qpu->vpm.write);
	else if (kind == QPU_SETUP_VPM_READ &&
		 !emu_vpm_setup_read(&qpu->vpm, setup))
		emu_report(qpu, QPU_RULE_VPM_READS);
}

/*
 * Through A lane 0 of each quad fills its quad, through B lane 0 fills all;
 * the source lane's condition governs, UNSURE(U12) for quads.
 */
static void
write_r5(struct emu_qpu *qpu, bool all, const emu_vec *value, unsigned lanes)
{
	emu_vec *r5 = &qpu->file[EMU_SLOT_R5];

	for (unsigned lane = 0; lane < EMU_LANES; lane++) {
		const unsigned from = all ? 0 : lane & ~3u;

		if (lanes >> from & 1)
			(*r5)[lane] = (*value)[from];
	}
}

static bool
write_port(struct emu_qpu *qpu, unsigned waddr, bool file_b,
	   const emu_vec *value, unsigned lanes)
{
	const uint32_t word = (*value)[0];

	switch (waddr) {
	case QPU_W_R5: write_r5(qpu, file_b, value, lanes); return true;
	case QPU_W_TMURS: qpu->noswap = word; return true;
	case QPU_W_IRQ:
		/* Writing zero does nothing. */
		if (lanes & ~emu_lanes_zero(value)) {
			qpu->machine->registers.irq |= 1u << qpu->number;
			qpu->machine->interrupts |= 1u << qpu->number;
			if (qpu->machine->check)
				emu_race_interrupt(qpu);
		}
		return true;
	case QPU_W_UNIF_ADDR:
		/* UNSURE(U3): absolute even through B. */
		qpu->uniform_addr = word;
		return true;
	case QPU_W_VPM:
		if (!emu_vpm_write(qpu->write_window, &qpu->vpm, value)) {
			qpu->machine->registers.errors |= 1 << 4;
			emu_report(qpu, QPU_RULE_VPM_RANGE);
		}
		return true;
	case QPU_W_VPM_SETUP: write_setup(qpu, file_b, word); return true;
	case QPU_W_VPM_ADDR:
		return file_b ? start_store(qpu, word) : start_load(qpu, word);
	case QPU_W_MUTEX:
		if (qpu->machine->mutex == qpu->number)
			qpu->machine->mutex = EMU_NO_QPU;
		return true;
	case QPU_W_T0S:
	case QPU_W_T1S: write_tmu(qpu, waddr == QPU_W_T1S, value); return true;
	case QPU_W_TLBM:
	case QPU_W_TLBC:
		emu_fragment_write(qpu, waddr, value, lanes);
		return true;
	default:
		emu_float_function(waddr, value, &qpu->file[EMU_SLOT_R4]);
		return true;
	}
}

static unsigned
written_lanes(const struct emu_qpu *qpu, const struct emu_op *op, unsigned mask)
{
	return op->after & EMU_AFTER_COND ? emu_lanes(&qpu->file[mask]) :
					    EMU_ALL_LANES;
}

/* A suppressed lane still goes to the port; only r5 and irq obey (R10). */
enum emu_stop
emu_port_after(struct emu_qpu *qpu, const struct emu_op *op)
{
	if (op->add.port != QPU_W_NOP &&
	    !write_port(qpu, op->add.port, op->add.in_b,
			&qpu->file[EMU_SLOT_OUT_ADD],
			written_lanes(qpu, op, EMU_SLOT_MASK_ADD)))
		return EMU_STOP_FAULT;
	if (op->mul.port != QPU_W_NOP &&
	    !write_port(qpu, op->mul.port, op->mul.in_b,
			&qpu->file[EMU_SLOT_OUT_MUL],
			written_lanes(qpu, op, EMU_SLOT_MASK_MUL)))
		return EMU_STOP_FAULT;
	/* The new r4 is for the next instruction. */
	if (op->ports & QPU_PORT_LDTMU0)
		emu_tmu_pop(tmu_fifo(qpu, 0), &qpu->file[EMU_SLOT_R4]);
	if (op->ports & QPU_PORT_LDTMU1)
		emu_tmu_pop(tmu_fifo(qpu, 1), &qpu->file[EMU_SLOT_R4]);
	if (op->ports & QPU_PORT_SIGNAL)
		emu_fragment_signal(qpu, op->signal);
	if (op->ports & QPU_PORT_END) {
		qpu->end_opened = true;
		return EMU_STOP_OPENED;
	}
	return EMU_STOP_BUDGET;
}
