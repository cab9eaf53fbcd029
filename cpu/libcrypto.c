/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cpu/libcrypto.h"

#include <dlfcn.h>
#include <string.h>

#define STRING_OF(token) #token
#define STRING_OF_VALUE(macro) STRING_OF(macro)

/* The version whose headers we were compiled with comes first.  SHA256_CTX has
 * been the same in all of these. */
static const char *const sonames[] = {
#ifdef WITH_OPENSSL
#if defined OPENSSL_SHLIB_VERSION
	"libcrypto.so." STRING_OF_VALUE(OPENSSL_SHLIB_VERSION),
#elif defined SHLIB_VERSION_NUMBER
	"libcrypto.so." SHLIB_VERSION_NUMBER,
#endif
	"libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so",
#endif
	NULL
};

/* POSIX lets dlsym return functions as void *; ISO C has no cast for it. */
static bool
find_function(void *handle, const char *name, void *function)
{
	void *const symbol = dlsym(handle, name);

	memcpy(function, &symbol, sizeof(symbol));
	return symbol != NULL;
}

bool
libcrypto_load(struct libcrypto *crypto, struct diag *why_not)
{
	memset(crypto, 0, sizeof(*crypto));
	diag_set(why_not, "this program was built without OpenSSL");
	for (const char *const *soname = sonames; *soname; soname++) {
		crypto->handle = dlopen(*soname, RTLD_NOW | RTLD_LOCAL);
		if (crypto->handle)
			break;
		/* Keep the reason for the first: it is the usual one. */
		if (soname == sonames)
			diag_set(why_not, "%s", dlerror());
	}
	if (!crypto->handle)
		return false;

	const struct {
		const char *name;
		void *function;
	} functions[] = { { "SHA256_Init", &crypto->sha256_init },
			  { "SHA256_Update", &crypto->sha256_update },
			  { "SHA256_Final", &crypto->sha256_final } };
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		if (find_function(crypto->handle, functions[i].name,
				  functions[i].function))
			continue;
		diag_set(why_not, "libcrypto has no %s", functions[i].name);
		libcrypto_unload(crypto);
		return false;
	}
	return true;
}

void
libcrypto_unload(struct libcrypto *crypto)
{
	if (crypto->handle)
		dlclose(crypto->handle);
	memset(crypto, 0, sizeof(*crypto));
}

void
libcrypto_init(const struct libcrypto *crypto, struct libcrypto_sha256 *hash)
{
	crypto->sha256_init(&hash->context);
}

void
libcrypto_update(const struct libcrypto *crypto, struct libcrypto_sha256 *hash,
		 const void *bytes, size_t len)
{
	crypto->sha256_update(&hash->context, bytes, len);
}

void
libcrypto_final(const struct libcrypto *crypto, struct libcrypto_sha256 *hash,
		uint8_t digest[SHA256_DIGEST_BYTES])
{
	crypto->sha256_final(digest, &hash->context);
}

void
libcrypto_blocks(const struct libcrypto *crypto,
		 uint32_t state[SHA256_STATE_WORDS], const uint8_t *data,
		 size_t nblocks)
{
	SHA256_CTX context = { .md_len = SHA256_DIGEST_BYTES };

	/* A context that buffers nothing gives whole blocks straight to the
	 * compression function. */
	_Static_assert(sizeof(context.h) == SHA256_STATE_WORDS * sizeof(*state),
		       "SHA_LONG is a 32-bit word");
	memcpy(context.h, state, sizeof(context.h));
	crypto->sha256_update(&context, data, nblocks * SHA256_BLOCK_BYTES);
	memcpy(state, context.h, sizeof(context.h));
}
