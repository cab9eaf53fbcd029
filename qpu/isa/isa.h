/* SPDX-License-Identifier: MIT */
/*
 * isa: the names and numbers of the VideoCore IV QPU instruction set, and one
 * instruction in unpacked form.
 *
 * The tables and enumerations are generated from isa.def.  Only pack.c knows
 * the bit positions of an instruction word.
 */
#ifndef QPU_ISA_ISA_H
#define QPU_ISA_ISA_H

#include <stdbool.h>
#include <stdint.h>

enum { QPU_LANES = 16, QPU_INST_BYTES = 8, QPU_FILE_REGS = 32 };

#define QPU_OP(unit, code, name, mnemonic, operands, flags)                    \
	QPU_##unit##_##name = code,
enum qpu_op {
#include "qpu/isa/isa.def"
};

#define QPU_SIG(code, name, text, flags, ports) QPU_SIG_##name = code,
enum qpu_sig {
#include "qpu/isa/isa.def"
};

#define QPU_COND(code, name, suffix) QPU_COND_##name = code,
enum qpu_cond {
#include "qpu/isa/isa.def"
};

#define QPU_BR(code, name, suffix) QPU_BR_##name = code,
enum qpu_br {
#include "qpu/isa/isa.def"
};

/* Register addresses as read and as written; 0..31 are ra0.. and rb0..  */
#define QPU_READ(addr, name, name_a, name_b, flags, a, b) QPU_R_##name = addr,
enum qpu_read {
#include "qpu/isa/isa.def"
};

#define QPU_WRITE(addr, name, name_a, name_b, flags, a, b) QPU_W_##name = addr,
enum qpu_write {
#include "qpu/isa/isa.def"
};

#define QPU_UNPACK(code, name, suffix) QPU_UNPACK_##name = code,
enum qpu_unpack_mode {
#include "qpu/isa/isa.def"
};

#define QPU_PACK_A(code, name, suffix) QPU_PACK_##name = code,
enum qpu_pack_mode {
#include "qpu/isa/isa.def"
};

/* Input muxes; 0..5 are r0..r5. */
enum qpu_mux { QPU_MUX_R4 = 4, QPU_MUX_R5 = 5, QPU_MUX_A = 6, QPU_MUX_B = 7 };

/* Small immediates: values below 48, then rotations of the mul result. */
enum { QPU_SMALL_ROT_R5 = 48, QPU_SMALL_ROT = 48, QPU_SMALL_COUNT = 64 };

enum qpu_load { QPU_LOAD_32 = 0, QPU_LOAD_SIGNED = 1, QPU_LOAD_UNSIGNED = 3 };

enum qpu_kind {
	QPU_KIND_ALU,	/* mux 7 reads regfile B */
	QPU_KIND_SMALL, /* mux 7 is the small immediate, or a rotation */
	QPU_KIND_LOAD,	/* load immediate */
	QPU_KIND_SEMA,	/* semaphore; also writes like LOAD */
	QPU_KIND_BRANCH,
};

/* Fields that the kind does not have are 0; sig is always set. */
struct qpu_inst {
	uint8_t kind; /* enum qpu_kind */
	uint8_t sig;  /* enum qpu_sig, as the kind has it */

	/* all kinds */
	bool ws;	   /* add result to B, mul result to A */
	uint8_t waddr_add; /* enum qpu_write, or 0..31 */
	uint8_t waddr_mul;

	/* all but BRANCH */
	bool pm;	  /* unpack is for r4, pack for the mul result */
	uint8_t pack;	  /* enum qpu_pack_mode */
	uint8_t cond_add; /* enum qpu_cond */
	uint8_t cond_mul;
	bool sf;

	/* ALU and SMALL */
	uint8_t unpack;	      /* enum qpu_unpack_mode */
	uint8_t op_add;	      /* QPU_ADD_* */
	uint8_t op_mul;	      /* QPU_MUL_* */
	uint8_t raddr_a;      /* enum qpu_read, or 0..31; BRANCH: 0..31 */
	uint8_t raddr_b;      /* ALU only */
	uint8_t small;	      /* SMALL only: qpu_small_value */
	uint8_t add_a, add_b; /* enum qpu_mux */
	uint8_t mul_a, mul_b;

	/* LOAD: the value; SEMA: the low word; BRANCH: signed bytes */
	uint32_t imm;
	uint8_t load; /* LOAD only: enum qpu_load */

	/* BRANCH */
	uint8_t cond_br; /* enum qpu_br */
	bool rel;	 /* imm counts from the branch + 32 */
	bool reg;	 /* add ra[raddr_a] */
	uint8_t spare;	 /* the 4 bits without meaning, usually 0 */
};

/* The semaphore of a SEMA instruction and what is done to it. */
static inline unsigned
qpu_sema_number(const struct qpu_inst *inst)
{
	return inst->imm & 15;
}

static inline bool
qpu_sema_acquires(const struct qpu_inst *inst)
{
	return inst->imm >> 4 & 1;
}

/* Return true if a result goes to file A; else it goes to file B. */
static inline bool
qpu_add_writes_a(const struct qpu_inst *inst)
{
	return !inst->ws;
}

static inline bool
qpu_mul_writes_a(const struct qpu_inst *inst)
{
	return inst->ws;
}

enum qpu_op_flag {
	QPU_OP_FI = 1, /* consumes floats */
	QPU_OP_FO = 2, /* yields a float */
	QPU_OP_CM = 4, /* operands may be swapped */
};

struct qpu_op_row {
	const char *mnemonic; /* null: reserved opcode */
	uint8_t operands;
	uint8_t flags; /* enum qpu_op_flag */
};

/* The units that an instruction talks to, by bit. */
enum qpu_port_number {
#define QPU_PORT(name, sets) QPU_PORT_NUMBER_##name,
#include "qpu/isa/isa.def"
};

enum qpu_port {
	QPU_PORT_NONE = 0,
#define QPU_PORT(name, sets) QPU_PORT_##name = 1 << QPU_PORT_NUMBER_##name,
#include "qpu/isa/isa.def"
	/* Ports of some registers and signals of shaders. */
	QPU_PORT_SHADER = QPU_PORT_SIGNAL | QPU_PORT_GRAPHICS,
	QPU_PORT_TURN = QPU_PORT_SHADER | QPU_PORT_SCOREBOARD,
	QPU_PORT_LAST_TURN = QPU_PORT_TURN | QPU_PORT_END,
	QPU_PORT_DRAW = QPU_PORT_TLB | QPU_PORT_SCOREBOARD | QPU_PORT_GRAPHICS,
	/* Sets of some kinds. */
	QPU_PORTS_LDTMU = QPU_PORT_LDTMU0 | QPU_PORT_LDTMU1,
	QPU_PORTS_TMU_S = QPU_PORT_T0S | QPU_PORT_T1S,
	QPU_PORTS_SEMA = QPU_PORT_SEMA_UP | QPU_PORT_SEMA_DOWN,
	QPU_PORTS_SETUP = QPU_PORT_VR_SETUP | QPU_PORT_VW_SETUP,
};

/* The ports of each set. */
#define READ 1
#define BEFORE 2
#define AFTER 4
#define PRIVATE 8
#define VPM 16
#define QPU_PORTS_OF(name, sets, set) | ((sets) & (set) ? QPU_PORT_##name : 0)
enum {
	QPU_PORTS_READ = 0
#define QPU_PORT(name, sets) QPU_PORTS_OF(name, sets, READ)
#include "qpu/isa/isa.def"
	,
	QPU_PORTS_BEFORE = 0
#define QPU_PORT(name, sets) QPU_PORTS_OF(name, sets, BEFORE)
#include "qpu/isa/isa.def"
	,
	QPU_PORTS_AFTER = 0
#define QPU_PORT(name, sets) QPU_PORTS_OF(name, sets, AFTER)
#include "qpu/isa/isa.def"
	,
	QPU_PORTS_PRIVATE = 0
#define QPU_PORT(name, sets) QPU_PORTS_OF(name, sets, PRIVATE)
#include "qpu/isa/isa.def"
	,
	QPU_PORTS_VPM = 0
#define QPU_PORT(name, sets) QPU_PORTS_OF(name, sets, VPM)
#include "qpu/isa/isa.def"
};
#undef READ
#undef BEFORE
#undef AFTER
#undef PRIVATE
#undef VPM
#undef QPU_PORTS_OF

enum qpu_reg_flag {
	QPU_REG_GFX = 1,    /* needs the graphics pipeline */
	QPU_REG_ACC = 2,    /* accumulator */
	QPU_REG_PERIPH = 4, /* a write has an effect outside the QPU */
	QPU_REG_TLB = 8,
	QPU_REG_VPM = 16, /* VPM data, setup, address, wait */
	QPU_REG_MUTEX = 32,
	QPU_REG_SFU = 64,
	QPU_REG_TMU = 128,
	QPU_REG_NOT_EMULATED = 512, /* ends a program in the emulator */
	QPU_REG_NOT_DRM = 1024,	    /* refused by the kernel's driver */
};

struct qpu_reg_row {
	const char *name[2]; /* in A and B; null: unmapped */
	uint16_t flags;	     /* enum qpu_reg_flag */
	uint32_t ports[2];   /* enum qpu_port, in A and B */
};

enum qpu_sig_flag {
	QPU_SIG_FLAG_GFX = 1,
	QPU_SIG_FLAG_R4 = 2, /* loads r4 */
	QPU_SIG_FLAG_NOT_EMULATED = 8,
	QPU_SIG_FLAG_DRM = 16, /* allowed by the kernel's driver */
};

struct qpu_sig_row {
	const char *text; /* "" where the assembler writes nothing */
	uint8_t flags;	  /* enum qpu_sig_flag */
	uint32_t ports;	  /* enum qpu_port */
};

extern const struct qpu_op_row qpu_add_ops[32];
extern const struct qpu_op_row qpu_mul_ops[8];
extern const struct qpu_sig_row qpu_sigs[16];
extern const struct qpu_reg_row qpu_reads[64]; /* rows 32.. are used */
extern const struct qpu_reg_row qpu_writes[64];
extern const char *const qpu_cond_names[8]; /* "ifz", ... */
extern const char *const qpu_br_names[16];  /* null: reserved */
extern const char *const qpu_unpack_names[8];
extern const char *const qpu_pack_a_names[16];
extern const char *const qpu_pack_mul_names[16]; /* null: reserved */

/* The 32-bit operand that a small immediate field of 0..63 stands for. */
uint32_t
qpu_small_value(unsigned small);

/* The field for a 32-bit operand, or -1. */
int
qpu_small_find(uint32_t value);

/* Return true if a register address in a file exists for reading, for writing. */
bool
qpu_read_is_mapped(unsigned addr, bool file_b);
bool
qpu_write_is_mapped(unsigned addr, bool file_b);

/* The lane value of a per-element load (LOAD_SIGNED, LOAD_UNSIGNED) or 32. */
uint32_t
qpu_load_lane(unsigned load, uint32_t imm, unsigned lane);

/* True when the condition of a write (qpu_use: not never) and another condition
 * can never both hold in a lane: ifz and ifnz, anything and never. */
bool
qpu_conds_are_disjoint(unsigned cond, unsigned other);

/* The kinds of words for vr_setup and vw_setup (the guide, VPM). */
enum qpu_setup {
	QPU_SETUP_VPM_READ,
	QPU_SETUP_LOAD,
	QPU_SETUP_PITCH, /* of loads */
	QPU_SETUP_VPM_WRITE,
	QPU_SETUP_STORE,
	QPU_SETUP_STRIDE, /* of stores */
};

static inline enum qpu_setup
qpu_setup_kind(bool store, uint32_t word)
{
	if (!(word >> 31))
		return store ? QPU_SETUP_VPM_WRITE : QPU_SETUP_VPM_READ;
	if (store)
		return word >> 30 == 2 ? QPU_SETUP_STORE : QPU_SETUP_STRIDE;
	return word >> 28 == 9 ? QPU_SETUP_PITCH : QPU_SETUP_LOAD;
}

/* --- Registers that an instruction reads and writes -------------------------- */

struct qpu_result {
	uint8_t addr;
	bool file_b;
	bool of_mul;
	uint8_t cond; /* enum qpu_cond, not NEVER */
};

struct qpu_use {
	struct qpu_result writes[2]; /* without the nop register */
	unsigned nwrites;
	bool add_reads[8]; /* by mux: operands of a working add ALU */
	bool mul_reads[8];
	int port_a; /* address on the A port, or -1 */
	int port_b;
	bool rotates; /* the mul result */
};

/* Tell what an instruction of any kind uses. */
void
qpu_use(const struct qpu_inst *inst, struct qpu_use *use);

/* Return true if an ALU uses what the A or B port, or an accumulator, delivers. */
static inline bool
qpu_use_reads_mux(const struct qpu_use *use, unsigned mux)
{
	return use->add_reads[mux] || use->mul_reads[mux];
}

/* Return true if an address of either file is written. */
static inline bool
qpu_use_writes(const struct qpu_use *use, unsigned addr)
{
	for (unsigned i = 0; i < use->nwrites; i++)
		if (use->writes[i].addr == addr)
			return true;
	return false;
}

/* Return true if an I/O address is read, wanted or not: reading has effects
 * there. */
static inline bool
qpu_use_reads_io(const struct qpu_use *use, unsigned addr)
{
	return use->port_a == (int)addr || use->port_b == (int)addr;
}

#endif
