/* SPDX-License-Identifier: MIT */
/*
 * DMA between memory and the VPM (sections 11.7 to 11.9).
 */
#include "config.h"

#include "tests/emulator/emu.h"

static const char load_text[] =
	"mov vr_setup, unif\nmov vr_setup, unif\nmov vr_addr, unif\n"
	"mov -, vr_wait" EMU_END;
static const char store_text[] =
	"mov vw_setup, unif\nmov vw_setup, unif\nmov vw_addr, unif\n"
	"mov -, vw_wait" EMU_END;

/* Memory word n of the data holds n + 1; other parts of the VPM hold 0. */
static struct emu
load(uint32_t setup, uint32_t pitch)
{
	const uint32_t uniforms[] = {
		0x90000000 | pitch,
		setup,
		EMU_BASE + EMU_DATA,
	};
	struct emu emu = emu_open(NULL);

	for (unsigned i = 0; i < 4096; i++)
		emu_words(&emu, EMU_DATA)[i] = i + 1;
	emu_program(&emu, emu_assemble(&emu, load_text), uniforms, 3);
	emu_go(&emu, 100);
	return emu;
}

/* VPM word (y, x) holds 100 * y + x + 1. */
static struct emu
store(uint32_t stride, uint32_t setup)
{
	const uint32_t uniforms[] = {
		0xc0000000 | stride,
		setup,
		EMU_BASE + EMU_DATA,
	};
	struct emu emu = emu_open(NULL);

	for (unsigned y = 0; y < 64; y++)
		for (unsigned x = 0; x < 16; x++)
			machine_vpm(emu.machine, y)[x] = 100 * y + x + 1;
	emu_program(&emu, emu_assemble(&emu, store_text), uniforms, 3);
	emu_go(&emu, 100);
	return emu;
}

static void
test_load_rows(void)
{
	/* The example of 11.7: 16 rows of 16 words, pitch 64. */
	struct emu emu = load(0x83001000, 0);
	bool good = emu.status == MACHINE_DONE;

	for (unsigned y = 0; y < 16; y++)
		for (unsigned x = 0; x < 16; x++)
			good = good &&
			       machine_vpm(emu.machine, y)[x] == 16 * y + x + 1;
	ok(good, "16 rows of 16 words");
	ok(emu_all(machine_vpm(emu.machine, 16), 0),
	   "a load of 16 rows leaves the seventeenth alone");
	emu_close(&emu);
}

static void
test_load_partial(void)
{
	/* 2 rows of 3 words to (5, 4), pitch 16 bytes, VPITCH 2. */
	struct emu emu = load(0x80000000 | 1 << 24 | 3 << 20 | 2 << 16 |
				      2 << 12 | 5 << 4 | 4,
			      0);
	const uint32_t *first = machine_vpm(emu.machine, 5);
	const uint32_t *second = machine_vpm(emu.machine, 7);

	ok(first[3] == 0 && first[4] == 1 && first[6] == 3 && first[7] == 0 &&
		   second[4] == 5 && second[6] == 7,
	   "MPITCH, ROWLEN, VPITCH and a start inside a row");
	emu_close(&emu);
}

static void
test_load_extended_pitch(void)
{
	struct emu emu =
		load(0x80000000 | 0 << 24 | 1 << 20 | 3 << 16 | 1 << 12, 100);

	ok(machine_vpm(emu.machine, 0)[0] == 1 &&
		   machine_vpm(emu.machine, 1)[0] == 26 &&
		   machine_vpm(emu.machine, 2)[0] == 51,
	   "MPITCH 0 takes the extended pitch");
	emu_close(&emu);
	/* sgemm of py-videocore, right on boards. */
	emu = load(0x80000000 | 0 << 24 | 1 << 20 | 2 << 16 | 1 << 12, 12288);
	ok(machine_vpm(emu.machine, 1)[0] == 12288 / 4 + 1,
	   "a pitch of 12288 bytes fits");
	emu_close(&emu);
	/* qmkl saw errors above 16384 / 4 columns. */
	emu = load(0x80000000 | 0 << 24 | 1 << 20 | 2 << 16 | 1 << 12,
		   16384 + 64);
	ok(machine_vpm(emu.machine, 1)[0] == 17, "the pitch has 14 bits");
	emu_close(&emu);
}

static void
test_load_vertical(void)
{
	/* 2 rows of 16 words down columns: (0, 3) and, VPITCH 16, (16, 3). */
	struct emu emu = load(0x80000000 | 3 << 24 | 0 << 20 | 2 << 16 |
				      0 << 12 | 1 << 11 | 3,
			      0);

	ok(machine_vpm(emu.machine, 0)[3] == 1 &&
		   machine_vpm(emu.machine, 15)[3] == 16 &&
		   machine_vpm(emu.machine, 16)[3] == 17 &&
		   machine_vpm(emu.machine, 31)[3] == 32 &&
		   machine_vpm(emu.machine, 0)[4] == 0,
	   "vertical rows");
	emu_close(&emu);
}

static void
test_load_bytes(void)
{
	/* 4 bytes into byte 2 of words 0..3, 2 halves into half 1. */
	struct emu emu = load(0x80000000 | 6u << 28 | 1 << 24 | 4 << 20 |
				      1 << 16 | 4 << 12,
			      0);

	ok(machine_vpm(emu.machine, 0)[0] == 0x00010000 &&
		   machine_vpm(emu.machine, 0)[1] == 0,
	   "bytes into one byte lane");
	emu_close(&emu);
	emu = load(0x80000000 | 3u << 28 | 1 << 24 | 3 << 20 | 1 << 16 |
			   2 << 12,
		   0);
	ok(machine_vpm(emu.machine, 0)[0] == 0x00010000 &&
		   machine_vpm(emu.machine, 0)[2] == 0x00020000,
	   "halves into one half lane");
	emu_close(&emu);
}

static void
test_store_rows(void)
{
	/* The example of 11.8: 16 rows of 8 words. */
	struct emu emu = store(0, 0x88084000);
	bool good = emu.status == MACHINE_DONE;

	for (unsigned i = 0; i < 128; i++)
		good = good && emu_words(&emu, EMU_DATA)[i] ==
				       100 * (i / 8) + i % 8 + 1;
	ok(good && emu_words(&emu, EMU_DATA)[128] == 0,
	   "16 rows of 8 words, packed");
	emu_close(&emu);
}

static void
test_store_stride(void)
{
	/* 3 rows of 2 words from (4, 6), 24 bytes between them. */
	struct emu emu = store(24, 0x80000000 | 3 << 23 | 2 << 16 | 1 << 14 |
					   4 << 7 | 6 << 3);
	const uint32_t *words = emu_words(&emu, EMU_DATA);

	ok(words[0] == 407 && words[1] == 408 && words[2] == 0 &&
		   words[8] == 507 && words[16] == 607 && words[17] == 608,
	   "the stride is from the end of a row to the next");
	emu_close(&emu);
}

static void
test_store_vertical(void)
{
	/* 2 columns of 3 words from (1, 5). */
	struct emu emu =
		store(0, 0x80000000 | 2 << 23 | 3 << 16 | 1 << 7 | 5 << 3);
	const uint32_t expected[] = { 106, 206, 306, 107, 207, 307, 0 };

	ok(!memcmp(emu_words(&emu, EMU_DATA), expected, sizeof(expected)),
	   "vertical units are columns");
	emu_close(&emu);
}

static void
test_store_sizes(void)
{
	/* 1 row: byte 0 of 4 words; then half 0 of 2 words. */
	struct emu emu = store(0, 0x80000000 | 1 << 23 | 4 << 16 | 1 << 14 | 4);

	ok(emu_words(&emu, EMU_DATA)[0] == 0x04030201 &&
		   emu_words(&emu, EMU_DATA)[1] == 0,
	   "bytes of a row");
	emu_close(&emu);
	emu = store(0, 0x80000000 | 1 << 23 | 2 << 16 | 1 << 14 | 2);
	ok(emu_words(&emu, EMU_DATA)[0] == 0x00020001, "halves of a row");
	emu_close(&emu);
}

static void
test_store_block(void)
{
	/*
	 * QPULib stores 16 rows of 16 words with the stride setup 0xc0010000,
	 * and its results on boards are those of its own emulation, where each
	 * row is the next whole one; VC4C says the same of shorter rows.
	 */
	struct emu emu =
		store(1 << 16, 0x80000000 | 4 << 23 | 8 << 16 | 1 << 14);
	bool good = true;

	for (unsigned i = 0; i < 32; i++)
		good = good && emu_words(&emu, EMU_DATA)[i] ==
				       100 * (i / 8) + i % 8 + 1;
	ok(good, "block mode takes each row from the next whole row");
	emu_close(&emu);
}

static void
test_store_deep_column(void)
{
	/* vc4asm, issue 27: two equal blocks, seen on a board. */
	struct emu emu =
		store(0, 0x80000000 | 1 << 23 | 32 << 16 | 0 << 7 | 5 << 3);
	bool good = true;

	for (unsigned i = 0; i < 32; i++)
		good = good &&
		       emu_words(&emu, EMU_DATA)[i] == 100 * (i % 16) + 6;
	ok(good, "a column of 32 words is that of 16, twice");
	emu_close(&emu);
}

static void
test_stride_persists(void)
{
	const uint32_t uniforms[] = {
		0xc0000000 | 56,
		0x80000000 | 2 << 23 | 2 << 16 | 1 << 14,
		EMU_BASE + EMU_DATA,
		EMU_BASE + EMU_DATA + 1024,
	};
	struct emu emu = emu_run(NULL,
				 "ldi vw_setup, 0xa00\nmov vpm, 7\nmov vpm, 7\n"
				 "mov vw_setup, unif\nmov vw_setup, unif\n"
				 "mov vw_addr, unif\nmov -, vw_wait\n"
				 "mov vw_addr, unif\nmov -, vw_wait" EMU_END,
				 uniforms, 4);
	const uint32_t *again = emu_words(&emu, EMU_DATA + 1024);

	ok(again[1] == 7 && again[16] == 0 && again[2] == 0 &&
		   emu.status == MACHINE_DONE && again[0] == 7,
	   "setups persist from one store to the next");
	emu_close(&emu);
}

/* A store with a stride; after a reset, one that does not set any. */
static void
test_stride_ends(void)
{
	const uint32_t uniforms[] = {
		0xc0000000 | 56,
		0x80000000 | 2 << 23 | 2 << 16 | 1 << 14,
		EMU_BASE + EMU_DATA,
	};
	struct emu emu = emu_run(NULL,
				 "mov vw_setup, unif\nmov vw_setup, unif\n"
				 "mov vw_addr, unif\nmov -, vw_wait" EMU_END,
				 uniforms, 3);
	const uint32_t plain[] = { uniforms[1], EMU_BASE + EMU_DATA };
	const uint32_t *words = emu_words(&emu, EMU_DATA);

	machine_reset(emu.machine);
	memset(emu.memory + EMU_DATA, 0, 256);
	emu.nprograms = 0;
	emu_program(
		&emu,
		emu_assemble(
			&emu,
			"ldi vw_setup, 0x1a00\nmov vpm, 7\nmov vpm, 7\n"
			"mov vw_setup, unif\nmov vw_addr, unif\nmov -, vw_wait" EMU_END),
		plain, 2);
	emu_go(&emu, 1000);
	ok(words[2] == 7 && words[3] == 7 && words[16] == 0,
	   "setups end with a reset");
	emu_close(&emu);
}

static void
test_busy_and_faults(void)
{
	struct emu emu = emu_run(
		NULL, "mov r0, vr_busy\nmov r1, vw_busy" EMU_END, NULL, 0);

	ok(emu_all(emu_r(&emu, 0), 0) && emu_all(emu_r(&emu, 1), 0),
	   "idle engines are not busy");
	emu_close(&emu);
	emu = emu_run(NULL,
		      "ldi vr_setup, 0x83001000\n"
		      "ldi vr_addr, 0x40fffff0\nmov -, vr_wait" EMU_END,
		      NULL, 0);
	ok(emu.status == MACHINE_FAULT && strstr(emu.why.text, "VDR"),
	   "a load from outside of memory is a fault");
	emu_close(&emu);
	emu = emu_run(NULL,
		      "ldi vw_setup, 0x88084000\n"
		      "ldi vw_addr, 0x400fffc0\nmov -, vw_wait" EMU_END,
		      NULL, 0);
	ok(emu.status == MACHINE_FAULT && strstr(emu.why.text, "VDW"),
	   "a store that leaves memory is a fault");
	emu_close(&emu);
}

static void
test_code(void)
{
	/* Overwrite "mov r1, 1" by "mov r1, 2" between two executions. */
	struct emu emu = emu_open(NULL);
	const uint32_t code = emu_assemble(
		&emu, "mov r2, 0\nnop\nnop\nnop\nnop\nnop\nnop\nnop\n"
		      ":again\nmov r1, 1\nmov.setf -, r2\nmov r2, 1\n"
		      "brr.allnz -, :end\nnop\nnop\nnop\n"
		      "mov vr_setup, unif\nmov vr_addr, unif\nmov -, vr_wait\n"
		      "mov vw_setup, unif\nmov vw_addr, unif\nmov -, vw_wait\n"
		      "brr -, :again\nnop\nnop\nnop\n:end\nnop" EMU_END);
	const uint32_t uniforms[] = {
		0x80000000 | 1 << 24 | 2 << 20 | 1 << 16 | 1 << 12,
		EMU_BASE + EMU_DATA,
		0x80000000 | 1 << 23 | 2 << 16 | 1 << 14,
		code + 64,
	};
	const uint32_t other = emu_assemble(&emu, "mov r1, 2");

	memcpy(emu.memory + EMU_DATA, emu.memory + (other - EMU_BASE), 8);
	emu_program(&emu, code, uniforms, 4);
	ok(emu_go(&emu, 1000) == MACHINE_DONE && emu_all(emu_r(&emu, 1), 2),
	   "code that a DMA overwrote is decoded again");
	emu_close(&emu);
}

int
main(void)
{
	test_load_rows();
	test_load_partial();
	test_load_extended_pitch();
	test_load_vertical();
	test_load_bytes();
	test_store_rows();
	test_store_stride();
	test_store_vertical();
	test_store_sizes();
	test_store_block();
	test_store_deep_column();
	test_stride_persists();
	test_stride_ends();
	test_busy_and_faults();
	test_code();
	return tap_done();
}
