/* SPDX-License-Identifier: MIT */
/*
 * What is told of a Raspberry Pi, row by row, and what is left out where it
 * cannot be found out.  Board, firmware and kernel are the test's.
 */
#include "config.h"

#include "qpu/driver/pi_details.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "qpu/driver/firmware.h"
#include "qpu/driver/mailbox.h"
#include "qpu/driver/memory.h"
#include "qpu/driver/pi_board.h"
#include "tests/support/tap.h"

enum { VCIO = 40, NODES = 4 };

static struct {
	struct pi_board board;
	bool no_vcio, no_uname;
	uint32_t lost_tag; /* that is not answered */
	uint32_t clock_hz, most_hz, memory, revision;
	long cma_total, cma_free;
	unsigned nsteps;
	const char *steps[PI_STEPS];
	unsigned opened, asked;
} world;

static struct engine_details details;

bool
__wrap_pi_board_look(const char *root, struct pi_board *board,
		     struct diag *why_not);
unsigned
__wrap_pi_board_steps(const char *root, struct diag steps[PI_STEPS]);
int
__wrap_firmware_open_node(const char *name, int flags);
bool
__wrap_mailbox_call(int fd, enum mailbox_tag tag, uint32_t *values,
		    unsigned request, unsigned response);
long
__wrap_memory_cma_kib(const char *name);
int
__wrap_uname(struct utsname *name);

bool
__wrap_pi_board_look(const char *root, struct pi_board *board,
		     struct diag *why_not)
{
	(void)root;
	(void)why_not;
	*board = world.board;
	return board->obstacle == PI_USABLE;
}

unsigned
__wrap_pi_board_steps(const char *root, struct diag steps[PI_STEPS])
{
	(void)root;
	for (unsigned i = 0; i < world.nsteps; i++)
		diag_set(&steps[i], "%s", world.steps[i]);
	return world.nsteps;
}

int
__wrap_firmware_open_node(const char *name, int flags)
{
	world.opened++;
	return world.no_vcio || flags != 0 || strcmp(name, "/dev/vcio") != 0 ||
			       dup2(STDOUT_FILENO, VCIO) < 0 ?
		       -1 :
		       VCIO;
}

bool
__wrap_mailbox_call(int fd, enum mailbox_tag tag, uint32_t *values,
		    unsigned request, unsigned response)
{
	const bool is_clock = request == 1 && response == 2 && values[0] == 5;

	world.asked++;
	errno = EIO;
	if (fd != VCIO || tag == world.lost_tag)
		return false;
	switch (tag) {
	case MAILBOX_MEASURED_CLOCK_RATE:
		values[1] = world.clock_hz;
		return is_clock;
	case MAILBOX_MAX_CLOCK_RATE: values[1] = world.most_hz; return is_clock;
	case MAILBOX_VC_MEMORY:
		values[1] = world.memory;
		return request == 0 && response == 2;
	case MAILBOX_FIRMWARE_REVISION:
		values[0] = world.revision;
		return request == 0 && response == 1;
	default: return false;
	}
}

long
__wrap_memory_cma_kib(const char *name)
{
	return strcmp(name, "CmaTotal:") == 0 ? world.cma_total :
	       strcmp(name, "CmaFree:") == 0  ? world.cma_free :
						-2;
}

int
__wrap_uname(struct utsname *name)
{
	memset(name, 0, sizeof(*name));
	memcpy(name->sysname, "Linux", 6);
	memcpy(name->release, "6.1.21-v7+", 11);
	memcpy(name->machine, "armv7l", 7);
	return world.no_uname ? -1 : 0;
}

/* A Pi 3 of which everything is known. */
static void
reset(void)
{
	memset(&world, 0, sizeof(world));
	world.board =
		(struct pi_board){ .soc = soc_of_compatible("brcm,bcm2837"),
				   .memory = MEMORY_VCSM,
				   .model = "Raspberry Pi 3" };
	world.clock_hz = 250000001;
	world.most_hz = 1;
	world.memory = 64 << 20;
	world.revision = 1597708799;
	world.cma_total = 65536;
	world.cma_free = 0;
}

/* Text, or a number where there is none. */
struct row {
	enum engine_detail_kind kind;
	const char *key, *label, *text;
	uint64_t number;
};

static const struct row usual[] = {
	{ ENGINE_TEXT, "board", "board", "Raspberry Pi 3", 0 },
	{ ENGINE_TEXT, "chip", "chip", "BCM2837", 0 },
	{ ENGINE_TEXT, "gpu", "GPU", "VideoCore IV", 0 },
	{ ENGINE_NUMBER, "qpus", "QPUs", "", 12 },
	{ ENGINE_HZ, "clock_hz", "clock of the QPUs now", "", 250000001 },
	{ ENGINE_HZ, "most_clock_hz", "at most", "", 1 },
	{ ENGINE_BYTES, "gpu_memory_bytes", "memory of the GPU (gpu_mem)", "",
	  64 << 20 },
	{ ENGINE_TEXT, "firmware", "firmware of", "2020-08-17", 0 },
	{ ENGINE_TEXT, "memory", "memory of the QPUs from",
	  "/dev/vcsm-cma, not cached", 0 },
	{ ENGINE_BYTES, "cma_bytes", "memory of the kernel for devices (CMA)",
	  "", 64 << 20 },
	{ ENGINE_BYTES, "cma_free_bytes", "free of it", "", 0 },
	{ ENGINE_TEXT, "kernel", "kernel", "Linux 6.1.21-v7+ armv7l", 0 },
};

enum { USUAL = sizeof(usual) / sizeof(*usual) };

static bool
is_row(const struct engine_detail *got, const struct row *row)
{
	return got->kind == row->kind && strcmp(got->key, row->key) == 0 &&
	       strcmp(got->label, row->label) == 0 &&
	       (*row->text ? strcmp(got->text, row->text) == 0 :
			     got->number == row->number);
}

/* The usual rows without those whose bits are set, then the nodes. */
static bool
has_all_but(unsigned missing)
{
	unsigned n = 0;

	memset(&details, 0, sizeof(details));
	pi_details_add(&details);
	for (unsigned i = 0; i < USUAL; i++) {
		if (missing >> i & 1)
			continue;
		if (!is_row(&details.rows[n++], &usual[i])) {
			tap_note("row %u is %s: '%s'", n - 1,
				 details.rows[n - 1].key,
				 details.rows[n - 1].text);
			return false;
		}
	}
	for (unsigned i = 0; i < NODES; i++)
		if (details.rows[n++].kind != ENGINE_NODE)
			return false;
	return details.nrows == n && fcntl(VCIO, F_GETFD) < 0;
}

static void
test_rows(void)
{
	static const char *const nodes[] = { "/dev/vcio", "/dev/vcsm-cma",
					     "/dev/dma_heap/linux,cma",
					     "/dev/mem" };
	bool good = true;

	reset();
	ok(has_all_but(0), "all that is known of a Pi");
	for (unsigned i = 0; i < NODES; i++) {
		const struct engine_detail *row = &details.rows[USUAL + i];

		good = good && strcmp(row->key, nodes[i]) == 0 &&
		       strcmp(row->label, nodes[i]) == 0 &&
		       row->number == (access(nodes[i], R_OK | W_OK) == 0) &&
		       !*row->text == (access(nodes[i], F_OK) != 0);
	}
	ok(good, "its nodes, and whether this user may open them");
	world.no_vcio = true;
	ok(has_all_but(0xf0) && world.asked == 5,
	   "without the mailbox nothing of the firmware");
	reset();
	world.lost_tag = MAILBOX_MEASURED_CLOCK_RATE;
	ok(has_all_but(1 << 4), "a clock that is not told");
	reset();
	world.clock_hz = 0;
	ok(has_all_but(1 << 4), "or is 0");
	reset();
	world.lost_tag = MAILBOX_MAX_CLOCK_RATE;
	ok(has_all_but(1 << 5), "no highest clock");
	reset();
	world.lost_tag = MAILBOX_FIRMWARE_REVISION;
	ok(has_all_but(1 << 7), "no firmware's date");
	reset();
	world.board.memory = MEMORY_NONE;
	ok(has_all_but(1 << 8), "no memory");
	reset();
	world.cma_total = -1;
	ok(has_all_but(1 << 9), "no memory of the kernel");
	reset();
	world.cma_free = -1;
	ok(has_all_but(1 << 10), "none that is free");
	reset();
	world.no_uname = true;
	ok(has_all_but(1 << 11), "no kernel's name");
}

static void
test_boards(void)
{
	reset();
	world.board.soc = NULL;
	ok(has_all_but(0xe), "a board with a chip that is not known");
	world.board.model[0] = '\0';
	pi_details_add(memset(&details, 0, sizeof(details)));
	ok(strcmp(details.rows[0].text, "unknown") == 0 &&
		   strcmp(details.rows[1].key, "clock_hz") == 0,
	   "one without a name is unknown");
	reset();
	world.board.soc = soc_of_compatible("brcm,bcm2711");
	world.board.obstacle = PI_OTHER_GPU;
	world.nsteps = 1;
	world.steps[0] = "no step";
	pi_details_add(memset(&details, 0, sizeof(details)));
	ok(strcmp(details.rows[2].text, "another one") == 0 &&
		   strcmp(details.rows[3].key, "clock_hz") == 0 &&
		   details.rows[details.nrows - 1].kind == ENGINE_NODE,
	   "one with another GPU has no QPUs, and no step to take");
	reset();
	world.board.obstacle = PI_NO_PI;
	pi_details_add(memset(&details, 0, sizeof(details)));
	ok(details.nrows == 0 && world.opened == 0,
	   "of other machines nothing is told, nor asked");
}

/* The steps are the last rows, with their numbers. */
static bool
has_steps(unsigned n, const char *last)
{
	unsigned steps = 0;
	bool good = true;

	pi_details_add(memset(&details, 0, sizeof(details)));
	for (unsigned i = 0; i < details.nrows; i++) {
		const struct engine_detail *row = &details.rows[i];

		if (row->kind != ENGINE_STEP)
			continue;
		good = good && row->number == ++steps &&
		       strcmp(row->key, "steps") == 0 &&
		       strcmp(row->label, "step") == 0;
	}
	return good && steps == n && fcntl(VCIO, F_GETFD) < 0 &&
	       strncmp(details.rows[details.nrows - 1].text, last,
		       strlen(last)) == 0;
}

static void
test_steps(void)
{
	reset();
	world.board.obstacle = PI_KMS;
	world.nsteps = 2;
	world.steps[0] = "first";
	world.steps[1] = "second";
	world.steps[2] = "third";
	ok(has_steps(2, "second"), "steps are numbered");
	world.lost_tag = MAILBOX_VC_MEMORY;
	ok(has_steps(3, "the firmware does not answer through /dev/vcio"),
	   "a firmware that does not answer is the last");
	world.lost_tag = 0;
	world.memory = 16 << 20;
	ok(has_steps(3, "gpu_mem is 16 MiB, and the firmware"),
	   "the firmware knows of another");
	world.nsteps = 3;
	world.opened = 0;
	ok(has_steps(3, "third") && world.opened == 1,
	   "which has to wait if there are three");
	world.nsteps = 2;
	world.steps[0] = "more gpu_mem";
	ok(has_steps(2, "second") && world.opened == 2,
	   "and is not told twice");
	world.steps[0] = "first";
	world.steps[1] = "more gpu_mem";
	ok(has_steps(2, "more"), "in whatever order");
	world.no_vcio = true;
	world.steps[1] = "second";
	ok(has_steps(2, "second"), "nobody is asked without the mailbox");
}

int
main(void)
{
	test_rows();
	test_boards();
	test_steps();
	return tap_done();
}
