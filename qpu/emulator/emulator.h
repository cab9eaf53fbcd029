/* SPDX-License-Identifier: MIT */
/*
 * emulator: runs QPU programs of VideoCore IV in memory.
 *
 * A machine has 12 QPUs and the units that they share.  The caller adds memory
 * (its own buffers, at bus addresses), launches programs, runs them, and finds
 * the results in its buffers.  A program can change these buffers and nothing
 * else of the process.
 *
 * There are three modes.  Functional is the fastest.  Timed adds a cycle model
 * (base/timing.h): clocks are V3D clocks, and all of them are modelled.
 * Checking fills undefined state with noise, lets QPUs take turns at random
 * from a seed and reports hazards.  Timed and checking may be combined; the
 * order of QPUs is then the model's.
 *
 * Sources: Broadcom's VideoCore IV 3D Architecture Reference Guide; where it is
 * silent or wrong, what others have measured on boards (cited at each place).
 * "The guide" is this one, with the subject of the section.
 *
 * All public names begin with machine_; names that begin with emu_ belong to
 * the emulator's own files.  README.md shows how they fit together.
 */
#ifndef QPU_EMULATOR_EMULATOR_H
#define QPU_EMULATOR_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qpu/isa/linemap.h"
#include "qpu/qpu.h"
#include "src/base/diag.h"

enum {
	MACHINE_QPUS = 12,
	MACHINE_LANES = 16,
	MACHINE_CLOCK_MHZ = 250, /* Pi 1, Pi 2 */
};

/* The hardware's event counters by number (the guide, performance counters). */
enum machine_counter_id {
#define COUNTER(id, ID, name) MACHINE_COUNTER_##ID = id,
#include "qpu/isa/counter.def"
#undef COUNTER
	MACHINE_COUNTERS
};

/* Caches between a lookup and memory, by bit. */
enum machine_caches {
	MACHINE_SLICES = 1, /* the texture units' */
	MACHINE_L2 = 2,
	MACHINE_CACHES = MACHINE_SLICES | MACHINE_L2
};

/* The 4 bus aliases of an address name the same memory (the guide, bus addresses). */
enum { MACHINE_BUS_MASK = 0x3fffffff };

enum machine_status {
	MACHINE_DONE,	  /* every launched program has ended */
	MACHINE_LIMIT,	  /* the limit of this run was reached */
	MACHINE_DEADLOCK, /* every QPU that is left waits */
	MACHINE_FAULT,	  /* a program did what cannot be continued */
};

/* Causes of stalls; the rows of a profile. */
enum machine_stall {
	MACHINE_STALL_NONE,
	MACHINE_STALL_ICACHE,
	MACHINE_STALL_UNIFORM,
	MACHINE_STALL_TMU,	/* result not there yet */
	MACHINE_STALL_TMU_FULL, /* request FIFO full */
	MACHINE_STALL_VPM_READ,
	MACHINE_STALL_VPM_WRITE,
	MACHINE_STALL_VDR,
	MACHINE_STALL_VDW,
	MACHINE_STALL_MUTEX,
	MACHINE_STALL_SEMAPHORE,
	MACHINE_STALL_SCOREBOARD, /* turn at the tile buffer */
	MACHINE_STALLS
};

/* Instruction set of the host that the vectors use. */
enum machine_simd {
	MACHINE_SIMD_BEST,
	MACHINE_SIMD_PORTABLE,
	MACHINE_SIMD_AVX512,
};

struct machine_options {
	unsigned qpus; /* 1..12; 0 means 12 */
	bool timed;
	bool check;
	bool profile;	 /* count per code address */
	bool lockstep;	 /* functional: a turn is one instruction */
	bool mailbox;	 /* launches wait for the host interrupt (C46) */
	bool words;	 /* caches hold words from the beginning on */
	uint64_t seed;	 /* noise and interleaving of checking mode */
	uint64_t ignore; /* rules that are not reported, a bit each */
	enum machine_simd simd;
	unsigned clock_mhz; /* 0: MACHINE_CLOCK_MHZ; launches take a time */
};

struct machine_program {
	uint32_t uniforms; /* bus addresses */
	uint32_t code;
};

/* One executed instruction. */
struct machine_step {
	unsigned qpu;
	uint32_t pc;
	uint64_t word;
	uint64_t clock;	    /* modelled; instruction number if not timed */
	uint16_t lanes_add; /* lanes each ALU wrote */
	uint16_t lanes_mul;
	uint16_t z, n, c;    /* flags afterwards */
	const uint32_t *add; /* 16 lanes of what was written, or null */
	const uint32_t *mul;
};

/* The cost of a code address, a line or a QPU. */
struct machine_cost {
	uint64_t executions;
	uint64_t stall[MACHINE_STALLS]; /* modelled clocks */
};

struct machine;

/* Null options mean all defaults.  Null and the reason on failure. */
struct machine *
machine_create(const struct machine_options *options, struct diag *why);

void
machine_destroy(struct machine *machine);

/*
 * Give programs memory, until it is removed; bytes are a multiple of 4.  False
 * with the reason and errno, as of emu_memory_add() in base/memory.h.
 */
bool
machine_add_memory(struct machine *machine, uint32_t bus_addr, void *host,
		   size_t bytes, struct diag *why);

bool
machine_remove_memory(struct machine *machine, uint32_t bus_addr);

/*
 * Queue programs as the mailbox does: one per QPU, at most as many as fit the
 * queue of 16.  QPUs start when the machine runs.  Caches are cold afterwards,
 * but for those that are kept.
 */
bool
machine_launch(struct machine *machine, const struct machine_program *programs,
	       unsigned n, struct diag *why);

/*
 * From now on machine_launch does not clear these caches (enum machine_caches;
 * at first it clears all).  Lookups then get the words that a cache holds, even
 * if memory has others by now.  Outside of checking mode caches hold words from
 * the first launch on that does not find all of them cleared, by machine_launch
 * or by L2CACTL and SLCACTL; before that, lookups get what memory has.
 */
void
machine_keep_caches(struct machine *machine, unsigned caches);

/* Faults in the caches of lookups, to test their detection. The machine needs the
 * option `words`. */
struct machine_defect {
	unsigned kept; /* caches (enum machine_caches) that nothing clears */
	/* Stuck bits of a word in a line of a texture unit's cache, if any. */
	uint32_t bits, value;
	unsigned unit, line, word;
};

/* Null: nothing is broken any more. */
void
machine_inject(struct machine *machine, const struct machine_defect *defect);

/*
 * The 3D pipeline: a job of the kernel's driver vc4 is two control lists in
 * memory, started by V3D registers.  Write CT0CA and then CT0EA for the binning
 * list, CT1CA and CT1EA (each 4 bytes after) for the rendering list;
 * machine_run executes them, with their shaders on free QPUs.  INTCTL, BFC,
 * RFC, PCS and CTnCS then show the outcome (Linux 6.1,
 * drivers/gpu/drm/vc4/vc4_regs.h). A list that cannot be executed ends the run
 * with FAULT; its packet and address are in the reason.  What is not modelled:
 * NV and VG shaders, the 64-bit tile buffer, coverage, two threads on a QPU.
 */

/*
 * Run until all programs and control lists ended, or until `instructions` more
 * were executed or `clocks` more have passed in the model; 0 means no limit.
 * A run may be continued after LIMIT, or if a control list waits for the CPU or
 * the other list (`why` says so).  After DEADLOCK or FAULT only machine_reset
 * helps; `why` names the QPU, the place and the cause.
 */
enum machine_status
machine_run(struct machine *machine, uint64_t instructions, uint64_t clocks,
	    struct diag *why);

/*
 * End the run with LIMIT before the next instruction; for tracers.  Asked for
 * before a run it lets the programs start, and no more.
 */
void
machine_stop(struct machine *machine);

/*
 * Stop and forget all programs, DMA set-ups, semaphores, and what is reserved
 * of QPUs and VPM, as when the power goes; memory, VPM and counters stay.
 */
void
machine_reset(struct machine *machine);

/* V3D registers by byte offset (the guide, V3D registers); unknown ones read as 0. */
uint32_t
machine_read(struct machine *machine, uint32_t offset);
void
machine_write(struct machine *machine, uint32_t offset, uint32_t value);

/* Totals since creation. */
uint64_t
machine_instructions(const struct machine *machine);
uint64_t
machine_clocks(const struct machine *machine);
/* Clocks of the launches themselves, which machine_clocks leaves out. */
uint64_t
machine_launch_clocks(const struct machine *machine);
const struct machine_cost *
machine_qpu_cost(const struct machine *machine, unsigned qpu);
/* QPUs that raised the host interrupt since the last launch, by bit. */
unsigned
machine_interrupts(const struct machine *machine);

/*
 * The hardware's event counts.  Without the cycle model only two of them count:
 * MACHINE_COUNTER_EXECUTING and MACHINE_COUNTER_TMU_QUADS.
 */
uint64_t
machine_counter(const struct machine *machine, unsigned id);
/* Null for an id that means nothing to user programs. */
const char *
machine_counter_name(unsigned id);
const char *
machine_stall_name(enum machine_stall cause);

/*
 * Called for each hazard that a running program meets, once for its rule, what it is
 * of, and its source line or, where none is known, code address; the program goes
 * on.  A note follows where another QPU takes part.  Without checking mode there is
 * one warning only: a lookup outside of memory, whose data are unpredictable.
 */
typedef void
machine_report(void *context, const struct qpu_message *message);
void
machine_on_message(struct machine *machine, machine_report *report,
		   void *context);

/* Let messages have source lines; the caller keeps the map, null for none. */
void
machine_set_lines(struct machine *machine, const struct qpu_linemap *lines);

/* Report these rules, a bit each, no more, in addition to options.ignore. */
void
machine_ignore(struct machine *machine, uint64_t rules);

/*
 * Add the rules of a list ("R5,C32") to a set of bits; false and the reason
 * if one is not a rule.
 */
bool
machine_rules_parse(const char *list, uint64_t *rules, struct diag *why);

/* Called after each instruction; slow. */
typedef void
machine_tracer(void *context, const struct machine_step *);
void
machine_on_step(struct machine *machine, machine_tracer *tracer, void *context);

/* Trace these QPUs only, a bit each, until the next machine_on_step: others run as
 * fast as without a tracer. */
void
machine_trace_only(struct machine *machine, unsigned qpus);

/* The cost of a code address; null if nothing near it was executed, or without the
 * option `profile`. */
const struct machine_cost *
machine_cost_of(const struct machine *machine, uint32_t bus_addr);

enum { MACHINE_WAIT_SIZE = 80 };

/* For tests and debuggers: 16 lanes of a register, which may be changed; file 0 is
 * ra, 1 rb, 2 r0..r5. */
uint32_t *
machine_register(struct machine *machine, unsigned qpu, unsigned file,
		 unsigned number);
uint32_t *
machine_vpm(struct machine *machine, unsigned row);
unsigned
machine_semaphore(const struct machine *machine, unsigned number);
/* The QPU that holds the mutex, or -1. */
int
machine_mutex(const struct machine *machine);
/* The caller's bytes at a bus address, all in one memory; null if not. */
void *
machine_memory(struct machine *machine, uint32_t bus_addr, uint32_t bytes);

/* The state of a QPU beside registers. */
struct machine_view {
	bool running;
	bool faulty; /* it caused the fault */
	bool stuck;  /* it runs, and no other one is faulty */
	uint32_t pc; /* bus address of the next instruction */
	enum machine_stall waits;
	char wait[MACHINE_WAIT_SIZE]; /* in words, if it waits */
	uint64_t until; /* clock, or 0 if functional or not known yet */
	uint16_t z, n, c;
	unsigned branch_slots; /* left before the branch to target, or 0 */
	uint32_t target;
	unsigned end_slots;  /* left before the program ends, or 0 */
	uint32_t uniforms;   /* bus address of the next uniform */
	unsigned lookups[2]; /* of TMU 0 and 1, not loaded yet */
	/* Last words of the set-ups; for the VPM as they are by now. */
	uint32_t load, load_pitch, store, store_stride;
	uint32_t vpm_write, vpm_read[2]; /* oldest first */
	unsigned vpm_reads;
};

void
machine_look(const struct machine *machine, unsigned qpu,
	     struct machine_view *view);

#endif
