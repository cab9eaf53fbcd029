/* SPDX-License-Identifier: MIT */
/*
 * trap-instructions: what the tests of single instructions have in common,
 * test-trap-x86 and test-trap-arm64.
 */
#ifndef TESTS_VIRTUAL_TRAP_INSTRUCTIONS_H
#define TESTS_VIRTUAL_TRAP_INSTRUCTIONS_H

#include "tests/virtual/trap-device.h"

static struct device device;

/* The calls that an instruction has made; what it is, for the report. */
#define SEEN(calls, what)                                                      \
	do {                                                                   \
		is(device_log(&device), calls, "%s", what);                    \
		device.log[0] = '\0';                                          \
	} while (0)

static uint8_t *
at(uint32_t offset)
{
	return device.base + offset;
}

/* False: the program has to end. */
static bool
opens_device(void)
{
	return ok(trap_supported(), "accesses can be trapped here") &&
	       ok(device_open(&device), "registers are trapped");
}

#endif
