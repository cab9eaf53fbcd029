/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/emulator/finding.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/emulator/machine.h"

enum {
	SEEN = 8192, /* slots of the set; a power of 2 */
	LAST_R = 20,
};

static const char *const texts[EMU_RULES] = {
	[1] = "register is read right after the instruction that wrote it",
	[2] = "rotation by r5 right after r5 was written",
	[3] = "rotation of an accumulator right after it was written",
	[4] = "uniform read within 2 instructions of a write to unif_addr",
	[5] = "TMU write within 2 instructions of a write to tmurs, or tmurs "
	      "changed after a TMU was used",
	[6] = "r4 or the SFU is used within 2 instructions of an SFU write",
	[7] = "uniform, VPM, ra14 or rb14 used while the program ends, or "
	      "ra/rb written by thrend",
	[8] = "branch or thrend in a delay slot that cannot take it",
	[10] = "conditional write to a peripheral: suppressed lanes are "
	       "undefined",
	[12] = "both ALUs write the same register in the same lanes",
	[13] = "VPM accesses that do not work in one instruction",
	[15] = "VPM reads do not match the setup",
	[20] = "code address is not a multiple of 8",
	[EMU_RULE_TMU_DEPTH] = "more than 4 TMU requests wait",
	[EMU_RULE_UNDEFINED] = "register is read that was never written",
	[EMU_RULE_MUTEX_HELD] = "program ends and holds the mutex",
	[EMU_RULE_UNIFORM_LIMIT] = "uniform read behind the end of the "
				   "uniforms",
	[EMU_RULE_ALIGNMENT] = "DMA address is not a multiple of 4",
	[EMU_RULE_VPM_RANGE] = "VPM access outside the reserved rows",
	[EMU_RULE_LOAD_BUSY] = "VPM row is read while a DMA load may still "
			       "write it: wait first",
	[EMU_RULE_STORE_BUSY] = "VPM row is written while a DMA store may "
				"still read it: wait first",
	[EMU_RULE_STORE_LEFT] = "program ends while its DMA store runs: wait "
				"first",
	[EMU_RULE_STALE] = "TMU reads a line that was stored after it was "
			   "fetched, or is storing: it may get the old one",
	[EMU_RULE_TMU_LEFT] = "program ends with TMU results not fetched",
	[EMU_RULE_BRANCH_FLAGS] = "branch through an odd register also sets "
				  "the flags",
	[EMU_RULE_PITCH] = "DMA pitch or stride has bits that get lost",
	[EMU_RULE_NO_VALUE] = "value of register 39, or of a mul nop, is "
			      "undefined",
};

void
emu_findings_free(struct emu_findings *findings)
{
	free(findings->seen);
}

/*
 * True the first time for a rule and an address without its alias; when half
 * of the set is used, nothing is new any more.
 */
static bool
is_new(struct emu_findings *findings, unsigned rule, uint32_t pc)
{
	const uint64_t key = (uint64_t)rule << 32 | (pc & MACHINE_BUS_MASK);
	unsigned at = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 51;

	if (!findings->seen)
		findings->seen = calloc(SEEN, sizeof(*findings->seen));
	if (!findings->seen)
		return false;
	while (findings->seen[at] && findings->seen[at] != key)
		at = (at + 1) % SEEN;
	if (findings->seen[at] || findings->nseen == SEEN / 2)
		return false;
	findings->seen[at] = key;
	findings->nseen++;
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
		 rule <= LAST_R ? 'R' : 'C', rule % 100);
	findings->report(findings->context, &finding);
}

void
emu_note(struct emu_qpu *qpu, unsigned rule)
{
	if (qpu->machine->check)
		report(qpu, rule, texts[rule]);
}

void
emu_note_outside(struct emu_qpu *qpu, uint32_t bus_addr, unsigned lane)
{
	char text[128];

	snprintf(text, sizeof(text),
		 "TMU lookup at 0x%08x in lane %u is outside memory: it gets "
		 "whatever is on the bus",
		 bus_addr, lane);
	report(qpu, EMU_RULE_OUTSIDE, text);
}

void
machine_on_finding(struct machine *machine, machine_report *to, void *context)
{
	machine->findings.report = to;
	machine->findings.context = context;
}

/* "R5" or "C32"; 0 if there is no such rule. */
static unsigned
parse_rule(const char *text, size_t len)
{
	const char kind = toupper((unsigned char)*text);
	unsigned rule = 0;

	if (len < 2 || len > 3 || (kind != 'R' && kind != 'C'))
		return 0;
	for (size_t i = 1; i < len; i++) {
		if (!isdigit((unsigned char)text[i]))
			return 0;
		rule = 10 * rule + (text[i] - '0');
	}
	return rule < EMU_RULES && (rule <= LAST_R) == (kind == 'R') ? rule : 0;
}

bool
machine_rules_parse(const char *list, uint64_t *rules, struct diag *why)
{
	for (;;) {
		const size_t len = strcspn(list, ",");
		const unsigned rule = parse_rule(list, len);

		if (!rule) {
			diag_set(why,
				 "'%.*s' is not a rule: there are R1 to R%d "
				 "and C%d to C%d",
				 (int)(len < 32 ? len : 32), list, LAST_R,
				 EMU_RULE_TMU_DEPTH, EMU_RULES - 1);
			return false;
		}
		*rules |= UINT64_C(1) << rule;
		if (!list[len])
			return true;
		list += len + 1;
	}
}
