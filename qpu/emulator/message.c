/* SPDX-License-Identifier: MIT */
/*
 * message: messages about hazards, each made once (machine.h).
 */
#include "config.h"

#include "qpu/emulator/machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Add bytes to a hash: FNV-1a of 64 bits. */
static uint64_t
hash(uint64_t sum, const void *bytes, size_t n)
{
	for (const unsigned char *at = bytes; n; n--)
		sum = (sum ^ *at++) * UINT64_C(0x100000001b3);
	return sum;
}

/* Remember a message by its rule, its detail and its source line, or its
 * address without the alias bits if the line is unknown.  Return true if it is
 * new.  After EMU_SEEN messages none is. */
static bool
is_new(struct emu_messages *messages, enum qpu_rule_number rule,
       const char *detail, const struct qpu_message *message)
{
	const uint32_t address = (uint32_t)message->address & MACHINE_BUS_MASK;
	const uint32_t place = message->file ? message->line : address;
	const char *file = message->file ? message->file : "";
	uint64_t key = hash(rule, &place, sizeof(place));

	key = hash(key, file, strlen(file) + 1);
	key = hash(key, detail, strlen(detail));
	for (unsigned i = 0; i < messages->nseen; i++)
		if (messages->seen[i] == key)
			return false;
	if (messages->nseen == EMU_SEEN)
		return false;
	messages->seen[messages->nseen++] = key;
	return true;
}

/* Return a message about an instruction, with its source line if known. */
static struct qpu_message
message_at(const struct emu_messages *messages, unsigned qpu, uint32_t pc,
	   const char *text)
{
	const struct qpu_linemap_row *row =
		messages->lines ? qpu_linemap_find(messages->lines, pc) : NULL;

	return (struct qpu_message){
		.rule = "",
		.text = text,
		.file = row ? row->file : NULL,
		.line = row ? row->line : 0,
		.source = row && *row->text ? row->text : NULL,
		.address = pc,
		.qpu = (int)qpu,
		.count = 1,
	};
}

/* Report a broken rule at an address, unless the rule is ignored or this
 * message was given before.  Return true if it was reported now. */
static bool
report(struct emu_qpu *qpu, enum qpu_rule_number rule, uint32_t pc,
       const char *text, const char *detail)
{
	struct machine *machine = qpu->machine;
	struct emu_messages *messages = &machine->messages;
	struct qpu_message message;
	char name[8];

	if (machine->options.ignore >> rule & 1 || !messages->report)
		return false;
	message = message_at(messages, qpu->number, pc, text);
	if (!is_new(messages, rule, detail, &message))
		return false;
	snprintf(name, sizeof(name), "%c%u",
		 rule <= QPU_RULE_LAST_R ? 'R' : 'C', rule % 100);
	message.rule = name;
	message.severity = machine->check ? QPU_SEVERITY_ERROR :
					    QPU_SEVERITY_WARNING;
	messages->report(messages->context, &message);
	return true;
}

static uint32_t
pc_of(const struct emu_qpu *qpu)
{
	return qpu->page ? emu_qpu_pc(qpu) : 0;
}

void
emu_report(struct emu_qpu *qpu, enum qpu_rule_number rule)
{
	if (qpu->machine->check)
		report(qpu, rule, pc_of(qpu), qpu_rules[rule].seen, "");
}

void
emu_report_of(struct emu_qpu *qpu, enum qpu_rule_number rule,
	      const char *format, ...)
{
	char detail[64], text[256];
	va_list args;

	if (!qpu->machine->check)
		return;
	va_start(args, format);
	vsnprintf(detail, sizeof(detail), format, args);
	va_end(args);
	snprintf(text, sizeof(text), "%s: %s", detail, qpu_rules[rule].seen);
	report(qpu, rule, pc_of(qpu), text, detail);
}

void
emu_report_pair(struct emu_qpu *qpu, uint32_t pc, enum qpu_rule_number rule,
		const char *what, unsigned other_qpu, uint32_t other_pc)
{
	const struct emu_messages *messages = &qpu->machine->messages;
	struct qpu_message other;
	char text[256];

	snprintf(text, sizeof(text), "%s%s%s", what, *what ? ": " : "",
		 qpu_rules[rule].seen);
	if (!report(qpu, rule, pc, text, ""))
		return;
	other = message_at(messages, other_qpu, other_pc, "the other one");
	messages->report(messages->context, &other);
}

void
emu_report_outside(struct emu_qpu *qpu, uint32_t bus_addr, unsigned lane)
{
	char text[128];

	snprintf(text, sizeof(text), qpu_rules[QPU_RULE_LOOKUP_OUTSIDE].seen,
		 bus_addr, lane);
	report(qpu, QPU_RULE_LOOKUP_OUTSIDE, pc_of(qpu), text, "");
}

void
machine_on_message(struct machine *machine, machine_report *to, void *context)
{
	machine->messages.report = to;
	machine->messages.context = context;
}

void
machine_set_lines(struct machine *machine, const struct qpu_linemap *lines)
{
	machine->messages.lines = lines;
}

void
machine_ignore(struct machine *machine, uint64_t rules)
{
	machine->options.ignore |= rules;
}

bool
machine_rules_parse(const char *list, uint64_t *rules, struct diag *why)
{
	static const struct qpu_rule_range ranges[] = {
		{ 'R', 1, QPU_RULE_LAST_R, 1 },
		{ 'C', QPU_RULE_FIRST_C, QPU_RULES - 1, QPU_RULE_FIRST_C },
		{ .letter = 0 },
	};

	return qpu_rules_parse(list, ranges, rules, why);
}
