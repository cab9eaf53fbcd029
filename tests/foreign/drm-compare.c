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
 * (an operand that is a peripheral, a branch beyond the end) is counted apart.
 * Exit status 1: there is one that is not explained.
 */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/isa/pack.h"
#include "qpu/validate/drm_rules.h"
#include "tests/foreign/drm-kernel.h"

/* --- Programs ---------------------------------------------------------------- */

enum { PAGE = 512, MOST = 2 * PAGE };

enum idiom { RESET, CLAMP, LOOKUP, TEXTURE, SWITCH, BRANCH, END, IDIOMS };

/* Instructions as the rules want them, and what mostly comes next, so that
 * programs get beyond their first lookup. */
static struct {
	const char *text;
	unsigned uniforms;
	uint8_t next[5];
	unsigned n;
	uint64_t words[8];
} idioms[IDIOMS] = {
	[RESET] = { "ldi r0, 0;add unif_addr, r0, unif;",
		    1,
		    { CLAMP, CLAMP, CLAMP, CLAMP, CLAMP } },
	[CLAMP] = { "max r1, r0, 0;min r0, r1, unif;",
		    1,
		    { LOOKUP, LOOKUP, LOOKUP, LOOKUP, LOOKUP } },
	[LOOKUP] = { "add t0s, r0, unif;",
		     1,
		     { LOOKUP, LOOKUP, CLAMP, TEXTURE, BRANCH } },
	[TEXTURE] = { "mov t1t, r0;mov t1r, r0;mov t1s, r0;",
		      3,
		      { LOOKUP, LOOKUP, CLAMP, TEXTURE, BRANCH } },
	[SWITCH] = { "thrsw;nop;nop;", 0, { CLAMP, CLAMP, LOOKUP, TEXTURE } },
	[BRANCH] = { ":0;brr -, r:0b;nop;nop;nop;", 0, { RESET } },
	[END] = { "thrend;nop;nop;", 0, { RESET } },
};

/* Change a field of an instruction, or exchange, drop or double instructions. */
static unsigned
mutate(uint64_t *words, unsigned n)
{
	/* Where fields begin, from mul_b to the signal. */
	static const uint8_t fields[] = { 0,  3,  6,  9,  12, 18, 24,
					  29, 32, 38, 44, 45, 46, 49,
					  52, 56, 57, 60, 64 };
	const unsigned at = random_below(n), other = random_below(n);
	const unsigned field = random_below(sizeof(fields) - 1);
	const uint64_t mask = UINT64_MAX << fields[field] &
			      UINT64_MAX >> (64 - fields[field + 1]);
	uint64_t word = words[at];

	switch (random_below(6)) {
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
	case 3: word = words[other]; break;
	default: word = (uint64_t)random_below(64) << fields[field];
	}
	words[at] = (words[at] & ~mask) | (word & mask);
	return n;
}

static unsigned
random_program(uint64_t *words)
{
	const unsigned most = 3 + random_below(60);
	unsigned n = 0, uniforms = 0, block = 0; /* where the latest begins */
	enum idiom idiom = RESET;

	while (n < most) {
		memcpy(words + n, idioms[idiom].words, sizeof(idioms->words));
		/* The lower half is a constant, or how far to go. */
		if (idiom == RESET)
			words[n] += 4 * (uniforms + 1);
		else if (idiom == BRANCH)
			words[n] -= QPU_INST_BYTES * (n - block);
		n += idioms[idiom].n;
		uniforms += idioms[idiom].uniforms;
		if (idiom == BRANCH)
			block = n;
		idiom = random_below(20) ? idioms[idiom].next[random_below(5)] :
					   random_below(END);
	}
	memcpy(words + n, idioms[END].words, sizeof(idioms->words));
	n += idioms[END].n;
	if (random_below(200) == 0) /* no end, up to the last word */
		for (n -= 3; n < PAGE; n++)
			words[n] = idioms[END].words[1];
	return n;
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
	if (n == 0 || fgetc(file) != EOF || ftell(file) % 8 != 0) {
		fprintf(stderr, "%s: not 1 to %d words of 8 bytes\n", path,
			(int)MOST);
		fclose(file);
		return false;
	}
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
	for (unsigned i = 0; i < IDIOMS; i++)
		idioms[i].n = assemble(idioms[i].text, idioms[i].words);
	for (unsigned long i = 0; i < programs; i++) {
		unsigned n = random_program(words);

		for (unsigned k = random_below(4); k; k--)
			n = mutate(words, n);
		compare(words, n);
	}
	for (int i = 3; i < argc; i++)
		if (!compare_file(argv[i], programs))
			return 2;
	printf("%lu accepted and %lu refused by both, %lu refused here alone "
	       "(as drm.h explains), %lu different\n",
	       accepted, refused, explained, different);
	for (unsigned i = 0; i < QPU_DRM_RULES; i++)
		printf("%8lu D%u: %s\n", by_rule[i], i + 1,
		       qpu_drm_rules[i].text);
	return different != 0;
}
