/* SPDX-License-Identifier: MIT */
/*
 * reg: finds registers and pack suffixes by their names.
 */
#include "config.h"

#include "qpu/asm/value.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/isa/isa.h"

const struct asm_reg asm_reg_nop = {
	.addr = QPU_W_NOP,
	.read_files = ASM_FILE_A | ASM_FILE_B,
	.write_files = ASM_FILE_A | ASM_FILE_B,
	.mux = -1,
};

int
asm_reg_number(const char *digits)
{
	const size_t len = strlen(digits);

	if (len < 1 || len > 2 || strspn(digits, "0123456789") != len)
		return -1;
	if (len == 2 && digits[0] == '0')
		return -1;
	return atoi(digits);
}

/* raN and rbN; 32 and above are the I/O addresses, pinned to the file. */
static bool
find_file_reg(const char *name, struct asm_reg *reg)
{
	if (name[0] != 'r' || (name[1] != 'a' && name[1] != 'b'))
		return false;
	/* Nothing is mapped at -1, which stands for a bad number, or above 63. */
	const int number = asm_reg_number(name + 2);
	const bool file_b = name[1] == 'b';
	const uint8_t file = file_b ? ASM_FILE_B : ASM_FILE_A;
	*reg = (struct asm_reg){ .addr = number, .mux = -1 };
	reg->read_files = qpu_read_is_mapped(number, file_b) ? file : 0;
	reg->write_files = qpu_write_is_mapped(number, file_b) ? file : 0;
	return reg->read_files || reg->write_files;
}

static bool
find_accumulator(const char *name, struct asm_reg *reg)
{
	if (name[0] != 'r' || name[1] < '0' || name[1] > '5' || name[2])
		return false;
	*reg = (struct asm_reg){ .mux = name[1] - '0' };
	if (reg->mux < 4) {
		reg->addr = QPU_W_R0 + reg->mux;
		reg->write_files = ASM_FILE_A | ASM_FILE_B;
	}
	return true;
}

static uint8_t
files_of(const struct qpu_reg_row *row, const char *name)
{
	uint8_t files = 0;

	if (row->name[0] && strcmp(row->name[0], name) == 0)
		files |= ASM_FILE_A;
	if (row->name[1] && strcmp(row->name[1], name) == 0)
		files |= ASM_FILE_B;
	return files;
}

/* Names that the guide (table 14), vc4asm and other assemblers have beside ours. */
static const struct {
	const char *alias, *name;
} aliases[] = {
	{ "element_number", "elem_num" },
	{ "host_int", "irq" },
	{ "interrupt", "irq" },
	{ "ms_flags", "ms_mask" },
	{ "mutex_acq", "mutex" },
	{ "mutex_acquire", "mutex" },
	{ "mutex_rel", "mutex" },
	{ "mutex_release", "mutex" },
	{ "nop", "-" },
	{ "qpu_number", "qpu_num" },
	{ "quad_x", "x_coord" },
	{ "quad_y", "y_coord" },
	{ "sfu_exp", "exp" },
	{ "sfu_log", "log" },
	{ "sfu_recip", "recip" },
	{ "sfu_recipsqrt", "recipsqrt" },
	{ "tlb_alpha_mask", "tlbam" },
	{ "tlb_colour_all", "tlbc" },
	{ "tlb_colour_ms", "tlbm" },
	{ "tlb_stencil", "stencil" },
	{ "tlb_z", "tlbz" },
	{ "tmu0_b", "t0b" },
	{ "tmu0_r", "t0r" },
	{ "tmu0_s", "t0s" },
	{ "tmu0_t", "t0t" },
	{ "tmu1_b", "t1b" },
	{ "tmu1_r", "t1r" },
	{ "tmu1_s", "t1s" },
	{ "tmu1_t", "t1t" },
	{ "tmu_noswap", "tmurs" },
	{ "uniform", "unif" },
	{ "uniform_read", "unif" },
	{ "uniforms_address", "unif_addr" },
	{ "varying_read", "vary" },
	{ "vpm_ld_addr", "vr_addr" },
	{ "vpm_ld_busy", "vr_busy" },
	{ "vpm_ld_wait", "vr_wait" },
	{ "vpm_read", "vpm" },
	{ "vpm_st_addr", "vw_addr" },
	{ "vpm_st_busy", "vw_busy" },
	{ "vpm_st_wait", "vw_wait" },
	{ "vpm_write", "vpm" },
	{ "vpmvcd_rd_setup", "vr_setup" },
	{ "vpmvcd_wr_setup", "vw_setup" },
	{ "x_pixel_coord", "x_coord" },
	{ "y_pixel_coord", "y_coord" },
};

static bool
find_io_reg(const char *name, struct asm_reg *reg)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++)
		if (strcmp(name, aliases[i].alias) == 0)
			name = aliases[i].name;
	for (unsigned addr = QPU_FILE_REGS; addr < 64; addr++) {
		const uint8_t read = files_of(&qpu_reads[addr], name);
		const uint8_t write = files_of(&qpu_writes[addr], name);

		if (!read && !write)
			continue;
		*reg = (struct asm_reg){
			.addr = addr,
			.read_files = read,
			.write_files = write,
			.mux = -1,
		};
		return true;
	}
	return false;
}

/* Return true if a name becomes another one by few changes: another letter,
 * one more, or one less. */
static bool
is_similar(const char *a, const char *b, unsigned changes)
{
	while (*a && *a == *b)
		a++, b++;
	if (!*a && !*b)
		return true;
	return changes && ((*a && is_similar(a + 1, b, changes - 1)) ||
			   (*b && is_similar(a, b + 1, changes - 1)) ||
			   (*a && *b && is_similar(a + 1, b + 1, changes - 1)));
}

const char *
asm_reg_similar(const char *name)
{
	enum { SHORT = 5, LONG = 8 };
	const unsigned changes = strlen(name) < LONG ? 1 : 2;

	if (strlen(name) < SHORT)
		return NULL;
	for (unsigned i = 0; i < 4 * 64; i++) {
		const struct qpu_reg_row *rows = i & 1 ? qpu_reads : qpu_writes;
		const char *other = rows[i / 4].name[i >> 1 & 1];

		if (other && strlen(other) > 3 &&
		    is_similar(name, other, changes))
			return other;
	}
	for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++)
		if (is_similar(name, aliases[i].alias, changes))
			return aliases[i].alias;
	return NULL;
}

bool
asm_reg_find(const char *name, struct asm_reg *reg)
{
	return find_accumulator(name, reg) || find_file_reg(name, reg) ||
	       find_io_reg(name, reg);
}

void
asm_reg_name(const struct asm_reg *reg, bool written, char name[ASM_REG_NAME])
{
	const uint8_t files = written ? reg->write_files : reg->read_files;
	const bool file_b = files == ASM_FILE_B;
	const struct qpu_reg_row *row = written ? &qpu_writes[reg->addr & 63] :
						  &qpu_reads[reg->addr & 63];

	if (reg->mux >= 0)
		snprintf(name, ASM_REG_NAME, "r%d", reg->mux);
	else if (reg->addr >= QPU_FILE_REGS && row->name[file_b])
		snprintf(name, ASM_REG_NAME, "%s", row->name[file_b]);
	else
		snprintf(name, ASM_REG_NAME, "r%c%d", file_b ? 'b' : 'a',
			 reg->addr);
}

bool
asm_reg_parse_pack(const char *text, struct asm_pack *pack)
{
	static const struct {
		const char *text;
		enum asm_part part;
	} parts[] = {
		/* the longest first */
		{ "8abcd", ASM_PART_8ABCD },   { "8888", ASM_PART_8ABCD },
		{ "8ddupe", ASM_PART_8DDUPE }, { "8ddup", ASM_PART_8DR },
		{ "8dr", ASM_PART_8DR },       { "16a", ASM_PART_16A },
		{ "16b", ASM_PART_16B },       { "32", ASM_PART_32 },
		{ "8a", ASM_PART_8A },	       { "8b", ASM_PART_8B },
		{ "8c", ASM_PART_8C },	       { "8d", ASM_PART_8D },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const size_t len = strlen(parts[i].text);

		if (strncmp(text, parts[i].text, len) != 0)
			continue;
		text += len;
		*pack = (struct asm_pack){ .part = parts[i].part };
		if (strncmp(text, "clamp", 5) == 0) {
			pack->saturate = true;
			text += 5;
		} else if (*text == 's') {
			pack->saturate = true;
			text++;
		}
		if (*text == 'i' || *text == 'f')
			pack->domain = *text++;
		if (pack->domain == 'f' && !pack->saturate && *text == 's' &&
		    pack->part >= ASM_PART_8ABCD && pack->part <= ASM_PART_8D) {
			pack->bit = true;
			text++;
		}
		return !*text;
	}
	return false;
}
