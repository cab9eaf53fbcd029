/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/v3d.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "qpu/check/facts.h"
#include "qpu/check/loads.h"
#include "qpu/check/settle.h"
#include "qpu/ways/firmware.h"
#include "qpu/ways/pi_board.h"
#include "qpu/ways/v3d_clock.h"
#include "src/base/clock.h"

/* Byte offsets (hardware reference, section 12). */
static const struct {
	const char *name;
	unsigned offset;
} rows[V3D_ROWS] = { { "IDENT0", 0x000 },  { "IDENT1", 0x004 },
		     { "L2CACTL", 0x020 }, { "SQRSV0", 0x410 },
		     { "SQRSV1", 0x414 },  { "SQCNTL", 0x418 },
		     { "SRQUL", 0x438 },   { "SRQCS", 0x43c },
		     { "VPMBASE", 0x504 }, { "PCTRE", 0x674 },
		     { "DBCFG", 0xe00 },   { "DBQITE", 0xe2c },
		     { "DBQITC", 0xe30 },  { "ERRSTAT", 0xf20 } };

void
v3d_open(struct v3d *v3d, bool beside)
{
	struct pi_board board;
	int mem;

	*v3d = (struct v3d){ .registers = { NULL } };
	if (!(beside ? pi_board_look_beside("", &board, &v3d->why_not) :
		       pi_board_look("", &board, &v3d->why_not)))
		return;
	mem = firmware_open_node("/dev/mem", O_SYNC);
	if (mem < 0 || !registers_map(&v3d->registers, mem, board.soc))
		diag_set(&v3d->why_not, "/dev/mem: %s", strerror(errno));
	if (mem >= 0)
		close(mem);
}

void
v3d_close(struct v3d *v3d)
{
	registers_unmap(&v3d->registers);
}

static uint32_t
get(const struct v3d *v3d, unsigned offset)
{
	return v3d->registers.base[offset / 4];
}

/* Without power only IDENT0 is read, which shows that there is none. */
static void
note(struct v3d *v3d, enum v3d_moment moment)
{
	if (!registers_answer(&v3d->registers))
		return;
	v3d->noted[moment] = true;
	for (unsigned i = 0; i < V3D_ROWS; i++)
		v3d->values[moment][i] = get(v3d, rows[i].offset);
}

/* Power -------------------------------------------------------------------- */

static void
print_ident(const struct v3d *v3d, FILE *report)
{
	if (v3d->registers.base)
		fprintf(report, "IDENT0 0x%08" PRIx32 "\n", get(v3d, 0));
	else
		fputs("IDENT0 not seen\n", report);
	settle(report);
}

static void
print_request(const struct v3d *v3d, int vcio, const char *what, bool on,
	      FILE *report)
{
	uint32_t answer = on;

	fprintf(report, "%s: ", what);
	settle(report);
	if (firmware_call(vcio, MAILBOX_ENABLE_QPU, &answer, 1, 1))
		fprintf(report, "0x%08" PRIx32 ", ", answer);
	else
		fprintf(report, "no answer (%s), ", strerror(errno));
	print_ident(v3d, report);
}

bool
v3d_print_power(struct v3d *v3d, FILE *report)
{
	struct v3d_clock clock = { 0 };
	struct pi_board board;
	struct diag why;
	int vcio = -1;

	fputs("\n== Power ==\n", report);
	if (!pi_board_look("", &board, &why) ||
	    (vcio = firmware_open(&why)) < 0) {
		fprintf(report, "Not asked: %s\n", why.text);
		return false;
	}
	/* Without a clock a register may never answer. */
	v3d_clock_raise(&clock, vcio);
	if (clock.was_off)
		fputs("The clock was off, and is on for these questions\n",
		      report);
	settle(report);
	note(v3d, V3D_AT_FIRST);
	fputs("At first: ", report);
	print_ident(v3d, report);
	if (v3d->noted[V3D_AT_FIRST])
		fputs("The QPUs are on: a program may have left them in "
		      "disorder; reboot, and ask again\n",
		      report);
	print_request(v3d, vcio, "Enable", true, report);
	print_request(v3d, vcio, "Enable again", true, report);
	print_request(v3d, vcio, "Disable", false, report);
	print_request(v3d, vcio, "Disable again", false, report);
	v3d_clock_put_back(&clock, vcio);
	close(vcio);
	return true;
}

/* Registers ---------------------------------------------------------------- */

static bool
launch(struct v3d *v3d, struct rig *rig, double expected_ms, FILE *report)
{
	struct device_program program;
	struct diag why;
	uint64_t begun;

	if (!load_busy(rig, 0.1, 1, &program, &why)) {
		fprintf(report, "A launch: not asked: %s\n", why.text);
		return false;
	}
	begun = clock_ns();
	if (!rig_run(rig, &program, 1, expected_ms, &why)) {
		fprintf(report, "A launch: FAILED: %s\n", why.text);
		return false;
	}
	fprintf(report, "A launch by %s: came back in %.3f ms\n", rig->way,
		(double)(clock_ns() - begun) / CLOCK_NS_PER_MS);
	settle(report);
	note(v3d, rig_went_by_registers(rig) ? V3D_AFTER_REGISTERS :
					       V3D_AFTER_MAILBOX);
	return true;
}

static void
print_row(const struct v3d *v3d, unsigned row, FILE *report)
{
	fprintf(report, "%s:", rows[row].name);
	for (unsigned i = 0; i < V3D_MOMENTS; i++)
		if (v3d->noted[i])
			fprintf(report, " %8" PRIx32, v3d->values[i][row]);
		else
			fprintf(report, " %8s", "-");
	fputc('\n', report);
}

bool
v3d_print_registers(struct v3d *v3d, struct rig *rig, FILE *report)
{
	fputs("\n== Registers ==\n", report);
	facts_print_v3d("enabled", report);
	note(v3d, V3D_ENABLED);
	if (!launch(v3d, rig, rig_by_mailbox_ms, report) ||
	    !launch(v3d, rig, rig_by_registers_ms, report))
		return false;
	if (!v3d->registers.base) {
		fprintf(report, "Not mapped: %s\n", v3d->why_not.text);
		return true;
	}
	fputs("At first, enabled, after a launch by mailbox, by registers; - "
	      "is without power\n",
	      report);
	for (unsigned i = 0; i < V3D_ROWS; i++)
		print_row(v3d, i, report);
	settle(report);
	return true;
}

/* --- After a failure ------------------------------------------------------ */

void
v3d_print_failure(const struct v3d *v3d, FILE *report)
{
	static const char *const shown[] = { "SRQCS", "SRQUL", "DBQITC",
					     "ERRSTAT", "VPMBASE" };

	if (!v3d->registers.base) {
		fprintf(report, "Registers: not mapped: %s\n",
			v3d->why_not.text);
		return;
	}
	if (!registers_answer(&v3d->registers)) {
		fprintf(report,
			"Registers: without power, IDENT0 %08" PRIx32 "\n",
			get(v3d, 0));
		return;
	}
	fputs("Registers:", report);
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
		for (unsigned row = 0; row < V3D_ROWS; row++)
			if (strcmp(rows[row].name, shown[i]) == 0)
				fprintf(report, "%s %s %" PRIx32,
					i > 0 ? "," : "", shown[i],
					get(v3d, rows[row].offset));
	fputc('\n', report);
	settle(report);
}
