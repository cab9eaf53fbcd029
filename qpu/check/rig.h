/* SPDX-License-Identifier: MIT */
/*
 * rig: a way to QPUs, its memory, and programs given as text: for QPUs that a process
 * has for itself (here), or for pixels (tile_rig.h).
 *
 * In lanes memory is never used twice, so that no program can read old words, whatever
 * a launch does to caches; only one question uses the same words again.  After a
 * launch that failed the way is not used again.
 */
#ifndef QPU_CHECK_RIG_H
#define QPU_CHECK_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/asm/asm.h"
#include "qpu/ways/way.h"

enum {
	/* Little: of cached memory each launch flushes all that there is. */
	RIG_BYTES = 1 << 16,
	RIG_WORDS = 16,		/* of a vector, and of a program's uniforms */
	TILE_RIG_TILES = 6,	/* of a job, at most */
	TILE_RIG_DATA = 1 << 20 /* bytes for the CPU */
};

struct rig {
	const struct way *way;
	void *handle;
	bool emulated;
	unsigned qpus;
	struct way_memory memory;
	/* WAY_TILES: the results of a job; the other memory is for the CPU. */
	struct way_memory results;
	size_t used_bytes;
	bool broken; /* a launch failed; there are no more */
	/* The firmware did not answer in time.  Its late answer would be taken
	 * for the next request's, which may be the SD card's: send no more
	 * requests. */
	bool silent;
};

/* Return the way that `words` mean, a device's name and, after a colon, its
 * options; or NULL if there is none of that name.  "qpu" is the way of the kernel's driver
 * where that has the GPU, whether or not this user may use it. */
const struct way *
rig_way(const char *words);

/* Open that way. */
bool
rig_open(struct rig *, const char *words, struct diag *why);

void
rig_close(struct rig *);

/* Assemble a question.  False and the reason. */
bool
rig_assemble_text(const char *text, struct qpu_asm_program *, struct diag *why);

/*
 * The same program on n QPUs.  Word 0 of each one's uniforms is reserved; the
 * other words and the one vector are the caller's, to be written before a launch.
 */
struct rig_program {
	struct device_program programs[DEVICE_QPUS];
	unsigned n;
	volatile uint32_t *uniforms[DEVICE_QPUS];
	volatile uint32_t *vector;
};

/* Text for programs with one uniform, the address of the vector: it comes into
 * r4, and r0 takes its place. */
#define RIG_LOAD                                                               \
	"mov rb30, unif\n"                                                     \
	"shl r0, elem_num, 2\n"                                                \
	"add r0, r0, rb30\n"                                                   \
	"mov t0s, r0\n"                                                        \
	"nop; ldtmu0\n"
#define RIG_STORE                                                              \
	"ldi vw_setup, 0x1a00\n"                                               \
	"mov vpm, r0\n"                                                        \
	"ldi vw_setup, 0x80904000\n" /* 1 row of 16 words */                   \
	"ldi vw_setup, 0xc0000000\n"                                           \
	"mov vw_addr, rb30\n"                                                  \
	"mov -, vw_wait\n"

/* Assemble a text without the end of a program; it leaves rb31 and semaphore 3
 * alone.  Uniform 1 is the address of the vector. */
bool
rig_assemble(struct rig *, const char *text, unsigned n, struct rig_program *,
	     struct diag *why);

/*
 * One launch; *ms, which may be NULL, is how long the device says that it took.
 * False, and the device is broken, unless all programs have ended.
 */
bool
rig_run(struct rig *, const struct rig_program *, double *ms, struct diag *why);

#endif
