/* SPDX-License-Identifier: MIT */
/*
 * finding: reports of hazards, each made once (machine.h).
 */
#include "config.h"

#include "qpu/emulator/machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* FNV-1a of 64 bits. */
static uint64_t
hash(uint64_t sum, const void *bytes, size_t n)
{
	for (const unsigned char *at = bytes; n; n--)
		sum = (sum ^ *at++) * UINT64_C(0x100000001b3);
	return sum;
}

/* Remember a finding by its rule, what it is of, and its source line or else its
 * address without the alias; return whether it is the first.  After EMU_SEEN of
 * them nothing is new any more. */
static bool
is_new(struct emu_findings *findings, const struct machine_finding *finding)
{
	const struct qpu_linemap_row *row = finding->row;
	const uint32_t place = row ? row->line : finding->pc & MACHINE_BUS_MASK;
	const char *file = row ? row->file : "";
	uint64_t key = hash(finding->rule, &place, sizeof(place));

	key = hash(key, file, strlen(file) + 1);
	key = hash(key, finding->detail, strlen(finding->detail));
	for (unsigned i = 0; i < findings->nseen; i++)
		if (findings->seen[i] == key)
			return false;
	if (findings->nseen == EMU_SEEN)
		return false;
	findings->seen[findings->nseen++] = key;
	return true;
}

static void
report(struct machine *machine, struct machine_finding *finding)
{
	struct emu_findings *findings = &machine->findings;
	const unsigned rule = finding->rule;

	finding->warning = !machine->check;
	if (machine->options.ignore >> rule & 1 || !findings->report)
		return;
	if (findings->lines)
		finding->row = qpu_linemap_find(findings->lines, finding->pc);
	if (!is_new(findings, finding))
		return;
	if (findings->lines && finding->other_qpu >= 0)
		finding->other_row =
			qpu_linemap_find(findings->lines, finding->other_pc);
	snprintf(finding->name, sizeof(finding->name), "%c%u",
		 rule <= QPU_RULE_LAST_R ? 'R' : 'C', rule % 100);
	findings->report(findings->context, finding);
}

/* A finding at the QPU's instruction. */
static struct machine_finding
finding_at(const struct emu_qpu *qpu, enum qpu_rule_number rule,
	   const char *text, const char *detail)
{
	return (struct machine_finding){
		.rule = rule,
		.qpu = qpu->number,
		.pc = qpu->page ? emu_qpu_pc(qpu) : 0,
		.text = text,
		.detail = detail,
		.other_qpu = EMU_NO_QPU,
	};
}

void
emu_report(struct emu_qpu *qpu, enum qpu_rule_number rule)
{
	struct machine_finding finding =
		finding_at(qpu, rule, qpu_rules[rule].seen, "");

	if (qpu->machine->check)
		report(qpu->machine, &finding);
}

void
emu_report_of(struct emu_qpu *qpu, enum qpu_rule_number rule,
	      const char *format, ...)
{
	char detail[MACHINE_DETAIL_SIZE], text[256];
	struct machine_finding finding;
	va_list args;

	if (!qpu->machine->check)
		return;
	va_start(args, format);
	vsnprintf(detail, sizeof(detail), format, args);
	va_end(args);
	snprintf(text, sizeof(text), "%s: %s", detail, qpu_rules[rule].seen);
	finding = finding_at(qpu, rule, text, detail);
	report(qpu->machine, &finding);
}

void
emu_report_pair(struct emu_qpu *qpu, uint32_t pc, enum qpu_rule_number rule,
		const char *what, unsigned other_qpu, uint32_t other_pc)
{
	char text[256];
	struct machine_finding finding;

	snprintf(text, sizeof(text), "%s%s%s", what, *what ? ": " : "",
		 qpu_rules[rule].seen);
	finding = finding_at(qpu, rule, text, "");
	finding.pc = pc;
	finding.other_qpu = (int)other_qpu;
	finding.other_pc = other_pc;
	report(qpu->machine, &finding);
}

void
emu_report_outside(struct emu_qpu *qpu, uint32_t bus_addr, unsigned lane)
{
	char text[128];
	struct machine_finding finding;

	snprintf(text, sizeof(text), qpu_rules[QPU_RULE_LOOKUP_OUTSIDE].seen,
		 bus_addr, lane);
	finding = finding_at(qpu, QPU_RULE_LOOKUP_OUTSIDE, text, "");
	report(qpu->machine, &finding);
}

void
machine_on_finding(struct machine *machine, machine_report *to, void *context)
{
	machine->findings.report = to;
	machine->findings.context = context;
}

void
machine_set_lines(struct machine *machine, const struct qpu_linemap *lines)
{
	machine->findings.lines = lines;
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
