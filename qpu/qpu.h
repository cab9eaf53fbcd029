/* SPDX-License-Identifier: MIT */
/*
 * qpu: programs for the QPUs of VideoCore IV, the graphics processor of the
 * Raspberry Pi 1, 2, 3 and Zero: assembled, disassembled, checked for hazards,
 * and run in an emulator.  It needs no Raspberry Pi.  Manual page: qpu(3).
 *
 *	cc example.c $(pkg-config --cflags --libs libqpu)
 *
 * A program is a handle: give it a source or machine words, look at its
 * messages, validate it.  A machine is another handle: give it memory and
 * programs, launch and run them, and read the results in your memory.
 *
 *	struct qpu_program *program = qpu_program_new();
 *	struct qpu_machine *machine = qpu_machine_new(12, QPU_TIMED, 0);
 *
 *	if (qpu_program_assemble_file(program, "add.qasm") == QPU_OK &&
 *	    qpu_program_validate(program, QPU_HAZARDS) == QPU_OK &&
 *	    qpu_machine_add_memory(machine, DATA, data, bytes) == QPU_OK &&
 *	    qpu_machine_add_program(machine, program, CODE) == QPU_OK &&
 *	    qpu_machine_launch(machine, launches, 12) == QPU_OK)
 *		qpu_machine_run(machine, 0, 0);
 *
 * Errors are values.  A function returns a status; if that is QPU_INVALID,
 * QPU_REFUSED, QPU_DEADLOCK or QPU_FAULT, the last messages of the handle are
 * the reason.  The library prints nothing, ends no process and keeps all that
 * changes in handles, so threads may use it at the same time, each with handles
 * of its own.
 *
 * Functions accept null for a handle: they return QPU_INVALID, 0 or null, and
 * freeing it does nothing.  The target of a returned pointer belongs to the
 * handle and lasts until the handle is freed, unless a comment says otherwise.
 *
 * Addresses on the bus are those that QPUs use (VideoCore IV 3D Architecture
 * Reference Guide, section 2): 30 bits, and two that choose one of four aliases
 * of the same memory.  Clocks are those of the V3D, 250 MHz on a Pi 1; all of
 * them are modelled.
 */
#ifndef QPU_H
#define QPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

enum qpu_status {
	QPU_OK,	       /* of a run: every program has ended */
	QPU_INVALID,   /* the call makes no sense, and has changed nothing */
	QPU_NO_MEMORY, /* of the process; the handle can still be freed */
	QPU_REFUSED,   /* the source or the program has errors */
	QPU_IO,	       /* a stream could not be written; errno says why */
	QPU_LIMIT,     /* of the run; it may be continued */
	QPU_DEADLOCK,  /* every QPU that is left waits */
	QPU_FAULT      /* a program did what cannot be continued */
};

/* "out of memory", and so on; never null. */
const char *
qpu_status_text(enum qpu_status status);

/* The version of this header: 10203 is 1.2.3. */
#define QPU_VERSION_NUMBER 10100

/* The version of the library that runs, such as "1.1.0". */
const char *
qpu_version(void);

/* --- Messages ------------------------------------------------------------- */

enum qpu_severity {
	QPU_SEVERITY_NOTE, /* belongs to the message before it */
	QPU_SEVERITY_WARNING,
	QPU_SEVERITY_ERROR
};

/*
 * What a handle has to say, in the order in which it was found.  qpuasm(1)
 * explains the rules of sources and code (E100 to E199, W200 to W212, R1 to
 * R20, D1 and so on), qpurun(1) those that are seen in a run (R and C).  Texts
 * of a source may have control characters in them.
 */
struct qpu_message {
	enum qpu_severity severity;
	const char *rule;   /* such as "R5", or "" */
	const char *text;   /* a sentence without its full stop */
	const char *file;   /* the source or the program's name, or "" */
	unsigned line;	    /* from 1, or 0 */
	unsigned column;    /* from 1, in bytes, or 0 */
	const char *source; /* that line, or an instruction as text, or null */
	/* The instruction: bytes from the beginning of the program, or, in a
	 * message of a machine, its bus address; -1: none. */
	int64_t address;
	int qpu;      /* its number, in a message of a machine; -1: none */
	size_t count; /* instructions of this line that it is true of; from 1 */
};

/* --- Programs ------------------------------------------------------------- */

struct qpu_program;

enum {
	QPU_INSTRUCTION_BYTES = 8,
	QPU_PROGRAM_BYTES_MAX = 1 << 20,
	QPU_TEXT_BYTES_MAX = 256 /* of an instruction as text, with its 0 */
};

struct qpu_word {
	uint64_t word;
	bool is_instruction; /* else data */
	const char *file;    /* of the source; the program's name without one */
	unsigned line;	     /* from 1, or 0 without a source */
	const char *text;    /* that line, or null */
};

/* Null when memory is short. */
struct qpu_program *
qpu_program_new(void);
void
qpu_program_free(struct qpu_program *program);

/*
 * Settings, before the program gets its words.
 *
 * include: a directory in which .include <name> looks.  preload: a file that is
 * assembled before the source.  ignore: rules and warnings that make no
 * message, such as "R5,W200".
 */
enum qpu_status
qpu_program_include(struct qpu_program *program, const char *directory);
enum qpu_status
qpu_program_preload(struct qpu_program *program, const char *path);
enum qpu_status
qpu_program_ignore(struct qpu_program *program, const char *rules);

/*
 * A function that is called for each source instead of opening a file: it
 * returns the text of a path and sets *bytes, or returns null if there is none.
 * The text has to last until the program is assembled.
 */
typedef const char *
qpu_reader(void *context, const char *path, size_t *bytes);
enum qpu_status
qpu_program_read_with(struct qpu_program *program, qpu_reader *reader,
		      void *context);

/*
 * Assemble a source, in the syntax that qpuasm(1) describes.  A program gets
 * its words once.  QPU_REFUSED: the messages describe the errors, and there are
 * no words.  Path "-" is standard input, unless there is a reader; name stands
 * in messages.  text may be null if bytes is 0.
 */
enum qpu_status
qpu_program_assemble_file(struct qpu_program *program, const char *path);
enum qpu_status
qpu_program_assemble_text(struct qpu_program *program, const char *name,
			  const char *text, size_t bytes);

/*
 * Take machine words, little-endian as in files and memory.  QPU_INVALID if
 * bytes is not a multiple of 8 or is more than QPU_PROGRAM_BYTES_MAX.
 */
enum qpu_status
qpu_program_load(struct qpu_program *program, const char *name,
		 const void *words, size_t bytes);

/* Rule sets of qpu_program_validate, which may be added. */
enum qpu_rules {
	QPU_HAZARDS = 1, /* of the hardware, for programs of the mailbox */
	QPU_DRM = 2	 /* what Linux's driver vc4 demands of a program; with
			  * QPU_HAZARDS, graphics are no hazard, and the driver
			  * is asked if there is none */
};

/*
 * Look for what can be seen without running the program; a message for each
 * finding, each followed by a note where another instruction is the cause.
 * QPU_REFUSED if one of them is an error.
 */
enum qpu_status
qpu_program_validate(struct qpu_program *program, unsigned rules);

/* How hard qpu_program_optimise tries. */
enum qpu_level {
	QPU_SCHEDULE = 1, /* another order, two operations an instruction */
	QPU_RENAME = 2	  /* and other registers for values of one block */
};

/*
 * Make the program shorter, once, after it got its words.  The search ends
 * after a fixed number of passes, so that the same words give the same result,
 * or, if `seconds` is above 0, after that time.  QPU_REFUSED if the program's
 * control flow cannot be followed; then it is unchanged and the last message
 * (E150) says why.  Warnings (W213) name the parts that stay unchanged.
 * qpuasm(1) lists what the optimiser cannot see, such as offsets into the code
 * that another program keeps.
 */
enum qpu_status
qpu_program_optimise(struct qpu_program *program, unsigned level,
		     double seconds);

/* Return the nth of the original words, from 0, from which the word at an index
 * was made; null if there are no more.  Most have one or two; an added nop has
 * none. */
const struct qpu_word *
qpu_program_origin(const struct qpu_program *program, size_t index, size_t nth);

/* Return the path of a file that the assembler has read for the program, from 0, its
 * source and what that includes; null beyond the last one. */
const char *
qpu_program_source(const struct qpu_program *program, size_t index);

/* How many, and one by its index; null beyond the last one.  Of errors more
 * may have been counted than have a message. */
size_t
qpu_program_words(const struct qpu_program *program);
const struct qpu_word *
qpu_program_word(const struct qpu_program *program, size_t index);
size_t
qpu_program_messages(const struct qpu_program *program);
const struct qpu_message *
qpu_program_message(const struct qpu_program *program, size_t index);
size_t
qpu_program_errors(const struct qpu_program *program);

/*
 * Write the program as a source that assembles to the same words, with labels;
 * or its line map, as qpurun --lines reads it.
 */
enum qpu_status
qpu_program_write_text(const struct qpu_program *program, FILE *stream);
enum qpu_status
qpu_program_write_lines(const struct qpu_program *program, FILE *stream);

/* One instruction as text; QPU_REFUSED and "" for a word that is none. */
enum qpu_status
qpu_disassemble(uint64_t word, char text[QPU_TEXT_BYTES_MAX]);

/* --- Machines ------------------------------------------------------------- */

struct qpu_machine;

enum { QPU_QPUS_MAX = 12, QPU_LAUNCHES_MAX = 16 };

/* How a machine runs programs; modes may be added.  Without any it is fastest. */
enum qpu_mode {
	QPU_TIMED = 1,	 /* with the cycle model */
	QPU_CHECKING = 2 /* with noise in undefined state, QPUs that take turns
			   * at random, and hazards reported */
};

struct qpu_launch {
	uint32_t code;	   /* bus address of the first instruction */
	uint32_t uniforms; /* bus address of its stream of uniforms */
};

/*
 * A machine with 1 to 12 QPUs; mode is 0 or a sum of enum qpu_mode; seed
 * chooses noise and turns of QPU_CHECKING.  Null when memory is short, an
 * argument is out of range, or libm cannot be loaded, which happens to programs
 * that are linked with -static and run where glibc is another version.
 */
struct qpu_machine *
qpu_machine_new(unsigned qpus, unsigned mode, uint64_t seed);
void
qpu_machine_free(struct qpu_machine *machine);

/*
 * Let programs use your memory at a bus address, until the machine is freed; it
 * must last until then.  It must be free of other memory, whole aligned 32-bit
 * words and inside the bus, else QPU_INVALID. Programs can change nothing else
 * of your process.
 */
enum qpu_status
qpu_machine_add_memory(struct qpu_machine *machine, uint32_t address,
		       void *memory, size_t bytes);

/*
 * Put a copy of a program at a bus address, a multiple of 8; messages name its
 * source lines.  The program may be freed then.
 */
enum qpu_status
qpu_machine_add_program(struct qpu_machine *machine,
			const struct qpu_program *program, uint32_t address);

/* Rules of a run that make no message, such as "R5,C32". */
enum qpu_status
qpu_machine_ignore(struct qpu_machine *machine, const char *rules);

/*
 * Queue programs, one for a QPU each, at most QPU_LAUNCHES_MAX of them; what
 * finds no free QPU waits.  Caches are cold afterwards.
 */
enum qpu_status
qpu_machine_launch(struct qpu_machine *machine,
		   const struct qpu_launch *launches, size_t n);

/*
 * Run until all programs have ended, or until `instructions` more were executed
 * by all QPUs together or `clocks` more have passed in the model (0: no limit).
 * After QPU_LIMIT another run continues.  After QPU_DEADLOCK and QPU_FAULT the
 * last messages are the reason, with the place of a program, and notes with the
 * other places; only qpu_machine_reset helps then.  Running out of memory for
 * code is a fault.  Hazards do not end a run: see qpu_machine_errors.
 */
enum qpu_status
qpu_machine_run(struct qpu_machine *machine, uint64_t instructions,
		uint64_t clocks);

/* Stop all programs and forget what hangs; memory and totals stay. */
enum qpu_status
qpu_machine_reset(struct qpu_machine *machine);

/* Messages, as of a program; a hazard has one for its rule and address. */
size_t
qpu_machine_messages(const struct qpu_machine *machine);
const struct qpu_message *
qpu_machine_message(const struct qpu_machine *machine, size_t index);
/* Hazards, deadlocks, faults and refused calls since qpu_machine_new. */
size_t
qpu_machine_errors(const struct qpu_machine *machine);

/* Totals since qpu_machine_new.  Without QPU_TIMED clocks are 0. */
uint64_t
qpu_machine_instructions(const struct qpu_machine *machine);
uint64_t
qpu_machine_clocks(const struct qpu_machine *machine);
/* The modelled time in microseconds, at 250 MHz. */
double
qpu_machine_microseconds(const struct qpu_machine *machine);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
