/* SPDX-License-Identifier: MIT */
/*
 * How the real device is told to start programs, and when it
 * starts them by registers.
 */
#include "config.h"

#include <string.h>

#include "qpu/driver/vcio_options.h"
#include "tests/support/tap.h"

static struct vcio_options options;
static struct diag why;

static bool
wants(const char *text, enum memory_kind memory, double expected_ms)
{
	return vcio_options_parse(&options, text, &why) &&
	       vcio_options_want_registers(&options, memory, expected_ms);
}

static void
test_parse(void)
{
	ok(vcio_options_parse(&options, "", &why) &&
		   options.start == START_CHEAPLY && !options.counts,
	   "without options launches start cheaply");
	ok(vcio_options_parse(&options, "counters,mailbox", &why) &&
		   options.start == START_BY_MAILBOX && options.counts,
	   "two options may be given");
	ok(vcio_options_parse(&options, "mailbox,registers", &why) &&
		   options.start == START_BY_REGISTERS,
	   "the last one counts");
	ok(!vcio_options_parse(&options, "counters,mail", &why) &&
		   strstr(why.text, "'mail'"),
	   "an unknown word is named");
}

static void
test_choice(void)
{
	ok(wants("", MEMORY_DEV_MEM, 0.5) && !wants("", MEMORY_DEV_MEM, 5),
	   "short launches by registers, long ones by the firmware");
	ok(!wants("", MEMORY_DEV_MEM, 0),
	   "a launch of unknown length is by the firmware");
	ok(!wants("", MEMORY_VCSM, 0.5),
	   "no launch is by registers with memory that SIGKILL gives to others");
	ok(wants("registers", MEMORY_VCSM, 0) &&
		   wants("registers", MEMORY_DEV_MEM, 500),
	   "all, on request");
	ok(wants("short", MEMORY_VCSM, 0.5) && !wants("short", MEMORY_VCSM, 5),
	   "short ones whatever the memory, on request");
	ok(!wants("mailbox", MEMORY_DEV_MEM, 0.5), "none, on request");
}

int
main(void)
{
	test_parse();
	test_choice();
	return tap_done();
}
