/* SPDX-License-Identifier: MIT */
/*
 * Promise: libcrypto is found at run time, without being linked, and does
 * what we ask of it.
 */
#include "config.h"

#include "cpu/libcrypto.h"

#include <dlfcn.h>

#include "cpu/sha256.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

/* Names that are not found, before the library is; all that were asked for. */
static unsigned absent, opens;
static char found[256], last_tried[256];

static void *
open_later(const char *name, int flags)
{
	snprintf(last_tried, sizeof(last_tried), "%s", name);
	if (opens++ < absent)
		return fault_real_dlopen("/nowhere/lib.so", flags);
	return fault_real_dlopen(absent ? found : name, flags);
}

static void
find_library(void)
{
	struct libcrypto crypto;
	Dl_info info;
	void *function;

	if (!libcrypto_load(&crypto, NULL))
		return;
	memcpy(&function, &crypto.sha256_init, sizeof(function));
	if (dladdr(function, &info))
		snprintf(found, sizeof(found), "%s", info.dli_fname);
	libcrypto_unload(&crypto);
}

static void
test_names(void)
{
	struct diag diag = { .text = "" };
	struct libcrypto crypto;

	fault_hooks.dlopen = open_later;
	absent = ~0u;
	ok(!libcrypto_load(&crypto, &diag) && !crypto.handle && opens >= 3,
	   "without any library loading fails");
	ok(strstr(diag.text, "/nowhere/lib.so"),
	   "the reason is the dynamic loader's");
	is(last_tried, "libcrypto.so",
	   "the last name that is tried has no version");
	absent = opens - 1;
	opens = 0;
	ok(libcrypto_load(&crypto, &diag) && opens == absent + 1,
	   "the names are tried in order, up to the last");
	libcrypto_unload(&crypto);
	fault_clear();
}

static const char *missing;

static void *
find_others(void *handle, const char *name)
{
	return strcmp(name, missing) == 0 ? NULL :
					    fault_real_dlsym(handle, name);
}

static void
test_half_a_library(void)
{
	static const char *const functions[] = { "SHA256_Init", "SHA256_Update",
						 "SHA256_Final" };

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		struct diag diag = { .text = "" };
		struct libcrypto crypto;

		fault_clear();
		missing = functions[i];
		fault_hooks.dlsym = find_others;
		ok(!libcrypto_load(&crypto, &diag) && !crypto.handle &&
			   fault_count(FAULT_dlclose) == 1,
		   "a library without %s is refused and closed", missing);
		ok(strstr(diag.text, missing), "the reason names %s", missing);
		fault_clear();
	}
}

static void
test_results(const struct libcrypto *crypto)
{
	/* FIPS 180-2, B.1: the digest of "abc". */
	static const uint8_t abc[SHA256_DIGEST_BYTES] = {
		0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea,
		0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
		0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c,
		0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad
	};
	uint8_t digest[SHA256_DIGEST_BYTES], bytes[4 * SHA256_BLOCK_BYTES];
	uint32_t ours[SHA256_STATE_WORDS], theirs[SHA256_STATE_WORDS];
	struct libcrypto_sha256 hash;

	libcrypto_init(crypto, &hash);
	libcrypto_update(crypto, &hash, "a", 1);
	libcrypto_update(crypto, &hash, "bc", 2);
	libcrypto_final(crypto, &hash, digest);
	ok(memcmp(digest, abc, sizeof(abc)) == 0,
	   "a message in two pieces has its digest");
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7);
	for (int word = 0; word < SHA256_STATE_WORDS; word++)
		ours[word] = theirs[word] = 0x01234567u * (unsigned)word;
	libcrypto_blocks(crypto, theirs, bytes, 4);
	sha256_blocks(ours, bytes, 4);
	ok(memcmp(ours, theirs, sizeof(ours)) == 0,
	   "blocks are hashed on from any hash value");
}

int
main(void)
{
	struct libcrypto crypto;
	struct diag diag = { .text = "" };

	if (!ok(libcrypto_load(&crypto, &diag), "libcrypto loads")) {
		tap_note("%s", diag.text);
		return tap_done();
	}
	test_results(&crypto);
	libcrypto_unload(&crypto);
	ok(!crypto.handle, "unloading leaves nothing behind");
	libcrypto_unload(&crypto);
	ok(!crypto.handle, "unloading may be repeated");
	find_library();
	test_half_a_library();
	test_names();
	return tap_done();
}
