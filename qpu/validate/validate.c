/* SPDX-License-Identifier: MIT */
/*
 * validate: follows the ways through a program and applies the rules.
 *
 * From each instruction the walk goes as many steps as the longest rule
 * reaches.  A branch takes effect three instructions later, so the state at
 * the start of a walk is the set of branches that are pending there: those up
 * to three instructions above, those that a jump from a delay slot brings
 * along, and none at the target of a branch.
 */
#include "config.h"

#include "qpu/validate/validate.h"

#include <stdint.h>
#include <stdlib.h>

#include "qpu/isa/isa.h"
#include "qpu/isa/pack.h"
#include "qpu/validate/checks.h"
#include "src/base/rows.h"

enum {
	SLOTS = 3,
	MAX_PENDING = SLOTS + 1, /* in the moment when one takes effect */
	MAX_REACH = 3,
	LINKS = 32, /* registers that a branch may go to */
	/* At most this many starts are followed.  Programs have fewer, except
	 * those with branches in delay slots everywhere (R8), whose ways grow
	 * with the square of their length. */
	STARTS_EACH = 4, /* for each instruction */
	STARTS_SPARE = 1024,
	/* At most this many steps are taken in the walks from an instruction.
	 * A return takes three for each caller, but returns in delay slots of
	 * returns would take QPU_WAYS_MAX cubed. */
	STEPS_EACH = 1024
};

/* A branch that has not taken effect yet. */
struct pending {
	size_t branch;
	unsigned slots; /* instructions until then */
};

/* One step of the walk: the instruction, and the pending branches. */
struct step {
	size_t at;
	struct pending pending[MAX_PENDING];
	unsigned npending;
	bool certain; /* no register decided on the way here */
	bool flags;   /* set on the way from the first instruction */
};

/* Steps in a growing array. */
struct steps {
	struct step *rows;
	size_t n, capacity;
};

/* The targets of branches by one register: after each branch that links to it.
 * The array has room for one more than is followed, which shows that there are
 * more. */
struct returns {
	size_t at[QPU_WAYS_MAX + 1];
	unsigned n;
};

struct validator {
	const struct qpu_inst *insts;
	const bool *is_inst;
	size_t n;
	struct qpu_use *uses;
	uint64_t *reported; /* a bit for each rule, by instruction */
	uint64_t *warned;
	bool *is_target;
	struct returns returns[LINKS];
	struct steps *starts; /* the ways to reach each instruction */
	struct steps queue;   /* starts that are to be followed */
	size_t nfollowed;     /* starts that a jump ever put into the queue */
	bool runs_on;	      /* beyond the end of the program */
	unsigned nsteps;      /* of the walks from one instruction */
	bool complete;	      /* no way was left out */
	qpu_hazard_sink *sink;
	void *context;
};

static bool
is_inst(const struct validator *v, size_t at)
{
	return at < v->n && (!v->is_inst || v->is_inst[at]);
}

/* Return the index to which a constant takes a branch; n if it is outside the
 * program. An absolute address is known only when it counts from the program
 * itself. */
static size_t
constant_target(const struct validator *v, size_t branch)
{
	const struct qpu_inst *inst = &v->insts[branch];
	const int64_t base =
		inst->rel ? ((int64_t)branch + 1 + SLOTS) * QPU_INST_BYTES : 0;
	const int64_t target = base + (int32_t)inst->imm;

	if (target < 0 || target % QPU_INST_BYTES ||
	    target / QPU_INST_BYTES >= (int64_t)v->n)
		return v->n;
	return target / QPU_INST_BYTES;
}

static void
report(struct validator *v, const struct qpu_hazard *hazard)
{
	const size_t index = hazard->index;
	const uint64_t bit = UINT64_C(1) << hazard->rule->id;

	if (v->reported[index] & bit)
		return;
	if (hazard->verdict == QPU_HAZARD)
		v->reported[index] |= bit;
	else if (v->warned[index] & bit)
		return;
	v->warned[index] |= bit;
	v->sink(v->context, hazard);
}

static void
check_pair(struct validator *v, const struct qpu_check_row *row, size_t first,
	   const struct step *step, unsigned distance)
{
	const struct qpu_pair pair = {
		.first = &v->insts[first],
		.first_use = &v->uses[first],
		.inst = &v->insts[step->at],
		.use = &v->uses[step->at],
		.distance = distance,
	};

	for (; row->rule; row++) {
		struct qpu_hazard hazard = { .rule = &qpu_rules[row->rule],
					     .index = step->at,
					     .cause = first };

		if (distance < hazard.rule->nearest ||
		    distance > hazard.rule->reach)
			continue;
		hazard.verdict = row->check(&pair, hazard.detail);
		if (hazard.verdict == QPU_HAZARD && !step->certain)
			hazard.verdict = QPU_WARNING;
		if (hazard.verdict != QPU_FINE)
			report(v, &hazard);
	}
}

/* The steps that can follow a step; those beyond QPU_WAYS_MAX are left out. */
struct ways {
	struct step steps[QPU_WAYS_MAX];
	unsigned n;
};

static void
add_way(struct validator *v, struct ways *ways, const struct step *step,
	size_t at, bool certain)
{
	if (!is_inst(v, at))
		return;
	if (ways->n == QPU_WAYS_MAX) {
		v->complete = false;
		return;
	}
	struct step *next = &ways->steps[ways->n++];
	*next = *step;
	next->at = at;
	next->certain = step->certain && certain;
}

/* Add the way to the next instruction, if there is one. */
static void
add_next(struct validator *v, struct ways *ways, const struct step *step)
{
	v->runs_on |= step->at + 1 == v->n;
	add_way(v, ways, step, step->at + 1, true);
}

/* Add the ways to all places that a branch by register may go to. */
static void
add_by_register(struct validator *v, struct ways *ways, const struct step *step,
		size_t branch)
{
	const struct qpu_inst *jump = &v->insts[branch];

	if (jump->imm || jump->rel) {
		add_way(v, ways, step, constant_target(v, branch), false);
		return;
	}
	const struct returns *returns = &v->returns[jump->raddr_a];
	for (unsigned i = 0; i < returns->n; i++)
		add_way(v, ways, step, returns->at[i], false);
}

/* Add the ways after the last delay slot of a branch: taken, and not taken. */
static void
add_jump(struct validator *v, struct ways *ways, struct step *step)
{
	const size_t branch = step->pending[0].branch;
	const struct qpu_inst *jump = &v->insts[branch];

	step->npending--;
	for (unsigned i = 0; i < step->npending; i++)
		step->pending[i] = step->pending[i + 1];
	if (jump->cond_br != QPU_BR_ALWAYS)
		add_next(v, ways, step);
	if (jump->reg)
		add_by_register(v, ways, step, branch);
	else
		add_way(v, ways, step, constant_target(v, branch), true);
}

static void
find_ways(struct validator *v, const struct step *step, struct ways *ways)
{
	struct step after = *step;

	ways->n = 0;
	for (unsigned i = 0; i < after.npending; i++)
		after.pending[i].slots--;
	if (v->insts[step->at].kind == QPU_KIND_BRANCH)
		after.pending[after.npending++] =
			(struct pending){ step->at, SLOTS };
	if (after.npending && !after.pending[0].slots)
		add_jump(v, ways, &after);
	else
		add_next(v, ways, &after);
}

/* Apply the rules to where the walk is, then go on to what follows. */
static void
walk(struct validator *v, size_t first, const struct step *step,
     unsigned distance)
{
	struct ways ways;

	if (v->nsteps == STEPS_EACH) {
		v->complete = false;
		return;
	}
	v->nsteps++;
	if (distance)
		check_pair(v, qpu_pair_checks, first, step, distance);
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
		    v->insts[step->at - back].kind != QPU_KIND_BRANCH)
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

static bool
append(struct steps *steps, const struct step *step)
{
	if (!rows_grow(&steps->rows, &steps->capacity, steps->n, sizeof(*step)))
		return false;
	steps->rows[steps->n++] = *step;
	return true;
}

/* Remember a way to reach an instruction; new ones are to be followed. */
static bool
add_start(struct validator *v, const struct step *step)
{
	struct steps *starts = &v->starts[step->at];
	struct step certain = *step;

	/* A way without flags finds more than one with them. */
	for (size_t i = 0; i < starts->n; i++)
		if (same_pending(&starts->rows[i], step) &&
		    (step->flags || !starts->rows[i].flags))
			return true;
	certain.certain = true;
	return append(starts, &certain) && append(&v->queue, step);
}

/* Remember a way that a jump takes, unless there are too many. */
static bool
add_followed(struct validator *v, const struct step *step)
{
	const size_t before = v->queue.n;
	bool good;

	if (v->starts[step->at].n >= QPU_WAYS_MAX ||
	    v->nfollowed >= STARTS_EACH * v->n + STARTS_SPARE) {
		v->complete = false;
		return true;
	}
	good = add_start(v, step);
	v->nfollowed += v->queue.n > before;
	return good;
}

/* Follow the starts in the queue.  Only branches that a jump takes along are
 * new; find_pending() knows the others. */
static bool
follow_starts(struct validator *v)
{
	struct ways ways;
	bool good = true;

	while (v->queue.n && good) {
		const struct step step = v->queue.rows[--v->queue.n];

		find_ways(v, &step, &ways);
		for (unsigned i = 0; i < ways.n && good; i++)
			if (ways.steps[i].npending)
				good = add_followed(v, &ways.steps[i]);
	}
	return good;
}

static bool
find_starts(struct validator *v)
{
	bool good = true;

	for (size_t at = 0; at < v->n && good; at++) {
		struct step step = { .at = at };

		if (!is_inst(v, at))
			continue;
		if (v->is_target[at])
			good = add_start(v, &step);
		find_pending(v, &step);
		good = good && add_start(v, &step) && follow_starts(v);
	}
	return good;
}

/* The program must not end, nor data begin, within the slots of a rule. */
static void
check_slots(struct validator *v, enum qpu_rule_number number, size_t at)
{
	const struct qpu_hazard hazard = { .rule = &qpu_slot_rules[number],
					   .verdict = QPU_HAZARD,
					   .index = at,
					   .cause = at };

	for (unsigned i = 1; i <= hazard.rule->reach; i++)
		if (!is_inst(v, at + i))
			report(v, &hazard);
}

static void
check_from(struct validator *v, size_t at)
{
	const struct step here = { .at = at, .certain = true };

	if (!is_inst(v, at))
		return;
	check_pair(v, qpu_single_checks, at, &here, 0);
	check_pair(v, qpu_pair_checks, at, &here, 0);
	if (qpu_ends_program(&v->insts[at]))
		check_slots(v, QPU_RULE_END, at);
	if (v->insts[at].kind == QPU_KIND_BRANCH)
		check_slots(v, QPU_RULE_DELAY_SLOTS, at);
	v->nsteps = 0;
	for (size_t i = 0; i < v->starts[at].n; i++)
		walk(v, at, &v->starts[at].rows[i], 0);
}

/* A register of file A that a branch writes is a place to return to. */
static void
note_link(struct validator *v, size_t branch)
{
	const struct qpu_use *use = &v->uses[branch];

	if (!is_inst(v, branch + 1 + SLOTS))
		return;
	for (unsigned i = 0; i < use->nwrites; i++) {
		const struct qpu_result *link = &use->writes[i];

		if (link->file_b || link->addr >= LINKS)
			continue;
		struct returns *returns = &v->returns[link->addr];
		if (returns->n <= QPU_WAYS_MAX)
			returns->at[returns->n++] = branch + 1 + SLOTS;
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
		note_link(v, i);
	}
}

/* C45: warn of a condition that nothing has decided on a way here. */
static void
check_flags(struct validator *v, const struct step *step)
{
	const struct qpu_inst *inst = &v->insts[step->at];
	const struct qpu_use *use = &v->uses[step->at];
	bool conditional = inst->kind == QPU_KIND_BRANCH &&
			   inst->cond_br != QPU_BR_ALWAYS;

	for (unsigned i = 0; i < use->nwrites; i++)
		conditional |= use->writes[i].cond > QPU_COND_ALWAYS;
	if (conditional && !step->flags)
		report(v, &(struct qpu_hazard){
				  .rule = &qpu_rules[QPU_RULE_NO_FLAGS],
				  .verdict = QPU_WARNING,
				  .index = step->at,
				  .cause = step->at });
}

/* Walk all paths from the entry; warn if one runs off the end. A path ends at
 * data, even if the data are instructions written as numbers. */
static bool
follow_program(struct validator *v)
{
	const struct step first = { .at = 0, .certain = true };
	bool good = true;
	struct ways ways;

	for (size_t i = 0; i < v->n; i++)
		v->starts[i].n = 0;
	v->nfollowed = 0;
	if (is_inst(v, 0))
		good = add_start(v, &first);
	while (v->queue.n && good) {
		struct step step = v->queue.rows[--v->queue.n];

		check_flags(v, &step);
		step.flags |= qpu_inst_sets_flags(&v->insts[step.at]);
		if (qpu_ends_program(&v->insts[step.at]))
			continue;
		v->runs_on = false;
		find_ways(v, &step, &ways);
		if (v->runs_on)
			report(v,
			       &(struct qpu_hazard){ .rule = &qpu_open_end_rule,
						     .verdict = QPU_WARNING,
						     .index = step.at,
						     .cause = step.at });
		for (unsigned i = 0; i < ways.n && good; i++)
			good = add_followed(v, &ways.steps[i]);
	}
	return good;
}

bool
qpu_validate(const struct qpu_inst *insts, const bool *flags, size_t n,
	     qpu_hazard_sink *sink, void *context, bool *complete)
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
		.complete = true,
		.sink = sink,
		.context = context,
	};
	bool good = v.uses && v.reported && v.warned && v.is_target && v.starts;

	if (good) {
		prepare(&v);
		good = find_starts(&v);
	}
	for (size_t i = 0; i < n && good; i++)
		check_from(&v, i);
	good = good && follow_program(&v);
	*complete = v.complete;
	for (size_t i = 0; i < n && v.starts; i++)
		free(v.starts[i].rows);
	free(v.queue.rows);
	free(v.uses);
	free(v.reported);
	free(v.warned);
	free(v.is_target);
	free(v.starts);
	return good;
}
