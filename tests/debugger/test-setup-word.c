/* SPDX-License-Identifier: MIT */
/*
 * What words for vr_setup and vw_setup mean, field by field: sections 11.3,
 * 11.7 and 11.8 of the hardware reference.
 */
#include "config.h"

#include "qpu/debugger/setup_word.h"
#include "tests/support/tap.h"

static const struct {
	bool store;
	uint32_t word;
	const char *text;
} rows[] = {
	/* VPM: ID 31:30, NUM 23:20, STRIDE 17:12, HORIZ 11, LANED 10, SIZE
	 * 9:8, ADDR 7:0 */
	{ false, 0x00101a00,
	  "VPM read of 1 vector: 32-bit, horizontal, row 0, stride 1" },
	{ false, 0x00201a00,
	  "VPM read of 2 vectors: 32-bit, horizontal, row 0, stride 1" },
	{ false, 0x00f3fa3f,
	  "VPM read of 15 vectors: 32-bit, horizontal, row 63, stride 63" },
	{ false, 0x00000a00,
	  "VPM read of 16 vectors: 32-bit, horizontal, row 0, stride 64" },
	{ false, 0x3f0c0a00,
	  "VPM read of 16 vectors: 32-bit, horizontal, row 0, stride 64" },
	{ false, 0x00101b05,
	  "VPM read of 1 vector: 32-bit, horizontal, row 5, stride 1" },
	{ false, 0x00101a45,
	  "VPM read of 1 vector: 32-bit, horizontal, row 5, stride 1" },
	{ false, 0x00102200,
	  "VPM read of 1 vector: 32-bit, vertical, column 0 of row 0, "
	  "stride 2" },
	{ false, 0x0010223f,
	  "VPM read of 1 vector: 32-bit, vertical, column 15 of row 48, "
	  "stride 2" },
	{ false, 0x00102210,
	  "VPM read of 1 vector: 32-bit, vertical, column 0 of row 16, "
	  "stride 2" },
	{ true, 0x00f01a00, "VPM write: 32-bit, horizontal, row 0, stride 1" },
	{ true, 0x00001a20, "VPM write: 32-bit, horizontal, row 32, stride 1" },
	{ true, 0x00001900,
	  "VPM write: 16-bit, horizontal, row 0, packed part 0, stride 1" },
	{ true, 0x00001903,
	  "VPM write: 16-bit, horizontal, row 1, packed part 1, stride 1" },
	{ true, 0x00001d7f,
	  "VPM write: 16-bit, horizontal, row 63, laned part 1, stride 1" },
	{ true, 0x00001800,
	  "VPM write: 8-bit, horizontal, row 0, packed part 0, stride 1" },
	{ true, 0x00001c03,
	  "VPM write: 8-bit, horizontal, row 0, laned part 3, stride 1" },
	{ true, 0x000018ff,
	  "VPM write: 8-bit, horizontal, row 63, packed part 3, stride 1" },
	{ true, 0x000014fe,
	  "VPM write: 8-bit, vertical, column 15 of row 48, laned part 2, "
	  "stride 1" },
	{ true, 0x00001e00, "VPM write: 32-bit, horizontal, row 0, stride 1" },
	{ true, 0x7fffffff & ~0x40000000u,
	  "VPM write: 32-bit, horizontal, row 63, stride 63" },
	/* No ID of a DMA: the VPM, whatever bit 30 is. */
	{ true, 0x40001a00, "VPM write: 32-bit, horizontal, row 0, stride 1" },
	{ false, 0x40101a00,
	  "VPM read of 1 vector: 32-bit, horizontal, row 0, stride 1" },

	/* DMA load: ID 31, MODEW 30:28, MPITCH 27:24, ROWLEN 23:20, NROWS
	 * 19:16, VPITCH 15:12, VERT 11, ADDRXY 10:0 */
	{ false, 0x83011000,
	  "DMA load: 1 row of 16 words, 64 bytes apart in memory, to VPM row "
	  "0 column 0, horizontal, stride 1" },
	{ false, 0x81121000,
	  "DMA load: 2 rows of 1 words, 16 bytes apart in memory, to VPM row "
	  "0 column 0, horizontal, stride 1" },
	{ false, 0x8ff0ffff,
	  "DMA load: 16 rows of 15 words, 262144 bytes apart in memory, to "
	  "VPM row 127 column 15, vertical, stride 15" },
	{ false, 0x80000000,
	  "DMA load: 16 rows of 16 words, the extended pitch apart in memory, "
	  "to VPM row 0 column 0, horizontal, stride 16" },
	{ false, 0xa1f10001,
	  "DMA load: 1 row of 15 halves 0, 16 bytes apart in memory, to VPM "
	  "row 0 column 1, horizontal, stride 16" },
	{ false, 0xb1f10010,
	  "DMA load: 1 row of 15 halves 1, 16 bytes apart in memory, to VPM "
	  "row 1 column 0, horizontal, stride 16" },
	{ false, 0xc1f10400,
	  "DMA load: 1 row of 15 bytes 0, 16 bytes apart in memory, to VPM "
	  "row 64 column 0, horizontal, stride 16" },
	{ false, 0xd1f10000,
	  "DMA load: 1 row of 15 bytes 1, 16 bytes apart in memory, to VPM "
	  "row 0 column 0, horizontal, stride 16" },
	{ false, 0xf1f10000,
	  "DMA load: 1 row of 15 bytes 3, 16 bytes apart in memory, to VPM "
	  "row 0 column 0, horizontal, stride 16" },
	{ false, 0x90000000, "DMA load: extended pitch of 0 bytes" },
	{ false, 0x90001fff, "DMA load: extended pitch of 8191 bytes" },
	{ false, 0x90002000, "DMA load: extended pitch of 8192 bytes" },
	{ false, 0x9fffc001, "DMA load: extended pitch of 1 bytes" },

	/* DMA store: ID 31:30, UNITS 29:23, DEPTH 22:16, LANED 15, HORIZ 14,
	 * VPMBASE 13:3, MODEW 2:0 */
	{ true, 0x80814000,
	  "DMA store: 1 row of 1 words, from VPM row 0 column 0, horizontal" },
	{ true, 0x81020000,
	  "DMA store: 2 rows of 2 words, from VPM row 0 column 0, vertical" },
	{ true, 0xbfff7ff9,
	  "DMA store: 127 rows of 127 words, from VPM row 127 column 15, "
	  "horizontal" },
	{ true, 0x80000000,
	  "DMA store: 128 rows of 128 words, from VPM row 0 column 0, "
	  "vertical" },
	{ true, 0x80814008,
	  "DMA store: 1 row of 1 words, from VPM row 0 column 1, horizontal" },
	{ true, 0x80814082,
	  "DMA store: 1 row of 1 halves 0, from VPM row 1 column 0, "
	  "horizontal" },
	{ true, 0x8081c003,
	  "DMA store: 1 row of 1 halves 1, from VPM row 0 column 0, "
	  "horizontal" },
	{ true, 0x80814004,
	  "DMA store: 1 row of 1 bytes 0, from VPM row 0 column 0, "
	  "horizontal" },
	{ true, 0x80814007,
	  "DMA store: 1 row of 1 bytes 3, from VPM row 0 column 0, "
	  "horizontal" },
	{ true, 0xc0000000,
	  "DMA store: 0 bytes from the end of a row to the next" },
	{ true, 0xc0008001,
	  "DMA store: 32769 bytes from the end of a row to the next" },
	{ true, 0xfffeffff,
	  "DMA store: 65535 bytes from the end of a row to the next" },
	{ true, 0xc0010002,
	  "DMA store: 2 bytes from the end of a row to the next, block mode" },
};

int
main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[SETUP_WORD_TEXT_SIZE];

		setup_word_describe(rows[i].store, rows[i].word, text);
		is(text, rows[i].text, "%s 0x%08x",
		   rows[i].store ? "vw_setup" : "vr_setup",
		   (unsigned)rows[i].word);
	}
	return tap_done();
}
