/* SPDX-License-Identifier: MIT */
/*
 * validate: walks the ways a program can take and applies the rules.
 *
 * From every instruction the walk goes as far as the farthest rule reaches.
 * Where it begins between a branch and its last delay slot, the branch is
 * taken to be under way, unless something jumps there as well: then both are
 * tried.
 */
#include "config.h"
#include "qpu/validate.h"

#include <stdint.h>
#include <stdlib.h>

#include "qpu/isa.h"
#include "qpu/use.h"

enum { SLOTS = 3, MAX_PENDING = 2, MAX_REACH = 3 };

struct validator {
	const struct qpu_inst *insts;
	const bool *is_inst;
	size_t n;
	struct qpu_use *uses;
	uint32_t *reported;	/* a bit for each rule, by instruction */
	uint32_t *warned;
	bool *is_target;
	qpu_hazard_sink *sink;
	void *context;
};

/* A branch whose jump is still to come. */
struct pending {
	size_t branch;
	unsigned slots;		/* instructions until then */
};

/* One step of the walk: where, and what is under way. */
struct step {
	size_t at;
	struct pending pending[MAX_PENDING];
	unsigned npending;
	bool certain;		/* no register decided on the way here */
};

static bool
is_inst(const struct validator *v, size_t at)
{
	return at < v->n && (!v->is_inst || v->is_inst[at]);
}

/*
 * Where a constant takes a branch, as an index; n for out of the program.
 * An absolute address is known only when it counts from the program itself.
 */
static size_t
constant_target(const struct validator *v, size_t branch)
{
	const struct qpu_inst *inst = &v->insts[branch];
	const int64_t base = inst->rel ?
		((int64_t)branch + 1 + SLOTS) * QPU_INST_BYTES : 0;
	const int64_t target = base + (int32_t)inst->imm;

	if (target < 0 || target % QPU_INST_BYTES ||
	    target / QPU_INST_BYTES >= (int64_t)v->n)
		return v->n;
	return target / QPU_INST_BYTES;
}

static void
report(struct validator *v, const struct qpu_rule *rule,
       enum qpu_verdict verdict, size_t cause, size_t index,
       const char *detail)
{
	const struct qpu_hazard hazard = {
		.rule = rule,
		.verdict = verdict,
		.index = index,
		.cause = cause,
		.detail = detail,
	};

	const uint32_t bit = UINT32_C(1) << rule->id;

	if (v->reported[index] & bit)
		return;
	if (verdict == QPU_HAZARD)
		v->reported[index] |= bit;
	else if (v->warned[index] & bit)
		return;
	v->warned[index] |= bit;
	v->sink(v->context, &hazard);
}

static void
check_pair(struct validator *v, size_t first, const struct step *step,
	   unsigned distance)
{
	for (const struct qpu_rule *rule = qpu_pair_rules; rule->id; rule++) {
		char detail[QPU_DETAIL_SIZE] = "";

		if (distance < rule->nearest || distance > rule->reach)
			continue;
		enum qpu_verdict verdict =
			rule->pair(&v->insts[first], &v->uses[first],
				   &v->insts[step->at], &v->uses[step->at],
				   distance, detail);
		if (verdict == QPU_HAZARD && !step->certain)
			verdict = QPU_WARNING;
		if (verdict != QPU_FINE)
			report(v, rule, verdict, first, step->at, detail);
	}
}

static void walk(struct validator *v, size_t first, const struct step *step,
		 unsigned distance);

static void
walk_to(struct validator *v, size_t first, const struct step *step,
	unsigned distance, size_t at, bool certain)
{
	struct step next = *step;

	next.at = at;
	next.certain = step->certain && certain;
	if (is_inst(v, at))
		walk(v, first, &next, distance + 1);
}

/* To all places that a branch by register may go to. */
static void
walk_by_register(struct validator *v, size_t first, const struct step *step,
		 unsigned distance, size_t branch)
{
	const struct qpu_inst *jump = &v->insts[branch];

	if (jump->imm || jump->rel) {
		walk_to(v, first, step, distance, constant_target(v, branch),
			false);
		return;
	}
	for (size_t i = 0; i < v->n; i++) {
		const struct qpu_use *use = &v->uses[i];

		if (!is_inst(v, i) || v->insts[i].kind != QPU_KIND_BRANCH)
			continue;
		for (unsigned j = 0; j < use->nwrites; j++)
			if (!use->writes[j].file_b &&
			    use->writes[j].addr == jump->raddr_a)
				walk_to(v, first, step, distance,
					i + 1 + SLOTS, false);
	}
}

/* Go on behind the last delay slot of a branch, taken and not. */
static void
walk_jump(struct validator *v, size_t first, struct step *step,
	  unsigned distance)
{
	const size_t branch = step->pending[0].branch;
	const struct qpu_inst *jump = &v->insts[branch];

	step->npending--;
	for (unsigned i = 0; i < step->npending; i++)
		step->pending[i] = step->pending[i + 1];
	if (jump->cond_br != QPU_BR_ALWAYS)
		walk_to(v, first, step, distance, step->at + 1, true);
	if (jump->reg)
		walk_by_register(v, first, step, distance, branch);
	else
		walk_to(v, first, step, distance, constant_target(v, branch),
			true);
}

/* Apply the rules to where the walk is, then go on to what follows. */
static void
walk(struct validator *v, size_t first, const struct step *step,
     unsigned distance)
{
	struct step after = *step;

	check_pair(v, first, step, distance);
	if (distance == MAX_REACH)
		return;
	for (unsigned i = 0; i < after.npending; i++)
		after.pending[i].slots--;
	if (v->insts[step->at].kind == QPU_KIND_BRANCH &&
	    after.npending < MAX_PENDING)
		after.pending[after.npending++] =
			(struct pending){ step->at, SLOTS };
	if (after.npending && !after.pending[0].slots)
		walk_jump(v, first, &after, distance);
	else
		walk_to(v, first, &after, distance, step->at + 1, true);
}

/* The branches that are under way when the instruction runs in sequence. */
static void
find_pending(const struct validator *v, struct step *step)
{
	for (unsigned back = SLOTS; back > 0; back--) {
		if (step->at < back || !is_inst(v, step->at - back) ||
		    v->insts[step->at - back].kind != QPU_KIND_BRANCH ||
		    step->npending == MAX_PENDING)
			continue;
		step->pending[step->npending++] = (struct pending){
			.branch = step->at - back,
			.slots = SLOTS + 1 - back,
		};
	}
}

static void
check_from(struct validator *v, size_t at)
{
	struct step step = { .at = at, .certain = true };

	if (!is_inst(v, at))
		return;
	for (const struct qpu_rule *rule = qpu_single_rules; rule->id;
	     rule++) {
		char detail[QPU_DETAIL_SIZE] = "";
		const enum qpu_verdict verdict =
			rule->single(&v->insts[at], &v->uses[at], detail);

		if (verdict != QPU_FINE)
			report(v, rule, verdict, at, at, detail);
	}
	find_pending(v, &step);
	const bool in_slots = step.npending > 0;
	walk(v, at, &step, 0);
	if (in_slots && v->is_target[at]) {
		step.npending = 0;
		walk(v, at, &step, 0);
	}
}

static void
prepare(struct validator *v)
{
	for (size_t i = 0; i < v->n; i++)
		if (is_inst(v, i))
			qpu_use(&v->insts[i], &v->uses[i]);
	for (size_t i = 0; i < v->n; i++) {
		if (!is_inst(v, i) || v->insts[i].kind != QPU_KIND_BRANCH)
			continue;
		const size_t target = constant_target(v, i);
		if (target < v->n)
			v->is_target[target] = true;
	}
}

bool
qpu_validate(const struct qpu_inst *insts, const bool *flags, size_t n,
	     qpu_hazard_sink *sink, void *context)
{
	struct validator v = {
		.insts = insts,
		.is_inst = flags,
		.n = n,
		.uses = calloc(n + 1, sizeof(*v.uses)),
		.reported = calloc(n + 1, sizeof(*v.reported)),
		.warned = calloc(n + 1, sizeof(*v.warned)),
		.is_target = calloc(n + 1, sizeof(*v.is_target)),
		.sink = sink,
		.context = context,
	};
	const bool good = v.uses && v.reported && v.warned && v.is_target;

	if (good) {
		prepare(&v);
		for (size_t i = 0; i < n; i++)
			check_from(&v, i);
	}
	free(v.uses);
	free(v.reported);
	free(v.warned);
	free(v.is_target);
	return good;
}
