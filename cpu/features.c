/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cpu/features.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/features_arm.h"
#include "cpu/features_x86.h"

const struct cpu_feature_name cpu_feature_names[] = {
	{ CPU_SSE2, "sse2" },
	{ CPU_SSSE3, "ssse3" },
	{ CPU_AVX2, "avx2" },
	{ CPU_AVX512F, "avx512f" },
	{ CPU_AVX512VL, "avx512vl" },
	{ CPU_AVX512BW, "avx512bw" },
	{ CPU_SHA, "sha" },
	{ CPU_FAST512, "fast512" },
	{ CPU_SLOW512, "slow512" },
	{ CPU_NEON, "neon" },
	{ CPU_NEON128, "neon128" },
	{ CPU_SHA2, "sha2" },
	{ 0, NULL }
};

static uint32_t
detect(void)
{
#if defined __x86_64__ || defined __i386__
	struct cpuid id;

	cpuid_read(&id);
	return cpu_features_of_x86(&id);
#elif defined __arm__ || defined __aarch64__
	struct arm_id id;

	arm_id_read(&id);
	return cpu_features_of_arm(&id);
#else
	return 0;
#endif
}

/* In a virtual machine some of the questions cost a twentieth of a start. */
uint32_t
cpu_features_detect(void)
{
	enum { DETECTED = 1 << 30 };
	static uint32_t cache;
	uint32_t features = __atomic_load_n(&cache, __ATOMIC_RELAXED);

	if (!features) {
		features = detect() | DETECTED;
		__atomic_store_n(&cache, features, __ATOMIC_RELAXED);
	}
	return features & ~(uint32_t)DETECTED;
}

/* The features whose names begin with the word; 0 = there are none. */
static uint32_t
features_named(const char *word, size_t len)
{
	uint32_t bits = 0;

	if (len == 0)
		return 0;
	for (const struct cpu_feature_name *row = cpu_feature_names; row->bit;
	     row++) {
		if (strncmp(row->name, word, len) == 0 ||
		    (len == 3 && memcmp(word, "all", 3) == 0))
			bits |= row->bit;
	}
	return bits;
}

bool
cpu_features_hide(uint32_t *features, const char *words, struct diag *why_not)
{
	while (*words) {
		const size_t len = strcspn(words, ",");
		const uint32_t bits =
			*words == '-' ? features_named(words + 1, len - 1) : 0;

		if (!bits) {
			diag_set(why_not,
				 "'%.*s' hides no CPU feature; say"
				 " -NAME, for instance -avx512",
				 (int)len, words);
			return false;
		}
		*features &= ~bits;
		words += len;
		words += *words == ',';
	}
	return true;
}

bool
cpu_features_get(uint32_t *features, struct diag *why_not)
{
	const char *words = getenv("QPU_SHA256SUM_CPU");
	struct diag reason;

	*features = cpu_features_detect();
	if (!words || cpu_features_hide(features, words, &reason))
		return true;
	diag_set(why_not, "QPU_SHA256SUM_CPU: %s", reason.text);
	return false;
}
