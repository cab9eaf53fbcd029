/* SPDX-License-Identifier: MIT */
/*
 * code: the pages of decoded instructions (decode.h).
 */
#include "config.h"

#include "qpu/emulator/decode.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/isa/pack.h"

enum { PAGES = (MACHINE_BUS_MASK + 1u) / EMU_PAGE_BYTES };

bool
emu_code_init(struct emu_code *code)
{
	code->pages = calloc(PAGES, sizeof(*code->pages));
	return code->pages;
}

void
emu_code_free(struct emu_code *code)
{
	for (size_t i = 0; i < code->npages; i++) {
		free(code->list[i]->tally);
		free(code->list[i]);
	}
	free(code->list);
	free(code->pages);
	memset(code, 0, sizeof(*code));
}

static struct emu_page *
page_create(struct emu_code *code, uint32_t base, bool profile)
{
	struct emu_page *page = calloc(1, sizeof(*page));
	struct emu_page **list;

	if (!page)
		return NULL;
	if (profile) {
		page->tally = calloc(EMU_PAGE_OPS, sizeof(*page->tally));
		if (!page->tally)
			goto err;
	}
	list = realloc(code->list, (code->npages + 1) * sizeof(*list));
	if (!list)
		goto err;
	code->list = list;
	list[code->npages++] = page;
	page->base = base;
	page->ops[EMU_PAGE_OPS].kind = EMU_KIND_NEXT_PAGE;
	code->pages[base / EMU_PAGE_BYTES] = page;
	return page;
err:
	free(page->tally);
	free(page);
	return NULL;
}

struct emu_page *
emu_code_page(struct emu_code *code, struct emu_memory *memory, uint32_t addr,
	      bool profile)
{
	const uint32_t base = addr & MACHINE_BUS_MASK & ~(EMU_PAGE_BYTES - 1u);
	struct emu_page *page = code->pages[base / EMU_PAGE_BYTES];

	if (!emu_memory_at(memory, addr, QPU_INST_BYTES))
		return NULL;
	return page ? page : page_create(code, base, profile);
}

/*
 * Instructions at the end of a region may have no memory after them; that
 * matters only if they are executed (checklist 17).
 */
void
emu_code_decode(struct emu_page *page, struct emu_memory *memory,
		const struct emu_op *op)
{
	const size_t first = (size_t)(op - page->ops) & ~(EMU_LINE_OPS - 1ul);
	unsigned run = 0;

	for (size_t i = first + EMU_LINE_OPS; i-- > first;) {
		struct emu_op *decoded = &page->ops[i];
		const uint32_t addr = page->base + i * QPU_INST_BYTES;
		const uint8_t *bytes =
			emu_memory_at(memory, addr, QPU_INST_BYTES);

		page->words[i] = bytes ? qpu_word_load(bytes) : 0;
		emu_decode(page->words[i], addr, decoded);
		if (!bytes)
			decoded->kind = EMU_KIND_REFUSE;
		if (decoded->kind == EMU_KIND_BRANCH)
			run = !decoded->ports;
		else if (decoded->kind == EMU_KIND_REFUSE ||
			 decoded->ports & ~(uint32_t)EMU_PORTS_PRIVATE)
			run = 0;
		else
			run++;
		decoded->run = run;
	}
}

static void
forget_line(struct emu_page *page, size_t op)
{
	const size_t first = op & ~(EMU_LINE_OPS - 1ul);

	for (size_t i = first; i < first + EMU_LINE_OPS; i++)
		page->ops[i].kind = EMU_KIND_DECODE;
}

void
emu_code_invalidate(struct emu_code *code, uint32_t bus_addr, uint32_t bytes)
{
	const uint32_t first = bus_addr & MACHINE_BUS_MASK;
	const uint32_t last = first + bytes - 1;

	for (uint32_t addr = first & ~63u; bytes && addr <= last; addr += 64) {
		struct emu_page *page =
			addr <= MACHINE_BUS_MASK ?
				code->pages[addr / EMU_PAGE_BYTES] :
				NULL;

		if (page)
			forget_line(page, addr % EMU_PAGE_BYTES / 8);
	}
}

void
emu_code_revalidate(struct emu_code *code, struct emu_memory *memory)
{
	for (size_t n = 0; n < code->npages; n++) {
		struct emu_page *page = code->list[n];

		for (size_t i = 0; i < EMU_PAGE_OPS; i++) {
			const uint8_t *bytes;

			if (page->ops[i].kind == EMU_KIND_DECODE)
				continue;
			bytes = emu_memory_at(memory, page->base + i * 8, 8);
			if (!bytes || qpu_word_load(bytes) != page->words[i])
				forget_line(page, i);
		}
	}
}
