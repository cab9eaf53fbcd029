/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/pipe.h"

#include <string.h>

#include "qpu/abi/v3d.h"
#include "qpu/emulator/machine.h"
#include "qpu/isa/packet.h"

enum {
	FLAG_SAMPLES = 1,
	FLAG_64_BIT = 2,
	FLAG_DOUBLE_BUFFER = 128,
	TRIANGLES = 4, /* of the modes of OpenGL */
	EXTENDED = 8,  /* of the address of a shader record */
	/* Bits of the configuration. */
	CONFIG_FRONT = 1 << 0,
	CONFIG_BACK = 1 << 1,
	CONFIG_CLOCKWISE = 1 << 2, /* are the front */
	CONFIG_DEPTH_OFFSET = 1 << 3,
	CONFIG_OVERSAMPLE_4X = 1 << 6,
	CONFIG_MODELLED = CONFIG_FRONT | CONFIG_BACK | CONFIG_OVERSAMPLE_4X,
};

static enum emu_progress
fault(struct machine *machine, const char *what)
{
	return emu_list_fault(machine, EMU_LIST_BIN, "%s", what);
}

/* --- The binning list ------------------------------------------------------- */

static enum emu_progress
configure(struct machine *machine, const uint8_t *bytes)
{
	struct emu_binner *binner = &machine->pipe->binner;
	const unsigned flags = bytes[14];
	const uint32_t room = emu_word_at(bytes + 4);
	const uint32_t first =
		bytes[12] * bytes[13] * (32u << (flags >> 3 & 3));

	if ((flags & (FLAG_SAMPLES | FLAG_64_BIT | FLAG_DOUBLE_BUFFER)) !=
	    FLAG_SAMPLES)
		return emu_list_fault(machine, EMU_LIST_BIN,
				      "flags 0x%02x are not modelled", flags);
	if (!first)
		return fault(machine, "it has no tiles");
	if (room < first)
		return emu_list_fault(
			machine, EMU_LIST_BIN,
			"memory for lists (%u bytes) is too small for the "
			"first blocks",
			room);
	binner->lists = emu_word_at(bytes);
	binner->tiles_x = bytes[12];
	binner->tiles_y = bytes[13];
	binner->block = 32u << (flags >> 3 & 3);
	binner->windows = binner->lists + first;
	binner->left = room - first;
	binner->nwindows = 0;
	binner->configured = true;
	return EMU_PROGRESS_DONE;
}

/* Write the list of each tile: all windows, from which the renderer takes its
 * own. */
static enum emu_progress
write_lists(struct machine *machine)
{
	const struct emu_binner *binner = &machine->pipe->binner;
	uint8_t list[PACKET_BYTES_COMPRESSED_PRIMITIVE + 1] = {
		PACKET_COMPRESSED_PRIMITIVE, EMU_WINDOWS
	};

	memcpy(list + 2, &binner->windows, sizeof(binner->windows));
	memcpy(list + 6, &binner->nwindows, sizeof(binner->nwindows));
	list[PACKET_BYTES_COMPRESSED_PRIMITIVE] = PACKET_RETURN;
	for (unsigned i = 0; i < binner->tiles_x * binner->tiles_y; i++) {
		const uint32_t at = binner->lists + i * binner->block;
		void *host = emu_memory_at(&machine->memory, at, sizeof(list));

		if (!host)
			return emu_list_fault(machine, EMU_LIST_BIN,
					      "the list of a tile, at 0x%08x, "
					      "is outside memory",
					      at);
		memcpy(host, list, sizeof(list));
	}
	return EMU_PROGRESS_DONE;
}

/* All lists end here, and the renderer may go on. */
static enum emu_progress
flush(struct machine *machine)
{
	struct emu_pipe *pipe = machine->pipe;
	struct emu_binner *binner = &pipe->binner;

	if (binner->active && write_lists(machine))
		return EMU_PROGRESS_FAULT;
	binner->active = false;
	pipe->list[EMU_LIST_RENDER].semaphore += binner->increments;
	binner->increments = 0;
	pipe->flushes++;
	pipe->interrupts |= V3D_INT_FLUSH_DONE;
	return EMU_PROGRESS_DONE;
}

/* --- Triangles --------------------------------------------------------------- */

/* Shrink what is drawn to the clip window and to whole tiles; return whether
 * anything is left. */
static bool
find_box(const struct emu_binner *binner, struct emu_window *window)
{
	const unsigned size[2] = { binner->tiles_x * EMU_TILE_SIDE,
				   binner->tiles_y * EMU_TILE_SIDE };
	bool any = true;

	for (unsigned i = 0; i < 2; i++) {
		const unsigned low = binner->clips ? binner->clip[i] : 0;
		const unsigned high =
			binner->clips ? low + binner->clip[i + 2] : size[i];

		window->low[i] = (uint16_t)low;
		window->high[i] = (uint16_t)(high < size[i] ? high : size[i]);
		any = any && window->low[i] < window->high[i];
	}
	return any;
}

static int64_t
side_of(const int32_t a[2], const int32_t b[2], const int32_t at[2])
{
	return (int64_t)(b[0] - a[0]) * (at[1] - a[1]) -
	       (int64_t)(b[1] - a[1]) * (at[0] - a[0]);
}

/* Return true if the triangle covers its window: the window's corners are on one
 * side of each edge.  The side that it is seen from is kept. */
static bool
covers(struct emu_window *window, const struct emu_binner *binner)
{
	int32_t corner[EMU_CORNERS][2];
	unsigned inside[2] = { 0, 0 };

	for (unsigned i = 0; i < EMU_CORNERS; i++)
		for (unsigned k = 0; k < 2; k++)
			corner[i][k] = (int16_t)(window->xy[i] >> 16 * k) +
				       binner->centre[k];
	for (unsigned i = 0; i < 4 * EMU_CORNERS; i++) {
		const unsigned edge = i / 4;
		const int32_t at[2] = {
			EMU_PIXEL * (i & 1 ? window->high[0] : window->low[0]),
			EMU_PIXEL * (i & 2 ? window->high[1] : window->low[1]),
		};
		const int64_t side = side_of(
			corner[edge], corner[(edge + 1) % EMU_CORNERS], at);

		inside[0] += side <= 0;
		inside[1] += side >= 0;
	}
	window->back = (side_of(corner[0], corner[1], corner[2]) > 0) ==
		       !!(binner->configuration & CONFIG_CLOCKWISE);
	return inside[0] == 4 * EMU_CORNERS || inside[1] == 4 * EMU_CORNERS;
}

/* A corner as the coordinate shader left it: X, Y, Z, W, then the place. */
static bool
is_cut(const struct emu_vpm *out, unsigned lane)
{
	float z, w;

	memcpy(&z, (const uint32_t *)&out->row[2] + lane, sizeof(z));
	memcpy(&w, (const uint32_t *)&out->row[3] + lane, sizeof(w));
	return !(w > 0 && z <= w && -z <= w);
}

/* The triangle was shaded: keep its window for the renderer. */
static enum emu_progress
add_window(struct machine *machine)
{
	struct emu_binner *binner = &machine->pipe->binner;
	const struct emu_vpm *out = &binner->batch.out;
	struct emu_window window = { .shader = binner->shader,
				     .first = binner->batch.index[0] };
	const uint32_t at = binner->windows + binner->nwindows * sizeof(window);
	void *host;

	for (unsigned i = 0; i < EMU_CORNERS; i++) {
		window.xy[i] = out->row[EMU_ROW_CLIP][i];
		if (binner->record.clipping && is_cut(out, i))
			return fault(machine, "triangles that have to be cut "
					      "are not modelled");
	}
	if (!find_box(binner, &window))
		return EMU_PROGRESS_DONE;
	if (!covers(&window, binner))
		return fault(machine, "only triangles that cover their window "
				      "are modelled");
	if (binner->left < sizeof(window))
		return fault(machine, "memory for lists is too small");
	host = emu_memory_at(&machine->memory, at, sizeof(window));
	if (!host)
		return emu_list_fault(
			machine, EMU_LIST_BIN,
			"the list of a tile, at 0x%08x, is outside memory", at);
	memcpy(host, &window, sizeof(window));
	binner->left -= sizeof(window);
	binner->nwindows++;
	return EMU_PROGRESS_DONE;
}

/* A draw of one triangle; the batch has its corners until it is done. */
static enum emu_progress
draw(struct machine *machine, const uint8_t *bytes)
{
	struct emu_binner *binner = &machine->pipe->binner;
	struct emu_batch *batch = &binner->batch;
	const uint32_t count = emu_word_at(bytes + 1);
	enum emu_progress progress;

	if (!binner->active || !binner->has_shader)
		return fault(machine, "the shaders are not set, or binning has "
				      "not begun");
	if ((bytes[0] & 15) != TRIANGLES || binner->shader & EXTENDED ||
	    count / EMU_CORNERS > 1 ||
	    (binner->configuration & (CONFIG_MODELLED | CONFIG_DEPTH_OFFSET)) !=
		    CONFIG_MODELLED)
		return fault(machine, "only separate triangles are modelled, "
				      "one a draw, both sides, with four "
				      "samples");
	if (count < EMU_CORNERS)
		return EMU_PROGRESS_DONE;
	if (batch->phase == EMU_PHASE_EMPTY &&
	    !(emu_record_read(machine, EMU_LIST_BIN, binner->shader,
			      &binner->record) &&
	      emu_batch_fetch(machine, EMU_LIST_BIN, &binner->record,
			      EMU_SHADER_COORDINATE, emu_word_at(bytes + 5),
			      batch)))
		return EMU_PROGRESS_FAULT;
	progress = emu_batch_shade(machine, EMU_SHADER_COORDINATE,
				   &binner->record, batch);
	if (progress)
		return progress;
	batch->phase = EMU_PHASE_EMPTY;
	return add_window(machine);
}

enum emu_progress
emu_binner_packet(struct machine *machine, unsigned packet,
		  const uint8_t *bytes)
{
	struct emu_binner *binner = &machine->pipe->binner;

	switch (packet) {
	case PACKET_BINNING_MODE: return configure(machine, bytes);
	case PACKET_START_TILE_BINNING:
		if (!binner->configured)
			return fault(machine, "the binning mode is not set");
		binner->active = true;
		return EMU_PROGRESS_DONE;
	case PACKET_FLUSH:
	case PACKET_FLUSH_ALL: return flush(machine);
	case PACKET_ARRAY_PRIMITIVE: return draw(machine, bytes);
	case PACKET_GL_SHADER_STATE:
		binner->has_shader = true;
		binner->shader = emu_word_at(bytes);
		return EMU_PROGRESS_DONE;
	case PACKET_CONFIGURATION_BITS:
		binner->configuration = emu_word_at(bytes) & 0xffffff;
		return EMU_PROGRESS_DONE;
	case PACKET_CLIP_WINDOW:
		binner->clips = true;
		memcpy(binner->clip, bytes, sizeof(binner->clip));
		return EMU_PROGRESS_DONE;
	case PACKET_VIEWPORT_OFFSET:
		memcpy(binner->centre, bytes, sizeof(binner->centre));
		return EMU_PROGRESS_DONE;
	case PACKET_FLAT_SHADE:
	case PACKET_POINT_SIZE:
	case PACKET_LINE_WIDTH:
	case PACKET_DEPTH_OFFSET:
	case PACKET_PRIMITIVE_FORMAT:
	case PACKET_RHT_X_BOUNDARY:
	case PACKET_Z_CLIPPING:
	case PACKET_CLIPPER_XY:
	case PACKET_CLIPPER_Z:
		return EMU_PROGRESS_DONE; /* without effect here */
	default: return fault(machine, "it is not modelled");
	}
}
