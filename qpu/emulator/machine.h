/* SPDX-License-Identifier: MIT */
/*
 * machine: struct machine and its parts; private to the emulator.
 */
#ifndef QPU_EMULATOR_MACHINE_H
#define QPU_EMULATOR_MACHINE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "qpu/abi/v3d.h"
#include "qpu/emulator/base/memory.h"
#include "qpu/emulator/base/vpm.h"
#include "qpu/emulator/cache.h"
#include "qpu/emulator/decode.h"
#include "qpu/emulator/emulator.h"
#include "qpu/isa/rules.h"

_Static_assert((int)EMU_BUS_MASK == (int)MACHINE_BUS_MASK, "one mask");

/* Kinds of programs on a QPU. */
enum emu_thread {
	EMU_THREAD_USER,   /* a program of the queue */
	EMU_THREAD_VERTEX, /* a vertex or coordinate shader */
	EMU_THREAD_FRAGMENT,
};

enum {
	EMU_SLICES = 3,
	EMU_SLICE_QPUS = 4,
	EMU_SEMAPHORES = 16,
	EMU_SEMAPHORE_MAX = 15,
	EMU_QUEUE = 16,
	EMU_COUNTERS = 16,
	EMU_BRANCH_SLOTS = 3,
	EMU_END_SLOTS = 2,
	EMU_NO_QPU = -1,
	EMU_SEEN = 4096, /* messages */
};

/* Why the core came back. */
enum emu_stop {
	EMU_STOP_BUDGET, /* all it was asked to do is done */
	EMU_STOP_OPENED, /* a taken branch or a thread end */
	EMU_STOP_STALL,	 /* the next instruction cannot go on yet */
	EMU_STOP_FAULT,
};

/*
 * The FIFOs between a QPU and its two texture units, used for lookups of memory
 * only (the guide, memory lookups).  Caches and latencies are modelled in units.c.
 */
/* Eight fit; only four are reliable on hardware (checking mode says so). */
enum { EMU_TMU_DEPTH = 8, EMU_TMU_RELIABLE = 4 };

struct emu_tmu_fifo {
	emu_vec words[EMU_TMU_DEPTH];
	uint64_t ready[EMU_TMU_DEPTH]; /* modelled clock of the result */
	uint8_t head, count;
};

/* Which unit of the slice a QPU's TMU 0 or 1 is: swapped for two of its QPUs. */
static inline unsigned
emu_tmu_unit(unsigned qpu, bool noswap, unsigned tmu)
{
	return tmu ^ (!noswap && (qpu & 2));
}

static inline unsigned
emu_tmu_tail(const struct emu_tmu_fifo *fifo)
{
	return (fifo->head + fifo->count) % EMU_TMU_DEPTH;
}

/* Room for the result of one more request; the FIFO is not full. */
static inline emu_vec *
emu_tmu_push(struct emu_tmu_fifo *fifo)
{
	const unsigned tail = emu_tmu_tail(fifo);

	fifo->count++;
	fifo->ready[tail] = 0;
	return &fifo->words[tail];
}

/* The oldest result; the FIFO is not empty. */
static inline void
emu_tmu_pop(struct emu_tmu_fifo *fifo, emu_vec *words)
{
	*words = fifo->words[fifo->head];
	fifo->head = (fifo->head + 1) % EMU_TMU_DEPTH;
	fifo->count--;
}

struct emu_qpu {
	emu_vec file[EMU_SLOTS];
	emu_vec value; /* last flagged result: gives Z and N */
	emu_vec carry; /* all-ones in lanes with C */

	struct machine *machine;
	struct emu_page *page;
	const struct emu_op *op; /* next to execute */
	uint32_t alias;		 /* top address bits of the code */
	uint32_t target;	 /* of the branch under way */
	uint32_t new_target;
	uint8_t number;
	uint8_t branch_slots; /* delay slots left, or 0 without a branch */
	uint8_t end_slots;
	bool running;
	bool branch_opened, end_opened;
	uint8_t stop;  /* enum emu_stop */
	uint8_t waits; /* enum machine_stall */
	bool noswap;

	uint32_t uniform_addr;
	uint32_t uniforms_left;
	bool uniforms_limited;
	struct emu_tmu_fifo tmu[2]; /* by unit of the slice */
	struct emu_vpm_ports vpm;
	struct emu_dma dma;
	uint8_t kind; /* enum emu_thread */
	struct emu_vpm *read_window, *write_window;
	struct emu_batch *batch;       /* of a vertex shader */
	struct emu_fragment *fragment; /* of a fragment shader */

	struct machine_cost cost;
};

struct emu_launch {
	uint32_t code, uniforms, limit;
	enum emu_thread kind;
};

/* V3D registers that are more than a view of the state. */
struct emu_registers {
	uint32_t uniforms, limit;     /* SRQUA, SRQUL */
	uint32_t requests, completed; /* SRQCS, 8 bits each */
	bool queue_error;
	uint32_t irq_enable, irq; /* DBQITE, DBQITC */
	uint32_t errors;	  /* ERRSTAT */
	uint32_t scratch, reserved[2];
	uint32_t counters_on;	      /* PCTRE */
	uint32_t event[EMU_COUNTERS]; /* PCTRS: what it counts */
	uint64_t start[EMU_COUNTERS]; /* the event's total when it started */
	uint64_t count[EMU_COUNTERS]; /* its value while it is stopped */
};

struct emu_batch;
struct emu_fragment;
struct emu_pipe;
struct emu_timed;
struct emu_check;
struct emu_race;
struct emu_stale;

/*
 * A core executes up to n instructions in a row and stops after a taken branch
 * or a thread end (EMU_STOP_OPENED) or before an instruction that stalls;
 * qpu->stop says which.  Returns how many were executed.
 */
typedef uint32_t
emu_core(struct emu_qpu *qpu, uint32_t n);

/* Reports of hazards that do not stop the program, each made once for its rule
 * and place. */
struct emu_messages {
	uint64_t seen[EMU_SEEN]; /* hashes of those that were reported */
	unsigned nseen;
	const struct qpu_linemap *lines; /* or null */
	machine_report *report;
	void *context;
};

struct machine {
	struct emu_qpu qpu[MACHINE_QPUS];
	struct emu_vpm vpm;
	struct machine_options options;
	struct emu_memory memory;
	struct emu_code code;
	emu_core *core;

	struct emu_launch queue[EMU_QUEUE]; /* oldest first */
	unsigned nqueued;
	unsigned nrunning;
	uint8_t semaphore[EMU_SEMAPHORES];
	int mutex;		 /* QPU that holds it, or EMU_NO_QPU */
	bool vdr_busy, vdw_busy; /* as a program sees it now */
	uint32_t interrupts;
	struct emu_registers registers;
	uint64_t counters[MACHINE_COUNTERS];
	uint64_t random;

	struct emu_pipe *pipe;
	struct emu_timed *timed; /* null unless timed */
	struct emu_check *check; /* null unless checking */
	struct emu_race *race;	 /* likewise */
	/* Null unless checking, or a launch has not cleared all caches. */
	struct emu_stale *stale;
	unsigned keeps; /* caches that machine_launch does not clear, by bit */
	unsigned cold;	/* those that were cleared since the last launch */
	struct machine_defect defect;
	struct emu_transfer transfer; /* the last DMA */
	struct emu_messages messages;
	machine_tracer *tracer;
	void *tracer_context;
	unsigned traced; /* QPUs, by bit */

	bool stop;     /* machine_stop was called */
	unsigned turn; /* QPU that is first in a round of functional mode */
	bool dead;     /* deadlock or fault: needs a reset */
	struct diag fault;
	const struct emu_qpu *faulty; /* that caused a fault, or null */
};

/* A step of xorshift64*: noise and interleaving, the same everywhere. */
static inline uint32_t
emu_random(struct machine *machine)
{
	uint64_t x = machine->random;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	machine->random = x;
	return (x * UINT64_C(0x2545f4914f6cdd1d)) >> 32;
}

/* Bus address of the next instruction. */
static inline uint32_t
emu_qpu_pc(const struct emu_qpu *qpu)
{
	return emu_page_address(qpu->page, qpu->op) | qpu->alias;
}

/* Lanes whose highest bit is set: of a mask, or with N; and those with Z. */
unsigned
emu_lanes(const emu_vec *value);
unsigned
emu_lanes_zero(const emu_vec *value);
/* Lanes in which a condition holds. */
unsigned
emu_lanes_cond(const struct emu_qpu *qpu, unsigned cond);

/* Stop the machine with a reason; the first one is kept. */
__attribute__((format(printf, 4, 0))) void
emu_machine_fault(struct machine *machine, const struct emu_qpu *faulty,
		  const char *where, const char *format, va_list args);
__attribute__((format(printf, 2, 3))) void
emu_fault(struct emu_qpu *qpu, const char *format, ...);

/* Fault: the instruction cannot be executed. */
void
emu_qpu_refuse(struct emu_qpu *qpu, const struct emu_op *op);

/* Continue at a bus address; false after a fault. */
bool
emu_qpu_jump(struct emu_qpu *qpu, uint32_t addr);

/*
 * Up to n instructions, delay slots and thread end included.  Stops early at
 * a stall, a fault and the end of the program (running is then false).
 */
uint32_t
emu_qpu_run(struct emu_qpu *qpu, uint32_t n);

/* Be at a decoded instruction; false after a fault. */
bool
emu_qpu_fetch(struct emu_qpu *qpu);

/* Begin a program; it may fault at once. */
void
emu_qpu_start(struct emu_qpu *qpu, const struct emu_launch *launch);

/* Queue a program, or set the error flag if the queue is full. */
void
emu_machine_queue(struct machine *machine, uint32_t code, uint32_t uniforms,
		  uint32_t limit);

/*
 * A QPU that is free, and that SQRSV does not keep away from what `reserved`
 * means: 0 user programs, 1 fragment, 2 vertex, 3 coordinate shaders.  Null if
 * there is none.
 */
struct emu_qpu *
emu_qpu_find(struct machine *machine, unsigned reserved);

/* Give waiting programs to free QPUs. */
void
emu_machine_dispatch(struct machine *machine);

/* The core for this host; null if it lacks what was asked for. */
emu_core *
emu_core_select(enum machine_simd simd);

/* The one for AVX-512; null unless the processor has all its features and the
 * system saves their registers.  CPUID traps in a virtual machine, so it is asked
 * when a machine is created, and not by a constructor at each start of the program,
 * which the compiler's own way (__builtin_cpu_supports) would link in. */
emu_core *
emu_core_avx512(void);

/* Report a rule at the QPU's instruction, in checking mode only. */
void
emu_report(struct emu_qpu *qpu, enum qpu_rule_number rule);

/* Likewise, of a register, set-up or other thing that the report begins with. */
__attribute__((format(printf, 3, 4))) void
emu_report_of(struct emu_qpu *qpu, enum qpu_rule_number rule,
	      const char *format, ...);

/* Likewise, at an address, of two instructions; `what` may be empty. */
void
emu_report_pair(struct emu_qpu *qpu, uint32_t pc, enum qpu_rule_number rule,
		const char *what, unsigned other_qpu, uint32_t other_pc);

/* Report a lookup outside of memory: a warning unless checking. */
void
emu_report_outside(struct emu_qpu *qpu, uint32_t bus_addr, unsigned lane);

/* --- Register addresses 32 to 63: port.c --------------------------- */

/* The unit an instruction would wait for now, in the absence of time. */
enum machine_stall
emu_port_wait(const struct emu_qpu *qpu, const struct emu_op *op);

/* Check for stalls, then read; EMU_STOP_BUDGET if the ALUs may start. */
enum emu_stop
emu_port_before(struct emu_qpu *qpu, const struct emu_op *op);

/* Write, then signal; likewise. */
enum emu_stop
emu_port_after(struct emu_qpu *qpu, const struct emu_op *op);

/* DMA or the tile buffer has stored bytes: code and words in caches are old. */
void
emu_stored(struct machine *machine, uint32_t bus_addr, uint32_t bytes);

/* --- Hazards that a running program meets: check.c ------------- */

/* To be freed with free(). */
struct emu_check *
emu_check_create(void);

/* A program starts: forget what the QPU did before. */
void
emu_check_start(struct emu_qpu *qpu);

/* Before an instruction that will not stall, and after the last one. */
void
emu_check_inst(struct emu_qpu *qpu);
void
emu_check_end(struct emu_qpu *qpu);

/* Programs begin while none runs, by the mailbox or by registers. */
void
emu_check_launch(struct machine *machine, bool mailbox);

/* The QPU has written a set-up, or has started a DMA. */
void
emu_check_setup(struct emu_qpu *qpu, enum qpu_setup kind);
void
emu_check_transfer(struct emu_qpu *qpu, bool store);

/* --- Accesses that nothing orders: race.c --------------------------------- */

struct emu_race *
emu_race_create(void);
void
emu_race_free(struct emu_race *race);

/* Programs begin while none runs, by the mailbox or by registers. */
void
emu_race_launch(struct machine *machine, bool by_mailbox);

/* A program begins; it executes an instruction that will not stall; it ends. */
void
emu_race_start(struct emu_qpu *qpu);
void
emu_race_inst(struct emu_qpu *qpu, const struct emu_op *op);
void
emu_race_end(struct emu_qpu *qpu);

/* It has started a DMA, or raises the host interrupt. */
void
emu_race_transfer(struct emu_qpu *qpu, bool store);
void
emu_race_interrupt(struct emu_qpu *qpu);

/* A QPU looks up addresses, and caches have an old word for these lanes. */
void
emu_race_lookup(struct emu_qpu *qpu, const emu_vec *addresses, unsigned old);

/* --- The V3D's registers, and the event counters: registers.c --- */

void
emu_registers_reset(struct machine *machine);

/* The bits of SLCACTL for the caches of all texture units. */
#define EMU_SLCACTL_TMUS UINT32_C(0x07070000)

/*
 * Clear the V3D's L2 cache, or caches of its slices: `which` is a value of
 * SLCACTL, a byte for each kind of cache with a bit for each slice.
 */
void
emu_clear_l2(struct machine *machine);
void
emu_clear_slices(struct machine *machine, uint32_t which);

/* Programs begin: if some caches were not cleared for them, these hold words from
 * now on. */
void
emu_caches_used(struct machine *machine);

/* All QPUs and all rows of the VPM are for user programs. */
void
emu_registers_release(struct machine *machine);

/* --- Words that caches hold: stale.c --------------------------- */

/*
 * A lookup takes what was fetched, even if a DMA or the CPU has stored
 * something else since.  The caches are as large as the cycle model's, so that
 * a line which they cannot hold any more is fetched again.  Checking mode has
 * them always, other modes from the first launch on that does not clear all
 * caches.
 *
 * Uniforms and instructions are not here: a program always gets those that
 * memory has.
 */

/* To be freed with free(); null when memory is short. */
struct emu_stale *
emu_stale_create(void);

/* A cache whose words are here; null for other kinds.  The slice means nothing
 * for L2. */
struct emu_cache *
emu_stale_cache(struct emu_stale *stale, enum emu_cache_kind kind,
		unsigned slice);

/* The word of each lane as texture unit 0..5 gets it.  Returns the lanes whose
 * address is outside of memory, a bit each; in `old`, unless it is null, are
 * those whose word memory has otherwise by now. */
unsigned
emu_stale_gather(struct emu_stale *stale, struct machine *machine, unsigned tmu,
		 const emu_vec *addresses, emu_vec *words, unsigned *old);

/* A DMA stored these bytes. */
void
emu_stale_store(struct emu_stale *stale, uint32_t bus_addr, uint32_t bytes);

/* --- QPUs in turn, when time is not modelled: schedule.c ------------------ */

/*
 * Functional mode runs QPUs round robin in long slices and switches early when
 * one stalls; checking mode takes short slices in random order.  For the
 * checks, the trace and the profile instructions are executed one at a time.
 */
enum machine_status
emu_schedule_run(struct machine *machine, uint64_t instructions);

/* Describe what a QPU waits for: which semaphore, whose mutex. */
void
emu_wait_text(const struct machine *machine, unsigned qpu,
	      char text[MACHINE_WAIT_SIZE]);

/* Describe a deadlock in machine->fault. */
void
emu_schedule_deadlock(struct machine *machine);

static inline bool
emu_is_observed(const struct emu_qpu *qpu)
{
	const struct machine *machine = qpu->machine;

	return machine->check || machine->traced >> qpu->number & 1 ||
	       machine->options.profile;
}

/* Run a QPU as emu_qpu_run() does, but observed; the trace shows `clock`. */
uint32_t
emu_step_run(struct emu_qpu *qpu, uint32_t n, uint64_t clock);

/* --- Conversions and rotation: pack.c ------------------- */

/* One operand as the unpacker delivers it; mode is QPU_UNPACK_*, and may have
 * EMU_UNPACK_FLOAT. */
void
emu_unpack_slow(unsigned mode, const emu_vec *from, emu_vec *to);

/* Pack a result, as the instruction says, into what its destination holds. */
void
emu_pack_result(const struct emu_qpu *qpu, const struct emu_op *op,
		emu_vec *result);

/* Lane i goes to lane i + n, all of them or inside each quad. */
void
emu_rotate(emu_vec *value, unsigned n, bool quads);

static inline unsigned
emu_rotation(const struct emu_qpu *qpu, const struct emu_op *op)
{
	return op->rotate == EMU_ROTATE_R5 ? qpu->file[EMU_SLOT_R5][0] & 15 :
					     op->rotate;
}

#endif
