/* SPDX-License-Identifier: MIT */
/*
 * bin_list: checks the binning list of a job (vc4_validate_bin_cl).
 *
 * Allowed are the packets of the table there.  Shader records and the binner's
 * memory get their addresses here.
 */
#ifndef QPU_VC4_BIN_LIST_H
#define QPU_VC4_BIN_LIST_H

#include "qpu/vc4/vc4_job.h"

/* Writes n bytes, checked, to job->lists.  0 or -errno. */
int
bin_list_check(struct vc4 *, struct vc4_job *, const uint8_t *list, uint32_t n);

/* Bytes of a shader record, of which the packet has these bits. */
uint32_t
bin_list_record_bytes(uint32_t bits);

#endif
