/* SPDX-License-Identifier: MIT */
/* x86: prefixes, opcode, ModRM and SIB, displacement, immediate (2.1-2.7). */
#include "config.h"

#include "qpu/virtual/mmio/x86.h"

#include <string.h>

#include "qpu/virtual/mmio/step.h"

#ifdef STEP_X86

/* Opcode maps as VEX and EVEX number them (2.3.6.1, 2.7.1). */
enum { MAP_ONE_BYTE, MAP_0F, MAP_0F38, MAP_0F3A };

enum { RIP_RELATIVE = 5, HAS_SIB = 4, NO_INDEX = 4 };

struct inst {
	const uint8_t *start, *at;
	struct x86_access *out;
	bool operand16, address32;
	bool segment;	/* fs or gs: base unknown */
	uint8_t repeat; /* 0xf2, 0xf3 or 0 */
	bool rex_w, rex_x, rex_b;
	bool vector;	/* VEX of three bytes or EVEX */
	bool masked;	/* EVEX with a mask register */
	unsigned scale; /* of an EVEX disp8 (2.7.5) */
	unsigned map;
	uint8_t opcode;
};

/* The registers in the order of their numbers. */
static const uint8_t registers[16] = {
	REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
	REG_R8,	 REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

static void
emit(struct inst *inst, uint8_t byte)
{
	struct x86_access *out = inst->out;

	if (out->code_length < X86_CODE_BYTES)
		out->code[out->code_length++] = byte;
}

/* The next byte, into the rewritten instruction too. */
static uint8_t
take(struct inst *inst)
{
	emit(inst, *inst->at);
	return *inst->at++;
}

/* Prefixes of addresses are dropped, all others stay. */
static void
take_prefixes(struct inst *inst)
{
	for (;;) {
		switch (*inst->at) {
		case 0x64:
		case 0x65:
			inst->segment = true;
			inst->at++;
			break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e: inst->at++; break;
		case 0x67:
			inst->address32 = true;
			inst->at++;
			break;
		case 0x66:
			inst->operand16 = true;
			take(inst);
			break;
		case 0xf2:
		case 0xf3: inst->repeat = take(inst); break;
		case 0xf0: take(inst); break;
		default: return;
		}
	}
}

static void
take_rex(struct inst *inst)
{
	if ((*inst->at & 0xf0) != 0x40)
		return;
	const uint8_t rex = take(inst);
	inst->rex_w = rex & 8;
	inst->rex_x = rex & 2;
	inst->rex_b = rex & 1;
}

/* The bits X and B of VEX and EVEX are those of REX upside down. */
static void
take_vector_bits(struct inst *inst, unsigned map_bits)
{
	const uint8_t bits = take(inst);

	inst->vector = true;
	inst->rex_x = !(bits & 0x40);
	inst->rex_b = !(bits & 0x20);
	inst->map = bits & map_bits;
}

/*
 * The displacement of eight bits counts vectors, or elements if one is
 * broadcast (2.7.5).  Other kinds of scale exist; an address that they spoil
 * is noticed by its distance from that of the fault.
 */
static void
take_evex(struct inst *inst)
{
	take_vector_bits(inst, 7);
	const bool wide = take(inst) & 0x80;
	const uint8_t bits = take(inst);

	inst->masked = bits & 7;
	inst->scale = 16U << (bits >> 5 & 3);
	if (bits & 0x10)
		inst->scale = wide ? 8 : 4;
}

static void
take_map(struct inst *inst)
{
	const uint8_t escape = *inst->at;

	inst->scale = 1;
	switch (escape) {
	case 0xc5:
		take(inst);
		take(inst);
		inst->map = MAP_0F;
		return;
	case 0xc4:
		take(inst);
		take_vector_bits(inst, 31);
		take(inst);
		return;
	case 0x62:
		take(inst);
		take_evex(inst);
		return;
	case 0x0f:
		take(inst);
		inst->map = MAP_0F;
		if (*inst->at == 0x38 || *inst->at == 0x3a)
			inst->map = take(inst) == 0x38 ? MAP_0F38 : MAP_0F3A;
		return;
	default: inst->map = MAP_ONE_BYTE;
	}
}

/* The opcodes of one byte with one operand in memory that we accept. */
static bool
accepts_one_byte(uint8_t opcode, unsigned extension)
{
	switch (opcode) {
	case 0x63:
	case 0x69:
	case 0x6b: /* movsxd, imul */
	case 0x80:
	case 0x81:
	case 0x83:	    /* add to cmp */
	case 0x84 ... 0x8b: /* test, xchg, mov */
	case 0xc0:
	case 0xc1:
	case 0xd0 ... 0xd3: /* shifts */
	case 0xd8 ... 0xdf: /* x87 */
	case 0xf6:
	case 0xf7: /* test to idiv */ return true;
	case 0xc6:
	case 0xc7: /* mov */ return extension == 0;
	case 0xfe:
	case 0xff: /* inc, dec */ return extension < 2;
	default: /* add to cmp */ return opcode < 0x40 && (opcode & 7) < 4;
	}
}

static bool
accepts(const struct inst *inst, unsigned extension)
{
	switch (inst->map) {
	case MAP_ONE_BYTE: return accepts_one_byte(inst->opcode, extension);
	case MAP_0F:
		switch (inst->opcode) {
		case 0xa0:
		case 0xa1:
		case 0xa8:
		case 0xa9: /* push, pop */
		case 0xa3:
		case 0xab:
		case 0xb3:
		case 0xbb: /* bt to btc */ return false;
		}
		return true;
	case MAP_0F38:
		return !inst->vector || /* gathers */
		       ((inst->opcode < 0x90 || inst->opcode > 0x93) &&
			(inst->opcode < 0xa0 || inst->opcode > 0xa3) &&
			(inst->opcode < 0xc6 || inst->opcode > 0xc7));
	default: return true;
	}
}

/* Does it store words, all of them, and read nothing? */
static bool
stores_words(const struct inst *inst)
{
	if (inst->operand16 && inst->map == MAP_ONE_BYTE)
		return false;
	if (inst->map == MAP_ONE_BYTE)
		return inst->opcode == 0x89 || inst->opcode == 0xc7;
	if (inst->map != MAP_0F || inst->masked)
		return false;
	switch (inst->opcode) {
	case 0x11:
	case 0x13:
	case 0x17:
	case 0x29:
	case 0x2b: /* movups... */
	case 0x7e:
	case 0x7f:
	case 0xd6:
	case 0xe7: /* movd... */
	case 0xc3: /* movnti */ return true;
	default: return false;
	}
}

static unsigned
immediate_bytes(const struct inst *inst, unsigned extension)
{
	const unsigned word = inst->operand16 ? 2 : 4;

	switch (inst->map) {
	case MAP_ONE_BYTE:
		switch (inst->opcode) {
		case 0x69:
		case 0x81:
		case 0xc7: return word;
		case 0x6b:
		case 0x80:
		case 0x83:
		case 0xc0:
		case 0xc1:
		case 0xc6: return 1;
		case 0xf6: return extension < 2 ? 1 : 0;
		case 0xf7: return extension < 2 ? word : 0;
		}
		return 0;
	case MAP_0F:
		switch (inst->opcode) {
		case 0x70 ... 0x73:
		case 0xa4:
		case 0xac:
		case 0xba:
		case 0xc2:
		case 0xc4 ... 0xc6: return 1;
		}
		return 0;
	case MAP_0F3A: return 1;
	default: return 0;
	}
}

static uint64_t
register_value(const mcontext_t *machine, unsigned number, bool upper)
{
	return (uint64_t)machine->gregs[registers[number + 8 * upper]];
}

/* A little-endian number with a sign, of one or four bytes. */
static int64_t
skip_number(struct inst *inst, unsigned bytes)
{
	int32_t value = (int8_t)inst->at[0];

	if (bytes == 4)
		memcpy(&value, inst->at, 4);
	inst->at += bytes;
	return value;
}

/* SIB and displacement (2.1.5); the address but for what follows rip. */
static uint64_t
skip_address(struct inst *inst, const mcontext_t *machine, uint8_t modrm)
{
	const unsigned mode = modrm >> 6;
	unsigned base = modrm & 7;
	uint64_t address = 0;

	if (base == HAS_SIB) {
		const uint8_t sib = *inst->at++;
		const unsigned index = sib >> 3 & 7;
		base = sib & 7;
		if (index != NO_INDEX || inst->rex_x)
			address = register_value(machine, index, inst->rex_x)
				  << (sib >> 6);
		if (mode == 0 && base == 5)
			return address + (uint64_t)skip_number(inst, 4);
	} else if (mode == 0 && base == RIP_RELATIVE) {
		return (uint64_t)skip_number(inst, 4);
	}
	address += register_value(machine, base, inst->rex_b);
	if (mode == 1)
		address += (uint64_t)(skip_number(inst, 1) * inst->scale);
	else if (mode == 2)
		address += (uint64_t)skip_number(inst, 4);
	return address;
}

/* From ModRM on. */
static bool
rewrite(struct inst *inst, const mcontext_t *machine)
{
	struct x86_access *out = inst->out;
	const uint8_t modrm = *inst->at++;
	const unsigned extension = modrm >> 3 & 7;

	if (modrm >> 6 == 3 || !accepts(inst, extension))
		return false;

	uint64_t address = skip_address(inst, machine, modrm);
	emit(inst, (modrm & 0x38) | RIP_RELATIVE);
	out->displacement = out->code_length;
	out->code_length += 4;
	for (unsigned n = immediate_bytes(inst, extension); n > 0; n--)
		take(inst);
	if ((modrm & 0xc7) == RIP_RELATIVE)
		address += (uintptr_t)inst->at;
	if (inst->address32)
		address = (uint32_t)address;
	out->address = inst->segment ? 0 : address;
	out->whole_words = stores_words(inst);
	return true;
}

/* mov between rax and an address of eight bytes: the ModRM form of it. */
static bool
rewrite_absolute(struct inst *inst)
{
	static const uint8_t with_modrm[4] = { 0x8a, 0x8b, 0x88, 0x89 };
	struct x86_access *out = inst->out;
	uint64_t address;

	if (inst->address32)
		return false;
	inst->opcode = with_modrm[inst->opcode - 0xa0];
	out->code[out->code_length - 1] = inst->opcode;
	emit(inst, RIP_RELATIVE);
	out->displacement = out->code_length;
	out->code_length += 4;
	memcpy(&address, inst->at, 8);
	inst->at += 8;
	out->address = inst->segment ? 0 : address;
	out->whole_words = stores_words(inst);
	return true;
}

static bool
is_string(uint8_t opcode)
{
	return (opcode >= 0xa4 && opcode <= 0xa7) ||
	       (opcode >= 0xaa && opcode <= 0xaf);
}

static bool
rewrite_string(struct inst *inst)
{
	struct x86_access *out = inst->out;
	const uint8_t kind = inst->opcode & 0xfe;
	const bool compares = kind == 0xa6 || kind == 0xae;

	if (inst->segment || inst->address32)
		return false;
	out->string_bytes = !(inst->opcode & 1) ? 1 :
			    inst->rex_w		? 8 :
			    inst->operand16	? 2 :
						  4;
	out->source = kind == 0xa4 || kind == 0xa6 || kind == 0xac;
	out->target = kind != 0xac;
	out->target_stored = kind == 0xa4 || kind == 0xaa;
	if (inst->repeat)
		out->repeat = !compares		   ? X86_REPEAT :
			      inst->repeat == 0xf3 ? X86_REPEAT_EQUAL :
						     X86_REPEAT_UNEQUAL;

	out->code_length = 0;
	if (out->string_bytes == 2)
		emit(inst, 0x66);
	else if (out->string_bytes == 8)
		emit(inst, 0x48);
	emit(inst, inst->opcode);
	return true;
}

bool
x86_decode(struct x86_access *access, const mcontext_t *machine)
{
	const uint8_t *const rip = (const void *)machine->gregs[REG_RIP];
	struct inst inst = { .start = rip, .at = rip, .out = access };
	bool accepted;

	memset(access, 0, sizeof(*access));
	take_prefixes(&inst);
	take_rex(&inst);
	take_map(&inst);
	inst.opcode = take(&inst);
	if (inst.map == MAP_ONE_BYTE && is_string(inst.opcode))
		accepted = rewrite_string(&inst);
	else if (inst.map == MAP_ONE_BYTE && (inst.opcode & 0xfc) == 0xa0)
		accepted = rewrite_absolute(&inst);
	else
		accepted = rewrite(&inst, machine);
	access->length = (uint8_t)(inst.at - inst.start);
	return accepted;
}

#endif
