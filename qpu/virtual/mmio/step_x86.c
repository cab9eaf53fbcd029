/* SPDX-License-Identifier: MIT */
/*
 * step: an instruction of x86-64, carried out beside its registers.
 *
 * Opening the page for one single-stepped instruction would let other threads
 * slip through meanwhile, and would not tell which registers it touches.  So
 * the page stays closed.  The instruction is rewritten (x86.c) to work on an
 * image of the registers in a slot of ours:
 *
 *	| code, hlt ...             image | no rights (guard) |
 *
 * The image ends where the guard begins, and holds one word at first.  If the
 * instruction touches more of its operand it faults on the guard, without
 * having done anything; then the image gets the next word and the thread
 * tries again.  So the processor itself tells how wide an operand is.
 * Operands that must be aligned fault for that first, and tell the same.  The
 * hlt behind the instruction, which is privileged, brings the thread back to
 * us: the words go to the registers if the operand was written, and the
 * program goes on with all its registers as the instruction left them.
 *
 * Between the faults the thread has all other signals blocked, so a slot
 * belongs to one instruction, and a thread never holds two.
 */
#include "config.h"

#include "qpu/virtual/mmio/step.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "qpu/virtual/mmio/range.h"
#include "qpu/virtual/mmio/x86.h"

#ifdef STEP_X86

enum {
	PAGE = 4096,
	SLOTS = 64,
	WORDS = 17, /* 64 bytes that are not aligned */
	KERNEL_MASK_BYTES = 8,
	TRAP_PROTECTION = 13, /* of REG_TRAPNO: #GP, #PF */
	TRAP_PAGE = 14,
	ERROR_WRITE = 2, /* of REG_ERR: bits of a page fault */
	ERROR_FETCH = 16,
	FLAG_ZERO = 0x40,
	FLAG_DOWN = 0x400, /* strings go down */
	HLT = 0xf4,
	STRING_IMAGE = 256, /* in a slot: string operands */
};

/* An operand: its words, and where the instruction finds them instead. */
struct operand {
	uintptr_t address;
	unsigned words;
	uint8_t *image;
	bool written;
};

struct slot {
	atomic_flag busy;
	uint8_t *page;
	struct x86_access access;
	unsigned elements;	    /* of a string, in one step */
	struct operand operands[2]; /* only strings have a second one */
	mcontext_t before;
	uint64_t mask;
};

static struct slot slots[SLOTS];
static _Atomic(uint8_t *) pool; /* their pages, each with its guard */

bool
step_supported(void)
{
	return true;
}

bool
step_open(struct diag *why)
{
	if (atomic_load(&pool))
		return true;

	uint8_t *const pages = mmap(NULL, 2 * PAGE * SLOTS, PROT_NONE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		goto failed;
	for (size_t i = 0; i < SLOTS; i++)
		if (mprotect(pages + 2 * PAGE * i, PAGE,
			     PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
			goto failed;

	uint8_t *none = NULL;
	if (!atomic_compare_exchange_strong(&pool, &none, pages))
		munmap(pages, 2 * PAGE * SLOTS); /* another was faster */
	return true;
failed:
	diag_set(why, "no memory to carry out instructions in: %s",
		 strerror(errno));
	if (pages != MAP_FAILED)
		munmap(pages, 2 * PAGE * SLOTS);
	return false;
}

/* Threads are inside a slot for one instruction only, so one gets free. */
static struct slot *
slot_take(void)
{
	for (size_t i = 0;; i = (i + 1) % SLOTS) {
		if (!atomic_flag_test_and_set(&slots[i].busy)) {
			slots[i].page = atomic_load(&pool) + 2 * PAGE * i;
			return &slots[i];
		}
		if (i == SLOTS - 1)
			sched_yield();
	}
}

/* The slot in which a thread is. */
static struct slot *
slot_of(uintptr_t rip)
{
	const uintptr_t first = (uintptr_t)atomic_load(&pool);

	if (rip < first || rip >= first + 2 * PAGE * SLOTS)
		return NULL;
	return &slots[(rip - first) / (2 * PAGE)];
}

/* A word more; registers are read only if the instruction needs the word. */
static void
operand_grow(struct operand *operand, bool needed)
{
	const uintptr_t first = operand->address & ~(uintptr_t)3;
	uint8_t *const at = operand->image + 4 * operand->words;
	const uint32_t value = needed ? range_load(first + 4 * operand->words) :
					0;

	memcpy(at, &value, 4);
	operand->words++;
}

static void
operand_store(const struct operand *operand)
{
	const uintptr_t first = operand->address & ~(uintptr_t)3;

	for (unsigned i = 0; i < operand->words; i++) {
		uint32_t value;
		memcpy(&value, operand->image + 4 * i, 4);
		range_store(first + 4 * i, value);
	}
}

static uintptr_t
operand_place(const struct operand *operand)
{
	return (uintptr_t)operand->image + (operand->address & 3);
}

/* Grow an image that has to end at the guard. */
static void
image_grow(struct slot *slot, unsigned words)
{
	struct operand *operand = &slot->operands[0];
	const bool needed = !slot->access.whole_words || operand->address & 3;
	const unsigned more = words - operand->words;

	memmove(operand->image - 4 * more, operand->image, 4 * operand->words);
	operand->image -= 4 * more;
	while (operand->words < words)
		operand_grow(operand, needed);
}

/* Send the thread to the instruction in the slot. */
static void
enter(struct slot *slot, mcontext_t *machine)
{
	const struct x86_access *access = &slot->access;
	uint8_t *const code = slot->page;

	memcpy(code, access->code, access->code_length);
	code[access->code_length] = HLT;
	if (access->displacement) {
		const int32_t distance =
			(int32_t)(operand_place(&slot->operands[0]) -
				  (uintptr_t)(code + access->code_length));
		memcpy(code + access->displacement, &distance, 4);
	}
	machine->gregs[REG_RIP] = (greg_t)(uintptr_t)code;
}

static void
begin_operand(struct slot *slot, uintptr_t fault, bool write)
{
	struct operand *operand = &slot->operands[0];
	const uintptr_t decoded = slot->access.address;

	/* Where decoding does not explain the fault, believe the fault. */
	operand->address = fault - decoded < 4 * WORDS ? decoded : fault;
	operand->image = slot->page + PAGE;
	operand->words = 0;
	operand->written = write;
	slot->access.whole_words &= write;
	image_grow(slot, 1);
}

/* Bytes copied from or to registers go by words, as a bus would do it. */
static void
gather_bytes(struct slot *slot, const greg_t *r)
{
	struct x86_access *access = &slot->access;

	if (access->string_bytes != 1 || access->repeat != X86_REPEAT ||
	    !access->source || !access->target || r[REG_RCX] < 4 ||
	    r[REG_EFL] & FLAG_DOWN)
		return;
	if ((range_covers((uintptr_t)r[REG_RSI]) && r[REG_RSI] & 3) ||
	    (range_covers((uintptr_t)r[REG_RDI]) && r[REG_RDI] & 3))
		return;
	slot->elements = access->string_bytes = 4;
	access->code[0]++; /* movsb becomes movsd */
}

/* One of rsi and rdi: its element in the slot if it is in registers. */
static void
begin_string(struct slot *slot, unsigned which, greg_t *pointer, bool written)
{
	const unsigned bytes = slot->access.string_bytes;
	struct operand *operand = &slot->operands[which];
	const uintptr_t address = (uintptr_t)*pointer;

	if (!range_covers(address) && !range_covers(address + bytes - 1))
		return;
	operand->address = address;
	operand->image = slot->page + STRING_IMAGE * (1 + which);
	operand->written = written;
	while (4 * operand->words < (address & 3) + bytes)
		operand_grow(operand, !written || bytes < 4 || address & 3);
	*pointer = (greg_t)operand_place(operand);
}

/* A fault on a register: take a slot and send the thread there. */
static bool
begin(uintptr_t fault, ucontext_t *context)
{
	mcontext_t *machine = &context->uc_mcontext;
	greg_t *r = machine->gregs;
	struct x86_access access;

	if (!x86_decode(&access, machine))
		return false;

	struct slot *slot = slot_take();
	slot->access = access;
	slot->elements = 1;
	slot->before = *machine;
	memset(slot->operands, 0, sizeof(slot->operands));
	memcpy(&slot->mask, &context->uc_sigmask, KERNEL_MASK_BYTES);
	if (access.string_bytes) {
		gather_bytes(slot, r);
		if (access.source)
			begin_string(slot, 0, &r[REG_RSI], false);
		if (access.target)
			begin_string(slot, 1, &r[REG_RDI],
				     access.target_stored);
	} else {
		begin_operand(slot, fault, r[REG_ERR] & ERROR_WRITE);
	}
	enter(slot, machine);

	/* SIGSEGV stays open: it is what brings the thread back. */
	const uint64_t all = ~((uint64_t)1 << (SIGSEGV - 1));
	memcpy(&context->uc_sigmask, &all, KERNEL_MASK_BYTES);
	return true;
}

static void
leave(struct slot *slot, ucontext_t *context)
{
	memcpy(&context->uc_sigmask, &slot->mask, KERNEL_MASK_BYTES);
	atomic_flag_clear(&slot->busy);
}

/* After one step of a string: pointers, count, and whether it goes on. */
static bool
string_goes_on(const struct slot *slot, mcontext_t *machine)
{
	const struct x86_access *access = &slot->access;
	const greg_t *before = slot->before.gregs;
	greg_t *r = machine->gregs;
	const greg_t bytes = access->string_bytes;
	const greg_t step = before[REG_EFL] & FLAG_DOWN ? -bytes : bytes;
	const bool equal = r[REG_EFL] & FLAG_ZERO;

	if (access->source)
		r[REG_RSI] = before[REG_RSI] + step;
	if (access->target)
		r[REG_RDI] = before[REG_RDI] + step;
	if (access->repeat == X86_ONCE)
		return false;
	r[REG_RCX] -= slot->elements;
	return r[REG_RCX] != 0 &&
	       !(access->repeat == X86_REPEAT_EQUAL && !equal) &&
	       !(access->repeat == X86_REPEAT_UNEQUAL && equal);
}

/* The instruction has been carried out. */
static void
finish(struct slot *slot, ucontext_t *context)
{
	greg_t *rip = &context->uc_mcontext.gregs[REG_RIP];
	const greg_t start = slot->before.gregs[REG_RIP];

	*rip = start + slot->access.length;
	if (slot->access.string_bytes &&
	    string_goes_on(slot, &context->uc_mcontext))
		*rip = start;
	for (size_t i = 0; i < 2; i++)
		if (slot->operands[i].written)
			operand_store(&slot->operands[i]);
	leave(slot, context);
}

/* It needs more of its operand: give it that. */
static bool
widen(struct slot *slot, const siginfo_t *info, ucontext_t *context)
{
	const greg_t *r = context->uc_mcontext.gregs;
	const struct operand *operand = &slot->operands[0];
	const uint8_t *guard = slot->page + PAGE;
	unsigned words = operand->words;

	if (slot->access.string_bytes)
		return false;
	if (r[REG_TRAPNO] == TRAP_PAGE && info->si_addr == guard) {
		words++;
	} else if (r[REG_TRAPNO] == TRAP_PROTECTION) {
		/* Aligned operands are 16 bytes, 32 or 64. */
		words = words < 4 ? 4 : 2 * words;
		if (operand->address % (4 * words))
			return false;
	} else {
		return false;
	}
	if (words > WORDS)
		return false;
	image_grow(slot, words);
	enter(slot, &context->uc_mcontext);
	return true;
}

bool
step_fault(const siginfo_t *info, ucontext_t *context)
{
	mcontext_t *machine = &context->uc_mcontext;
	greg_t *r = machine->gregs;
	const uintptr_t rip = (uintptr_t)r[REG_RIP];
	struct slot *slot = slot_of(rip);

	if (!slot)
		return r[REG_TRAPNO] == TRAP_PAGE && info->si_code > 0 &&
		       !(r[REG_ERR] & ERROR_FETCH) &&
		       range_covers((uintptr_t)info->si_addr) &&
		       begin((uintptr_t)info->si_addr, context);

	if (info->si_code <= 0)
		return false;
	if (rip == (uintptr_t)slot->page + slot->access.code_length) {
		finish(slot, context);
		return true;
	}
	if (widen(slot, info, context))
		return true;

	/* The fault is the program's: as if we had never been there. */
	r[REG_RIP] = slot->before.gregs[REG_RIP];
	r[REG_RSI] = slot->before.gregs[REG_RSI];
	r[REG_RDI] = slot->before.gregs[REG_RDI];
	leave(slot, context);
	return false;
}

#endif
