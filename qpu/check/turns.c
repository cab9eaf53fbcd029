/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/turns.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "qpu/check/loads.h"
#include "qpu/check/settle.h"
#include "qpu/ways/firmware.h"
#include "src/base/clock.h"

/* In turn ------------------------------------------------------------------ */

static bool
print_in_turn(struct rig *rig, unsigned wanted, FILE *report)
{
	struct load_adder adder;
	unsigned done = 0, direct = 0, wrong = 0;
	struct diag why;

	if (!load_adder(rig, &adder, &why))
		return false;
	for (; done < wanted; done++) {
		load_adder_write(&adder, done * LOAD_WORDS);
		if (!rig_run(rig, &adder.program, 1,
			     done % 2 ? rig_by_registers_ms : rig_by_mailbox_ms,
			     &why))
			break;
		direct += rig_went_by_registers(rig);
		wrong += load_adder_wrong(&adder, done * LOAD_WORDS);
	}
	if (done < wanted)
		fprintf(report, "In turn: FAILED at %u of %u: %s\n", done + 1,
			wanted, why.text);
	else
		fprintf(report,
			"In turn: %u came back, %u by registers, %u words "
			"wrong\n",
			done, direct, wrong);
	settle(report);
	return done == wanted;
}

/* Two cores ---------------------------------------------------------------- */

/* One core writes, the other one launches; `turn` is odd while it is the
 * writer's. */
struct two_cores {
	struct rig *rig;
	struct load_adder adder;
	unsigned launches;
	bool barrier; /* of the writer, after its writes */
	int cores[2];
	volatile atomic_uint turn;
};

static bool
find_cores(int cores[2])
{
	cpu_set_t allowed;
	unsigned n = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		return false;
	for (int i = 0; i < CPU_SETSIZE && n < 2; i++)
		if (CPU_ISSET(i, &allowed))
			cores[n++] = i;
	return n == 2;
}

static void
stay_on(int core)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(core, &one);
	(void)sched_setaffinity(0, sizeof(one), &one);
}

static void
await_turn(struct two_cores *two, unsigned turn)
{
	while (atomic_load_explicit(&two->turn, memory_order_relaxed) != turn)
		sched_yield();
}

static void
pass_turn(struct two_cores *two, unsigned turn)
{
	atomic_store_explicit(&two->turn, turn, memory_order_relaxed);
}

static void *
write_words(void *two_)
{
	struct two_cores *two = two_;
	struct rig *rig = two->rig;

	stay_on(two->cores[0]);
	for (unsigned i = 0; i < two->launches; i++) {
		await_turn(two, 2 * i + 1);
		load_adder_write(&two->adder, i * LOAD_WORDS);
		if (two->barrier && rig->device->publish)
			rig->device->publish(rig->handle, &rig->memory);
		pass_turn(two, 2 * i + 2);
	}
	return NULL;
}

/* After a failure the writer still has to end. */
static bool
run_two_cores(struct two_cores *two, unsigned *wrong, struct diag *why)
{
	pthread_t writer;
	bool good = true;

	pass_turn(two, 0);
	*wrong = 0;
	if (pthread_create(&writer, NULL, write_words, two) != 0) {
		diag_set(why, "no thread");
		return false;
	}
	for (unsigned i = 0; i < two->launches; i++) {
		pass_turn(two, 2 * i + 1);
		await_turn(two, 2 * i + 2);
		good = good &&
		       rig_run(two->rig, &two->adder.program, 1,
			       i % 2 ? rig_by_registers_ms : rig_by_mailbox_ms,
			       why);
		*wrong += good &&
			  load_adder_wrong(&two->adder, i * LOAD_WORDS) > 0;
	}
	pthread_join(writer, NULL);
	return good;
}

static bool
print_two_cores(struct rig *rig, unsigned launches, FILE *report)
{
	struct two_cores two = { .rig = rig, .launches = launches };
	cpu_set_t before;
	bool good = true;
	unsigned wrong;
	struct diag why;

	if (!find_cores(two.cores) ||
	    sched_getaffinity(0, sizeof(before), &before) != 0) {
		fputs("Two cores: not asked, since there is only one\n",
		      report);
		settle(report);
		return true;
	}
	stay_on(two.cores[1]);
	for (unsigned i = 0; good && i < 2; i++) {
		two.barrier = i == 0;
		good = load_adder(rig, &two.adder, &why) &&
		       run_two_cores(&two, &wrong, &why);
		fprintf(report, "Written on another core, %s a barrier: ",
			two.barrier ? "with" : "without");
		if (good)
			fprintf(report, "%u of %u launches wrong\n", wrong,
				launches);
		else
			fprintf(report, "FAILED: %s\n", why.text);
		settle(report);
	}
	(void)sched_setaffinity(0, sizeof(before), &before);
	return good;
}

/* Questions meanwhile ------------------------------------------------------ */

struct asker {
	int vcio;
	atomic_bool over; /* the launch has ended */
	uint32_t clock_hz;
	double longest_ms; /* of an answer */
};

/* Keep the last answer before the end, or the first one after it. */
static void *
ask_clock(void *asker_)
{
	struct asker *asker = asker_;

	do {
		const uint64_t begun = clock_ns();
		const uint32_t hz = firmware_clock(asker->vcio);
		const double ms =
			(double)(clock_ns() - begun) / CLOCK_NS_PER_MS;

		if (!atomic_load(&asker->over) || asker->clock_hz == 0)
			asker->clock_hz = hz;
		if (ms > asker->longest_ms)
			asker->longest_ms = ms;
	} while (!atomic_load(&asker->over));
	return NULL;
}

static bool
print_clock(struct rig *rig, int vcio, double ms, double expected_ms,
	    FILE *report)
{
	struct asker asker = { .vcio = vcio };
	struct device_program program;
	const char *way;
	pthread_t thread;
	struct diag why;
	bool good;

	if (!load_busy(rig, ms, 1, &program, &why) ||
	    pthread_create(&thread, NULL, ask_clock, &asker) != 0)
		return false;
	good = rig_run(rig, &program, 1, expected_ms, &why);
	atomic_store(&asker.over, true);
	pthread_join(thread, NULL);
	way = rig_went_by_registers(rig) ? "registers" : "mailbox";
	if (good)
		fprintf(report,
			"V3D clock during a launch by %s: %u kHz\n"
			"The slowest answer during a launch by %s: %.3f ms\n",
			way, (unsigned)(asker.clock_hz / 1000), way,
			asker.longest_ms);
	else
		fprintf(report, "Asked during a launch by %s: FAILED: %s\n",
			way, why.text);
	settle(report);
	return good;
}

/* The node is opened without the driver's lock, which is for programs that
 * launch. */
static bool
print_clocks(struct rig *rig, double ms, FILE *report)
{
	const int vcio = firmware_open_node("/dev/vcio", 0);
	bool good;

	if (vcio < 0) {
		fputs("Questions during a launch: nobody can be asked\n",
		      report);
		return true;
	}
	good = print_clock(rig, vcio, ms, rig_by_mailbox_ms, report) &&
	       print_clock(rig, vcio, ms, rig_by_registers_ms, report);
	close(vcio);
	return good;
}

bool
turns_print(struct rig *rig, bool quick, FILE *report)
{
	enum { LAUNCHES = 2000, QUICK_LAUNCHES = 20 };
	const unsigned launches = quick ? QUICK_LAUNCHES : LAUNCHES;

	fputs("\n== Launches in turn ==\n", report);
	settle(report);
	return print_in_turn(rig, launches, report) &&
	       print_two_cores(rig, launches, report) &&
	       print_clocks(rig, quick ? 2 : 100, report);
}
