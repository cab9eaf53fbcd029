/* SPDX-License-Identifier: MIT */
/*
 * user_locale: the locale that the environment names (LC_ALL, LC_CTYPE,
 * LC_MESSAGES, LANG).
 *
 * A run in which all goes well needs none, and to load one takes as long as to
 * hash a file of some 100 KiB.  So the process stays in the locale "C", and
 * this one is loaded when it is first asked for.  Any thread may ask.
 */
#ifndef SRC_BASE_USER_LOCALE_H
#define SRC_BASE_USER_LOCALE_H

#include <locale.h>

/* Its characters and messages; a category that cannot be loaded is that of
 * "C".  It lives as long as the process. */
locale_t
user_locale(void);

#endif
