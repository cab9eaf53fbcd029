/* SPDX-License-Identifier: MIT */
/*
 * setup_word: what a word written to vr_setup or vw_setup means, in words.
 * Sections 11.3 (VPM), 11.7 (DMA load) and 11.8 (DMA store) of the hardware
 * reference.
 */
#ifndef QPU_DEBUGGER_SETUP_WORD_H
#define QPU_DEBUGGER_SETUP_WORD_H

#include <stdbool.h>
#include <stdint.h>

enum { SETUP_WORD_TEXT_SIZE = 192 };

/* store: the word is for vw_setup. */
void
setup_word_describe(bool store, uint32_t word, char text[SETUP_WORD_TEXT_SIZE]);

#endif
