/* SPDX-License-Identifier: MIT */
/*
 * What --list-devices=details tells of a Raspberry Pi, row by row, and what is
 * left out where it cannot be found out.
 */
#include "config.h"

#include "qpu/ways/details.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/ways/board.h"
#include "qpu/ways/vcio.h"
#include "src/base/engine.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"
#include "tests/ways/pi.h"

static struct facts details;

static const struct {
	const char *key, *label;
	double value;
	const char *unit; /* or NULL, and a text */
	const char *text;
} usual[] = {
	{ "board", "board", 0, NULL, "Raspberry Pi 2 Model B Rev 1.1" },
	{ "chip", "chip", 0, NULL, "BCM2836" },
	{ "gpu", "GPU", 0, NULL, "VideoCore IV" },
	{ "qpus", "QPUs", 12, "", "" },
	{ "clock_hz", "clock of the QPUs now", 250000001, "MHz", "" },
	{ "most_clock_hz", "at most", 1, "MHz", "" },
	{ "gpu_memory_bytes", "memory of the GPU (gpu_mem)", 64 << 20, "MiB",
	  "" },
	{ "firmware", "firmware of", 0, NULL, "2020-08-17" },
	{ "memory", "memory of the QPUs from", 0, NULL,
	  "/dev/vcsm-cma, not cached" },
	{ "cma_bytes", "memory of the kernel for devices (CMA)", 64 << 20,
	  "MiB", "" },
	{ "cma_free_bytes", "free of it", 5 << 20, "MiB", "" },
	{ "kernel", "kernel", 0, NULL, "Linux 6.1.21-v7+ armv7l" },
};

static const char *const nodes[] = { "/dev/vcio", "/dev/vcsm-cma",
				     "/dev/dma_heap/linux,cma" };

enum { USUAL = sizeof(usual) / sizeof(*usual), NODES = 3 };

static void
begin(void)
{
	pi_begin(PI_UNCACHED);
	pi.clock_hz = 250000001;
	pi.max_hz = 1;
}

static void
ask(void)
{
	memset(&details, 0, sizeof(details));
	details_add_vcio(&details);
}

static const char *
text_of(unsigned i)
{
	return facts_text(&details, &details.rows[i]);
}

static const char *
label_of(unsigned i)
{
	return facts_label(&details, &details.rows[i]);
}

/* Is row i the usual one? */
static bool
is_usual(unsigned i, unsigned usual_row)
{
	const struct fact *fact = &details.rows[i];
	const char *unit = usual[usual_row].unit;

	return i < details.n && fact->key &&
	       strcmp(fact->key, usual[usual_row].key) == 0 &&
	       strcmp(label_of(i), usual[usual_row].label) == 0 &&
	       fact->value == usual[usual_row].value &&
	       (unit ? fact->kind == FACT_NUMBER &&
				strcmp(fact->unit, unit) == 0 &&
				fact->scale == (!strcmp(unit, "MHz") ? 1e6 :
						!strcmp(unit, "MiB") ? 1 << 20 :
								       1) :
		       fact->kind == FACT_TEXT) &&
	       strcmp(text_of(i), usual[usual_row].text) == 0;
}

/* Are the usual rows there, without those whose bits are set, then the nodes
 * and this number of steps? */
static bool
has_all_but(unsigned missing, unsigned steps)
{
	const int files = (int)balance_now().files;
	char label[16];
	unsigned n = 0;

	ask();
	for (unsigned i = 0; i < USUAL; i++) {
		if (missing >> i & 1)
			continue;
		if (!is_usual(n++, i)) {
			tap_note("row %u is %s: '%s'", n - 1, label_of(n - 1),
				 text_of(n - 1));
			return false;
		}
	}
	for (unsigned i = 0; i < NODES; i++)
		if (details.rows[n++].kind != FACT_NODE)
			return false;
	for (unsigned i = 0; i < steps; i++, n++) {
		snprintf(label, sizeof(label), "step %u", i + 1);
		if (details.rows[n].kind != FACT_STEP ||
		    strcmp(label_of(n), label) != 0)
			return false;
	}
	return details.n == n && (int)balance_now().files == files;
}

static bool
ends_with(const char *begin)
{
	return strncmp(text_of(details.n - 1), begin, strlen(begin)) == 0;
}

static void
test_rows(void)
{
	static const struct {
		const char *name;
		uint32_t tag;
		unsigned missing, steps;
	} lost[] = {
		{ "clock", 0x30047, 1 << 4, 0 },
		{ "highest clock", 0x30004, 1 << 5, 0 },
		{ "memory", 0x10006, 1 << 6, 1 },
		{ "date of the firmware", 0x1, 1 << 7, 0 },
	};
	bool good = true;

	begin();
	ok(has_all_but(0, 0), "all that is known of a Pi is told");
	for (unsigned i = 0; i < NODES; i++) {
		const struct fact *row = &details.rows[USUAL + i];

		good = good && strcmp(row->key, nodes[i]) == 0 &&
		       strcmp(label_of(USUAL + i), nodes[i]) == 0 &&
		       row->value == (access(nodes[i], R_OK | W_OK) == 0) &&
		       !*text_of(USUAL + i) == (access(nodes[i], F_OK) != 0);
	}
	ok(good, "nodes are told, and whether this user may open them");
	for (unsigned i = 0; i < sizeof(lost) / sizeof(*lost); i++) {
		begin();
		pi.lost_tag = lost[i].tag;
		ok(has_all_but(lost[i].missing, lost[i].steps),
		   "a firmware that does not tell the %s leaves out its row",
		   lost[i].name);
	}
	begin();
	pi.clock_hz = 0;
	ok(has_all_but(1 << 4, 0), "a clock of 0 is left out");
	begin();
	pi.open_errors[PI_VCIO] = EACCES;
	ok(has_all_but(0xf0, 0),
	   "nothing of the firmware is told where it cannot be opened");
	begin();
	pi.meminfo = "CmaFree: 5120 kB\n";
	ok(has_all_but(1 << 9, 0), "a total of CMA may be unknown");
	pi.meminfo = "CmaTotal: 65536 kB\n";
	ok(has_all_but(1 << 10, 0), "the free part of CMA may be unknown");
	pi.meminfo = "CmaTotal: 65536 kB\nCmaFree: 0 kB\n";
	ask();
	ok(details.rows[10].value == 0 &&
		   strcmp(details.rows[10].key, "cma_free_bytes") == 0,
	   "nothing free of CMA is told");
	begin();
	pi.machine = NULL;
	ok(has_all_but(1 << 11, 0), "the kernel's name may be unknown");
}

static void
test_boards(void)
{
	begin();
	pi.chip = "brcm,bcm2711";
	ask();
	ok(strcmp(text_of(2), "another one") == 0 &&
		   strcmp(details.rows[3].key, "clock_hz") == 0 &&
		   details.rows[details.n - 1].kind == FACT_NODE,
	   "a board with another GPU has no QPUs, and no step to take");
	begin();
	pi.chip = "brcm,unknown";
	ask();
	ok(strcmp(details.rows[0].key, "board") == 0 &&
		   strcmp(details.rows[1].key, "clock_hz") == 0,
	   "nothing is told of a chip that is not known");
	pi.model = "";
	ask();
	ok(strcmp(text_of(0), "unknown") == 0,
	   "a board without a name is unknown");
	begin();
	pi.is_pc = true;
	ask();
	ok(details.n == 0 && fault_count(FAULT_open) == 0,
	   "nothing is told of other machines, nor asked");
}

static void
test_steps(void)
{
	begin();
	pi.status = "okay";
	ok(has_all_but(1 << 8, 1) && ends_with("take the GPU from the kernel"),
	   "a step is told after the nodes");
	pi.lost_tag = 0x10006;
	ok(has_all_but(1 << 6 | 1 << 8, 2) &&
		   ends_with("the firmware does not answer through /dev/vcio"),
	   "a firmware that does not answer is the last step");
	pi.lost_tag = 0;
	pi.gpu_mib = 16;
	ask();
	ok(ends_with("give the GPU more memory: ") &&
		   strcmp(label_of(details.n - 1), "step 2") == 0,
	   "too little memory of the GPU is a step that the firmware knows");
	pi.nodes = 1 << PI_VCIO;
	pi.has_module = true;
	ask();
	ok(ends_with("give the GPU more memory: ") &&
		   strcmp(label_of(details.n - 1), "step 2") == 0,
	   "too little memory of the GPU is not told twice");
	pi.status = "disabled";
	ask();
	ok(ends_with("give the GPU more memory: ") &&
		   strcmp(label_of(details.n - 1), "step 1") == 0,
	   "too little memory of the GPU may be the only step");
	begin();
	pi.status = "okay";
	pi.nodes = pi.forbidden = 1 << PI_VCIO;
	pi.gpu_mib = 16;
	ask();
	ok(ends_with("load the module of /dev/vcsm-cma; then reboot\n"),
	   "a step that edits config.txt is never after one that does not");
	begin();
	pi.status = "okay";
	pi.nodes = 0;
	pi.gpu_mib = 16;
	ask();
	ok(ends_with("there is no /dev/vcio"),
	   "the firmware is not asked for a step without the mailbox");
}

static void
test_meminfo(void)
{
	static char text[8300];

	pi_begin(PI_CACHED);
	ok(board_contiguous_kib("CmaTotal:") == 65536 &&
		   board_contiguous_kib("CmaFree:") == 5120 &&
		   board_contiguous_kib("CmaSpare:") == -1,
	   "the kernel tells how much memory for devices it has");
	memset(text, ' ', sizeof(text) - 1);
	memcpy(text + 8178, "CmaFree: 123456789", 18);
	pi.meminfo = text;
	ok(board_contiguous_kib("CmaFree:") == 1234,
	   "8191 bytes of /proc/meminfo are read");
	fault_at(FAULT_read, 1, EIO);
	ok(board_contiguous_kib("CmaFree:") == -1,
	   "a /proc/meminfo that cannot be read says nothing");
	pi.meminfo = "";
	ok(board_contiguous_kib("CmaFree:") == -1,
	   "a /proc/meminfo that is empty says nothing");
}

static void
test_speed(void)
{
	struct engine_speed speed = { .lanes = 3 };

	pi_begin(PI_UNCACHED);
	ok(device_vcio_speed(&speed) == 250 && speed.lanes == 0 &&
		   speed.core_rate == 45e6 && speed.copy_rate == 700e6,
	   "the board's clock and speeds are told");
	pi.is_pc = true;
	ok(device_vcio_speed(&speed) == 0 && speed.core_rate == 0,
	   "all speeds are 0 where there are no QPUs");
}

int
main(void)
{
	test_rows();
	test_boards();
	test_steps();
	test_meminfo();
	test_speed();
	pi_end();
	return tap_done();
}
