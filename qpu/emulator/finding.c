/* SPDX-License-Identifier: MIT */
/*
 * finding: reports of hazards, each made once (machine.h).
 */
#include "config.h"

#include "qpu/emulator/machine.h"

#include <stdarg.h>
#include <stdio.h>

/* Remember a rule, an address without its alias, and what it is of; return whether
 * it is the first time.  After EMU_SEEN of them nothing is new any more. */
static bool
is_new(struct emu_findings *findings, unsigned rule, uint32_t pc,
       const char *detail)
{
	uint64_t key = (uint64_t)rule << 32 | (pc & MACHINE_BUS_MASK);

	for (; *detail; detail++)
		key += (uint64_t)(unsigned char)*detail * (key >> 20 | 1) << 40;
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
	if (machine->options.ignore >> rule & 1 || !findings->report ||
	    !is_new(findings, rule, finding->pc, finding->detail))
		return;
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
