/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/graphics/vertex.h"

#include <string.h>

enum {
	RECORD_BYTES = 36,
	ATTRIBUTE_BYTES = 8,
	FLAG_SINGLE = 1,
	FLAG_CLIPPING = 4,
};

static void
read_attribute(const uint8_t *bytes, struct emu_attribute *attribute)
{
	attribute->base = emu_word_at(bytes);
	attribute->bytes = bytes[4] + 1u;
	attribute->stride = bytes[5];
	attribute->offset[EMU_SHADER_VERTEX] = bytes[6];
	attribute->offset[EMU_SHADER_COORDINATE] = bytes[7];
}

bool
emu_record_read(struct emu_memory *memory, uint32_t word,
		struct emu_record *record, uint32_t *bad)
{
	const unsigned n = word & 7 ? word & 7 : EMU_ATTRIBUTES;
	const uint32_t size = RECORD_BYTES + ATTRIBUTE_BYTES * n;
	const uint8_t *bytes;

	*bad = word & ~15u;
	bytes = emu_memory_at(memory, *bad, size);
	if (!bytes)
		return false;
	record->threaded = !(bytes[0] & FLAG_SINGLE);
	record->clipping = bytes[0] & FLAG_CLIPPING;
	for (unsigned i = 0; i < EMU_SHADERS; i++) {
		record->select[i] = bytes[2 + 12 * i];
		record->code[i] = emu_word_at(bytes + 4 + 12 * i);
		record->uniforms[i] = emu_word_at(bytes + 8 + 12 * i);
	}
	record->attributes = n;
	for (unsigned i = 0; i < n; i++)
		read_attribute(bytes + RECORD_BYTES + ATTRIBUTE_BYTES * i,
			       &record->attribute[i]);
	return true;
}

/* An attribute goes into whole words; what lies after row 63 is lost. */
static void
place(struct emu_vpm *window, unsigned offset, unsigned lane,
      const uint8_t *from, unsigned bytes)
{
	for (unsigned done = 0; done < bytes; done += 4) {
		const unsigned row = (offset + done) / 4;
		const unsigned n = bytes - done < 4 ? bytes - done : 4;
		uint32_t word = 0;

		memcpy(&word, from + done, n);
		if (row < EMU_VPM_ROWS)
			window->row[row][lane] = word;
	}
}

bool
emu_batch_fetch(struct emu_memory *memory, const struct emu_record *record,
		enum emu_shader shader, struct emu_batch *batch, uint32_t *bad)
{
	batch->in.rows = batch->out.rows = EMU_VPM_ROWS;
	for (unsigned i = 0; i < record->attributes; i++) {
		const struct emu_attribute *attribute = &record->attribute[i];

		if (!(record->select[shader] >> i & 1))
			continue;
		for (unsigned lane = 0; lane < batch->n; lane++) {
			const uint8_t *from;

			*bad = attribute->base +
			       batch->index[lane] * attribute->stride;
			from = emu_memory_at(memory, *bad, attribute->bytes);
			if (!from)
				return false;
			place(&batch->in, attribute->offset[shader], lane, from,
			      attribute->bytes);
		}
	}
	return true;
}
