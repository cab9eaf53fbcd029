/* SPDX-License-Identifier: MIT */
/*
 * What --list-devices=details tells of a Raspberry Pi, row by row, and what is
 * left out where it cannot be found out.
 */
#include "config.h"

#include "qpu/driver/pi_details.h"

#include <errno.h>
#include <unistd.h>

#include "tests/driver/pi.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

static struct engine_details details;

static const struct engine_detail usual[] = {
	{ ENGINE_TEXT, "board", "board", 0, "Raspberry Pi 2 Model B Rev 1.1" },
	{ ENGINE_TEXT, "chip", "chip", 0, "BCM2836" },
	{ ENGINE_TEXT, "gpu", "GPU", 0, "VideoCore IV" },
	{ ENGINE_NUMBER, "qpus", "QPUs", 12, "" },
	{ ENGINE_HZ, "clock_hz", "clock of the QPUs now", 250000001, "" },
	{ ENGINE_HZ, "most_clock_hz", "at most", 1, "" },
	{ ENGINE_BYTES, "gpu_memory_bytes", "memory of the GPU (gpu_mem)",
	  64 << 20, "" },
	{ ENGINE_TEXT, "firmware", "firmware of", 0, "2020-08-17" },
	{ ENGINE_TEXT, "memory", "memory of the QPUs from", 0,
	  "/dev/vcsm-cma, not cached" },
	{ ENGINE_BYTES, "cma_bytes", "memory of the kernel for devices (CMA)",
	  64 << 20, "" },
	{ ENGINE_BYTES, "cma_free_bytes", "free of it", 5 << 20, "" },
	{ ENGINE_TEXT, "kernel", "kernel", 0, "Linux 6.1.21-v7+ armv7l" },
};

static const char *const nodes[] = { "/dev/vcio", "/dev/vcsm-cma",
				     "/dev/dma_heap/linux,cma", "/dev/mem" };

enum { USUAL = sizeof(usual) / sizeof(*usual), NODES = 4 };

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
	pi_details_add(&details);
}

static bool
are_equal(const struct engine_detail *a, const struct engine_detail *b)
{
	return a->kind == b->kind && strcmp(a->key, b->key) == 0 &&
	       strcmp(a->label, b->label) == 0 && a->number == b->number &&
	       strcmp(a->text, b->text) == 0;
}

/* Are the usual rows there, without those whose bits are set, then the nodes
 * and so many steps? */
static bool
has_all_but(unsigned missing, unsigned steps)
{
	const int files = (int)balance_now().files;
	unsigned n = 0;

	ask();
	for (unsigned i = 0; i < USUAL; i++) {
		if (missing >> i & 1)
			continue;
		if (!are_equal(&details.rows[n++], &usual[i])) {
			tap_note("row %u is %s: '%s'", n - 1,
				 details.rows[n - 1].key,
				 details.rows[n - 1].text);
			return false;
		}
	}
	for (unsigned i = 0; i < NODES; i++)
		if (details.rows[n++].kind != ENGINE_NODE)
			return false;
	for (unsigned i = 0; i < steps; i++, n++)
		if (details.rows[n].kind != ENGINE_STEP ||
		    details.rows[n].number != i + 1 ||
		    strcmp(details.rows[n].key, "steps") != 0 ||
		    strcmp(details.rows[n].label, "step") != 0)
			return false;
	return details.nrows == n && (int)balance_now().files == files;
}

static bool
ends_with(const char *begin)
{
	return strncmp(details.rows[details.nrows - 1].text, begin,
		       strlen(begin)) == 0;
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
		const struct engine_detail *row = &details.rows[USUAL + i];

		good = good && strcmp(row->key, nodes[i]) == 0 &&
		       strcmp(row->label, nodes[i]) == 0 &&
		       row->number == (access(nodes[i], R_OK | W_OK) == 0) &&
		       !*row->text == (access(nodes[i], F_OK) != 0);
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
	ok(details.rows[10].number == 0 &&
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
	ok(strcmp(details.rows[2].text, "another one") == 0 &&
		   strcmp(details.rows[3].key, "clock_hz") == 0 &&
		   details.rows[details.nrows - 1].kind == ENGINE_NODE,
	   "a board with another GPU has no QPUs, and no step to take");
	begin();
	pi.chip = "brcm,unknown";
	ask();
	ok(strcmp(details.rows[0].key, "board") == 0 &&
		   strcmp(details.rows[1].key, "clock_hz") == 0,
	   "nothing is told of a chip that is not known");
	pi.model = "";
	ask();
	ok(strcmp(details.rows[0].text, "unknown") == 0,
	   "a board without a name is unknown");
	begin();
	pi.is_pc = true;
	ask();
	ok(details.nrows == 0 && fault_count(FAULT_open) == 0,
	   "nothing is told of other machines, nor asked");
}

static void
test_steps(void)
{
	begin();
	pi.status = "okay";
	ok(has_all_but(1 << 8, 1) && ends_with("the kernel's driver vc4 owns"),
	   "a step is told after the nodes");
	pi.lost_tag = 0x10006;
	ok(has_all_but(1 << 6 | 1 << 8, 2) &&
		   ends_with("the firmware does not answer through /dev/vcio"),
	   "a firmware that does not answer is the last step");
	pi.lost_tag = 0;
	pi.gpu_mib = 16;
	ask();
	ok(ends_with("gpu_mem is 16 MiB, and the firmware"),
	   "too little memory of the GPU is a step that the firmware knows");
	pi.nodes = 1 << PI_VCIO;
	pi.has_module = true;
	ask();
	ok(ends_with("the kernel's module vc_sm_cma is loaded but made") &&
		   details.rows[details.nrows - 1].number == 2,
	   "too little memory of the GPU is not told twice");
	begin();
	pi.status = "okay";
	pi.nodes = PI_DEV_MEM;
	pi.forbidden = PI_DEV_MEM;
	pi.gpu_mib = 16;
	ask();
	ok(ends_with("no memory can be shared") &&
		   details.rows[details.nrows - 1].number == 3,
	   "a step that the firmware knows waits if there are three");
	begin();
	pi.status = "okay";
	pi.nodes = 1 << PI_MEM;
	pi.gpu_mib = 16;
	ask();
	ok(ends_with("there is no /dev/vcio"),
	   "the firmware is not asked for a step without the mailbox");
}

int
main(void)
{
	test_rows();
	test_boards();
	test_steps();
	pi_end();
	return tap_done();
}
