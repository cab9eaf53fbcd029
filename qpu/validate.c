/* SPDX-License-Identifier: MIT */
/*
 * validate: walks the ways a program can take and applies the rules.
 *
 * From every instruction the walk goes as far as the farthest rule reaches.
 * It begins with whatever can be under way there: the branches up to three
 * instructions above, those that a jump from a delay slot takes along, and
 * nothing where something jumps to.
 */
#include "config.h"
#include "qpu/validate.h"

#include <stdint.h>
#include <stdlib.h>

#include "qpu/isa.h"
#include "qpu/isa_use.h"

/* More callers of one subroutine than MAX_WAYS are not looked at. */
enum { SLOTS = 3, MAX_PENDING = 2, MAX_REACH = 3, MAX_WAYS = 64,
       MAX_STARTS = 6 };

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

/* The ways in which an instruction is reached: what is under way then. */
struct starts {
	struct step steps[MAX_STARTS];
	unsigned n;
};

struct validator {
	const struct qpu_inst *insts;
	const bool *is_inst;
	size_t n;
	struct qpu_use *uses;
	uint32_t *reported;	/* a bit for each rule, by instruction */
	uint32_t *warned;
	bool *is_target;
	struct starts *starts;
	struct step *queue;	/* starts to be followed */
	size_t nqueue, queue_capacity;
	qpu_hazard_sink *sink;
	void *context;
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

/* The ways on from a step, as many as there is room for. */
struct ways {
	struct step steps[MAX_WAYS];
	unsigned n;
};

static void
add_way(const struct validator *v, struct ways *ways, const struct step *step,
	size_t at, bool certain)
{
	if (!is_inst(v, at) || ways->n == MAX_WAYS)
		return;
	struct step *next = &ways->steps[ways->n++];
	*next = *step;
	next->at = at;
	next->certain = step->certain && certain;
}

/* To all places that a branch by register may go to. */
static void
add_by_register(const struct validator *v, struct ways *ways,
		const struct step *step, size_t branch)
{
	const struct qpu_inst *jump = &v->insts[branch];

	if (jump->imm || jump->rel) {
		add_way(v, ways, step, constant_target(v, branch), false);
		return;
	}
	for (size_t i = 0; i < v->n; i++) {
		const struct qpu_use *use = &v->uses[i];

		if (!is_inst(v, i) || v->insts[i].kind != QPU_KIND_BRANCH)
			continue;
		for (unsigned j = 0; j < use->nwrites; j++)
			if (!use->writes[j].file_b &&
			    use->writes[j].addr == jump->raddr_a)
				add_way(v, ways, step, i + 1 + SLOTS, false);
	}
}

/* Behind the last delay slot of a branch, taken and not. */
static void
add_jump(const struct validator *v, struct ways *ways, struct step *step)
{
	const size_t branch = step->pending[0].branch;
	const struct qpu_inst *jump = &v->insts[branch];

	step->npending--;
	for (unsigned i = 0; i < step->npending; i++)
		step->pending[i] = step->pending[i + 1];
	if (jump->cond_br != QPU_BR_ALWAYS)
		add_way(v, ways, step, step->at + 1, true);
	if (jump->reg)
		add_by_register(v, ways, step, branch);
	else
		add_way(v, ways, step, constant_target(v, branch), true);
}

static void
find_ways(const struct validator *v, const struct step *step,
	  struct ways *ways)
{
	struct step after = *step;

	ways->n = 0;
	for (unsigned i = 0; i < after.npending; i++)
		after.pending[i].slots--;
	if (v->insts[step->at].kind == QPU_KIND_BRANCH &&
	    after.npending < MAX_PENDING)
		after.pending[after.npending++] =
			(struct pending){ step->at, SLOTS };
	if (after.npending && !after.pending[0].slots)
		add_jump(v, ways, &after);
	else
		add_way(v, ways, &after, step->at + 1, true);
}

/* Apply the rules to where the walk is, then go on to what follows. */
static void
walk(struct validator *v, size_t first, const struct step *step,
     unsigned distance)
{
	struct ways ways;

	check_pair(v, first, step, distance);
	if (distance == MAX_REACH)
		return;
	find_ways(v, step, &ways);
	for (unsigned i = 0; i < ways.n; i++)
		walk(v, first, &ways.steps[i], distance + 1);
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

static bool
same_pending(const struct step *a, const struct step *b)
{
	if (a->npending != b->npending)
		return false;
	for (unsigned i = 0; i < a->npending; i++)
		if (a->pending[i].branch != b->pending[i].branch ||
		    a->pending[i].slots != b->pending[i].slots)
			return false;
	return true;
}

/* Remember a way to reach an instruction; new ones are to be followed. */
static bool
add_start(struct validator *v, const struct step *step)
{
	struct starts *starts = &v->starts[step->at];

	for (unsigned i = 0; i < starts->n; i++)
		if (same_pending(&starts->steps[i], step))
			return true;
	if (starts->n == MAX_STARTS)
		return true;
	starts->steps[starts->n] = *step;
	starts->steps[starts->n++].certain = true;

	if (v->nqueue == v->queue_capacity) {
		const size_t capacity = 2 * v->queue_capacity + 64;
		void *larger = realloc(v->queue, capacity *
				       sizeof(*v->queue));
		if (!larger)
			return false;
		v->queue = larger;
		v->queue_capacity = capacity;
	}
	v->queue[v->nqueue++] = *step;
	return true;
}

/* What a jump takes along is new; the rest find_pending knows. */
static bool
follow_starts(struct validator *v)
{
	struct ways ways;
	bool good = true;

	while (v->nqueue && good) {
		const struct step step = v->queue[--v->nqueue];

		find_ways(v, &step, &ways);
		for (unsigned i = 0; i < ways.n && good; i++)
			if (ways.steps[i].npending)
				good = add_start(v, &ways.steps[i]);
	}
	return good;
}

static bool
find_starts(struct validator *v)
{
	bool good = true;

	for (size_t at = 0; at < v->n && good; at++) {
		struct step step = { .at = at, .certain = true };

		if (!is_inst(v, at))
			continue;
		if (v->is_target[at])
			good = add_start(v, &step);
		find_pending(v, &step);
		good = good && add_start(v, &step) && follow_starts(v);
	}
	return good;
}

static void
check_from(struct validator *v, size_t at)
{
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
	for (unsigned i = 0; i < v->starts[at].n; i++)
		walk(v, at, &v->starts[at].steps[i], 0);
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
		.starts = calloc(n + 1, sizeof(*v.starts)),
		.sink = sink,
		.context = context,
	};
	bool good = v.uses && v.reported && v.warned &&
			  v.is_target && v.starts;

	if (good) {
		prepare(&v);
		good = find_starts(&v);
	}
	for (size_t i = 0; i < n && good; i++)
		check_from(&v, i);
	free(v.queue);
	free(v.uses);
	free(v.reported);
	free(v.warned);
	free(v.is_target);
	free(v.starts);
	return good;
}
