/* SPDX-License-Identifier: MIT */
/*
 * drm_rules: the demands of the Linux kernel's driver vc4 on programs of
 * ordinary users.
 *
 * The driver checks every program when a user creates a shader buffer
 * (DRM_IOCTL_VC4_CREATE_SHADER_BO); it refuses without a reason.  The rules
 * here are those of drivers/gpu/drm/vc4/vc4_validate_shaders.c in Linux 6.12,
 * and each row of qpu_drm_rules names the function of that file that it comes
 * from.
 *
 * They keep a program within the memory that its user has: it reads memory only
 * through TMUs, at addresses that are clamped to a buffer, and it stores only
 * to the tile buffer.  A program is cut into blocks: one begins with the
 * program, at each target of a branch and after the delay slots of each branch.
 * At the start of a block nothing is known of registers or of the place in the
 * uniform stream.
 *
 * The check here is stricter in two points, where the kernel accepts what it
 * has not checked.  An operand that is a peripheral is never taken for a
 * clamped or constant register; the kernel's code confuses the two where the
 * register's number is above 31.  And no branch may go beyond the program's
 * end; the kernel compares the target with the end of the buffer.
 */
#ifndef QPU_VALIDATE_DRM_RULES_H
#define QPU_VALIDATE_DRM_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum qpu_drm_rule_number {
#define DRM_RULE(name, function, text) QPU_DRM_##name,
#include "qpu/validate/drm.def"
	QPU_DRM_RULES,
};

struct qpu_drm_rule {
	const char *function; /* of vc4_validate_shaders.c */
	const char *text;
};

/* Rule D1 is row 0, and so on. */
extern const struct qpu_drm_rule qpu_drm_rules[QPU_DRM_RULES];

enum { QPU_DRM_PARAMETERS = 4 };
#define QPU_DRM_NONE UINT32_MAX

/*
 * One lookup, in the order of the program.  Each needs a buffer.  A parameter
 * is the byte offset of a uniform, or QPU_DRM_NONE: for a direct lookup the
 * base address and the clamp, for a texture lookup its two to four parameters.
 */
struct qpu_drm_load {
	bool direct;
	uint32_t parameters[QPU_DRM_PARAMETERS];
};

/* A program that the kernel has accepted, as far as the kernel knows it. */
struct qpu_drm_program {
	size_t uniform_bytes; /* of one stream, with its address words */
	struct qpu_drm_load *loads;
	size_t nloads;
	uint32_t *addresses; /* indices of words that hold an address */
	size_t naddresses;
	bool threaded; /* it switches threads */
};

enum qpu_drm_verdict { QPU_DRM_ACCEPTED, QPU_DRM_REFUSED, QPU_DRM_NO_MEMORY };

/*
 * Check n instruction words, as if they were in a buffer of whole pages with
 * zeros after them.  After QPU_DRM_ACCEPTED the caller frees *program.  After
 * QPU_DRM_REFUSED *rule is the first rule that the kernel would find broken,
 * and *index the instruction's.
 */
enum qpu_drm_verdict
qpu_drm_check(const uint64_t *words, size_t n, struct qpu_drm_program *program,
	      enum qpu_drm_rule_number *rule, size_t *index);

void
qpu_drm_free(struct qpu_drm_program *program);

#endif
