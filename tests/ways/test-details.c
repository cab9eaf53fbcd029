/* SPDX-License-Identifier: MIT */
/*
 * What --list-devices=details tells of a Raspberry Pi by the firmware's way, row
 * by row, and what is left out where it cannot be found out.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "qpu/ways/board.h"
#include "qpu/ways/way.h"
#include "src/base/engine.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"
#include "tests/ways/pi.h"

static struct facts details;

/* KEY: LABEL: what is shown. */
static const char *const usual[] = {
	"board: board: Raspberry Pi 2 Model B Rev 1.1",
	"chip: chip: BCM2836",
	"gpu: GPU: VideoCore IV",
	"qpus: QPUs: 12 ",
	"clock_hz: clock of the QPUs now: 250 MHz",
	"most_clock_hz: at most: 400 MHz",
	"gpu_memory_bytes: memory of the GPU (gpu_mem): 64 MiB",
	"firmware: firmware of: 2020-08-17",
	"memory: memory of the QPUs from: /dev/vcsm-cma",
	"cma_bytes: memory of the kernel for devices (CMA): 64 MiB",
	"cma_free_bytes: free of it: 5 MiB",
	"kernel: kernel: Linux 6.1.21-v7+ armv7l",
};

static const char *const nodes[] = { "/dev/vcio", "/dev/vcsm-cma",
				     "/dev/dma_heap/linux,cma" };

enum { USUAL = sizeof(usual) / sizeof(*usual), NODES = 3 };

static void
ask(void)
{
	memset(&details, 0, sizeof(details));
	device_vcio.details(&details);
}

static const char *
text_of(unsigned i)
{
	return facts_text(&details, &details.rows[i]);
}

/* Are these the usual rows but those of `missing`, "|KEY|KEY|", then the nodes
 * and perhaps a step that begins so? */
static bool
tells_all_but(const char *missing, const char *step)
{
	const unsigned files = balance_now().files;
	unsigned n = 0;
	bool good = true;

	ask();
	for (unsigned i = 0; i < USUAL; i++) {
		const struct fact *fact = &details.rows[n];
		char line[256], key[64];

		snprintf(key, sizeof(key), "|%.*s|",
			 (int)strcspn(usual[i], ":"), usual[i]);
		if (strstr(missing, key))
			continue;
		n++;
		if (fact->kind == FACT_NUMBER)
			snprintf(line, sizeof(line), "%s: %s: %.0f %s",
				 fact->key, facts_label(&details, fact),
				 fact->value / fact->scale, fact->unit);
		else
			snprintf(line, sizeof(line), "%s: %s: %s", fact->key,
				 facts_label(&details, fact), text_of(n - 1));
		good &= strcmp(line, usual[i]) == 0;
		if (strcmp(line, usual[i]) != 0)
			tap_note("'%s' is told, not '%s'", line, usual[i]);
	}
	for (unsigned i = 0; i < NODES; i++, n++)
		good &= details.rows[n].kind == FACT_NODE &&
			strcmp(details.rows[n].key, nodes[i]) == 0 &&
			details.rows[n].value ==
				(access(nodes[i], R_OK | W_OK) == 0) &&
			!*text_of(n) == (access(nodes[i], F_OK) != 0);
	if (step)
		good &= details.rows[n].kind == FACT_STEP &&
			strncmp(text_of(n), step, strlen(step)) == 0;
	return good && details.n == n + (step != NULL) &&
	       balance_now().files == files;
}

static void
test_rows(void)
{
	static const struct {
		const char *name, *row;
		uint32_t tag;
	} lost[] = {
		{ "clock", "|clock_hz|", 0x30047 },
		{ "highest clock", "|most_clock_hz|", 0x30004 },
		{ "memory", "|gpu_memory_bytes|", 0x10006 },
		{ "date of the firmware", "|firmware|", 0x1 },
	};

	pi_begin(PI_UNCACHED);
	ok(tells_all_but("", NULL),
	   "all that is known of a Pi is told, and its nodes");
	for (unsigned i = 0; i < sizeof(lost) / sizeof(*lost); i++) {
		pi_begin(PI_UNCACHED);
		pi.lost_tag = lost[i].tag;
		ok(tells_all_but(lost[i].row, NULL),
		   "a firmware that does not tell the %s leaves out its row",
		   lost[i].name);
	}
	pi_begin(PI_UNCACHED);
	pi.clock_hz = 0;
	ok(tells_all_but("|clock_hz|", NULL), "a clock of 0 is left out");
	pi_begin(PI_UNCACHED);
	pi.open_errors[PI_VCIO] = EACCES;
	ok(tells_all_but("|clock_hz|most_clock_hz|gpu_memory_bytes|firmware|",
			 NULL),
	   "nothing of the firmware is told where it cannot be opened");
	pi_begin(PI_UNCACHED);
	pi.meminfo = "CmaFree: 5120 kB\n";
	ok(tells_all_but("|cma_bytes|", NULL), "a total of CMA may be unknown");
	pi.meminfo = "CmaTotal: 65536 kB\n";
	ok(tells_all_but("|cma_free_bytes|", NULL),
	   "the free part of CMA may be unknown");
	pi_begin(PI_UNCACHED);
	pi.machine = NULL;
	ok(tells_all_but("|kernel|", NULL), "the kernel's name may be unknown");
}

static void
test_boards(void)
{
	pi_begin(PI_UNCACHED);
	pi.chip = "brcm,bcm2711";
	ask();
	ok(strcmp(text_of(2), "another one") == 0 &&
		   strcmp(details.rows[3].key, "clock_hz") == 0 &&
		   details.rows[details.n - 1].kind == FACT_NODE,
	   "a board with another GPU has no QPUs, and no step to take");
	pi.chip = "brcm,unknown";
	pi.model = "";
	ask();
	ok(strcmp(text_of(0), "unknown") == 0 &&
		   strcmp(details.rows[1].key, "clock_hz") == 0,
	   "a board and a chip may be unknown");
	pi_begin(PI_UNCACHED);
	pi.is_pc = true;
	ask();
	ok(details.n == 0 && fault_count(FAULT_open) == 0,
	   "nothing is told of other machines, nor asked");
}

static void
test_steps(void)
{
	pi_begin(PI_UNCACHED);
	pi.status = "okay";
	ok(tells_all_but("|memory|", "the kernel's driver vc4 owns the GPU"),
	   "the step that is left is told after the nodes");
	pi_begin(PI_UNCACHED);
	pi.gpu_mib = 16;
	ask();
	ok(strstr(text_of(details.n - 1), "put gpu_mem=64 into /boot/"),
	   "too little memory of the GPU is a step that the firmware knows");
	pi.nodes = 1 << PI_VCIO;
	pi.has_module = true;
	ask();
	ok(strstr(text_of(details.n - 1), "put gpu_mem=64 into /boot/"),
	   "a module that makes no node tells of too little memory, too");
}

static void
test_meminfo(void)
{
	static char text[8300];

	pi_begin(PI_CACHED);
	memset(text, ' ', sizeof(text) - 1);
	memcpy(text + 8178, "CmaFree: 123456789", 18);
	pi.meminfo = text;
	ok(board_contiguous_kib("CmaFree:") == 1234,
	   "8191 bytes of /proc/meminfo are read");
	fault_at(FAULT_read, 1, EIO);
	ok(board_contiguous_kib("CmaFree:") == -1,
	   "a /proc/meminfo that cannot be read says nothing");
}

/* cma= counts more than what the system has set. */
static void
test_advice(void)
{
	static const struct {
		const char *meminfo, *file, *advice;
	} rows[] = {
		{ "CmaTotal: 262144 kB\nCmaFree: 9300 kB\n",
		  "/boot/firmware/cmdline.txt",
		  "CmaTotal is 256 MiB, CmaFree 9 MiB: close other programs" },
		{ "CmaTotal: 131072 kB\nCmaFree: 9300 kB\n",
		  "/boot/firmware/cmdline.txt",
		  "CmaTotal is 128 MiB, CmaFree 9 MiB: close other programs" },
		{ "CmaTotal: 65536 kB\nCmaFree: 9300 kB\n",
		  "/boot/firmware/cmdline.txt",
		  "CmaTotal is 64 MiB, CmaFree 9 MiB: close other programs, or "
		  "put cma=128M into /boot/firmware/cmdline.txt and reboot" },
		{ "CmaTotal: 65536 kB\nCmaFree: 0 kB\n", "/boot/cmdline.txt",
		  "CmaTotal is 64 MiB, CmaFree 0 MiB: close other programs, or "
		  "put cma=128M into /boot/cmdline.txt and reboot" },
		{ "CmaTotal: 65536 kB\nCmaFree: 9300 kB\n", NULL,
		  "CmaTotal is 64 MiB, CmaFree 9 MiB: close other programs" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct diag text;

		pi_begin(PI_CACHED);
		pi.meminfo = rows[i].meminfo;
		pi.other_file = rows[i].file;
		board_explain_contiguous(&text);
		is(text.text, rows[i].advice,
		   "more contiguous memory is advised where there is little, "
		   "in a file that there is (%zu)",
		   i);
	}
}

static void
test_speed(void)
{
	struct engine_speed speed = { .lanes = 3 };

	pi_begin(PI_UNCACHED);
	ok(board_speed(&speed) == 250 && speed.lanes == 0 &&
		   speed.core_rate == 45e6 && speed.copy_rate == 700e6,
	   "the board's clock and speeds are told");
	pi.is_pc = true;
	ok(board_speed(&speed) == 0 && speed.core_rate == 0,
	   "all speeds are 0 where there are no QPUs");
}

int
main(void)
{
	test_rows();
	test_boards();
	test_steps();
	test_meminfo();
	test_advice();
	test_speed();
	pi_end();
	return tap_done();
}
