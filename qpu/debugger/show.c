/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/debugger/debugger.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/isa/disasm.h"
#include "qpu/isa/pack.h"

enum { VPM_ROWS = 64, LIST_LINES = 5, CODE_LINES = 8, MOST = 1 << 20 };
enum { SEMAPHORES = 16, COLUMNS = 8 };

/* The bits by which a set-up word is a pitch, or a stride. */
static const uint32_t EXTENDED_PITCH = 0x90000000, STRIDE = 0xc0000000;

enum form { HEX, INT, FLOAT };

char *
show_next_word(char **text)
{
	char *word = *text + strspn(*text, " \t");
	char *end = word + strcspn(word, " \t");

	*text = end + (*end != '\0');
	*end = '\0';
	return word;
}

bool
show_next_number(char **text, unsigned most, unsigned *number, struct diag *why)
{
	const char *word = show_next_word(text);
	char *end;
	unsigned long long value;

	if (!*word)
		return true;
	value = strtoull(word, &end, 10);
	if (*word >= '0' && *word <= '9' && !*end && value <= most) {
		*number = value;
		return true;
	}
	return diag_set(why, "'%s' is not a number from 0 to %u", word, most);
}

static bool
parse_form(char **text, enum form *form, struct diag *why)
{
	static const char *const names[] = { "hex", "int", "float" };
	const char *word = show_next_word(text);

	*form = HEX;
	if (!*word)
		return true;
	for (unsigned i = 0; i < 3; i++)
		if (strcmp(word, names[i]) == 0) {
			*form = i;
			return true;
		}
	return diag_set(why, "'%s' is not hex, int or float", word);
}

static bool
parse_address(char **text, uint32_t *addr, struct diag *why)
{
	const char *word = show_next_word(text), *end;

	if (bus_address_parse(word, &end, addr) && !*end)
		return true;
	return diag_set(why, "'%s' is not a hexadecimal bus address", word);
}

static void
put_value(FILE *out, uint32_t word, enum form form)
{
	float real;

	memcpy(&real, &word, sizeof(real));
	switch (form) {
	case HEX: fprintf(out, " %08" PRIx32, word); break;
	case INT: fprintf(out, " %11" PRId32, (int32_t)word); break;
	case FLOAT: fprintf(out, " %13.7g", real); break;
	}
}

static void
put_vector(FILE *out, const char *name, const uint32_t *lanes, enum form form)
{
	const int width = fprintf(out, "%-5s", name);
	bool same = true;

	for (unsigned i = 1; i < MACHINE_LANES; i++)
		same = same && lanes[i] == lanes[0];
	if (same) {
		put_value(out, lanes[0], form);
		fputs(" in all lanes\n", out);
		return;
	}
	for (unsigned i = 0; i < MACHINE_LANES; i++) {
		if (i == COLUMNS)
			fprintf(out, "\n%*s", width, "");
		put_value(out, lanes[i], form);
	}
	putc('\n', out);
}

bool
show_print(struct debugger *debugger, char *text, struct diag *why)
{
	struct machine *machine = debugger->machine;
	const unsigned qpu = debugger->qpu;
	const char *shown = show_next_word(&text), *end = shown;
	struct operand operand;
	enum form form;
	uint32_t word;
	float real;

	if (!operand_parse(&end, &operand, why) ||
	    !parse_form(&text, &form, why))
		return false;
	if (*end)
		return diag_set(why, "'%s' is no register, [ADDR] or number",
				shown);
	if (operand.kind == OPERAND_REGISTER && !operand.has_lane) {
		put_vector(debugger->out, shown,
			   machine_register(machine, qpu, operand.file,
					    operand.number),
			   form);
		return true;
	}
	if (!operand_read(&operand, machine, qpu, &word))
		return diag_set(why, "no memory at %s", shown);
	memcpy(&real, &word, sizeof(real));
	fprintf(debugger->out, "%s = 0x%08" PRIx32 " = %" PRId32 " = %.9g\n",
		shown, word, (int32_t)word, real);
	return true;
}

bool
show_registers(struct debugger *debugger, char *text, struct diag *why)
{
	static const char *const prefixes[] = { "ra", "rb", "r" };
	static const uint32_t zeros[MACHINE_LANES];
	const char *word = show_next_word(&text);
	const bool a = strcmp(word, "a") == 0, b = strcmp(word, "b") == 0;
	const unsigned file = a ? 0 : b ? 1 : 2;
	enum form form;
	char name[16];

	if (*word && !a && !b && strcmp(word, "acc"))
		return diag_set(why, "'%s' is not acc, a or b", word);
	if (!parse_form(&text, &form, why))
		return false;
	for (unsigned i = 0; i < (file == 2 ? 6 : 32); i++) {
		const uint32_t *lanes = machine_register(
			debugger->machine, debugger->qpu, file, i);

		if (file != 2 && memcmp(lanes, zeros, sizeof(zeros)) == 0)
			continue;
		snprintf(name, sizeof(name), "%s%u", prefixes[file], i);
		put_vector(debugger->out, name, lanes, form);
	}
	if (file != 2)
		fputs("the others are 0\n", debugger->out);
	return true;
}

/* Words of memory, four in a line, as far as there are any. */
static void
put_memory(FILE *out, struct machine *machine, uint32_t addr, unsigned n,
	   enum form form)
{
	for (unsigned i = 0; i < n; i++, addr += 4) {
		const void *bytes = machine_memory(machine, addr, 4);
		uint32_t word;

		if (!bytes) {
			fprintf(out, "%sno memory at 0x%08" PRIx32 "\n",
				i ? "\n" : "", addr);
			return;
		}
		memcpy(&word, bytes, sizeof(word));
		if (i % 4 == 0)
			fprintf(out, "%s%08" PRIx32 ":", i ? "\n" : "", addr);
		put_value(out, word, form);
	}
	putc('\n', out);
}

bool
show_memory(struct debugger *debugger, char *text, struct diag *why)
{
	unsigned n = 16;
	enum form form;
	uint32_t addr;

	if (!parse_address(&text, &addr, why) ||
	    !show_next_number(&text, MOST, &n, why) ||
	    !parse_form(&text, &form, why))
		return false;
	put_memory(debugger->out, debugger->machine, addr, n, form);
	return true;
}

bool
show_vpm(struct debugger *debugger, char *text, struct diag *why)
{
	unsigned first = 0, n = 1;
	enum form form;
	char name[16];

	if (!show_next_number(&text, VPM_ROWS - 1, &first, why) ||
	    !show_next_number(&text, VPM_ROWS, &n, why) ||
	    !parse_form(&text, &form, why))
		return false;
	for (unsigned row = first; row < first + n && row < VPM_ROWS; row++) {
		snprintf(name, sizeof(name), "%u", row);
		put_vector(debugger->out, name,
			   machine_vpm(debugger->machine, row), form);
	}
	return true;
}

static void
put_flag(FILE *out, const char *name, unsigned lanes)
{
	fprintf(out, "%s ", name);
	for (unsigned i = 0; i < MACHINE_LANES; i++)
		putc(lanes >> i & 1 ? '1' : '.', out);
	putc('\n', out);
}

bool
show_flags(struct debugger *debugger, char *text, struct diag *why)
{
	struct machine_view view;

	(void)text, (void)why;
	machine_look(debugger->machine, debugger->qpu, &view);
	fputs("  lane 0 is on the left\n", debugger->out);
	put_flag(debugger->out, "z", view.z);
	put_flag(debugger->out, "n", view.n);
	put_flag(debugger->out, "c", view.c);
	return true;
}

bool
show_uniforms(struct debugger *debugger, char *text, struct diag *why)
{
	struct machine *machine = debugger->machine;
	struct machine_view view;
	unsigned n = 4;

	(void)text, (void)why;
	machine_look(machine, debugger->qpu, &view);
	fprintf(debugger->out, "the next uniform is at 0x%08" PRIx32 "\n",
		view.uniforms);
	while (n && !machine_memory(machine, view.uniforms, 4 * n))
		n--;
	if (n)
		put_memory(debugger->out, machine, view.uniforms, n, HEX);
	return true;
}

bool
show_shared(struct debugger *debugger, char *text, struct diag *why)
{
	const struct machine *machine = debugger->machine;
	const int holder = machine_mutex(machine);
	FILE *out = debugger->out;
	bool any = false;

	(void)text, (void)why;
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
	return true;
}

/* Show a set-up as it was written, or the VPM's for the next access. */
static void
put_setup(FILE *out, bool next, bool store, uint32_t word)
{
	if (next)
		fprintf(out, "%s next        ", store ? "vw" : "vr");
	else
		fprintf(out, "%s 0x%08" PRIx32 "  ", store ? "vw" : "vr", word);
	setup_word_show(out, store, word);
}

static void
put_setups(FILE *out, const struct machine *machine, unsigned qpu)
{
	struct machine_view view;

	machine_look(machine, qpu, &view);
	for (unsigned i = 0; i < view.vpm_reads; i++)
		put_setup(out, true, false, view.vpm_read[i]);
	put_setup(out, true, true, view.vpm_write);
	if (view.load) {
		put_setup(out, false, false, view.load);
		put_setup(out, false, false, EXTENDED_PITCH | view.load_pitch);
	}
	if (view.store) {
		put_setup(out, false, true, view.store);
		put_setup(out, false, true, STRIDE | view.store_stride);
	}
	for (unsigned tmu = 0; tmu < 2; tmu++)
		if (view.lookups[tmu])
			fprintf(out, "TMU %u: %u lookup%s not loaded yet\n",
				tmu, view.lookups[tmu],
				view.lookups[tmu] == 1 ? "" : "s");
}

/* Show what a word means, or without one the set-ups that the QPU has now. */
bool
show_setup(struct debugger *debugger, char *text, struct diag *why)
{
	const char *port = show_next_word(&text), *name, *end;
	const bool store = strncmp(port, "vw", 2) == 0;
	struct operand operand;
	uint32_t word;

	if (!*port) {
		put_setups(debugger->out, debugger->machine, debugger->qpu);
		return true;
	}
	if (!store && strncmp(port, "vr", 2))
		return diag_set(why, "'%s' is not vr or vw", port);
	name = end = show_next_word(&text);
	if (!operand_parse(&end, &operand, why))
		return false;
	if (*end ||
	    !operand_read(&operand, debugger->machine, debugger->qpu, &word))
		return diag_set(why, "'%s' has no value", name);
	fprintf(debugger->out, "0x%08" PRIx32 "  ", word);
	setup_word_show(debugger->out, store, word);
	return true;
}

/* Read the word of an instruction; return false outside of memory. */
static bool
read_code(struct machine *machine, uint32_t pc, uint64_t *word)
{
	const uint8_t *bytes = machine_memory(machine, pc, QPU_INST_BYTES);

	if (bytes)
		*word = qpu_word_load(bytes);
	return bytes;
}

static void
put_instruction(const struct debugger *debugger, uint32_t pc)
{
	const struct qpu_linemap_row *row =
		qpu_linemap_find(debugger->lines, pc);
	char text[TRACE_TEXT_SIZE] = "(no memory)";
	uint64_t word;

	if (read_code(debugger->machine, pc, &word))
		trace_disassemble(word, text);
	fprintf(debugger->out, "%s", text);
	for (const char *before = "  # "; row; before = ", ") {
		fprintf(debugger->out, "%s%s:%u", before, row->file, row->line);
		row = qpu_linemap_next(debugger->lines, row);
	}
}

void
show_place(const struct debugger *debugger, unsigned qpu)
{
	struct machine *machine = debugger->machine;
	FILE *out = debugger->out;
	struct machine_view view;

	machine_look(machine, qpu, &view);
	if (!view.running) {
		fprintf(out, "QPU %u has no program, or it has ended\n", qpu);
		return;
	}
	fprintf(out, "QPU %u at %08" PRIx32 "  ", qpu, view.pc);
	put_instruction(debugger, view.pc);
	putc('\n', out);
	if (view.branch_slots)
		fprintf(out, "      branches to %08" PRIx32 " after %u more\n",
			view.target, view.branch_slots);
	if (view.end_slots)
		fprintf(out, "      ends after %u more\n", view.end_slots);
	if (!view.waits)
		return;
	fprintf(out, "      waits for %s", view.wait);
	if (view.until)
		fprintf(out, ", until clock %" PRIu64, view.until);
	putc('\n', out);
}

bool
show_places(const struct debugger *debugger)
{
	struct machine_view view;
	bool any = false;

	for (unsigned i = 0; i < MACHINE_QPUS; i++) {
		machine_look(debugger->machine, i, &view);
		if (view.running)
			show_place(debugger, i);
		any = any || view.running;
	}
	return any;
}

bool
show_where(struct debugger *debugger, char *text, struct diag *why)
{
	(void)text, (void)why;
	if (!show_places(debugger))
		fputs("no program runs\n", debugger->out);
	return true;
}

static void
list_lines(struct debugger *debugger, const struct qpu_linemap_row *row,
	   unsigned around)
{
	const unsigned first = row->line > around ? row->line - around : 1;

	for (unsigned line = first; line <= row->line + around; line++) {
		const char *text =
			source_text_line(&debugger->source, row->file, line);

		if (text)
			fprintf(debugger->out, "%s %5u  %s\n",
				line == row->line ? "->" : "  ", line, text);
	}
}

bool
show_list(struct debugger *debugger, char *text, struct diag *why)
{
	struct machine_view view;
	const struct qpu_linemap_row *row;
	unsigned around = LIST_LINES;

	if (!show_next_number(&text, MOST, &around, why))
		return false;
	machine_look(debugger->machine, debugger->qpu, &view);
	row = qpu_linemap_find(debugger->lines, view.pc);
	if (!row)
		return diag_set(why, "no source line is known for %08" PRIx32,
				view.pc);
	list_lines(debugger, row, around);
	return true;
}

/* Show instructions from an address on; the next one of the QPU is marked. */
bool
show_disassemble(struct debugger *debugger, char *text, struct diag *why)
{
	struct machine *machine = debugger->machine;
	struct machine_view view;
	unsigned n = CODE_LINES;
	uint32_t addr;
	uint64_t word;

	machine_look(machine, debugger->qpu, &view);
	addr = view.pc;
	text += strspn(text, " \t");
	if (strncmp(text, "pc", 2) == 0 && strchr(" \t", text[2]))
		show_next_word(&text);
	else if (*text && !parse_address(&text, &addr, why))
		return false;
	if (!show_next_number(&text, MOST, &n, why))
		return false;
	for (; n; n--, addr += QPU_INST_BYTES) {
		if (!read_code(machine, addr, &word)) {
			fprintf(debugger->out, "no memory at 0x%08" PRIx32 "\n",
				addr);
			break;
		}
		fprintf(debugger->out, "%s %08" PRIx32 "  ",
			view.running && view.pc == addr ? "->" : "  ", addr);
		put_instruction(debugger, addr);
		putc('\n', debugger->out);
	}
	return true;
}
