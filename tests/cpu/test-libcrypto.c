/* SPDX-License-Identifier: MIT */
/*
 * Promise: libcrypto is found at run time, without being linked, and does
 * what we ask of it.
 */
#include "config.h"

#include "cpu/libcrypto.h"

#include "cpu/sha256.h"
#include "tests/support/tap.h"

/* The library as it would be without this function. */
static const char *missing;
static unsigned closed;

void *
__real_dlsym(void *handle, const char *name);
void *
__wrap_dlsym(void *handle, const char *name);
int
__real_dlclose(void *handle);
int
__wrap_dlclose(void *handle);

void *
__wrap_dlsym(void *handle, const char *name)
{
	if (missing && strcmp(name, missing) == 0)
		return NULL;
	return __real_dlsym(handle, name);
}

int
__wrap_dlclose(void *handle)
{
	closed++;
	return __real_dlclose(handle);
}

/* So many names cannot be opened, the one behind them is the library that was
 * found here. */
static unsigned opens, first_opened;
static char tried[256], there[256];

void *
__real_dlopen(const char *name, int flags);
void *
__wrap_dlopen(const char *name, int flags);
char *
__wrap_dlerror(void);

void *
__wrap_dlopen(const char *name, int flags)
{
	void *handle;

	snprintf(tried, sizeof(tried), "%s", name);
	if (opens++ < first_opened)
		return NULL;
	handle = __real_dlopen(first_opened ? there : name, flags);
	if (handle && !first_opened)
		snprintf(there, sizeof(there), "%s", name);
	return handle;
}

char *
__wrap_dlerror(void)
{
	static char text[32];

	snprintf(text, sizeof(text), "reason %u", opens);
	return text;
}

static void
test_no_library(void)
{
	struct diag diag = { .text = "" };
	struct libcrypto crypto;

	opens = 0;
	first_opened = ~0u;
	ok(!libcrypto_load(&crypto, &diag) && !crypto.handle && opens >= 3,
	   "without any library loading fails");
	is(diag.text, "reason 1", "the reason is that of the first name");
	is(tried, "libcrypto.so", "the last name has no version");

	first_opened = opens - 1;
	opens = closed = 0;
	diag.text[0] = '\0';
	ok(libcrypto_load(&crypto, &diag) && opens == first_opened + 1,
	   "the names are tried in order, up to the last");
	libcrypto_unload(&crypto);
	ok(closed == 1, "what was opened is closed");
	first_opened = 0;
}

static void
test_half_a_library(void)
{
	static const char *const functions[] = { "SHA256_Init", "SHA256_Update",
						 "SHA256_Final" };

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		struct diag diag = { .text = "" };
		struct libcrypto crypto;

		missing = functions[i];
		closed = 0;
		ok(!libcrypto_load(&crypto, &diag) && !crypto.handle &&
			   closed == 1,
		   "a library without %s is refused and closed", missing);
		ok(strstr(diag.text, missing), "and the reason names it");
	}
	missing = NULL;
}

static void
hex(const uint8_t digest[SHA256_DIGEST_BYTES], char text[65])
{
	for (int i = 0; i < SHA256_DIGEST_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

int
main(void)
{
	uint8_t digest[SHA256_DIGEST_BYTES], bytes[4 * SHA256_BLOCK_BYTES];
	struct libcrypto_sha256 hash;
	struct libcrypto crypto;
	struct diag diag = { .text = "" };
	char text[65];

	if (!ok(libcrypto_load(&crypto, &diag), "libcrypto loads")) {
		tap_note("%s", diag.text);
		return tap_done();
	}

	/* FIPS 180-2, B.1 and B.2, and the digest of nothing. */
	libcrypto_init(&crypto, &hash);
	libcrypto_final(&crypto, &hash, digest);
	hex(digest, text);
	is(text,
	   "e3b0c44298fc1c149afbf4c8996fb924"
	   "27ae41e4649b934ca495991b7852b855",
	   "the empty message");
	libcrypto_init(&crypto, &hash);
	libcrypto_update(&crypto, &hash, "a", 1);
	libcrypto_update(&crypto, &hash, "bc", 2);
	libcrypto_final(&crypto, &hash, digest);
	hex(digest, text);
	is(text,
	   "ba7816bf8f01cfea414140de5dae2223"
	   "b00361a396177a9cb410ff61f20015ad",
	   "abc in two pieces");

	uint32_t ours[SHA256_STATE_WORDS], theirs[SHA256_STATE_WORDS];
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7);
	for (int word = 0; word < SHA256_STATE_WORDS; word++)
		ours[word] = theirs[word] = 0x01234567u * (unsigned)word;
	libcrypto_blocks(&crypto, theirs, bytes, 4);
	sha256_blocks(ours, bytes, 4);
	ok(memcmp(ours, theirs, sizeof(ours)) == 0,
	   "blocks from any hash value on");

	libcrypto_unload(&crypto);
	ok(!crypto.handle, "unloading leaves nothing behind");
	libcrypto_unload(&crypto);
	ok(!crypto.handle, "and may be repeated");
	test_half_a_library();
	test_no_library();
	return tap_done();
}
