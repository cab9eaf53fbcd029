/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/questions.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qpu/ways/firmware.h"
#include "qpu/ways/vcio_nodes.h"

enum { IDENT0 = 0x02443356 /* 'V', '3', 'D', 2 */ };

/* The page of the V3D's registers, of which only the first one is read, or NULL
 * for those who may not. */
static volatile const uint32_t *
map_registers(const struct soc *soc)
{
	const int mem = firmware_open_node("/dev/mem", O_SYNC);
	void *base = MAP_FAILED;

	if (mem >= 0) {
		base = mmap(NULL, SOC_V3D_BYTES, PROT_READ, MAP_SHARED, mem,
			    (off_t)soc->peripherals + SOC_V3D_OFFSET);
		close(mem);
	}
	return base == MAP_FAILED ? NULL : base;
}

static void
print_ident(volatile const uint32_t *registers, FILE *report)
{
	if (registers)
		fprintf(report, "IDENT0 0x%08" PRIx32 "\n", registers[0]);
	else
		fputs("IDENT0 not seen\n", report);
	settle(report);
}

static void
print_request(int vcio, const char *what, bool on,
	      volatile const uint32_t *registers, FILE *report)
{
	uint32_t answer = on;

	fprintf(report, "%s: ", what);
	settle(report);
	if (firmware_call(vcio, MAILBOX_ENABLE_QPU, &answer, 1, 1))
		fprintf(report, "0x%08" PRIx32 ", ", answer);
	else
		fprintf(report, "no answer (%s), ", strerror(errno));
	print_ident(registers, report);
}

void
power_print(FILE *report)
{
	volatile const uint32_t *registers;
	struct raised_clock clock = { 0 };
	struct vcio_nodes nodes;
	struct diag why;
	int vcio = -1;

	begin_part("Power", report);
	if (!vcio_nodes_look("", &nodes, &why) ||
	    (vcio = firmware_open(&why)) < 0) {
		fprintf(report, "Not asked: %s\n", why.text);
		return;
	}
	/* Without a clock a register may never answer. */
	firmware_raise_clock(&clock, vcio);
	if (clock.was_off)
		fputs("The clock was off, and is on for these questions\n",
		      report);
	settle(report);
	registers = map_registers(nodes.board.soc);
	fputs("At first: ", report);
	print_ident(registers, report);
	if (registers && registers[0] == IDENT0)
		fputs("The QPUs are on: a program may have left them in "
		      "disorder; reboot, and ask again\n",
		      report);
	print_request(vcio, "Enable", true, registers, report);
	print_request(vcio, "Enable again", true, registers, report);
	print_request(vcio, "Disable", false, registers, report);
	print_request(vcio, "Disable again", false, registers, report);
	if (registers)
		munmap((void *)(uintptr_t)registers, SOC_V3D_BYTES);
	firmware_put_back_clock(&clock, vcio);
	close(vcio);
}
