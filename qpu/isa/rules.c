/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/isa/rules.h"

#include <stddef.h>

const struct qpu_rule qpu_rules[QPU_RULES] = {
#define RULE(number, name, section, nearest, reach, text, seen)                \
	[number] = { number, section, nearest, reach, text, seen },
#include "qpu/isa/rules.def"
};

const struct qpu_rule qpu_slot_rules[QPU_RULES] = {
#define SLOTS(number, name, section, instructions, text)                       \
	[number] = { number, section, 1, instructions, text, NULL },
#include "qpu/isa/rules.def"
};
