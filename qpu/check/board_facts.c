/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/questions.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "qpu/ways/firmware.h"

enum { WORDS = 2 };

/* Bits of MAILBOX_THROTTLED; shown as a word, since a supply that is too weak
 * explains many a failure. */
enum { UNDER_VOLTAGE = 1 << 0, HAD_UNDER_VOLTAGE = 1 << 16 };

/* A question to the firmware that changes nothing. */
struct question {
	const char *what;
	enum mailbox_tag tag;
	unsigned request;  /* words that are sent */
	uint32_t word;	   /* the first of them */
	unsigned response; /* words of the answer; the last one is shown, */
	const char *format;
	unsigned unit; /* divisor of the value; 0 for a date in seconds after 1970 */
};

#define NUMBER "%" PRIu32, 1
#define HEX "0x%" PRIx32, 1
#define KHZ "%" PRIu32 " kHz", 1000
#define MIB "%" PRIu32 " MiB", 1 << 20

static const struct question questions[] = {
	{ "Firmware", MAILBOX_FIRMWARE_REVISION, 0, 0, 1, NULL, 0 },
	{ "Board revision", MAILBOX_BOARD_REVISION, 0, 0, 1, HEX },
	{ "Memory of the GPU", MAILBOX_VC_MEMORY, 0, 0, 2, MIB },
	{ "Core clock", MAILBOX_CLOCK_RATE, 1, MAILBOX_CLOCK_CORE, 2, KHZ },
	{ "ARM clock", MAILBOX_CLOCK_RATE, 1, MAILBOX_CLOCK_ARM, 2, KHZ },
	{ "Temperature", MAILBOX_TEMPERATURE, 1, 0, 2,
	  "%" PRIu32 " millidegrees C", 1 }
};

/* Facts that change while the QPUs are used.  A kernel from 6.18 on may have
 * turned the clock down, or off, if none of its drivers uses it. */
static const struct question states[] = {
	{ "power", MAILBOX_DOMAIN_STATE, 1, MAILBOX_DOMAIN_V3D, 2, NUMBER },
	{ "clock state", MAILBOX_CLOCK_STATE, 1, MAILBOX_CLOCK_V3D, 2, NUMBER },
	{ "clock", MAILBOX_CLOCK_RATE, 1, MAILBOX_CLOCK_V3D, 2, KHZ },
	{ "least", MAILBOX_MIN_CLOCK_RATE, 1, MAILBOX_CLOCK_V3D, 2, KHZ },
	{ "most", MAILBOX_MAX_CLOCK_RATE, 1, MAILBOX_CLOCK_V3D, 2, KHZ },
	{ "measured", MAILBOX_MEASURED_CLOCK_RATE, 1, MAILBOX_CLOCK_V3D, 2,
	  KHZ },
	{ "throttled", MAILBOX_THROTTLED, 1, 0, 1, HEX }
};

static void
print_date(uint32_t seconds, FILE *report)
{
	const time_t time = (time_t)seconds;
	struct tm date;
	char text[32];

	if (gmtime_r(&time, &date) &&
	    strftime(text, sizeof(text), "of %Y-%m-%d %H:%M:%S UTC", &date))
		fputs(text, report);
}

static void
print_answer(int vcio, const struct question *question, FILE *report)
{
	uint32_t words[WORDS] = { question->word }, shown;

	if (!firmware_call(vcio, question->tag, words, question->request,
			   question->response)) {
		fputs("no answer", report);
		return;
	}
	shown = words[question->response - 1];
	if (question->unit == 0)
		print_date(shown, report);
	else
		fprintf(report, question->format, shown / question->unit);
	if (question->tag != MAILBOX_THROTTLED)
		return;
	if (words[0] & UNDER_VOLTAGE)
		fputs(" (the supply's voltage is too low)", report);
	else if (words[0] & HAD_UNDER_VOLTAGE)
		fputs(" (the supply's voltage was too low)", report);
}

static void
print_firmware(FILE *report)
{
	const int vcio = open("/dev/vcio", O_RDWR | O_CLOEXEC);

	if (vcio < 0) {
		fputs("Firmware: cannot be asked\n", report);
		return;
	}
	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++) {
		fprintf(report, "%s: ", questions[i].what);
		print_answer(vcio, &questions[i], report);
		fputc('\n', report);
	}
	close(vcio);
}

void
facts_print_v3d(const char *when, FILE *report)
{
	const int vcio = open("/dev/vcio", O_RDWR | O_CLOEXEC);

	if (vcio < 0)
		return;
	fprintf(report, "V3D %s:", when);
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		fprintf(report, "%s %s ", i > 0 ? "," : "", states[i].what);
		print_answer(vcio, &states[i], report);
	}
	fputc('\n', report);
	settle(report);
	close(vcio);
}

/* Print the board; obstacles of the firmware's way only if it is used. */
static void
print_board(bool by_firmware, FILE *report)
{
	struct vcio_nodes nodes;
	struct diag why_not;

	if (!vcio_nodes_find(&nodes, &why_not) && by_firmware)
		fprintf(report, "QPUs of this machine: %s\n", why_not.text);
	fprintf(report, "Board: %s\nSoC: %s\n",
		nodes.host.model[0] ? nodes.host.model : "unknown",
		nodes.host.soc ? nodes.host.soc->name : "unknown");
}

/* Print only these fields of uname: another one is the machine's name. */
static void
print_kernel(FILE *report)
{
	struct utsname kernel;

	if (uname(&kernel) == 0)
		fprintf(report, "Kernel: %s %s %s\n", kernel.sysname,
			kernel.release, kernel.machine);
}

void
facts_print(const char *device, bool by_firmware, FILE *report)
{
	const time_t now = time(NULL);
	struct tm day;
	char date[16] = "unknown";

	if (gmtime_r(&now, &day))
		strftime(date, sizeof(date), "%Y-%m-%d", &day);
	fprintf(report,
		"%s, hardware report\nDate: %s\nDevice: %s\n"
		"Way: %s\n",
		PACKAGE_STRING, date, device,
		by_firmware ? "the firmware" : "the kernel's driver vc4");
	print_kernel(report);
	print_board(by_firmware, report);
	print_firmware(report);
	facts_print_v3d("at first", report);
	fflush(report);
}

/* --- Power -------------------------------------------------------------------- */

enum { IDENT0 = 0x02443356 /* 'V', '3', 'D', 2 */ };

/* Map the page of the V3D's registers, to read its first one.  Return NULL
 * without the permission. */
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
	if (!vcio_nodes_find(&nodes, &why) ||
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
	registers = map_registers(nodes.host.soc);
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
