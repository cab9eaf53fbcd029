/* SPDX-License-Identifier: MIT */
/*
 * Promise: of all opcodes, those with an operand in memory that can be carried
 * out beside the registers are accepted, with their lengths, and no others.
 */
#include "config.h"

#include "qpu/virtual/mmio/x86.h"

#include <string.h>
#include <ucontext.h>

#include "qpu/virtual/mmio/step.h"
#include "tests/support/tap.h"

#ifdef STEP_X86

enum { ADDRESS = 0x12340 };

/*
 * By opcode: y accepted, n not, 0 only with the extension 0 in ModRM, 1 with 0
 * and 1, and - a prefix, an escape or an instruction without ModRM.
 */
static const char one_byte[] = "yyyynnnnyyyynnn-"
			       "yyyynnnnyyyynnnn"
			       "yyyynn-nyyyynn-n"
			       "yyyynn-nyyyynn-n"
			       "----------------"
			       "nnnnnnnnnnnnnnnn"
			       "nn-y----nynynnnn"
			       "nnnnnnnnnnnnnnnn"
			       "yynyyyyyyyyynnnn"
			       "nnnnnnnnnnnnnnnn"
			       "--------nn------"
			       "nnnnnnnnnnnnnnnn"
			       "yynn--00nnnnnnnn"
			       "yyyynnnnyyyyyyyy"
			       "nnnnnnnnnnnnnnnn"
			       "-n--nnyynnnnnn11";

/* Behind 0x0f: all but push, pop and the tests of bits anywhere. */
static const char two_bytes[] = "yyyyyyyyyyyyyyyy"
				"yyyyyyyyyyyyyyyy"
				"yyyyyyyyyyyyyyyy"
				"yyyyyyyy-y-yyyyy"
				"yyyyyyyyyyyyyyyy"
				"yyyyyyyyyyyyyyyy"
				"yyyyyyyyyyyyyyyy"
				"yyyyyyyyyyyyyyyy"
				"yyyyyyyyyyyyyyyy"
				"yyyyyyyyyyyyyyyy"
				"nnynyyyynnynyyyy"
				"yyynyyyyyyynyyyy"
				"yyyyyyyyyyyyyyyy"
				"yyyyyyyyyyyyyyyy"
				"yyyyyyyyyyyyyyyy"
				"yyyyyyyyyyyyyyyy";

/* Are there so many bytes of an immediate operand? */
struct immediate {
	uint8_t first, last;
	unsigned bytes, extensions; /* of ModRM, below this */
};

static const struct immediate one_byte_immediates[] = {
	{ 0x69, 0x69, 4, 8 }, { 0x6b, 0x6b, 1, 8 }, { 0x80, 0x80, 1, 8 },
	{ 0x81, 0x81, 4, 8 }, { 0x83, 0x83, 1, 8 }, { 0xc0, 0xc1, 1, 8 },
	{ 0xc6, 0xc6, 1, 8 }, { 0xc7, 0xc7, 4, 8 }, { 0xf6, 0xf6, 1, 2 },
	{ 0xf7, 0xf7, 4, 2 }, { 0, 0, 0, 0 },
};

static const struct immediate two_bytes_immediates[] = {
	{ 0x70, 0x73, 1, 8 }, { 0xa4, 0xa4, 1, 8 }, { 0xac, 0xac, 1, 8 },
	{ 0xba, 0xba, 1, 8 }, { 0xc2, 0xc2, 1, 8 }, { 0xc4, 0xc6, 1, 8 },
	{ 0, 0, 0, 0 },
};

/* What stores whole words and reads none. */
static const uint8_t one_byte_stores[] = { 0x89, 0xc7, 0 };
static const uint8_t two_bytes_stores[] = { 0x11, 0x13, 0x17, 0x29, 0x2b, 0x7e,
					    0x7f, 0xc3, 0xd6, 0xe7, 0 };

struct opcode_map {
	const char *name, *accepted;
	const struct immediate *immediates;
	const uint8_t *stores;
	bool escape; /* 0x0f comes first */
};

static unsigned
immediate_of(const struct opcode_map *map, unsigned opcode, unsigned extension)
{
	for (const struct immediate *row = map->immediates; row->bytes; row++)
		if (opcode >= row->first && opcode <= row->last &&
		    extension < row->extensions)
			return row->bytes;
	return 0;
}

static bool
is_accepted(char mark, unsigned extension)
{
	return mark == 'y' || (mark == '0' && extension == 0) ||
	       (mark == '1' && extension < 2);
}

/* With the operand at rbx. */
static bool
decodes_well(const struct opcode_map *map, unsigned opcode, unsigned extension)
{
	const bool accepted = is_accepted(map->accepted[opcode], extension);
	const bool stores = strchr((const char *)map->stores, (int)opcode);
	const unsigned length =
		2 + map->escape + immediate_of(map, opcode, extension);
	struct x86_access access;
	uint8_t code[16] = { 0x0f };
	mcontext_t machine;

	memset(&machine, 0, sizeof(machine));
	code[map->escape] = (uint8_t)opcode;
	code[map->escape + 1] = (uint8_t)(extension << 3 | 3);
	machine.gregs[REG_RIP] = (greg_t)(uintptr_t)code;
	machine.gregs[REG_RBX] = ADDRESS;
	if (x86_decode(&access, &machine) != accepted)
		return false;
	return !accepted ||
	       (access.length == length && access.address == ADDRESS &&
		access.code_length == length + 4 &&
		access.displacement == 2 + map->escape &&
		access.whole_words == (stores && opcode != 0));
}

static void
test_map(const struct opcode_map *map)
{
	unsigned wrong = 0;

	for (unsigned opcode = 0; opcode < 256; opcode++)
		for (unsigned extension = 0; extension < 8; extension++) {
			if (map->accepted[opcode] == '-' ||
			    decodes_well(map, opcode, extension))
				continue;
			wrong++;
			tap_note("%s %02x /%u", map->name, opcode, extension);
		}
	ok(wrong == 0, "%s: accepted, refused, and how long they are",
	   map->name);
}

int
main(void)
{
	const struct opcode_map maps[] = {
		{ "opcodes of one byte", one_byte, one_byte_immediates,
		  one_byte_stores, false },
		{ "opcodes behind 0f", two_bytes, two_bytes_immediates,
		  two_bytes_stores, true },
	};

	for (unsigned i = 0; i < 2; i++)
		test_map(&maps[i]);
	return tap_done();
}

#else

int
main(void)
{
	tap_skip("for x86-64 only");
	return tap_done();
}

#endif
