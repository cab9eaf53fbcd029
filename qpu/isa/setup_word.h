/* SPDX-License-Identifier: MIT */
/*
 * setup_word: what a word for vr_setup or vw_setup sets up, as text.
 */
#ifndef QPU_ISA_SETUP_WORD_H
#define QPU_ISA_SETUP_WORD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* One line; with `store` the word is one for vw_setup. */
void
setup_word_show(FILE *out, bool store, uint32_t word);

#endif
