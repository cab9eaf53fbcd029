/* SPDX-License-Identifier: MIT */
/*
 * address: bus addresses as users write them, hexadecimal with or without 0x.
 */
#ifndef QPU_DEBUGGER_ADDRESS_H
#define QPU_DEBUGGER_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

/* An address that ends at *end; false if there is none, or it is too large. */
bool
bus_address_parse(const char *text, const char **end, uint32_t *addr);

#endif
