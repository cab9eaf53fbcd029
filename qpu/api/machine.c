/* SPDX-License-Identifier: MIT */
/*
 * machine: the emulator with programs that know their source lines, and with
 * what it finds as messages.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/api/handle.h"
#include "qpu/emulator/emulator.h"
#include "qpu/isa/pack.h"
#include "src/base/rows.h"

_Static_assert((int)QPU_QPUS_MAX == (int)MACHINE_QPUS, "as many QPUs");

/* A program in the machine. */
struct loaded {
	uint8_t *bytes;
	size_t len;
	char *name;
	struct qpu_linemap lines; /* without rows if there is none */
};

struct qpu_machine {
	struct machine *machine;
	struct messages messages;
	struct loaded **programs;
	size_t nprograms, capacity;
};

/* The program that has an address, or null. */
static const struct loaded *
find_program(const struct qpu_machine *machine, uint32_t address)
{
	for (size_t i = 0; i < machine->nprograms; i++) {
		const struct loaded *program = machine->programs[i];

		if (((address - program->lines.base) & MACHINE_BUS_MASK) <
		    program->len)
			return program;
	}
	return NULL;
}

/* Add a message with its place in the source, if that is known. */
static void
add_message(struct qpu_machine *machine, uint32_t address,
	    struct qpu_message message)
{
	const struct loaded *program = find_program(machine, address);
	const struct qpu_linemap_row *row = NULL;

	message.address = address;
	message.count = 1;
	if (program) {
		message.file = program->name;
		row = qpu_linemap_find(&program->lines, address);
	}
	if (row) {
		message.file = row->file;
		message.line = row->line;
		message.source = row->text;
	}
	messages_add(&machine->messages, &message);
}

static void
take_message(void *context, const struct qpu_message *message)
{
	add_message(context, (uint32_t)message->address, *message);
}

struct qpu_machine *
qpu_machine_new(unsigned qpus, unsigned mode, uint64_t seed)
{
	const struct machine_options options = {
		.qpus = qpus,
		.timed = mode & QPU_TIMED,
		.check = mode & QPU_CHECKING,
		.mailbox = true,
		.seed = seed,
	};
	struct qpu_machine *machine;

	if (!qpus || qpus > QPU_QPUS_MAX || mode & ~(QPU_TIMED | QPU_CHECKING))
		return NULL;
	machine = calloc(1, sizeof(*machine));
	if (!machine)
		return NULL;
	machine->machine = machine_create(&options, NULL);
	if (!machine->machine) {
		free(machine);
		return NULL;
	}
	machine_on_message(machine->machine, take_message, machine);
	return machine;
}

static void
unload(struct loaded *program)
{
	if (!program)
		return;
	qpu_linemap_free(&program->lines);
	free(program->bytes);
	free(program->name);
	free(program);
}

void
qpu_machine_free(struct qpu_machine *machine)
{
	if (!machine)
		return;
	machine_destroy(machine->machine);
	for (size_t i = 0; i < machine->nprograms; i++)
		unload(machine->programs[i]);
	free(machine->programs);
	messages_free(&machine->messages);
	free(machine);
}

static enum qpu_status
refuse(struct qpu_machine *machine, const char *text)
{
	return messages_refuse(&machine->messages, QPU_INVALID, "%s", text);
}

/* Give memory to the emulator.  If it refuses, the caller made a mistake, unless
 * memory for the process is short. */
static enum qpu_status
add_memory(struct qpu_machine *machine, uint32_t address, void *memory,
	   size_t bytes)
{
	struct diag why;

	if (machine_add_memory(machine->machine, address, memory, bytes, &why))
		return QPU_OK;
	return errno == ENOMEM ? QPU_NO_MEMORY : refuse(machine, why.text);
}

enum qpu_status
qpu_machine_add_memory(struct qpu_machine *machine, uint32_t address,
		       void *memory, size_t bytes)
{
	if (!machine)
		return QPU_INVALID;
	if (!memory || (uintptr_t)memory % sizeof(uint32_t))
		return refuse(machine,
			      "the memory is not aligned to 32-bit words");
	return add_memory(machine, address, memory, bytes);
}

/* Copy words and lines; null when memory is short. */
static struct loaded *
load(const struct qpu_program *program, uint32_t address)
{
	struct loaded *loaded = calloc(1, sizeof(*loaded));

	if (!loaded)
		return NULL;
	loaded->lines.base = address;
	loaded->len = program->n * QPU_INST_BYTES;
	loaded->bytes = malloc(loaded->len);
	loaded->name = strdup(program->name);
	for (size_t i = 0; i < program->n && loaded->bytes; i++)
		qpu_word_store(loaded->bytes + QPU_INST_BYTES * i,
			       program->words[i].word);
	if (loaded->bytes && loaded->name && map_lines(program, &loaded->lines))
		return loaded;
	unload(loaded);
	return NULL;
}

enum qpu_status
qpu_machine_add_program(struct qpu_machine *machine,
			const struct qpu_program *program, uint32_t address)
{
	struct loaded *loaded;
	enum qpu_status status;

	if (!machine)
		return QPU_INVALID;
	if (!program || !program->n)
		return refuse(machine, "the program has no words");
	if (address % QPU_INST_BYTES)
		return refuse(machine,
			      "the address of code is not a multiple of 8");
	if (!rows_grow(&machine->programs, &machine->capacity,
		       machine->nprograms, sizeof(struct loaded *)))
		return QPU_NO_MEMORY;
	loaded = load(program, address);
	if (!loaded)
		return QPU_NO_MEMORY;
	status = add_memory(machine, address, loaded->bytes, loaded->len);
	if (status == QPU_OK)
		machine->programs[machine->nprograms++] = loaded;
	else
		unload(loaded);
	return status;
}

enum qpu_status
qpu_machine_ignore(struct qpu_machine *machine, const char *rules)
{
	uint64_t ignored = 0;
	struct diag why;

	if (!machine)
		return QPU_INVALID;
	if (!rules)
		return refuse(machine, "an argument is null");
	if (!machine_rules_parse(rules, &ignored, &why))
		return refuse(machine, why.text);
	machine_ignore(machine->machine, ignored);
	return QPU_OK;
}

enum qpu_status
qpu_machine_launch(struct qpu_machine *machine,
		   const struct qpu_launch *launches, size_t n)
{
	struct machine_program programs[QPU_LAUNCHES_MAX];
	struct diag why;

	if (!machine)
		return QPU_INVALID;
	if (!launches || !n || n > QPU_LAUNCHES_MAX)
		return refuse(machine, "1 to 16 programs can be launched");
	for (size_t i = 0; i < n; i++)
		programs[i] = (struct machine_program){
			.code = launches[i].code,
			.uniforms = launches[i].uniforms,
		};
	if (!machine_launch(machine->machine, programs, n, &why))
		return refuse(machine, why.text);
	return QPU_OK;
}

/* Add why a run ended, at the place of a program, and notes with the places of the
 * others. */
static void
tell_end(struct qpu_machine *machine, const char *why)
{
	char text[MACHINE_WAIT_SIZE + 32];
	bool told = false;

	for (unsigned i = 0; i < MACHINE_QPUS; i++) {
		struct machine_view view;

		machine_look(machine->machine, i, &view);
		if (!view.stuck)
			continue;
		snprintf(text, sizeof(text), "QPU %u waits for %s", i,
			 view.wait);
		add_message(machine, view.pc,
			    (struct qpu_message){
				    .severity = told ? QPU_SEVERITY_NOTE :
						       QPU_SEVERITY_ERROR,
				    .text = told ? text : why,
				    .qpu = (int)i,
			    });
		told = true;
	}
	if (!told)
		refuse(machine, why);
}

enum qpu_status
qpu_machine_run(struct qpu_machine *machine, uint64_t instructions,
		uint64_t clocks)
{
	static const enum qpu_status statuses[] = {
		[MACHINE_DONE] = QPU_OK,
		[MACHINE_LIMIT] = QPU_LIMIT,
		[MACHINE_DEADLOCK] = QPU_DEADLOCK,
		[MACHINE_FAULT] = QPU_FAULT,
	};
	enum machine_status status;
	struct diag why;

	if (!machine)
		return QPU_INVALID;
	status = machine_run(machine->machine, instructions, clocks, &why);
	if (status == MACHINE_DEADLOCK || status == MACHINE_FAULT)
		tell_end(machine, why.text);
	return statuses[status];
}

enum qpu_status
qpu_machine_reset(struct qpu_machine *machine)
{
	if (!machine)
		return QPU_INVALID;
	machine_reset(machine->machine);
	return QPU_OK;
}

size_t
qpu_machine_messages(const struct qpu_machine *machine)
{
	return machine ? machine->messages.n : 0;
}

const struct qpu_message *
qpu_machine_message(const struct qpu_machine *machine, size_t index)
{
	return machine && index < machine->messages.n ?
		       &machine->messages.rows[index]->shown :
		       NULL;
}

size_t
qpu_machine_errors(const struct qpu_machine *machine)
{
	return machine ? machine->messages.errors : 0;
}

uint64_t
qpu_machine_instructions(const struct qpu_machine *machine)
{
	return machine ? machine_instructions(machine->machine) : 0;
}

uint64_t
qpu_machine_clocks(const struct qpu_machine *machine)
{
	return machine ? machine_clocks(machine->machine) : 0;
}

double
qpu_machine_microseconds(const struct qpu_machine *machine)
{
	return (double)qpu_machine_clocks(machine) / MACHINE_CLOCK_MHZ;
}
