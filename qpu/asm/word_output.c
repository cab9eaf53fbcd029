/* SPDX-License-Identifier: MIT */
/*
 * word_output: a growing array of words and the labels that point into it.
 */
#include "config.h"

#include "qpu/asm/word_output.h"

#include <string.h>

#include "qpu/asm/arena.h"
#include "qpu/asm/symbol.h"
#include "qpu/isa/isa.h"

/* The index of the next word. */
static size_t
next_word(const struct asm_output *output)
{
	return output->inserting ? output->insert_at : output->nwords;
}

int64_t
asm_output_addr(const struct asm_output *output)
{
	const size_t next = next_word(output);

	if (output->filled)
		return (int64_t)(next - 1) * QPU_INST_BYTES + output->filled;
	return (int64_t)next * QPU_INST_BYTES;
}

void
asm_output_label(struct asm_output *output, struct asm_label *label)
{
	ASM_ARENA_GROW(output->arena, output->pending, output->npending);
	output->pending[output->npending++] = label;
}

void
asm_output_bind(struct asm_output *output)
{
	for (size_t i = 0; i < output->npending; i++) {
		struct asm_label *label = output->pending[i];

		/* The address of the first pass is the one after .back. */
		if (!label->bound)
			label->addr = asm_output_addr(output);
		label->again = asm_output_addr(output);
		label->bound = true;
		ASM_ARENA_GROW(output->arena, output->bound, output->nbound);
		output->bound[output->nbound++] = label;
	}
	output->npending = 0;
}

void
asm_output_align(struct asm_output *output)
{
	output->filled = 0; /* the rest of the word is zero */
	asm_output_bind(output);
}

/* Move the labels after an inserted word; those at its address stay there. */
static void
shift_labels(struct asm_output *output, int64_t addr)
{
	for (size_t i = 0; i < output->nbound; i++) {
		struct asm_label *label = output->bound[i];

		if (label->again <= addr)
			continue;
		label->again += QPU_INST_BYTES;
		if (!output->again)
			label->addr = label->again;
	}
}

bool
asm_output_word(struct asm_output *output, const struct asm_word *word)
{
	if (output->nwords >= ASM_WORDS_MAX)
		return false;
	asm_output_align(output);
	ASM_ARENA_GROW(output->arena, output->words, output->nwords);

	size_t at = output->nwords;
	if (output->inserting) {
		at = output->insert_at++;
		memmove(&output->words[at + 1], &output->words[at],
			(output->nwords - at) * sizeof(*output->words));
		shift_labels(output, (int64_t)at * QPU_INST_BYTES);
	}
	output->words[at] = *word;
	output->words[at].fixed = output->fixed;
	output->words[at].align = output->align;
	output->align = 0;
	output->nwords++;
	return true;
}

void
asm_output_replace(struct asm_output *output, const struct asm_word *word)
{
	struct asm_word *last = &output->words[next_word(output) - 1];

	*last = *word;
	last->fixed = output->fixed;
}

bool
asm_output_data(struct asm_output *output, uint64_t value, unsigned nbytes,
		const struct asm_line *line)
{
	asm_output_bind(output);
	for (unsigned i = 0; i < nbytes; i++) {
		const uint64_t byte = value >> (8 * i) & 0xff;

		if (!output->filled) {
			const struct asm_word fresh = { .line = line };

			if (!asm_output_word(output, &fresh))
				return false;
		}
		output->words[next_word(output) - 1].word |=
			byte << (8 * output->filled);
		output->filled = (output->filled + 1) % QPU_INST_BYTES;
	}
	return true;
}

bool
asm_output_back(struct asm_output *output, size_t count)
{
	if (output->inserting || count > output->nwords)
		return false;
	asm_output_align(output);
	output->inserting = true;
	output->insert_at = output->nwords - count;
	return true;
}

void
asm_output_back_end(struct asm_output *output)
{
	output->inserting = false;
	output->filled = 0;
}
