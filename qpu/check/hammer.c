/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/hammer.h"

#include "qpu/check/loads.h"
#include "qpu/check/settle.h"
#include "src/base/clock.h"

enum {
	MIB = 1 << 20,
	LARGEST_MIB = 64,
	PIECES = 25,
	PIECE_MIB = 2,
	LAUNCH_BYTES = 1 << 16, /* for all programs and their data */
	QUICK = 100,		/* a hundredth of the launches, */
	QUICK_MS = 10		/* none of which takes longer */
};

/* Memory ------------------------------------------------------------------- */

static double
ms_since(uint64_t begun_ns)
{
	return (double)(clock_ns() - begun_ns) / CLOCK_NS_PER_MS;
}

static bool
can_have(struct rig *rig, unsigned mib, double *ms)
{
	struct device_memory memory;
	const uint64_t begun = clock_ns();

	if (!rig->device->alloc(rig->handle, (size_t)mib * MIB, &memory, NULL))
		return false;
	*ms = ms_since(begun);
	rig->device->free(rig->handle, &memory);
	return true;
}

void
hammer_print_memory(struct rig *rig, FILE *report)
{
	struct device_memory pieces[PIECES];
	struct device_totals totals;
	unsigned low = 0, high = LARGEST_MIB + 1, n = 0;
	double ms = 0;

	fputs("\n== Memory ==\n", report);
	while (high - low > 1) {
		const unsigned middle = (low + high) / 2;

		if (can_have(rig, middle, &ms))
			low = middle;
		else
			high = middle;
	}
	fprintf(report, "Largest piece: %u MiB\n", low);
	if (can_have(rig, PIECE_MIB, &ms))
		fprintf(report, "Time for a piece: %.3f ms/MiB\n",
			ms / PIECE_MIB);
	while (n < PIECES &&
	       rig->device->alloc(rig->handle, (size_t)PIECE_MIB * MIB,
				  &pieces[n], NULL))
		n++;
	fprintf(report, "Pieces of %u MiB: %u of %u\n", (unsigned)PIECE_MIB, n,
		(unsigned)PIECES);
	if (n > 0)
		fprintf(report, "Alias: %x\n", pieces[0].bus >> 30 << 2);
	while (n > 0)
		rig->device->free(rig->handle, &pieces[--n]);
	rig->device->totals(rig->handle, &totals);
	if (totals.memory)
		fprintf(report,
			"Source: %s\nThe CPU writes: %.0f MB/s\n"
			"The CPU reads: %.0f MB/s\n",
			totals.memory, totals.write_rate / 1e6,
			totals.read_rate / 1e6);
	settle(report);
}

/* Launches ----------------------------------------------------------------- */

struct row {
	double ms; /* of a launch at 250 MHz */
	unsigned launches, qpus;
};

/* Those that may go by registers are asked both ways: whether the firmware
 * clears the QPUs' caches shows only in launches by mailbox. */
static const struct row rows[] = { { 0.1, 2000, 1 },
				   { 5, 2000, 1 },
				   { 100, 300, 1 },
				   { 0.1, 2000, DEVICE_QPUS } };

/* How long a short launch is expected to take: the first number on all devices,
 * then the second one where there are registers. */
static const double ways[] = { rig_by_mailbox_ms, rig_by_registers_ms };

static unsigned
count_ways(const struct rig *rig)
{
	return rig->has_registers ? 2 : 1;
}

static bool
print_end(const struct rig *rig, const char *what, unsigned done,
	  unsigned wanted, uint64_t begun_ns, const struct diag *why,
	  FILE *report)
{
	fputs(what, report);
	if (rig->way)
		fprintf(report, " by %s", rig->way);
	if (done == wanted)
		fprintf(report, ": %u came back, %.3f ms each\n", done,
			ms_since(begun_ns) / done);
	else
		fprintf(report, ": FAILED at %u of %u: %s\n", done + 1, wanted,
			why->text);
	settle(report);
	return done == wanted;
}

static bool
run_row(struct rig *rig, const struct row *row, double expected_ms,
	FILE *report)
{
	struct device_program programs[DEVICE_QPUS];
	const unsigned n = row->qpus < rig->qpus ? row->qpus : rig->qpus;
	const uint64_t begun = clock_ns();
	unsigned done = 0;
	struct diag why;
	char what[64];

	if (!load_busy(rig, row->ms, n, programs, &why))
		return false;
	while (done < row->launches &&
	       rig_run(rig, programs, n, expected_ms, &why))
		done++;
	snprintf(what, sizeof(what), "Launches of %.1f ms on %u QPUs", row->ms,
		 n);
	return print_end(rig, what, done, row->launches, begun, &why, report);
}

/* On a busy machine an emulated launch of 100 ms takes longer than a launch
 * may. */
static struct row
quick_row(const struct row *row)
{
	return (struct row){ .ms = row->ms < QUICK_MS ? row->ms : QUICK_MS,
			     .launches = row->launches / QUICK,
			     .qpus = row->qpus };
}

static bool
run_row_each_way(struct rig *rig, const struct row *row, FILE *report)
{
	if (row->ms > rig_by_registers_ms)
		return run_row(rig, row, row->ms, report);
	for (unsigned i = 0; i < count_ways(rig); i++)
		if (!run_row(rig, row, ways[i], report))
			return false;
	return true;
}

/* The clock is lower at rest, which facts_print shows. */
static void
print_clock(struct rig *rig, FILE *report)
{
	struct device_totals totals;

	rig->device->totals(rig->handle, &totals);
	if (!totals.modelled && totals.clock_hz > 0)
		fprintf(report, "V3D clock after a launch: %u kHz\n",
			(unsigned)(totals.clock_hz / 1000));
	settle(report);
}

/* The same words are written, used and read again in each launch. */
static bool
run_coherency(struct rig *rig, double expected_ms, unsigned wanted,
	      FILE *report)
{
	const uint64_t begun = clock_ns();
	unsigned done = 0, wrong = 0;
	struct load_adder adder;
	struct diag why;

	if (!load_adder(rig, &adder, &why))
		return false;
	for (; done < wanted; done++) {
		load_adder_write(&adder, done * LOAD_WORDS);
		if (!rig_run(rig, &adder.program, 1, expected_ms, &why))
			break;
		wrong += load_adder_wrong(&adder, done * LOAD_WORDS);
	}
	fprintf(report, "Words used again%s%s: %u of %u wrong\n",
		rig->way ? " by " : "", rig->way ? rig->way : "", wrong,
		done * LOAD_WORDS);
	return print_end(rig, "Launches on the same words", done, wanted, begun,
			 &why, report);
}

bool
hammer_print_launches(struct rig *rig, bool quick, FILE *report)
{
	enum { COHERENCY = 10000 };
	const unsigned part = quick ? QUICK : 1;
	struct diag why;

	fputs("\n== Many launches ==\n", report);
	settle(report);
	/* With cached memory a flush of all of it would take longer than many a
	 * launch. */
	if (!rig_renew(rig, LAUNCH_BYTES, &why)) {
		fprintf(report, "No memory: %s\n", why.text);
		return false;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row row = quick ? quick_row(&rows[i]) : rows[i];

		if (!run_row_each_way(rig, &row, report))
			return false;
	}
	print_clock(rig, report);
	for (unsigned i = 0; i < count_ways(rig); i++)
		if (!run_coherency(rig, ways[i], COHERENCY / part, report))
			return false;
	return true;
}
