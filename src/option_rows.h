/* SPDX-License-Identifier: MIT */
/*
 * option_rows: the tables of the program's options (base/option.h).  A new
 * option is a row here and its field in options.h.
 */
#ifndef SRC_OPTION_ROWS_H
#define SRC_OPTION_ROWS_H

#include "src/base/option.h"

/* GNU's options, in GNU's order; ends with a null name. */
extern const struct option_row gnu_options[];

/* The options that GNU's sha256sum does not have.  No name may be a prefix of
 * the name of one of GNU's. */
extern const struct option_row extensions[];

#endif
