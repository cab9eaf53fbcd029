/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/debugger/show.h"

#include <inttypes.h>
#include <string.h>

#include "qpu/isa/pack.h"

enum { SEMAPHORES = 16, COLUMNS = 8 };

/* What makes a set-up word that of a pitch, or of a stride. */
static const uint32_t EXTENDED_PITCH = 0x90000000, STRIDE = 0xc0000000;

static void
show_value(FILE *out, uint32_t word, enum show_form form)
{
	float real;

	memcpy(&real, &word, sizeof(real));
	switch (form) {
	case SHOW_HEX: fprintf(out, " %08" PRIx32, word); break;
	case SHOW_INT: fprintf(out, " %11" PRId32, (int32_t)word); break;
	case SHOW_FLOAT: fprintf(out, " %13.7g", real); break;
	}
}

void
show_vector(FILE *out, const char *name, const uint32_t *lanes,
	    enum show_form form)
{
	bool same = true;

	for (unsigned i = 1; i < MACHINE_LANES; i++)
		same = same && lanes[i] == lanes[0];
	fprintf(out, "%-5s", name);
	if (same) {
		show_value(out, lanes[0], form);
		fputs(" in all lanes\n", out);
		return;
	}
	for (unsigned i = 0; i < MACHINE_LANES; i++) {
		if (i == COLUMNS)
			fprintf(out, "\n%-5s", "");
		show_value(out, lanes[i], form);
	}
	putc('\n', out);
}

void
show_word(FILE *out, const char *name, uint32_t word)
{
	float real;

	memcpy(&real, &word, sizeof(real));
	fprintf(out, "%s = 0x%08" PRIx32 " = %" PRId32 " = %.9g\n", name, word,
		(int32_t)word, real);
}

void
show_registers(FILE *out, const struct machine *machine, unsigned qpu,
	       unsigned file, enum show_form form)
{
	static const char *const prefixes[] = { "ra", "rb", "r" };
	const unsigned n = file == 2 ? 6 : 32;
	char name[16];

	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s%u", prefixes[file], i);
		show_vector(out, name, machine_register(machine, qpu, file, i),
			    form);
	}
}

void
show_memory(FILE *out, struct machine *machine, uint32_t addr, unsigned n,
	    enum show_form form)
{
	for (unsigned i = 0; i < n; i++, addr += 4) {
		const void *bytes = machine_memory(machine, addr, 4);
		uint32_t word;

		if (!bytes) {
			fprintf(out, "%sno memory at 0x%08" PRIx32 "\n",
				i % 4 ? "\n" : "", addr);
			return;
		}
		memcpy(&word, bytes, sizeof(word));
		if (i % 4 == 0)
			fprintf(out, "%s%08" PRIx32 ":", i ? "\n" : "", addr);
		show_value(out, word, form);
	}
	putc('\n', out);
}

static void
show_flag(FILE *out, const char *name, unsigned lanes)
{
	fprintf(out, "%s ", name);
	for (unsigned i = 0; i < MACHINE_LANES; i++)
		putc(lanes >> i & 1 ? '1' : '.', out);
	putc('\n', out);
}

void
show_flags(FILE *out, const struct machine *machine, unsigned qpu)
{
	struct machine_view view;

	machine_look(machine, qpu, &view);
	fputs("  lane 0 is on the left\n", out);
	show_flag(out, "z", view.z);
	show_flag(out, "n", view.n);
	show_flag(out, "c", view.c);
}

/* A field of bits low and up. */
static unsigned
field(uint32_t word, unsigned low, unsigned bits)
{
	return word >> low & ((1u << bits) - 1);
}

/* A field in which 0 stands for its largest number plus 1. */
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

/* Section 11.3 of the hardware reference; only a read counts its vectors. */
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

/* Section 11.7. */
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

/* Section 11.8. */
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
show_setup_word(FILE *out, bool store, uint32_t word)
{
	if (!(word >> 31))
		show_vpm_access(out, store, word);
	else if (!store && word >> 28 == 9)
		fprintf(out, "DMA load: extended pitch of %u bytes\n",
			field(word, 0, 14));
	else if (!store)
		show_load(out, word);
	else if (word >> 30 == 2)
		show_store(out, word);
	else
		fprintf(out,
			"DMA store: %u bytes from the end of a row to the "
			"next%s\n",
			field(word, 0, 16),
			field(word, 16, 1) ? ", block mode" : "");
}

/* Show a set-up as it was written. */
static void
show_setup(FILE *out, bool store, uint32_t word)
{
	fprintf(out, "%s 0x%08" PRIx32 "  ", store ? "vw" : "vr", word);
	show_setup_word(out, store, word);
}

/* Show a set-up of the VPM as it is for the next access. */
static void
show_next(FILE *out, bool store, uint32_t word)
{
	fprintf(out, "%s next        ", store ? "vw" : "vr");
	show_setup_word(out, store, word);
}

void
show_setups(FILE *out, const struct machine *machine, unsigned qpu)
{
	struct machine_view view;

	machine_look(machine, qpu, &view);
	for (unsigned i = 0; i < view.vpm_reads; i++)
		show_next(out, false, view.vpm_read[i]);
	show_next(out, true, view.vpm_write);
	if (view.load) {
		show_setup(out, false, view.load);
		show_setup(out, false, EXTENDED_PITCH | view.load_pitch);
	}
	if (view.store) {
		show_setup(out, true, view.store);
		show_setup(out, true, STRIDE | view.store_stride);
	}
	for (unsigned tmu = 0; tmu < 2; tmu++)
		if (view.lookups[tmu])
			fprintf(out, "TMU %u: %u lookup%s not loaded yet\n",
				tmu, view.lookups[tmu],
				view.lookups[tmu] == 1 ? "" : "s");
}

void
show_uniforms(FILE *out, struct machine *machine, unsigned qpu)
{
	struct machine_view view;

	machine_look(machine, qpu, &view);
	fprintf(out, "the next uniform is at 0x%08" PRIx32 "\n", view.uniforms);
	for (unsigned n = 4; n; n--)
		if (machine_memory(machine, view.uniforms, 4 * n)) {
			show_memory(out, machine, view.uniforms, n, SHOW_HEX);
			break;
		}
}

void
show_shared(FILE *out, const struct machine *machine)
{
	const int holder = machine_mutex(machine);
	bool any = false;

	for (unsigned i = 0; i < SEMAPHORES; i++) {
		const unsigned value = machine_semaphore(machine, i);

		if (value)
			fprintf(out, "semaphore %u is %u\n", i, value);
		any = any || value;
	}
	if (!any)
		fputs("all semaphores are 0\n", out);
	if (holder < 0)
		fputs("the mutex is free\n", out);
	else
		fprintf(out, "QPU %d holds the mutex\n", holder);
}

/* The word of an instruction; false if there is no memory. */
static bool
read_code(struct machine *machine, uint32_t pc, uint64_t *word)
{
	const uint8_t *bytes = machine_memory(machine, pc, QPU_INST_BYTES);

	if (bytes)
		*word = qpu_word_load(bytes);
	return bytes;
}

static void
show_instruction(FILE *out, struct machine *machine,
		 const struct trace_lines *lines, uint32_t pc)
{
	const struct qpu_linemap_row *row = trace_find_line(lines, pc);
	char text[TRACE_TEXT_SIZE] = "(no memory)";
	uint64_t word;

	if (read_code(machine, pc, &word))
		trace_disassemble(word, text);
	fprintf(out, "%s", text);
	if (row)
		fprintf(out, "  # %s:%u", row->file, row->line);
}

/* Show what a QPU waits for: which semaphore, whose mutex, until when. */
static void
show_wait(FILE *out, struct machine *machine, const struct machine_view *view)
{
	struct qpu_inst inst;
	uint64_t word;

	fprintf(out, "      waits for %s", machine_stall_name(view->waits));
	if (view->waits == MACHINE_STALL_SEMAPHORE &&
	    read_code(machine, view->pc, &word) && qpu_unpack(word, &inst))
		fprintf(out, " %u, which is %u", qpu_sema_number(&inst),
			machine_semaphore(machine, qpu_sema_number(&inst)));
	else if (view->waits == MACHINE_STALL_MUTEX)
		fprintf(out, ", which QPU %d holds", machine_mutex(machine));
	if (view->until)
		fprintf(out, ", until clock %" PRIu64, view->until);
	putc('\n', out);
}

void
show_place(FILE *out, struct machine *machine, const struct trace_lines *lines,
	   unsigned qpu)
{
	struct machine_view view;

	machine_look(machine, qpu, &view);
	if (!view.running) {
		fprintf(out, "QPU %u has no program, or it has ended\n", qpu);
		return;
	}
	fprintf(out, "QPU %u at %08" PRIx32 "  ", qpu, view.pc);
	show_instruction(out, machine, lines, view.pc);
	putc('\n', out);
	if (view.branch_slots)
		fprintf(out, "      branches to %08" PRIx32 " after %u more\n",
			view.target, view.branch_slots);
	if (view.end_slots)
		fprintf(out, "      ends after %u more\n", view.end_slots);
	if (view.waits)
		show_wait(out, machine, &view);
}

void
show_code(FILE *out, struct machine *machine, const struct trace_lines *lines,
	  unsigned qpu, uint32_t addr, unsigned n)
{
	struct machine_view view;
	uint64_t word;

	machine_look(machine, qpu, &view);
	for (; n; n--, addr += QPU_INST_BYTES) {
		if (!read_code(machine, addr, &word)) {
			fprintf(out, "no memory at 0x%08" PRIx32 "\n", addr);
			return;
		}
		fprintf(out, "%s %08" PRIx32 "  ",
			view.running && view.pc == addr ? "->" : "  ", addr);
		show_instruction(out, machine, lines, addr);
		putc('\n', out);
	}
}
