/* SPDX-License-Identifier: MIT */
/*
 * What the report of make check-hardware says of a Raspberry Pi's firmware, clock
 * and supply, and of how fast each kind of its memory is.
 */
#include "config.h"

#include "qpu/check/facts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/abi/mailbox.h"
#include "qpu/check/rates.h"
#include "qpu/driver/vcio.h"
#include "tests/driver/pi.h"
#include "tests/hardware/report-text.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

static char text[8192];
static uint32_t throttled; /* bits of the firmware's answer */
static int (*answer_rest)(int fd, unsigned long request, void *argument);

static FILE *
begin_report(void)
{
	FILE *report = tmpfile();

	if (!report)
		exit(99);
	return report;
}

/* The supply's voltage is the firmware's to tell; pi.c answers the rest. */
static int
answer(int fd, unsigned long request, void *argument)
{
	uint32_t *message = argument;

	if (message[2] != MAILBOX_THROTTLED)
		return answer_rest(fd, request, argument);
	message[5] = throttled;
	message[1] = 0x80000000;
	message[4] |= 0x80000000;
	return 0;
}

static void
test_state(void)
{
	static const struct {
		uint32_t bits;
		const char *end;
	} rows[] = {
		{ 0, "throttled 0x0\n" },
		{ 1, "throttled 0x1 (the supply's voltage is too low)\n" },
		{ 0x10000,
		  "throttled 0x10000 (the supply's voltage was too low)\n" },
		{ 0x50005,
		  "throttled 0x50005 (the supply's voltage is too low)\n" },
	};
	char expected[512];
	FILE *report;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		pi_begin(PI_UNCACHED);
		answer_rest = fault_hooks.ioctl;
		fault_hooks.ioctl = answer;
		throttled = rows[i].bits;
		report = begin_report();
		facts_print_v3d("enabled", report);
		report_text(report, text, sizeof(text));
		snprintf(expected, sizeof(expected),
			 "V3D enabled: power no answer, power of H264 no "
			 "answer, clock state 1, clock 400000 kHz, least no "
			 "answer, most 400000 kHz, measured 250000 kHz, %s",
			 rows[i].end);
		is(text, expected, "clock and supply are told: 0x%x",
		   (unsigned)rows[i].bits);
	}
	pi_begin(PI_UNCACHED);
	pi.open_errors[PI_VCIO] = EACCES;
	report = begin_report();
	facts_print_v3d("enabled", report);
	report_text(report, text, sizeof(text));
	is(text, "", "nothing is told where the firmware cannot be asked");
}

static void
test_facts(void)
{
	FILE *report;

	pi_begin(PI_UNCACHED);
	report = begin_report();
	facts_print("qpu", report);
	report_text(report, text, sizeof(text));
	ok(strstr(text, ", hardware report\nDate: ") &&
		   strstr(text, "\nDevice: qpu\nWords: ") &&
		   strstr(text, "\nKernel: Linux 6.1.21-v7+ armv7l\n"),
	   "device and kernel are told");
	ok(strstr(text, "\nGPU memory by: /dev/vcsm-cma, not cached; "
			"registers: ") &&
		   strstr(text, "\nBoard: Raspberry Pi 2 Model B Rev 1.1\n"
				"SoC: BCM2836\n"),
	   "board and memory are told");
	ok(strstr(text, "\nFirmware: of 2020-08-17 23:59:59 UTC\n"
			"Firmware variant: no answer\n") &&
		   strstr(text, "\nMemory of the GPU: 64 MiB\n"
				"Core clock: 400000 kHz\n"
				"ARM clock: 400000 kHz\n"
				"Temperature: no answer\n") &&
		   strstr(text, "\nV3D at first: power no answer"),
	   "the firmware's answers are told, and that it has none");
	pi_begin(PI_UNCACHED);
	pi.is_pc = true;
	pi.open_errors[PI_VCIO] = EACCES;
	report = begin_report();
	facts_print("emulator", report);
	report_text(report, text, sizeof(text));
	ok(strstr(text, "\nQPUs of this machine: this is not a Raspberry Pi\n"
			"Board: unknown\nSoC: unknown\n"
			"Firmware: not to be asked\n"),
	   "what another machine is not is told");
}

/* Each way takes one step of the clock, a millisecond. */
static void
test_rates(void)
{
	static const char *const kinds[] = { "/dev/dma_heap/linux,cma, cached",
					     "/dev/vcsm-cma, not cached",
					     "/dev/mem, not cached",
					     "memory of its own" };
	static const char *const ways[] = {
		"flushed",	"refreshed",
		"word by word", "by memset",
		"copied to",	"read(2) into",
		"copied from",	"read(2) and copied to",
	};
	void *self = pi_opened(PI_CACHED, "mailbox");
	const int mapped = pi.mapped, buffers = pi.buffers;
	FILE *report = begin_report();
	char line[128];
	bool all = true;

	pi_forget();
	rates_print(report);
	report_text(report, text, sizeof(text));
	for (unsigned i = 0; i < 4 * 8; i++) {
		snprintf(line, sizeof(line), "\n%s, %s: 1049 MB/s\n",
			 kinds[i / 8], ways[i % 8]);
		/* The caches of other memory need no flush. */
		all = all && !strstr(text, line) == (i >= 8 && i % 8 < 2);
	}
	ok(all, "each way to move data to and from each kind of memory is "
		"timed");
	ok(pi_count('f') == 1 && pi_count('R') == 1,
	   "cached memory is flushed and refreshed once");
	ok(pi.mapped == mapped && pi.buffers == buffers && pi_count('u') == 1,
	   "memory that was timed goes back");
	device_vcio.close(self);

	self = pi_opened(PI_DEV_MEM, "mailbox");
	report = begin_report();
	rates_print(report);
	report_text(report, text, sizeof(text));
	ok(strstr(text, "/dev/dma_heap/linux,cma, cached: not to be opened\n"
			"/dev/vcsm-cma, not cached: not to be opened\n"
			"/dev/mem, not cached, word by word: 1049 MB/s\n"),
	   "memory that this user may not have is told");
	device_vcio.close(self);

	pi_begin(PI_UNCACHED);
	pi.is_pc = true;
	report = begin_report();
	rates_print(report);
	report_text(report, text, sizeof(text));
	is(text, "\n== Rates of memory ==\nNone\n",
	   "no rates are told of a machine that is no Pi");
}

int
main(void)
{
	test_state();
	test_facts();
	test_rates();
	pi_end();
	return tap_done();
}
