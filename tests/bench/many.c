/* SPDX-License-Identifier: MIT */
/*
 * many: libsha256many beside its own kernels, OpenSSL one message after the
 * other, and the multi-buffer manager of isa-l_crypto if there is one.
 *
 * For each number and length of messages all take turns, and the best of their
 * runs counts: other programs can only add to the time.  GB/s count the
 * messages without padding; the last columns are how many times as long the
 * others take.  "kernels" is the code that the library chooses, run on as many
 * blocks, without padding, copies and digests; its column should be close to 1.
 *
 * isa-l_crypto is loaded if its header was found: CPPFLAGS=-I..., and
 * LD_LIBRARY_PATH for the library.
 */
#include "config.h"

#include <dlfcn.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __has_include
#if __has_include(<isa-l_crypto/sha256_mb.h>)
#include <isa-l_crypto/sha256_mb.h>
#define WITH_ISAL 1
#endif
#endif

#include "cpu/kernels.h"
#include "cpu/sha256many.h"
#include "src/base/clock.h"

enum {
	MOST = 64,
	MOST_BYTES = 65536,
	/* Messages at equal places of pages would share sets of a cache. */
	APART = 192,
	ROUNDS = 30,
	ROUND_NS = 300000
};

struct work {
	size_t n, bytes;
	struct sha256many_message messages[MOST];
	unsigned char digests[MOST][SHA256MANY_DIGEST_BYTES];
};

static void
run_library(struct work *work)
{
	sha256many_hash(work->n, work->messages, work->digests);
}

/* Run the kernels on as many blocks as the messages have. */
static void
run_kernels(struct work *work)
{
	const size_t nblocks = (work->bytes + 8) / 64 + 1;
	const struct cpu_kernel *kernel = cpu_kernels;
	static struct cpu_run run;
	size_t left = work->n * nblocks, next = 0;

	while (strcmp(kernel->name, sha256many_kernel(work->n)) != 0)
		kernel++;
	while (left > 0) {
		const size_t lanes = kernel->lanes;
		const size_t most = (left + lanes - 1) / lanes;
		const size_t some = most < nblocks && work->n > lanes ? most :
									nblocks;

		for (unsigned lane = 0; lane < lanes; lane++)
			run.data[lane] = work->messages[next++ % work->n].data;
		cpu_kernel_run(kernel, &run, some);
		left -= left < lanes * some ? left : lanes * some;
	}
}

static EVP_MD *sha256;
static EVP_MD_CTX *context;

static void
run_openssl(struct work *work)
{
	for (size_t i = 0; i < work->n; i++) {
		EVP_DigestInit_ex(context, sha256, NULL);
		EVP_DigestUpdate(context, work->messages[i].data, work->bytes);
		EVP_DigestFinal_ex(context, work->digests[i], NULL);
	}
}

static void
run_openssl_one_shot(struct work *work)
{
	for (size_t i = 0; i < work->n; i++)
		EVP_Digest(work->messages[i].data, work->bytes,
			   work->digests[i], NULL, sha256, NULL);
}

#ifdef WITH_ISAL
static int (*isal_init)(ISAL_SHA256_HASH_CTX_MGR *);
static int (*isal_submit)(ISAL_SHA256_HASH_CTX_MGR *, ISAL_SHA256_HASH_CTX *,
			  ISAL_SHA256_HASH_CTX **, const void *, uint32_t,
			  ISAL_HASH_CTX_FLAG);
static int (*isal_flush)(ISAL_SHA256_HASH_CTX_MGR *, ISAL_SHA256_HASH_CTX **);

static void
run_isal(struct work *work)
{
	static ISAL_SHA256_HASH_CTX_MGR manager;
	static ISAL_SHA256_HASH_CTX contexts[MOST];
	ISAL_SHA256_HASH_CTX *done;

	isal_init(&manager);
	for (size_t i = 0; i < work->n; i++) {
		isal_hash_ctx_init(&contexts[i]);
		isal_submit(&manager, &contexts[i], &done,
			    work->messages[i].data, (uint32_t)work->bytes,
			    ISAL_HASH_ENTIRE);
	}
	do
		isal_flush(&manager, &done);
	while (done);
	for (size_t i = 0; i < work->n; i++)
		for (int word = 0; word < 8; word++) {
			const uint32_t swapped = __builtin_bswap32(
				contexts[i].job.result_digest[word]);

			memcpy(work->digests[i] + 4 * word, &swapped, 4);
		}
	/* It leaves something in the upper halves of vector registers, which
	 * makes the SSE code of all others slower by a third on a Zen 5. */
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vzeroupper");
}

static bool
load_isal(void)
{
	void *const library = dlopen("libisal_crypto.so.2", RTLD_NOW);

	if (!library)
		return false;
	*(void **)&isal_init = dlsym(library, "isal_sha256_ctx_mgr_init");
	*(void **)&isal_submit = dlsym(library, "isal_sha256_ctx_mgr_submit");
	*(void **)&isal_flush = dlsym(library, "isal_sha256_ctx_mgr_flush");
	return isal_init && isal_submit && isal_flush;
}
#endif

struct contender {
	const char *name;
	void (*run)(struct work *);
	bool hashes;
	double best; /* ns */
};

/* One turn: as many runs as fit into a round. */
static void
take_turn(struct contender *contender, struct work *work, unsigned runs)
{
	const uint64_t start = clock_ns();
	double ns;

	for (unsigned i = 0; i < runs; i++)
		contender->run(work);
	ns = (double)(clock_ns() - start) / runs;
	if (contender->best == 0 || ns < contender->best)
		contender->best = ns;
}

static bool
compare(struct contender *contenders, unsigned n, struct work *work)
{
	const size_t size = work->n * work->bytes;
	const unsigned runs = (unsigned)(ROUND_NS / (100 + size / 2) + 1);
	unsigned char digests[MOST][SHA256MANY_DIGEST_BYTES];

	for (unsigned i = 0; i < n; i++) {
		contenders[i].best = 0;
		memset(work->digests, 0, sizeof(work->digests));
		contenders[i].run(work);
		if (i == 0)
			memcpy(digests, work->digests, sizeof(digests));
		else if (contenders[i].hashes &&
			 memcmp(digests, work->digests, sizeof(digests)) != 0) {
			printf("%s has other digests\n", contenders[i].name);
			return false;
		}
	}
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; i < n; i++)
			take_turn(&contenders[i], work, runs);
	printf("%3zu x %5zu", work->n, work->bytes);
	for (unsigned i = 0; i < n; i++)
		printf(" %9.3f", (double)size / contenders[i].best);
	for (unsigned i = 1; i < n; i++)
		printf(" %8.2f", contenders[i].best / contenders[0].best);
	printf("  %s\n", sha256many_kernel(work->n));
	return true;
}

int
main(void)
{
	static const size_t lengths[] = { 64, 1024, 4096, 16384, 65536 };
	static const size_t counts[] = { 1, 2, 3, 4, 5, 8, 16, 64 };
	struct contender contenders[5] = {
		{ "many", run_library, true, 0 },
		{ "kernels", run_kernels, false, 0 },
		{ "openssl", run_openssl, true, 0 },
		{ "one-shot", run_openssl_one_shot, true, 0 },
	};
	unsigned n = 4;
	static struct work work;
	uint8_t *const memory = malloc(MOST * (MOST_BYTES + APART) + APART);
	bool right = true;

#ifdef WITH_ISAL
	if (load_isal())
		contenders[n++] =
			(struct contender){ "isa-l", run_isal, true, 0 };
#endif
	sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
	context = EVP_MD_CTX_new();
	if (!memory || !sha256 || !context)
		return 1;
	memset(memory, 0x5a, MOST * (MOST_BYTES + APART) + APART);
	printf("%11s", "");
	for (unsigned i = 0; i < n; i++)
		printf(" %9s", contenders[i].name);
	for (unsigned i = 1; i < n; i++)
		printf(" %8s", contenders[i].name);
	printf("\n%11s %-*s times as long\n", "messages", (int)(10 * n),
	       " GB/s");
	for (size_t l = 0; l < sizeof(lengths) / sizeof(*lengths); l++)
		for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++) {
			work.n = counts[c];
			work.bytes = lengths[l];
			for (size_t i = 0; i < work.n; i++) {
				work.messages[i].data =
					memory + i * (work.bytes + APART);
				work.messages[i].bytes = work.bytes;
			}
			right &= compare(contenders, n, &work);
		}
	EVP_MD_CTX_free(context);
	EVP_MD_free(sha256);
	free(memory);
	return !right;
}
