/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/pipe.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "qpu/emulator/timed.h"
#include "qpu/isa/packet.h"

enum {
	TURN = 4096, /* packets of a list in a row */
	/* The binning mode: four samples of 32 bits, one buffer, and blocks of 32
	 * bytes for the first ones of tiles. */
	FLAG_SAMPLES = 1,
	FLAGS_MODELLED = 0x9b,
	BLOCK_BYTES = 32,
	/* Draws. */
	TRIANGLES = 4, /* of the modes of OpenGL */
	EXTENDED = 8,  /* of the address of a shader record */
	CONFIG_BOTH_SIDES = 3,
	CONFIG_DEPTH_OFFSET = 1 << 3,
	CONFIG_OVERSAMPLE_4X = 1 << 6,
	CONFIG_MODELLED = CONFIG_BOTH_SIDES | CONFIG_OVERSAMPLE_4X,
	/* Rendering mode; the rest is about images, which are not stored. */
	TARGET_SAMPLES = 1 << 0,
	TARGET_MODELLED = 0x4dd & ~TARGET_SAMPLES,
	/* A general store: which buffer, and whether the tile keeps its words. */
	GENERAL_BITS = 1 << 13 | 7,
	/* A full dump: its lowest bits say likewise. */
	FULL_NO_DEPTH = 2,
	FULL_BITS = 7,
	STORE_END = 8,	   /* of the frame, in either */
	PACKET_BYTES = 16, /* of the longest one */
	/* In place of a number of triangles, in the lists that the binner writes. */
	WINDOWS = 255,
};

bool
emu_pipe_busy(const struct emu_pipe *pipe)
{
	return pipe->list[EMU_BIN].running || pipe->list[EMU_RENDER].running ||
	       pipe->fragments || pipe->op_waits;
}

/* --- Control lists -------------------------------------------------------- */

static const struct row {
	uint8_t bytes;
	const char *lists, *name;
} rows[256] = {
#define PACKET(name, code, bytes, lists) [code] = { bytes, lists, #name },
#include "qpu/isa/packet.def"
};

static const char *const list_names[EMU_LISTS] = { "binning", "rendering" };

bool
emu_refuse(struct machine *machine, enum emu_list_number number,
	   const char *format, ...)
{
	struct emu_list *list = &machine->pipe->list[number];
	const uint8_t *code = emu_memory_at(&machine->memory, list->at, 1);
	const char *name = code ? rows[*code].name : NULL;
	char where[96], packet[32] = "", known[32] = "";
	va_list args;

	if (code)
		snprintf(packet, sizeof(packet), ": packet %u", *code);
	if (name)
		snprintf(known, sizeof(known), " (%s)", name);
	snprintf(where, sizeof(where), "%s list at 0x%08x%s%s",
		 list_names[number], list->at, packet, known);
	va_start(args, format);
	emu_machine_fault(machine, NULL, where, format, args);
	va_end(args);
	list->failed = true;
	list->running = false;
	return false;
}

void *
emu_named(struct machine *machine, enum emu_list_number number,
	  const char *what, uint32_t at, uint32_t bytes)
{
	void *host = emu_memory_at(&machine->memory, at, bytes);

	if (!host)
		emu_refuse(machine, number, "%s, at 0x%08x, is outside memory",
			   what, at);
	return host;
}

/* --- Packets of the binning list ----------------------------------------------- */

static bool
configure(struct machine *machine, const uint8_t *bytes)
{
	struct emu_binner *binner = &machine->pipe->binner;
	const unsigned flags = bytes[14];
	const uint32_t room = emu_word_at(bytes + 4);
	const uint32_t first = bytes[12] * bytes[13] * BLOCK_BYTES;

	if ((flags & FLAGS_MODELLED) != FLAG_SAMPLES)
		return emu_refuse(machine, EMU_BIN,
				  "flags 0x%02x are not modelled", flags);
	if (!first || room < first)
		return emu_refuse(
			machine, EMU_BIN,
			"it has no tiles, or memory for lists (%u bytes) is "
			"too small for the first blocks",
			room);
	binner->active = true;
	binner->lists = emu_word_at(bytes);
	binner->tiles_x = bytes[12];
	binner->tiles_y = bytes[13];
	binner->windows = binner->lists + first;
	binner->left = room - first;
	binner->nwindows = 0;
	return true;
}

/* The list of each tile gets all windows, from which the renderer takes its own. */
static bool
flush(struct machine *machine)
{
	struct emu_pipe *pipe = machine->pipe;
	struct emu_binner *binner = &pipe->binner;
	const unsigned tiles = binner->tiles_x * binner->tiles_y;
	uint8_t list[PACKET_BYTES_COMPRESSED_PRIMITIVE + 1] = {
		PACKET_COMPRESSED_PRIMITIVE, WINDOWS
	};

	memcpy(list + 2, &binner->windows, sizeof(binner->windows));
	memcpy(list + 6, &binner->nwindows, sizeof(binner->nwindows));
	list[PACKET_BYTES_COMPRESSED_PRIMITIVE] = PACKET_RETURN;
	for (unsigned i = 0; binner->active && i < tiles; i++) {
		void *host = emu_named(machine, EMU_BIN, "the list of a tile",
				       binner->lists + i * BLOCK_BYTES,
				       sizeof(list));

		if (!host)
			return false;
		memcpy(host, list, sizeof(list));
	}
	binner->active = false;
	pipe->list[EMU_RENDER].semaphore += binner->increments;
	binner->increments = 0;
	pipe->flushes++;
	pipe->interrupts |= V3D_INT_FLUSH_DONE;
	return true;
}

/* A draw of one triangle; the list's batch has its corners until it is done. */
static bool
draw(struct machine *machine, const uint8_t *bytes)
{
	struct emu_binner *binner = &machine->pipe->binner;
	const uint32_t count = emu_word_at(bytes + 1);

	if (!binner->active)
		return emu_refuse(machine, EMU_BIN,
				  "the binning mode is not set");
	if ((bytes[0] & 15) != TRIANGLES || binner->shader & EXTENDED ||
	    count != EMU_CORNERS || emu_word_at(bytes + 5) != 0 ||
	    (binner->configuration & (CONFIG_MODELLED | CONFIG_DEPTH_OFFSET)) !=
		    CONFIG_MODELLED)
		return emu_refuse(machine, EMU_BIN,
				  "only separate triangles are modelled, "
				  "one a draw, both sides, with four "
				  "samples");
	return emu_batch_shade(machine, EMU_BIN, binner->shader) &&
	       emu_window_add(machine);
}

/* --- Packets of the rendering list ---------------------------------------------- */

/* A full dump, or a store of nothing, as the kernel's driver has it after the clear
 * colours.  It waits while another operation of the tile has not had its turn. */
static bool
store(struct machine *machine, bool dumps, const uint8_t *bytes)
{
	struct emu_pipe *pipe = machine->pipe;
	const uint32_t full = emu_word_at(bytes);
	const unsigned bits = full & (dumps ? FULL_BITS : GENERAL_BITS);
	const uint32_t addr = dumps ? full : emu_word_at(bytes + 2);

	if (bits != (dumps ? FULL_NO_DEPTH : 0))
		return emu_refuse(machine, EMU_RENDER,
				  "bits 0x%04x are not modelled", bits);
	if (pipe->op_waits)
		return false;
	if (dumps && !emu_named(machine, EMU_RENDER, "the tile", addr & ~15u,
				sizeof(pipe->tile)))
		return false;
	pipe->op = (struct emu_tile_op){
		.dumps = dumps,
		.addr = addr & ~15u,
		.clear = pipe->render.clear,
		.end_of_frame = addr & STORE_END,
	};
	pipe->op_waits = true;
	pipe->ops++;
	return true;
}

/* A packet of the binning list; `bytes` follow its code. */
static bool
bin(struct machine *machine, unsigned packet, const uint8_t *bytes)
{
	struct emu_binner *binner = &machine->pipe->binner;

	switch (packet) {
	case PACKET_BINNING_MODE: return configure(machine, bytes);
	case PACKET_START_TILE_BINNING:
	case PACKET_NOP: break;
	case PACKET_INCREMENT_SEMAPHORE: binner->increments++; break;
	case PACKET_FLUSH:
	case PACKET_FLUSH_ALL: return flush(machine);
	case PACKET_ARRAY_PRIMITIVE: return draw(machine, bytes);
	case PACKET_GL_SHADER_STATE: binner->shader = emu_word_at(bytes); break;
	case PACKET_CONFIGURATION_BITS:
		binner->configuration = emu_word_at(bytes) & 0xffffff;
		break;
	case PACKET_CLIP_WINDOW:
		memcpy(binner->clip, bytes, sizeof(binner->clip));
		break;
	case PACKET_VIEWPORT_OFFSET:
		memcpy(binner->centre, bytes, sizeof(binner->centre));
		break;
	default:
		if (!strchr(rows[packet].lists, 'N'))
			return emu_refuse(machine, EMU_BIN,
					  "it is not modelled");
		break;
	}
	return true;
}

/* A packet of the rendering list or of the list of a tile.  It may change where the
 * list goes on. */
static bool
render(struct machine *machine, unsigned packet, const uint8_t *bytes,
       uint32_t *next)
{
	struct emu_render *render = &machine->pipe->render;
	struct emu_list *list = &machine->pipe->list[EMU_RENDER];
	const unsigned mode = bytes[8] | bytes[9] << 8;

	switch (packet) {
	case PACKET_NOP: break;
	case PACKET_WAIT_ON_SEMAPHORE:
		if (!list->semaphore)
			return false;
		list->semaphore--;
		break;
	case PACKET_BRANCH_TO_SUB_LIST:
		if (list->depth++)
			return emu_refuse(machine, EMU_RENDER,
					  "sub-lists are nested too deeply");
		list->back = *next;
		*next = emu_word_at(bytes);
		break;
	case PACKET_RETURN:
		if (!list->depth)
			return emu_refuse(machine, EMU_RENDER,
					  "there is no list to return to");
		list->depth = 0;
		*next = list->back;
		break;
	case PACKET_RENDERING_MODE:
		if ((mode & ~TARGET_MODELLED) != TARGET_SAMPLES)
			return emu_refuse(machine, EMU_RENDER,
					  "bits 0x%04x are not modelled", mode);
		break;
	case PACKET_CLEAR_COLORS: render->clear = emu_word_at(bytes); break;
	case PACKET_TILE_COORDINATES:
		render->tile_x = bytes[0];
		render->tile_y = bytes[1];
		break;
	case PACKET_COMPRESSED_PRIMITIVE:
		if (*bytes != WINDOWS)
			return emu_refuse(machine, EMU_RENDER,
					  "it is not what the binner "
					  "writes");
		render->windows = emu_word_at(bytes + 1);
		render->nwindows = emu_word_at(bytes + 5);
		break;
	case PACKET_STORE_FULL: return store(machine, true, bytes);
	case PACKET_STORE_GENERAL: return store(machine, false, bytes);
	default: return emu_refuse(machine, EMU_RENDER, "it is not modelled");
	}
	return true;
}

/* Execute the packet that the list is at; then it is at the next one. */
static bool
step(struct machine *machine, enum emu_list_number number)
{
	struct emu_list *list = &machine->pipe->list[number];
	const uint8_t *at = emu_memory_at(&machine->memory, list->at, 1);
	const struct row *row = at ? &rows[*at] : NULL;
	bool done;
	uint8_t packet[PACKET_BYTES] = { 0 };
	uint32_t next;

	if (!at)
		return emu_refuse(machine, number, "it is outside memory");
	if (!row->name || !strchr(row->lists, number == EMU_BIN ? 'B' : 'R'))
		return emu_refuse(machine, number, "it is not known here");
	at = emu_memory_at(&machine->memory, list->at, row->bytes);
	if (!at)
		return emu_refuse(machine, number, "it ends outside memory");
	/* This is a copy, since the binner may write where it is read. */
	memcpy(packet, at, row->bytes);
	next = list->at + row->bytes;
	if (number == EMU_BIN)
		done = bin(machine, *packet, packet + 1);
	else
		done = (*packet == PACKET_RETURN ||
			emu_windows_draw(machine)) &&
		       render(machine, *packet, packet + 1, &next);
	if (done)
		list->at = next;
	return done;
}

/* Execute packets of a list until it waits or ends; returns how many. */
static uint64_t
list_run(struct machine *machine, enum emu_list_number number)
{
	struct emu_list *list = &machine->pipe->list[number];
	uint64_t done = 0;

	while (list->running && done < TURN && !machine->dead) {
		if (list->at == list->end && !list->depth) {
			if (number == EMU_RENDER && !emu_windows_draw(machine))
				break;
			list->running = false;
			return done + 1;
		}
		if (!step(machine, number))
			break;
		done++;
	}
	return done;
}

uint64_t
emu_pipe_advance(struct machine *machine)
{
	uint64_t done = 0, before;

	do {
		before = done;
		while (!machine->dead && emu_tile_step(machine))
			done++;
		done += list_run(machine, EMU_BIN);
		done += list_run(machine, EMU_RENDER);
	} while (done != before && done < 4096 && !machine->dead);
	return done;
}

void
emu_pipe_ended(struct emu_qpu *qpu)
{
	struct emu_pipe *pipe = qpu->machine->pipe;

	if (qpu->kind == EMU_THREAD_VERTEX) {
		qpu->batch->phase = EMU_PHASE_SHADED;
		return;
	}
	qpu->fragment->active = false;
	pipe->fragments--;
	emu_timed_unlocked(qpu->machine);
}

void
emu_list_start(struct machine *machine, enum emu_list_number number,
	       uint32_t end)
{
	static const uint16_t everything[4] = { 0, 0, UINT16_MAX, UINT16_MAX };
	struct emu_pipe *pipe = machine->pipe;
	struct emu_list *list = &pipe->list[number];

	if (machine->dead)
		return;
	if (!list->running) {
		if (number == EMU_BIN) {
			pipe->binner.active = false;
			pipe->binner.shader = 0;
			pipe->binner.configuration = 0;
			memcpy(pipe->binner.clip, everything,
			       sizeof(everything));
		}
		emu_code_revalidate(&machine->code, &machine->memory);
	}
	list->end = end;
	list->depth = 0;
	list->running = true;
	list->failed = false;
}
