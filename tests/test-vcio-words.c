/* SPDX-License-Identifier: MIT */
/*
 * test-vcio-words: how the real device is told to start programs, and when it
 * starts them by registers.
 */
#include "config.h"

#include <string.h>

#include "qpu/device_vcio_words.h"
#include "tests/tap.h"

static struct words words;
static struct diag why;

static bool
wants(const char *text, enum board_memory memory, double expected_ms)
{
	return words_parse(&words, text, &why) &&
	       words_want_registers(&words, memory, expected_ms);
}

static void
test_parse(void)
{
	ok(words_parse(&words, "", &why) && words.start == START_CHEAPLY &&
	   !words.counts, "no words");
	ok(words_parse(&words, "counters,mailbox", &why) &&
	   words.start == START_BY_MAILBOX && words.counts, "two words");
	ok(words_parse(&words, "mailbox,registers", &why) &&
	   words.start == START_BY_REGISTERS, "the last one counts");
	ok(!words_parse(&words, "counters,mail", &why) &&
	   strstr(why.text, "'mail'"), "an unknown word is named");
}

static void
test_choice(void)
{
	ok(wants("", BOARD_DEV_MEM, 0.5) && !wants("", BOARD_DEV_MEM, 5),
	   "short launches by registers, long ones by the firmware");
	ok(!wants("", BOARD_DEV_MEM, 0),
	   "by the firmware when nobody knows how long");
	ok(!wants("", BOARD_VCSM, 0.5),
	   "none with memory that SIGKILL gives to others");
	ok(wants("registers", BOARD_VCSM, 0) &&
	   wants("registers", BOARD_DEV_MEM, 500), "all, on request");
	ok(!wants("mailbox", BOARD_DEV_MEM, 0.5), "none, on request");
}

int
main(void)
{
	test_parse();
	test_choice();
	return tap_done();
}
