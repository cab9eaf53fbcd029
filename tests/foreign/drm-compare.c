/* SPDX-License-Identifier: MIT */
/*
 * drm-compare: the verdicts of qpu/validate/drm_rules.c beside those of the kernel's
 * own file, which drm-compare.sh compiles with the few things of a kernel that
 * drm-kernel.h has.
 *
 *	drm-compare PROGRAMS SEED [WORDS-FILE...]
 *
 * Compares PROGRAMS random programs, and as many mutations of each file of
 * 64-bit little-endian words.  A difference that the header of drm.h explains
 * (an operand that is a peripheral, a branch beyond the end) is counted apart.  Exit status 1: there is
 * one that is not explained.
 */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/isa/isa.h"
#include "qpu/isa/pack.h"
#include "qpu/validate/drm_rules.h"
#include "tests/foreign/drm-kernel.h"

/* --- Programs ---------------------------------------------------------------- */

enum { PAGE = 512, MOST = 2 * PAGE };

static uint64_t state;

static uint32_t
random_below(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((state >> 33) % n);
}

static unsigned
one_of(const uint8_t *choices, unsigned n)
{
	return choices[random_below(n)];
}
#define ONE_OF(...)                                                            \
	one_of((const uint8_t[]){ __VA_ARGS__ },                               \
	       sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* An instruction of kinds that matter to the rules, mostly well formed. */
static uint64_t
random_word(unsigned uniforms)
{
	struct qpu_inst inst = { .kind = QPU_KIND_ALU };

	if (random_below(300) == 0)
		return (uint64_t)random_below(1u << 31) << 33 |
		       random_below(1u << 31);
	inst.sig = ONE_OF(QPU_SIG_NONE, QPU_SIG_NONE, QPU_SIG_NONE,
			  QPU_SIG_SMALL, QPU_SIG_SMALL, QPU_SIG_LOAD,
			  QPU_SIG_LDTMU0, QPU_SIG_SBDONE, QPU_SIG_LOADC);
	if (random_below(60) == 0)
		inst.sig = (uint8_t)random_below(16);
	inst.ws = random_below(8) == 0;
	inst.waddr_add = ONE_OF(0, 1, 32, 33, 34, 32, 33, 39, QPU_W_T0S,
				QPU_W_UNIF_ADDR);
	inst.waddr_mul = QPU_W_NOP;
	if (random_below(10) == 0)
		inst.sig = ONE_OF(QPU_SIG_THRSW, QPU_SIG_LTHRSW);
	if (random_below(6) == 0)
		inst.waddr_mul = ONE_OF(0, 1, 20, 32, 33, QPU_W_T0S, QPU_W_T0T,
					QPU_W_T1S, QPU_W_TLBC, QPU_W_VPM_ADDR);
	if (random_below(20) == 0)
		inst.waddr_add = (uint8_t)random_below(64);
	inst.cond_add = inst.cond_mul = QPU_COND_ALWAYS;
	if (random_below(20) == 0)
		inst.cond_add = (uint8_t)random_below(8);
	if (random_below(40) == 0)
		inst.pack = (uint8_t)random_below(16);
	if (random_below(40) == 0)
		inst.pm = true;
	inst.op_add = ONE_OF(QPU_ADD_ADD, QPU_ADD_ADD, QPU_ADD_MIN, QPU_ADD_MAX,
			     QPU_ADD_OR);
	inst.raddr_a = ONE_OF(0, 1, 39, 39, QPU_R_UNIF, QPU_R_UNIF, 20);
	inst.raddr_b = ONE_OF(0, 0, 1, 39, 39, QPU_R_UNIF);
	if (random_below(30) == 0)
		inst.raddr_a = (uint8_t)random_below(64);
	inst.add_a = (uint8_t)random_below(8);
	inst.add_b = ONE_OF(QPU_MUX_A, QPU_MUX_B, QPU_MUX_A, 0);
	inst.mul_a = inst.mul_b = (uint8_t)random_below(8);
	if (inst.sig == QPU_SIG_SMALL) {
		inst.kind = QPU_KIND_SMALL;
		inst.small = inst.raddr_b;
	} else if (inst.sig == QPU_SIG_LOAD) {
		inst.kind = QPU_KIND_LOAD;
		inst.imm = 4 * (uniforms + random_below(3));
	} else if (inst.sig == QPU_SIG_BRANCH) {
		inst.kind = QPU_KIND_BRANCH;
		inst.waddr_add = random_below(9) ? QPU_W_NOP : inst.waddr_add;
		inst.rel = random_below(9) != 0;
		inst.reg = random_below(9) == 0;
		inst.imm = (uint32_t)(8 * ((int)random_below(40) - 20)) +
			   (random_below(20) == 0);
	}
	return qpu_pack(&inst);
}

/* Count uniforms roughly as the rules do, so that resets are often right. */
static unsigned
uniforms_of(const uint64_t *words, unsigned n)
{
	unsigned uniforms = 0;
	struct qpu_inst inst;

	for (unsigned i = 0; i < n; i++) {
		qpu_unpack_fields(words[i], &inst);
		uniforms += inst.sig != QPU_SIG_LOAD &&
			    inst.sig != QPU_SIG_BRANCH &&
			    (inst.raddr_a == QPU_R_UNIF ||
			     (inst.raddr_b == QPU_R_UNIF &&
			      inst.sig != QPU_SIG_SMALL));
	}
	return uniforms;
}

enum idiom { RESET, CLAMP, LOOKUP, TEXTURE, BRANCH, IDIOMS };

/* Instructions as the rules want them, so that programs get beyond their first
 * lookup.  `target` is where a branch goes to, relative to itself. */
static unsigned
add_idiom(uint64_t *words, enum idiom idiom, unsigned uniforms, int target)
{
	struct qpu_inst inst = { .kind = QPU_KIND_ALU,
				 .sig = QPU_SIG_NONE,
				 .waddr_mul = QPU_W_NOP,
				 .cond_add = QPU_COND_ALWAYS,
				 .cond_mul = QPU_COND_ALWAYS,
				 .op_add = QPU_ADD_ADD,
				 .raddr_b = QPU_R_NOP,
				 .raddr_a = QPU_R_UNIF,
				 .add_b = QPU_MUX_A };
	struct qpu_inst other = inst;

	switch (idiom) {
	case RESET:
		inst.add_a = (uint8_t)random_below(4);
		other.kind = QPU_KIND_LOAD;
		other.sig = QPU_SIG_LOAD;
		other.waddr_add = QPU_W_R0 + inst.add_a;
		other.imm = 4 * (uniforms + 1);
		inst.waddr_add = QPU_W_UNIF_ADDR;
		words[0] = qpu_pack(&other);
		words[1] = qpu_pack(&inst);
		return 2;
	case CLAMP:
		other.kind = QPU_KIND_SMALL;
		other.sig = QPU_SIG_SMALL;
		other.op_add = QPU_ADD_MAX;
		other.waddr_add = QPU_W_R1;
		other.raddr_a = QPU_R_NOP;
		other.add_b = QPU_MUX_B;
		inst.op_add = QPU_ADD_MIN;
		inst.waddr_add = random_below(8) ? QPU_W_R0 : QPU_W_R2;
		inst.add_a = 1;
		words[0] = qpu_pack(&other);
		words[1] = qpu_pack(&inst);
		return 2;
	case LOOKUP:
		inst.waddr_add = random_below(2) ? QPU_W_T0S : QPU_W_T1S;
		inst.add_a = random_below(8) ? 0 : 2;
		words[0] = qpu_pack(&inst);
		return 1;
	case TEXTURE: {
		const unsigned n = 1 + random_below(random_below(9) ? 3 : 5);

		inst.raddr_a = QPU_R_NOP;
		for (unsigned i = 0; i < n; i++) {
			inst.waddr_add = QPU_W_T0T + random_below(3);
			words[i] = qpu_pack(&inst);
		}
		inst.waddr_add = QPU_W_T0S;
		words[n] = qpu_pack(&inst);
		return n + 1;
	}
	default:
		qpu_inst_nop(&inst, QPU_KIND_BRANCH);
		inst.rel = true;
		if (random_below(50) == 0)
			inst.waddr_add = 3;
		inst.imm = (uint32_t)(QPU_INST_BYTES * (target - 4));
		words[0] = qpu_pack(&inst);
		qpu_inst_nop(&inst, QPU_KIND_ALU);
		for (unsigned i = 1; i < 4; i++)
			words[i] = qpu_pack(&inst);
		return 4;
	}
}

static unsigned
random_program(uint64_t *words)
{
	const unsigned most = 3 + random_below(60);
	const unsigned wild = 3 + random_below(200);
	enum idiom idiom = RESET;
	unsigned n = 0, block = 0; /* where the latest block begins */
	struct qpu_inst inst;

	while (n < most) {
		const unsigned uniforms = uniforms_of(words, n);

		if (random_below(wild) == 0)
			words[n++] = random_word(uniforms);
		n += add_idiom(words + n, idiom, uniforms, (int)block - (int)n);
		if (idiom == BRANCH)
			block = n;
		if (random_below(20) == 0)
			idiom = random_below(IDIOMS);
		else if (idiom == LOOKUP || idiom == TEXTURE)
			idiom = ONE_OF(LOOKUP, LOOKUP, CLAMP, TEXTURE, BRANCH);
		else
			idiom = idiom == BRANCH ? RESET :
				idiom == RESET	? CLAMP :
						  LOOKUP;
	}
	qpu_inst_nop(&inst, QPU_KIND_ALU);
	words[n + 1] = words[n + 2] = qpu_pack(&inst);
	inst.sig = QPU_SIG_THREND;
	words[n] = qpu_pack(&inst);
	if (random_below(200) == 0)
		for (const uint64_t nop = words[n + 1]; n < PAGE; n++)
			words[n] = nop; /* no end, up to the last word */
	return random_below(30) == 0 || n == PAGE ? n : n + 3;
}

/* --- Verdicts ---------------------------------------------------------------- */

static unsigned long accepted, refused, explained, different;
static unsigned long by_rule[QPU_DRM_RULES];

/* Does an add take an operand from a peripheral other than a uniform? */
static bool
has_peripheral_operand(const uint64_t *words, unsigned n)
{
	struct qpu_inst inst;

	for (unsigned i = 0; i < n; i++) {
		qpu_unpack_fields(words[i], &inst);
		if ((inst.add_a == QPU_MUX_A && inst.raddr_a >= 32) ||
		    (inst.add_a == QPU_MUX_B && inst.raddr_b >= 32))
			return true;
	}
	return false;
}

static bool
is_same(const struct vc4_validated_shader_info *theirs,
	const struct qpu_drm_program *ours)
{
	bool same = theirs->uniforms_size == ours->uniform_bytes &&
		    theirs->num_texture_samples == ours->nloads &&
		    theirs->num_uniform_addr_offsets == ours->naddresses &&
		    theirs->is_threaded == ours->threaded;

	for (size_t i = 0; same && i < ours->nloads; i++)
		same = theirs->texture_samples[i].is_direct ==
			       ours->loads[i].direct &&
		       memcmp(theirs->texture_samples[i].p_offset,
			      ours->loads[i].parameters,
			      sizeof(ours->loads[i].parameters)) == 0;
	for (size_t i = 0; same && i < ours->naddresses; i++)
		same = theirs->uniform_addr_offsets[i] == ours->addresses[i];
	return same;
}

static void
compare(const uint64_t *words, unsigned n)
{
	static uint64_t pages[MOST + PAGE];
	struct vc4_dev device = { 0 };
	struct drm_gem_dma_object buffer = { { 0, &device }, pages };
	struct vc4_validated_shader_info *theirs;
	struct qpu_drm_program ours;
	enum qpu_drm_rule_number rule = QPU_DRM_RULES;
	size_t index = 0;
	enum qpu_drm_verdict verdict;

	memset(pages, 0, sizeof(pages));
	memcpy(pages, words, n * sizeof(*words));
	buffer.base.size = (n ? (n + PAGE - 1) / PAGE * PAGE : PAGE) * 8;
	theirs = vc4_validate_shader(&buffer);
	verdict = qpu_drm_check(words, n, &ours, &rule, &index);
	if ((theirs != NULL) != (verdict == QPU_DRM_ACCEPTED)) {
		if (theirs && (rule == QPU_DRM_BRANCH_TARGET ||
			       has_peripheral_operand(words, n))) {
			explained++;
		} else {
			different++;
			printf("kernel: %s; here: %s at %zu\n",
			       theirs ? "accepted" : "refused",
			       verdict == QPU_DRM_ACCEPTED ?
				       "accepted" :
				       qpu_drm_rules[rule].text,
			       index);
			for (unsigned i = 0; i < n; i++)
				printf("\t%3u %016" PRIx64 "\n", i, words[i]);
		}
	} else if (theirs && !is_same(theirs, &ours)) {
		different++;
		printf("accepted, but the stream is not the same\n");
	} else if (theirs) {
		accepted++;
	} else {
		refused++;
		by_rule[rule]++;
	}
	if (verdict == QPU_DRM_ACCEPTED)
		qpu_drm_free(&ours);
	if (theirs) {
		free(theirs->uniform_addr_offsets);
		free(theirs->texture_samples);
		free(theirs);
	}
}

/* Change a few bits, or exchange, drop or double instructions. */
static unsigned
mutate(uint64_t *words, unsigned n)
{
	const unsigned at = random_below(n), other = random_below(n);
	uint64_t word = words[at];

	switch (random_below(5)) {
	case 0:
		words[at] = words[other];
		words[other] = word;
		return n;
	case 1:
		memmove(words + at, words + at + 1,
			(n - at - 1) * sizeof(*words));
		return n > 1 ? n - 1 : n;
	case 2:
		if (n == MOST)
			return n;
		memmove(words + at + 1, words + at, (n - at) * sizeof(*words));
		return n + 1;
	case 3: words[at] = random_word(uniforms_of(words, at)); return n;
	default: words[at] ^= UINT64_C(1) << random_below(64); return n;
	}
}

static bool
compare_file(const char *path, unsigned long programs)
{
	static uint64_t original[MOST], words[MOST + 1];
	uint8_t bytes[8];
	unsigned n = 0;
	FILE *file = fopen(path, "rb");

	if (!file) {
		perror(path);
		return false;
	}
	while (n < MOST && fread(bytes, sizeof(bytes), 1, file) == 1)
		original[n++] = qpu_word_load(bytes);
	fclose(file);
	compare(original, n);
	for (unsigned long i = 0; n > 0 && i < programs; i++) {
		unsigned length = n;

		memcpy(words, original, sizeof(original));
		for (unsigned k = 1 + random_below(3); k; k--)
			length = mutate(words, length);
		compare(words, length);
	}
	return true;
}

int
main(int argc, char **argv)
{
	static uint64_t words[MOST + 1];
	unsigned long programs;

	if (argc < 3) {
		fprintf(stderr, "usage: %s PROGRAMS SEED [FILE...]\n", argv[0]);
		return 2;
	}
	programs = strtoul(argv[1], NULL, 10);
	state = strtoull(argv[2], NULL, 10);
	for (unsigned long i = 0; i < programs; i++) {
		unsigned n = random_program(words);

		for (unsigned k = random_below(4) / 2; k; k--)
			n = mutate(words, n);
		compare(words, n);
	}
	for (int i = 3; i < argc; i++)
		if (!compare_file(argv[i], programs))
			return 2;
	printf("%lu accepted and %lu refused by both, %lu refused here alone "
	       ""
	       "(as drm.h explains), %lu different\n",
	       accepted, refused, explained, different);
	for (unsigned i = 0; i < QPU_DRM_RULES; i++)
		printf("%8lu D%u: %s\n", by_rule[i], i + 1,
		       qpu_drm_rules[i].text);
	return different != 0;
}
