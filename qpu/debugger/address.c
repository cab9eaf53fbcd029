/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/debugger/address.h"

#include <stdlib.h>
#include <string.h>

bool
bus_address_parse(const char *text, const char **end, uint32_t *addr)
{
	char *stop;
	unsigned long long value;

	/* strtoull would take a sign and blanks. */
	if (!strchr("0123456789abcdefABCDEF", *text) || !*text)
		return false;
	value = strtoull(text, &stop, 16);
	*end = stop;
	*addr = value;
	return value <= UINT32_MAX;
}
