/* SPDX-License-Identifier: MIT */
/*
 * step: a load or store of AArch64, carried out by the handler.
 *
 * Here only loads and stores touch memory, and one decoder covers nearly all
 * that compilers and the C library make of them: one register or a pair,
 * general or vector, with all ways to form an address.  Not covered are
 * exclusive and atomic operations, structures of vectors, and SVE.
 *
 * Sections are those of the Arm Architecture Reference Manual, issue I.a.
 */
#include "config.h"

#include "qpu/virtual/mmio/step.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "qpu/virtual/mmio/signals.h"

#ifdef STEP_ARM64

#include <asm/sigcontext.h>

enum { SP = 31, MOST_BYTES = 16 };

/* What an instruction does; registers by number. */
struct access {
	bool load, vector;
	bool sign_extended, to_64_bits; /* of a load into a register */
	unsigned bytes;			/* of one register */
	unsigned registers;		/* 1 or 2 */
	unsigned rt[2], rn;
	uint64_t address, base_after;
};

static uint64_t
bits(uint32_t word, unsigned high, unsigned low)
{
	return word >> low & ((UINT64_C(1) << (high - low + 1)) - 1);
}

static uint64_t
signed_bits(uint32_t word, unsigned high, unsigned low)
{
	const uint64_t sign = UINT64_C(1) << (high - low);

	return (bits(word, high, low) ^ sign) - sign;
}

static uint64_t
base_of(const mcontext_t *machine, unsigned rn)
{
	return rn == SP ? machine->sp : machine->regs[rn];
}

/* C4.1.94, of one register: size, V and opc say which. */
static bool
decode_kind(uint32_t word, struct access *access)
{
	const unsigned size = (unsigned)bits(word, 31, 30);
	const unsigned opc = (unsigned)bits(word, 23, 22);

	access->vector = bits(word, 26, 26);
	access->registers = 1;
	access->rt[0] = (unsigned)bits(word, 4, 0);
	access->load = opc != 0;
	access->bytes = 1U << size;
	if (access->vector) {
		access->load = opc & 1;
		if (opc & 2)
			access->bytes = MOST_BYTES;
		return !(opc & 2) || size == 0;
	}
	access->sign_extended = opc & 2;
	access->to_64_bits = opc == 2;
	return !(size == 3 && opc & 2) && !(size == 2 && opc == 3);
}

/* Register offset: Rm, 32 bits of it or 64, shifted or not. */
static bool
decode_index(uint32_t word, const mcontext_t *machine, unsigned bytes,
	     uint64_t *offset)
{
	const unsigned rm = (unsigned)bits(word, 20, 16);
	const unsigned option = (unsigned)bits(word, 15, 13);
	uint64_t index = rm == SP ? 0 : machine->regs[rm];

	if (!(option & 2))
		return false;
	if (option == 2)
		index = (uint32_t)index;
	else if (option == 6)
		index = (uint64_t)(int64_t)(int32_t)index;
	*offset = bits(word, 12, 12) ? index * bytes : index;
	return true;
}

static bool
decode_single(uint32_t word, const mcontext_t *machine, struct access *access)
{
	const uint64_t base = base_of(machine, access->rn);
	const uint64_t offset = signed_bits(word, 20, 12);
	uint64_t index;

	if (!decode_kind(word, access))
		return false;
	if (bits(word, 25, 24) == 1) {
		access->address = base + bits(word, 21, 10) * access->bytes;
		return true;
	}
	if (bits(word, 21, 21)) {
		access->address = base;
		if (bits(word, 11, 10) != 2 ||
		    !decode_index(word, machine, access->bytes, &index))
			return false;
		access->address += index;
		return true;
	}
	access->address = base + offset;
	switch (bits(word, 11, 10)) {
	case 1: /* post-indexed */
		access->address = base;
		access->base_after = base + offset;
		return true;
	case 3: /* pre-indexed */
		access->base_after = base + offset;
		return true;
	default: /* unscaled, unprivileged */ return true;
	}
}

static bool
decode_pair(uint32_t word, const mcontext_t *machine, struct access *access)
{
	const unsigned opc = (unsigned)bits(word, 31, 30);
	const uint64_t base = base_of(machine, access->rn);

	access->vector = bits(word, 26, 26);
	access->load = bits(word, 22, 22);
	access->registers = 2;
	access->rt[0] = (unsigned)bits(word, 4, 0);
	access->rt[1] = (unsigned)bits(word, 14, 10);
	if (access->vector)
		access->bytes = 4U << opc;
	else
		access->bytes = opc == 2 ? 8 : 4;
	access->sign_extended = access->to_64_bits = !access->vector &&
						     opc == 1;
	if (opc == 3 || (opc == 1 && !access->vector && !access->load))
		return false;

	const uint64_t offset = signed_bits(word, 21, 15) * access->bytes;
	const unsigned mode = (unsigned)bits(word, 24, 23);
	access->address = mode == 1 ? base : base + offset;
	if (mode & 1) /* post- or pre-indexed */
		access->base_after = base + offset;
	return true;
}

/* LDAR, STLR and their kin: an address without offset (C4.1.94.12). */
static bool
decode_ordered(uint32_t word, const mcontext_t *machine, struct access *access)
{
	access->load = bits(word, 22, 22);
	access->registers = 1;
	access->rt[0] = (unsigned)bits(word, 4, 0);
	access->bytes = 1U << bits(word, 31, 30);
	access->address = base_of(machine, access->rn);
	return true;
}

static bool
decode(const mcontext_t *machine, struct access *access)
{
	const uint32_t word = *(const uint32_t *)(uintptr_t)machine->pc;

	memset(access, 0, sizeof(*access));
	access->rn = (unsigned)bits(word, 9, 5);
	access->base_after = base_of(machine, access->rn);
	if ((word & 0x3a000000) == 0x28000000)
		return decode_pair(word, machine, access);
	if ((word & 0x3a000000) == 0x38000000)
		return decode_single(word, machine, access);
	if ((word & 0x3fbffc00) == 0x089ffc00)
		return decode_ordered(word, machine, access);
	return false;
}

/* A record of a signal's frame; null if there is none. */
static void *
find_record(mcontext_t *machine, uint32_t magic)
{
	uint8_t *at = machine->__reserved;
	struct _aarch64_ctx head;

	for (;; at += head.size) {
		memcpy(&head, at, sizeof(head));
		if (head.magic == magic)
			return at;
		if (head.magic == 0 || head.size == 0)
			return NULL;
	}
}

/*
 * A frame may have the registers twice, the second time as those of SVE.
 * Linux takes their lower 16 bytes from the first, emulators from the second.
 */
static void
set_vector(mcontext_t *machine, unsigned rt, const uint8_t *bytes, size_t n)
{
	struct fpsimd_context *fpsimd = find_record(machine, FPSIMD_MAGIC);
	struct sve_context *sve = find_record(machine, SVE_MAGIC);

	memset(&fpsimd->vregs[rt], 0, MOST_BYTES);
	memcpy(&fpsimd->vregs[rt], bytes, n);
	if (!sve || sve->head.size <= sizeof(*sve))
		return;

	const unsigned quads = sve_vq_from_vl(sve->vl);
	uint8_t *z = (uint8_t *)sve + SVE_SIG_ZREG_OFFSET(quads, rt);
	memset(z, 0, SVE_SIG_ZREG_SIZE(quads));
	memcpy(z, bytes, n);
}

/* Each register is read once, also when only a part of its word is needed. */
static void
load_bytes(uintptr_t address, uint8_t *to, size_t bytes)
{
	const uintptr_t end = address + bytes;

	for (uintptr_t word = address & ~(uintptr_t)3; word < end; word += 4) {
		const uint32_t value = range_load(word);
		for (unsigned i = 0; i < 4; i++)
			if (word + i >= address && word + i < end)
				to[word + i - address] =
					(uint8_t)(value >> 8 * i);
	}
}

static void
store_bytes(uintptr_t address, const uint8_t *from, size_t bytes)
{
	const uintptr_t end = address + bytes;

	for (uintptr_t word = address & ~(uintptr_t)3; word < end; word += 4) {
		const bool whole = word >= address && word + 4 <= end;
		uint32_t value = whole ? 0 : range_load(word);
		for (unsigned i = 0; i < 4; i++) {
			if (word + i < address || word + i >= end)
				continue;
			value &= ~(UINT32_C(0xff) << 8 * i);
			value |= (uint32_t)from[word + i - address] << 8 * i;
		}
		range_store(word, value);
	}
}

static void
set_register(mcontext_t *machine, const struct access *access, unsigned rt,
	     const uint8_t *bytes)
{
	uint64_t value = 0;

	if (access->vector) {
		set_vector(machine, rt, bytes, access->bytes);
		return;
	}
	memcpy(&value, bytes, access->bytes);
	if (access->sign_extended) {
		const uint64_t sign = UINT64_C(1) << (8 * access->bytes - 1);
		value = (value ^ sign) - sign;
		if (!access->to_64_bits)
			value = (uint32_t)value;
	}
	if (rt != SP) /* there it is xzr */
		machine->regs[rt] = value;
}

static void
get_register(mcontext_t *machine, const struct access *access, unsigned rt,
	     uint8_t *bytes)
{
	const uint64_t value = rt == SP ? 0 : machine->regs[rt];

	if (access->vector) {
		const struct fpsimd_context *fpsimd =
			find_record(machine, FPSIMD_MAGIC);

		memcpy(bytes, &fpsimd->vregs[rt], access->bytes);
	} else {
		memcpy(bytes, &value, access->bytes);
	}
}

static void
carry_out(mcontext_t *machine, const struct access *access)
{
	const size_t bytes = access->bytes * access->registers;
	uint8_t buffer[2 * MOST_BYTES];

	if (access->load)
		load_bytes(access->address, buffer, bytes);
	if (access->rn == SP)
		machine->sp = access->base_after;
	else
		machine->regs[access->rn] = access->base_after;
	for (unsigned i = 0; i < access->registers; i++) {
		uint8_t *part = buffer + access->bytes * i;
		if (access->load)
			set_register(machine, access, access->rt[i], part);
		else
			get_register(machine, access, access->rt[i], part);
	}
	if (!access->load)
		store_bytes(access->address, buffer, bytes);
	machine->pc += 4;
}

/* A signals_claim. */
static bool
claim(int signum, const siginfo_t *info, ucontext_t *context)
{
	mcontext_t *machine = &context->uc_mcontext;
	const uintptr_t fault = (uintptr_t)info->si_addr;
	struct access access;

	(void)signum;
	if (info->si_code <= 0 || !range_covers(fault) ||
	    fault == machine->pc || !decode(machine, &access))
		return false;
	if (access.vector && !find_record(machine, FPSIMD_MAGIC))
		return false;
	carry_out(machine, &access);
	return true;
}

bool
step_open(struct diag *why)
{
	return signals_own(SIGSEGV, claim, why);
}

#endif
