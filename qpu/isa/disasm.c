/* SPDX-License-Identifier: MIT */
/*
 * disasm: writes mnemonics, suffixes and operands.
 *
 * Where the assembler has a choice (file of an I/O register, ALU of a mov),
 * the text says what it needs to choose the same: raw names such as rb32, a
 * leading nop, the prefix of av8adds.
 */
#include "config.h"

#include "qpu/isa/disasm.h"

#include <stdarg.h>
#include <string.h>

#include "qpu/isa/isa.h"

struct printer {
	char *text;
	size_t len;
	const struct qpu_inst *inst;
	struct qpu_use use;
};

__attribute__((format(printf, 2, 3))) static void
print(struct printer *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(p->text + p->len, QPU_DISASM_SIZE - p->len, format, args);
	va_end(args);
	p->len += strlen(p->text + p->len);
}

/* Return true if a write by its usual name can go to either file. */
static bool
write_is_free(unsigned addr)
{
	const struct qpu_reg_row *row = &qpu_writes[addr];

	return addr >= QPU_FILE_REGS && strcmp(row->name[0], row->name[1]) == 0;
}

/* Set the pack suffix of a result, or "".  An i after bytes tells a mode of file A
 * from the mul ALU's, which has an f or no bytes. */
static void
pack_suffix(const struct qpu_inst *inst, bool of_mul, char suffix[16])
{
	const bool file_b = of_mul != inst->ws;
	const unsigned addr = of_mul ? inst->waddr_mul : inst->waddr_add;
	const bool bytes = (inst->pack & 7) >= QPU_PACK_8888;

	*suffix = '\0';
	if (!inst->pack || inst->kind == QPU_KIND_BRANCH)
		return;
	if (inst->pm && of_mul)
		snprintf(suffix, 16, ".%s", qpu_pack_mul_names[inst->pack]);
	else if (!inst->pm && !file_b && addr < QPU_FILE_REGS)
		snprintf(suffix, 16, ".%s%s", qpu_pack_a_names[inst->pack],
			 bytes ? "i" : "");
}

/* Print a destination, and the condition as its suffix unless that is "". */
static void
print_dest(struct printer *p, bool of_mul, const char *cond)
{
	const struct qpu_inst *inst = p->inst;
	const unsigned addr = of_mul ? inst->waddr_mul : inst->waddr_add;
	const bool file_b = of_mul != inst->ws;
	/* With a free choice the assembler takes ws = 0. */
	const bool pinned = inst->ws && write_is_free(inst->waddr_add) &&
			    write_is_free(inst->waddr_mul) &&
			    (!of_mul || inst->waddr_add == QPU_W_NOP) &&
			    (of_mul || inst->waddr_add != QPU_W_NOP ||
			     inst->waddr_mul == QPU_W_NOP);
	char pack[16];

	pack_suffix(inst, of_mul, pack);
	if (addr < QPU_FILE_REGS || pinned)
		print(p, "r%c%u", file_b ? 'b' : 'a', addr);
	else if (addr == QPU_W_NOP && (*pack || *cond))
		print(p, "nop"); /* "-." would begin a number */
	else
		print(p, "%s", qpu_writes[addr].name[file_b]);
	print(p, "%s%s%s", pack, *cond ? "." : "", cond);
}

/* Print the register that a port reads.  For a name that both files have the
 * assembler takes file A, so one that is read in B, or in both, is printed raw. */
static void
print_port(struct printer *p, bool file_b)
{
	const struct qpu_inst *inst = p->inst;
	const unsigned addr = file_b ? inst->raddr_b : inst->raddr_a;
	const struct qpu_reg_row *row = &qpu_reads[addr];
	const bool both = inst->kind == QPU_KIND_ALU &&
			  inst->raddr_a == inst->raddr_b;
	const char *name = addr < QPU_FILE_REGS ? NULL : row->name[file_b];
	const bool flexible = name && row->name[!file_b] &&
			      strcmp(name, row->name[!file_b]) == 0;

	if (!name || (flexible && (file_b || both || addr == QPU_R_NOP)))
		print(p, "r%c%u", file_b ? 'b' : 'a', addr);
	else
		print(p, "%s", name);
}

static void
print_small(struct printer *p, unsigned small)
{
	static const char *const reals[] = {
		"1.0",	      "2.0",	   "4.0",      "8.0",
		"16.0",	      "32.0",	   "64.0",     "128.0",
		"0.00390625", "0.0078125", "0.015625", "0.03125",
		"0.0625",     "0.125",	   "0.25",     "0.5",
	};

	if (small >= 32 && small < QPU_SMALL_ROT)
		print(p, "%s", reals[small - 32]);
	else
		print(p, "%d", (int)qpu_small_value(small));
}

static void
print_source(struct printer *p, unsigned mux)
{
	const struct qpu_inst *inst = p->inst;

	if (mux == QPU_MUX_A)
		print_port(p, false);
	else if (mux < QPU_MUX_A)
		print(p, "r%u", mux);
	else if (inst->kind == QPU_KIND_SMALL)
		print_small(p, inst->small);
	else
		print_port(p, true);
	if (inst->unpack && mux == (inst->pm ? QPU_MUX_R4 : QPU_MUX_A))
		print(p, ".%s", qpu_unpack_names[inst->unpack]);
}

static void
print_suffixes(struct printer *p, unsigned cond, bool sf)
{
	if (sf)
		print(p, ".setf");
	if (*qpu_cond_names[cond])
		print(p, ".%s", qpu_cond_names[cond]);
}

static void
print_add(struct printer *p)
{
	const struct qpu_inst *inst = p->inst;
	const struct qpu_op_row *row = &qpu_add_ops[inst->op_add];
	const bool mov = inst->op_add == QPU_ADD_OR &&
			 inst->add_a == inst->add_b;
	/* Alone, what both ALUs can do goes to the mul ALU. */
	const bool pinned = inst->op_mul == QPU_MUL_NOP &&
			    (inst->op_add == QPU_ADD_V8ADDS ||
			     inst->op_add == QPU_ADD_V8SUBS);

	print(p, "%s%s", pinned ? "a" : "", mov ? "mov" : row->mnemonic);
	print_suffixes(p, inst->cond_add, inst->sf);
	print(p, " ");
	print_dest(p, false, "");
	print(p, ", ");
	print_source(p, inst->add_a);
	if (row->operands == 2 && !mov) {
		print(p, ", ");
		print_source(p, inst->add_b);
	}
}

/* Print the rotation of a source, where >> n is up by n lanes. */
static void
print_rotation(struct printer *p)
{
	const unsigned n = p->inst->small - QPU_SMALL_ROT;

	if (!n)
		print(p, " << r5");
	else if (n <= 8)
		print(p, " >> %u", n);
	else
		print(p, " << %u", 16 - n);
}

static void
print_mul(struct printer *p)
{
	const struct qpu_inst *inst = p->inst;
	const bool mov = inst->op_mul == QPU_MUL_V8MIN &&
			 inst->mul_a == inst->mul_b;
	const bool arrow = p->use.rotates && mov && inst->mul_a < QPU_MUX_R4;

	print(p, "%s", mov ? "mov" : qpu_mul_ops[inst->op_mul].mnemonic);
	print_suffixes(p, inst->cond_mul,
		       inst->sf && inst->op_add == QPU_ADD_NOP);
	if (p->use.rotates && !arrow && inst->small == QPU_SMALL_ROT_R5)
		print(p, ".rot r5,");
	else if (p->use.rotates && !arrow)
		print(p, ".rot %u,", inst->small - QPU_SMALL_ROT);
	print(p, " ");
	print_dest(p, true, "");
	print(p, ", ");
	print_source(p, inst->mul_a);
	if (arrow)
		print_rotation(p);
	if (!mov) {
		print(p, ", ");
		print_source(p, inst->mul_b);
	}
}

static void
separate(struct printer *p)
{
	if (p->len)
		print(p, "; ");
}

/* Reads that no ALU uses. */
static void
print_reads(struct printer *p)
{
	const struct qpu_inst *inst = p->inst;

	if (inst->raddr_a != QPU_R_NOP &&
	    !qpu_use_reads_mux(&p->use, QPU_MUX_A)) {
		separate(p);
		print(p, "read ");
		print_port(p, false);
	}
	if (inst->kind == QPU_KIND_ALU && inst->raddr_b != QPU_R_NOP &&
	    !qpu_use_reads_mux(&p->use, QPU_MUX_B)) {
		separate(p);
		print(p, "read ");
		print_port(p, true);
	}
}

static void
print_alu(struct printer *p)
{
	const struct qpu_inst *inst = p->inst;
	const bool both = inst->op_mul == QPU_MUL_V8ADDS ||
			  inst->op_mul == QPU_MUL_V8SUBS ||
			  inst->op_mul == QPU_MUL_V8MIN;

	if (inst->op_add != QPU_ADD_NOP)
		print_add(p);
	else if (inst->op_mul != QPU_MUL_NOP && both)
		print(p, "nop");
	if (inst->op_mul != QPU_MUL_NOP) {
		separate(p);
		print_mul(p);
	}
	print_reads(p);
	if (*qpu_sigs[inst->sig].text) {
		separate(p);
		print(p, "%s", qpu_sigs[inst->sig].text);
	}
	if (!p->len)
		print(p, "nop");
}

/* The destinations of what fills an instruction, each with its condition. */
static void
print_dests(struct printer *p)
{
	const struct qpu_inst *inst = p->inst;
	const bool two = inst->waddr_mul != QPU_W_NOP || inst->cond_mul;
	/* The assembler adds .never to a semaphore without a result. */
	const bool silent = inst->kind == QPU_KIND_SEMA &&
			    inst->waddr_add == QPU_W_NOP && !inst->sf;

	print_dest(p, false, silent ? "" : qpu_cond_names[inst->cond_add]);
	if (!two)
		return;
	print(p, ", ");
	print_dest(p, true, qpu_cond_names[inst->cond_mul]);
}

static void
print_load(struct printer *p)
{
	const struct qpu_inst *inst = p->inst;

	print(p, "ldi%s ", inst->sf ? ".setf" : "");
	print_dests(p);
	if (inst->load == QPU_LOAD_32) {
		print(p, ", 0x%x", (unsigned)inst->imm);
		return;
	}
	print(p, ", ");
	for (unsigned lane = 0; lane < QPU_LANES; lane++)
		print(p, "%c%d", lane ? ',' : '[',
		      (int)qpu_load_lane(inst->load, inst->imm, lane));
	print(p, "]");
}

static void
print_sema(struct printer *p)
{
	const struct qpu_inst *inst = p->inst;

	print(p, "%s%s ", qpu_sema_acquires(inst) ? "sacq" : "srel",
	      inst->sf ? ".setf" : "");
	print_dests(p);
	const uint32_t number = inst->imm & ~UINT32_C(0x10);
	print(p, number < 16 ? ", %u" : ", 0x%x", (unsigned)number);
}

static void
print_branch(struct printer *p, const char *target)
{
	const struct qpu_inst *inst = p->inst;
	const bool two = inst->waddr_mul != QPU_W_NOP;
	const char *cond = qpu_br_names[inst->cond_br];

	print(p, "%s%s%s ", inst->rel ? "brr" : "bra", *cond ? "." : "", cond);
	print_dest(p, false, "");
	if (two) {
		print(p, ", ");
		print_dest(p, true, "");
	}
	if (inst->reg)
		print(p, ", ra%u", inst->raddr_a);
	else if (two)
		print(p, ", -");
	if (inst->reg && !two && !inst->imm && !target)
		return;
	if (target)
		print(p, ", %s", target);
	else if (inst->rel)
		print(p, ", %d", (int)inst->imm);
	else
		print(p, ", 0x%x", (unsigned)inst->imm);
}

void
qpu_disasm(const struct qpu_inst *inst, const char *target,
	   char text[QPU_DISASM_SIZE])
{
	struct printer p = { .text = text, .inst = inst };

	*text = '\0';
	qpu_use(inst, &p.use);
	switch (inst->kind) {
	case QPU_KIND_LOAD: print_load(&p); break;
	case QPU_KIND_SEMA: print_sema(&p); break;
	case QPU_KIND_BRANCH: print_branch(&p, target); break;
	default: print_alu(&p); break;
	}
}

/* --- Set-up words -------------------------------------------------------------- */

/* Return `bits` bits of a word from bit `low` on. */
static unsigned
field(uint32_t word, unsigned low, unsigned bits)
{
	return word >> low & ((1u << bits) - 1);
}

/* Return a field in which 0 stands for its largest number plus 1. */
static unsigned
count(uint32_t word, unsigned low, unsigned bits)
{
	const unsigned value = field(word, low, bits);

	return value ? value : 1u << bits;
}

static const char *
plural(unsigned n)
{
	return n == 1 ? "" : "s";
}

/* The elements of DMA by their mode. */
static const char *const elements[8] = {
	"words",   "words",   "halves 0", "halves 1",
	"bytes 0", "bytes 1", "bytes 2",  "bytes 3",
};

/* The guide, VPM; only a read counts its vectors. */
static void
show_vpm_access(FILE *out, bool store, uint32_t word)
{
	static const char *const widths[] = { "8-bit", "16-bit", "32-bit",
					      "32-bit" };
	const unsigned size = field(word, 8, 2), n = count(word, 20, 4);
	const unsigned parts = size < 2 ? 4u >> size : 1;
	const unsigned addr = field(word, 0, 8), at = addr / parts & 63;

	if (store)
		fputs("VPM write", out);
	else
		fprintf(out, "VPM read of %u vector%s", n, plural(n));
	fprintf(out, ": %s, ", widths[size]);
	if (field(word, 11, 1))
		fprintf(out, "horizontal, row %u", at);
	else
		fprintf(out, "vertical, column %u of row %u", at & 15,
			at & 0x30);
	if (parts > 1)
		fprintf(out, ", %s part %u",
			field(word, 10, 1) ? "laned" : "packed",
			addr & (parts - 1));
	fprintf(out, ", stride %u\n", count(word, 12, 6));
}

/* The guide, DMA loads. */
static void
show_load(FILE *out, uint32_t word)
{
	const unsigned pitch = field(word, 24, 4);
	const unsigned length = count(word, 20, 4), rows = count(word, 16, 4);

	fprintf(out, "DMA load: %u row%s of %u %s, ", rows, plural(rows),
		length, elements[field(word, 28, 3)]);
	if (pitch)
		fprintf(out, "%u bytes", 8u << pitch);
	else
		fputs("the extended pitch", out);
	fprintf(out,
		" apart in memory, to VPM row %u column %u, %s, stride %u\n",
		field(word, 4, 7), field(word, 0, 4),
		field(word, 11, 1) ? "vertical" : "horizontal",
		count(word, 12, 4));
}

/* The guide, DMA stores. */
static void
show_store(FILE *out, uint32_t word)
{
	const unsigned units = count(word, 23, 7), depth = count(word, 16, 7);

	fprintf(out,
		"DMA store: %u row%s of %u %s, from VPM row %u column %u, %s\n",
		units, plural(units), depth, elements[field(word, 0, 3)],
		field(word, 7, 7), field(word, 3, 4),
		field(word, 14, 1) ? "horizontal" : "vertical");
}

void
setup_word_show(FILE *out, bool store, uint32_t word)
{
	switch (qpu_setup_kind(store, word)) {
	case QPU_SETUP_VPM_READ:
	case QPU_SETUP_VPM_WRITE: show_vpm_access(out, store, word); break;
	case QPU_SETUP_LOAD: show_load(out, word); break;
	case QPU_SETUP_PITCH:
		fprintf(out, "DMA load: extended pitch of %u bytes\n",
			field(word, 0, 14));
		break;
	case QPU_SETUP_STORE: show_store(out, word); break;
	case QPU_SETUP_STRIDE:
		fprintf(out,
			"DMA store: %u bytes from the end of a row to the "
			"next%s\n",
			field(word, 0, 16),
			field(word, 16, 1) ? ", block mode" : "");
	}
}
