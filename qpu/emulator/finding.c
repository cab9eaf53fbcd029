/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "qpu/emulator/machine.h"

/* True the first time for a rule and an address without its alias; after
 * EMU_SEEN of them nothing is new any more. */
static bool
is_new(struct emu_findings *findings, unsigned rule, uint32_t pc)
{
	const uint64_t key = (uint64_t)rule << 32 | (pc & MACHINE_BUS_MASK);

	for (unsigned i = 0; i < findings->nseen; i++)
		if (findings->seen[i] == key)
			return false;
	if (findings->nseen == EMU_SEEN)
		return false;
	findings->seen[findings->nseen++] = key;
	return true;
}

static void
report(struct emu_qpu *qpu, unsigned rule, const char *text)
{
	struct machine *machine = qpu->machine;
	struct emu_findings *findings = &machine->findings;
	const uint32_t pc = qpu->page ? emu_qpu_pc(qpu) : 0;
	struct machine_finding finding = {
		.rule = rule,
		.warning = !machine->check,
		.qpu = qpu->number,
		.pc = pc,
		.text = text,
	};

	if (machine->options.ignore >> rule & 1 || !findings->report ||
	    !is_new(findings, rule, pc))
		return;
	snprintf(finding.name, sizeof(finding.name), "%c%u",
		 rule <= QPU_RULE_LAST_R ? 'R' : 'C', rule % 100);
	findings->report(findings->context, &finding);
}

void
emu_report(struct emu_qpu *qpu, enum qpu_rule_number rule)
{
	if (qpu->machine->check)
		report(qpu, rule, qpu_rules[rule].seen);
}

void
emu_report_outside(struct emu_qpu *qpu, uint32_t bus_addr, unsigned lane)
{
	char text[128];

	snprintf(text, sizeof(text), qpu_rules[QPU_RULE_LOOKUP_OUTSIDE].seen,
		 bus_addr, lane);
	report(qpu, QPU_RULE_LOOKUP_OUTSIDE, text);
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
