/* SPDX-License-Identifier: MIT */
/*
 * pack: instruction words to struct qpu_inst and back.
 *
 * The two are inverse: a word that qpu_unpack accepts comes back unchanged
 * from qpu_pack, spare bits included.  In files and in memory the words are
 * little-endian.
 */
#ifndef QPU_ISA_PACK_H
#define QPU_ISA_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "qpu/isa/isa.h"

/* False, and an undefined inst, for a reserved encoding. */
bool
qpu_unpack(uint64_t word, struct qpu_inst *inst);

/*
 * Every field of an ALU instruction as its bits stand in the word, also where they mean
 * something else: `kind` is 0, `imm`, `rel` and `reg` are those of a load or a
 * branch, and `small` is raddr_b.  For a judge that looks at words in this way,
 * as the Linux kernel does.
 */
void
qpu_unpack_fields(uint64_t word, struct qpu_inst *inst);

uint64_t
qpu_pack(const struct qpu_inst *inst);

/* An instruction of a kind that does nothing: every field as unused. */
void
qpu_inst_nop(struct qpu_inst *inst, enum qpu_kind kind);

/* A branch sets the flags through an odd register address (the guide, branches). */
bool
qpu_inst_sets_flags(const struct qpu_inst *inst);

uint64_t
qpu_word_load(const uint8_t bytes[8]);
void
qpu_word_store(uint8_t bytes[8], uint64_t word);

#endif
