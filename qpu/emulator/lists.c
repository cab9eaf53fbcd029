/* SPDX-License-Identifier: MIT */
/*
 * lists: reads the packets of control lists (pipe.h).
 */
#include "config.h"

#include "qpu/emulator/pipe.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "qpu/emulator/machine.h"
#include "qpu/emulator/timed.h"
#include "qpu/isa/packet.h"

enum { TURN = 4096 }; /* packets in a row */

static const struct row {
	uint8_t bytes;
	const char *lists, *name;
} rows[256] = {
#define PACKET(name, code, bytes, lists) [code] = { bytes, lists, #name },
#include "qpu/isa/packet.def"
};

static const char *const list_names[EMU_LISTS] = { "binning", "rendering" };

enum emu_progress
emu_list_fault(struct machine *machine, enum emu_list_number number,
	       const char *format, ...)
{
	struct emu_list *list = &machine->pipe->list[number];
	const uint8_t *code = emu_memory_at(&machine->memory, list->at, 1);
	char packet[64] = "", reason[160];
	va_list args;

	if (machine->dead)
		return EMU_PROGRESS_FAULT;
	machine->dead = true;
	machine->faulty = NULL;
	list->failed = true;
	list->running = false;
	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	if (code)
		snprintf(packet, sizeof(packet), " packet %u%s%s%s:", *code,
			 rows[*code].name ? " (" : "",
			 rows[*code].name ? rows[*code].name : "",
			 rows[*code].name ? ")" : "");
	diag_set(&machine->fault, "%s list at 0x%08x:%s %s", list_names[number],
		 list->at, packet, reason);
	return EMU_PROGRESS_FAULT;
}

/* Bytes of a packet with its code; 0: it is not known in this list. */
static unsigned
packet_bytes(struct machine *machine, enum emu_list_number number,
	     const uint8_t *at)
{
	const struct row *row = &rows[*at];
	const struct emu_list *list = &machine->pipe->list[number];

	if (!row->name ||
	    !(strchr(row->lists, number == EMU_LIST_BIN ? 'B' : 'R') ||
	      (number == EMU_LIST_RENDER && list->depth &&
	       strchr(row->lists, 'T'))))
		return 0;
	return row->bytes;
}

/* Branches, and what both lists wait for or tell the other. */
static enum emu_progress
control(struct machine *machine, enum emu_list_number number, unsigned packet,
	const uint8_t *bytes, uint32_t *next)
{
	struct emu_pipe *pipe = machine->pipe;
	struct emu_list *list = &pipe->list[number];

	switch (packet) {
	case PACKET_HALT:
		list->end = *next;
		list->depth = 0;
		return EMU_PROGRESS_DONE;
	case PACKET_BRANCH:
		*next = emu_word_at(bytes);
		return EMU_PROGRESS_DONE;
	case PACKET_BRANCH_TO_SUB_LIST:
		if (list->depth == EMU_LIST_DEPTH) {
			emu_list_fault(machine, number,
				       "sub-lists are nested too deeply");
			return EMU_PROGRESS_FAULT;
		}
		list->back[list->depth++] = *next;
		*next = emu_word_at(bytes);
		return EMU_PROGRESS_DONE;
	case PACKET_RETURN:
		if (!list->depth) {
			emu_list_fault(machine, number,
				       "there is no list to return to");
			return EMU_PROGRESS_FAULT;
		}
		*next = list->back[--list->depth];
		return EMU_PROGRESS_DONE;
	case PACKET_INCREMENT_SEMAPHORE:
		if (number == EMU_LIST_BIN)
			pipe->binner.increments++;
		else
			pipe->list[EMU_LIST_BIN].semaphore++;
		return EMU_PROGRESS_DONE;
	case PACKET_WAIT_ON_SEMAPHORE:
		if (!list->semaphore)
			return EMU_PROGRESS_WAIT;
		list->semaphore--;
		return EMU_PROGRESS_DONE;
	default: return EMU_PROGRESS_DONE; /* a nop */
	}
}

static bool
is_control(unsigned packet)
{
	return packet <= PACKET_NOP || packet == PACKET_INCREMENT_SEMAPHORE ||
	       packet == PACKET_WAIT_ON_SEMAPHORE ||
	       (packet >= PACKET_BRANCH && packet <= PACKET_RETURN);
}

/* One packet whose bytes are in memory. */
static enum emu_progress
execute(struct machine *machine, enum emu_list_number number,
	const uint8_t *bytes, uint32_t *next)
{
	struct emu_pipe *pipe = machine->pipe;
	const unsigned packet = *bytes++;
	const enum emu_state_item item = emu_state_of(packet);
	enum emu_progress progress;

	if (is_control(packet))
		return control(machine, number, packet, bytes, next);
	if (item < EMU_STATES) {
		progress = number == EMU_LIST_RENDER ?
				   emu_render_flush(machine) :
				   EMU_PROGRESS_DONE;
		if (progress == EMU_PROGRESS_DONE)
			emu_state_set(number == EMU_LIST_BIN ?
					      &pipe->binner.state :
					      &pipe->render.state,
				      item, bytes, rows[packet].bytes - 1u);
		return progress;
	}
	return number == EMU_LIST_BIN ?
		       emu_binner_packet(machine, packet, bytes) :
		       emu_render_packet(machine, packet, bytes);
}

/* The packet that the list is at; EMU_PROGRESS_DONE: it is at the next. */
static enum emu_progress
step(struct machine *machine, enum emu_list_number number)
{
	struct emu_list *list = &machine->pipe->list[number];
	const uint8_t *at = emu_memory_at(&machine->memory, list->at, 1);
	enum emu_progress progress;
	uint8_t packet[EMU_PACKET_BYTES];
	unsigned bytes;
	uint32_t next;

	if (!at) {
		emu_list_fault(machine, number, "it is outside memory");
		return EMU_PROGRESS_FAULT;
	}
	bytes = packet_bytes(machine, number, at);
	if (!bytes) {
		emu_list_fault(machine, number, "it is not known here");
		return EMU_PROGRESS_FAULT;
	}
	at = emu_memory_at(&machine->memory, list->at, bytes);
	if (!at) {
		emu_list_fault(machine, number, "it ends outside memory");
		return EMU_PROGRESS_FAULT;
	}
	/* This is a copy, since the binner may write where it is read. */
	memcpy(packet, at, bytes);
	next = list->at + bytes;
	progress = execute(machine, number, packet, &next);
	if (progress == EMU_PROGRESS_DONE)
		list->at = next;
	return progress;
}

uint64_t
emu_list_run(struct machine *machine, enum emu_list_number number)
{
	struct emu_list *list = &machine->pipe->list[number];
	uint64_t done = 0;

	while (list->running && done < TURN && !machine->dead) {
		if (list->at == list->end && !list->depth) {
			if (number == EMU_LIST_RENDER &&
			    emu_render_flush(machine) != EMU_PROGRESS_DONE)
				break;
			list->running = false;
			machine->pipe->list[EMU_LIST_RENDER].semaphore +=
				machine->pipe->binner.increments;
			machine->pipe->binner.increments = 0;
			return done + 1;
		}
		if (!emu_pipe_is_time(machine,
				      machine->pipe->list_free[number]) ||
		    step(machine, number) != EMU_PROGRESS_DONE)
			break;
		if (machine->timed)
			machine->pipe->list_free[number] =
				machine->pipe->now +
				emu_timed_packet(machine->timed);
		done++;
	}
	return done;
}
