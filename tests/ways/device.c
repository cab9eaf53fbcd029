/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "tests/ways/device.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/asm/asm.h"
#include "qpu/isa/pack.h"
#include "tests/support/golden.h"

struct device_session device_session;

static struct device_session *const s = &device_session;
static struct diag why;

static struct way_memory *
memory_of(const char *number)
{
	return &s->memories[strtoul(number, NULL, 0) % DEVICE_MEMORIES];
}

static void
open_device(char *options)
{
	unsigned qpus = 77;

	s->self = s->device->open(options, &qpus, &why);
	if (!s->self && qpus == 77)
		golden_answer("%s", why.text);
	else
		golden_answer("%u QPUs", qpus);
}

void
device_close(char *words)
{
	(void)words;
	if (s->self)
		s->device->close(s->self);
	s->self = NULL;
	s->nmemories = s->nprograms = 0;
}

static void
take(char *words)
{
	struct way_memory *memory = &s->memories[s->nmemories];

	why.text[0] = '\0';
	if (!s->device->alloc(s->self, strtoul(words, NULL, 0), memory, &why)) {
		golden_answer("%s", why.text);
		return;
	}
	golden_answer("%u: %zu bytes at 0x%08x", s->nmemories++, memory->bytes,
		      (unsigned)memory->bus);
	memset(memory->cpu, 1, memory->bytes);
}

static void
free_memory(char *words)
{
	s->device->free(s->self, memory_of(words));
}

static void
free_unused(char *words)
{
	memory_of(words)->unused = true;
	free_memory(words);
}

static void
publish(char *words)
{
	s->device->publish(s->self, memory_of(words));
}

static void
load_words(const struct qpu_asm_program *program)
{
	struct way_memory memory;
	struct device_program loaded = { .result_rows = 1 };
	uint64_t code[64];

	if (program->nwords > sizeof(code) / sizeof(*code))
		exit(99);
	for (size_t i = 0; i < program->nwords; i++)
		code[i] = program->words[i].word;
	s->program = (struct way_program){ .uniforms = 4, .loads = 2 };
	if (s->device->kind == WAY_TILES ?
		    !s->device->load(s->self, code, program->nwords,
				     &s->program, &why) :
		    !s->device->alloc(s->self, 4096, &memory, &why)) {
		golden_answer("%s", why.text);
		return;
	}
	if (s->device->kind == WAY_TILES)
		return;
	for (size_t i = 0; i < program->nwords; i++)
		qpu_word_store((uint8_t *)memory.cpu + 8 * i, code[i]);
	loaded.code = loaded.uniforms = memory.bus;
	for (unsigned i = s->nprograms++; i < DEVICE_PROGRAMS; i++)
		s->programs[i] = loaded;
}

static void
load(char *source)
{
	struct qpu_asm_program program;

	for (char *c = source; *c; c++)
		*c = *c == ';' ? '\n' : *c;
	if (!qpu_asm_text("program", source, strlen(source), NULL, &program))
		exit(99);
	load_words(&program);
	qpu_asm_free(&program);
}

static const char *const status_names[] = { [DEVICE_OK] = "good",
					    [DEVICE_TIMEOUT] = "timeout",
					    [DEVICE_REFUSED] = "refused",
					    [DEVICE_FAULT] = "fault" };

static void
tell_status(enum device_status status)
{
	golden_answer("%s", status_names[status]);
	if (status != DEVICE_OK)
		golden_tell(": %s", why.text);
}

static uint64_t ticket; /* of the last job */

/* Each draw has half of the job. */
static void
submit(char *words)
{
	/* Of each lookup, how far it may go, and from which byte on. */
	static const uint32_t uniforms[] = { 252, 0, 252, 4 };
	struct way_program program = s->program;
	struct way_memory results = s->memories[0], data = s->memories[1];
	const struct way_memory *const loads[] = { &data, &results };
	struct tile_draw draws[] = {
		{ &s->program, uniforms, loads, 0, 0, 32, 32 },
		{ &program, uniforms, loads, 32, 0, 32, 16 },
	};
	struct way_job job = { .tiles = { .draws = draws,
					  .ndraws = 2,
					  .results = &results,
					  .tiles_x = 2,
					  .tiles_y = 1 } };
	char *word;

	while ((word = strsep(&words, " ")) && *word) {
		const char *value = strchr(word, '=') + 1;
		const unsigned number = (unsigned)strtoul(value, NULL, 0);

		switch (*word) {
		case 't':
			job.tiles.tiles_x = number;
			job.tiles.tiles_y = number;
			break;
		case 'o': job.tiles.offset = number; break;
		case 'w': draws[1].width = (uint16_t)number; break;
		case 'r': results.handle = number; break;
		case 'l': data.handle = number; break;
		default: program.handle = number; break;
		}
	}
	tell_status(s->device->submit(s->self, &job, &ticket, &why));
}

static void
wait_for(char *words)
{
	tell_status(s->device->wait(s->self, ticket,
				    (unsigned)strtoul(words, NULL, 0), &why));
}

static void
run(char *words)
{
	const unsigned n = (unsigned)strtoul(words, &words, 0);
	const double expected = *words ? strtod(words, &words) : 0;
	const unsigned limit = *words ? (unsigned)strtoul(words, &words, 0) :
					5000;
	enum device_status status;

	for (unsigned i = 0; i < DEVICE_PROGRAMS; i++) {
		s->programs[i].results = *words ? memory_of(words)->bus : 0;
		words += strspn(words, " 0123456789");
		s->programs[i].results += (uint32_t)strtol(words, &words, 0);
	}
	status = way_run(
		s->device, s->self,
		&(struct way_job){ .expected_ms = expected,
				   .launch = { s->programs, n, limit } },
		0, &why);
	tell_status(status);
}

static void
restart(char *words)
{
	(void)words;
	diag_set(&why, "no");
	golden_answer("%s",
		      s->device->restart(s->self, &why) ? "yes" : why.text);
}

/* Print totals. Clocks come from the cycle model and are printed in
 * thousands. */
static void
tell_totals(char *words)
{
	struct device_totals totals;

	(void)words;
	s->device->totals(s->self, &totals);
	if (totals.timed) {
		golden_answer("%u000 clocks%s",
			      (unsigned)((totals.clocks + 500) / 1000),
			      totals.launch_clocks > 0 ? ", some before" : "");
		return;
	}
	golden_answer("%.9g ms%s", totals.busy_ms,
		      totals.modelled ? " of a model" : "");
	if (totals.memory)
		golden_answer("%u Hz, %s", (unsigned)totals.clock_hz,
			      totals.memory);
	if (totals.modelled)
		golden_answer("%u instructions", (unsigned)totals.instructions);
	for (unsigned i = 0; i < totals.ncounters; i++)
		golden_answer("%s: %u", totals.counters[i].name,
			      (unsigned)totals.counters[i].value);
}

bool
device_command(char *line)
{
	static const struct golden_command rows[] = {
		{ "open", open_device },
		{ "close", device_close },
		{ "take", take },
		{ "free", free_memory },
		{ "free-unused", free_unused },
		{ "load", load },
		{ "job", submit },
		{ "wait", wait_for },
		{ "publish", publish },
		{ "run", run },
		{ "restart", restart },
		{ "totals", tell_totals },
		{ NULL, NULL },
	};

	return golden_command(rows, line);
}
