/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/answers.h"

#include <inttypes.h>

#include "qpu/check/ask.h"
#include "qpu/check/experiment.h"
#include "qpu/check/settle.h"

/* The number of experiments by their outcome, for the summary at the end. */
struct tally {
	unsigned as_emulated, other, unknown, need_qpus, left_out;
};

static void
print_words(FILE *to, const uint32_t *lanes)
{
	for (unsigned i = 0; i < EXPERIMENT_LANES; i++)
		fprintf(to, " %08" PRIx32, lanes[i]);
}

static void
print_verdict(const struct experiment *experiment, const uint32_t *lanes,
	      struct tally *tally, FILE *report)
{
	const int verdict = ask_verdict(experiment, lanes);

	if (verdict == 0) {
		fprintf(report, "%s (as emulated)\n",
			experiment->answers[0].text);
		tally->as_emulated++;
	} else if (verdict > 0) {
		fprintf(report, "%s (NOT as emulated)\n",
			experiment->answers[verdict].text);
		tally->other++;
	} else {
		fputs("none of the answers we know:", report);
		print_words(report, lanes);
		fputc('\n', report);
		tally->unknown++;
	}
}

static bool
print_one(struct rig *rig, const struct experiment *experiment, unsigned id,
	  struct tally *tally, FILE *report, FILE *raw)
{
	uint32_t lanes[EXPERIMENT_LANES];
	struct diag why;

	fprintf(report, "%3u %-9s %s: ", id, experiment->id,
		experiment->question);
	settle(report);
	if (!ask(rig, experiment, lanes, &why)) {
		fprintf(report, "NO ANSWER: %s\n", why.text);
		return false;
	}
	print_verdict(experiment, lanes, tally, report);
	fprintf(raw, "%3u", id);
	print_words(raw, lanes);
	fputc('\n', raw);
	return true;
}

static bool
print_table(struct rig *rig, const struct experiment *row, bool risky,
	    unsigned *id, struct tally *tally, FILE *report, FILE *raw)
{
	for (; row->id; row++) {
		++*id;
		if (row->risky != risky)
			tally->left_out++;
		else if (row->other && rig->qpus < 2)
			tally->need_qpus++;
		else if (!print_one(rig, row, *id, tally, report, raw))
			return false;
	}
	return true;
}

bool
answers_print(struct rig *rig, bool risky, FILE *report, FILE *raw)
{
	struct tally tally = { 0 };
	unsigned id = 0;
	bool good = true;

	fprintf(report, "\n== %s ==\n",
		risky ? "Risky experiments" : "Experiments");
	for (unsigned i = 0; good && experiment_tables[i]; i++)
		good = print_table(rig, experiment_tables[i], risky, &id,
				   &tally, report, raw);
	fprintf(report, "%u as emulated, %u not, %u unknown", tally.as_emulated,
		tally.other, tally.unknown);
	if (tally.need_qpus > 0)
		fprintf(report, ", %u need more QPUs", tally.need_qpus);
	if (!risky)
		fprintf(report, ", %u risky ones left for QPU_RISKY=yes",
			tally.left_out);
	fputc('\n', report);
	return good;
}
