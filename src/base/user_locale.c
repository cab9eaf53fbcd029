/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/base/user_locale.h"

#include <pthread.h>

static locale_t loaded;

static void
load(void)
{
	static const int masks[] = { LC_CTYPE_MASK, LC_MESSAGES_MASK };

	/* The C library has "C" in itself: this does not fail. */
	loaded = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	for (int i = 0; i < 2; i++) {
		const locale_t more = newlocale(masks[i], "", loaded);

		loaded = more ? more : loaded;
	}
}

locale_t
user_locale(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return loaded;
}
