/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/drm_calls.h"

#include <errno.h>
#include <string.h>

#include "src/base/clock.h"

/* A request that a signal interrupts is left undone by the kernel. */
static int
ask(const struct drm_calls *calls, unsigned long request, void *argument)
{
	int answer;

	do
		answer = calls->request(calls->context, request, argument);
	while (answer == -EINTR || answer == -EAGAIN);
	return -answer;
}

bool
drm_is_driver(const struct drm_calls *calls, const char *name)
{
	char text[16] = "";
	struct drm_version version = { .name_bytes = sizeof(text) - 1,
				       .name = text };

	return ask(calls, DRM_VERSION, &version) == 0 &&
	       strcmp(text, name) == 0;
}

int
drm_param(const struct drm_calls *calls, enum vc4_param param, uint64_t *value)
{
	struct vc4_get_param get = { .param = param };
	const int error = ask(calls, VC4_GET_PARAM, &get);

	*value = error == 0 ? get.value : 0;
	return error;
}

int
drm_create(const struct drm_calls *calls, size_t bytes, uint32_t *handle)
{
	struct vc4_create_bo create = { .size = (uint32_t)bytes };
	int error = EINVAL;

	if (create.size == bytes)
		error = ask(calls, VC4_CREATE_BO, &create);
	*handle = create.handle;
	return error;
}

void *
drm_map(const struct drm_calls *calls, uint32_t handle, size_t bytes)
{
	struct vc4_mmap_bo map = { .handle = handle };

	if (ask(calls, VC4_MMAP_BO, &map) != 0)
		return NULL;
	return calls->map(calls->context, map.offset, bytes);
}

int
drm_create_program(const struct drm_calls *calls, const uint64_t *code,
		   size_t n, uint32_t *handle)
{
	struct vc4_create_shader_bo create = { .size = (uint32_t)(n * 8),
					       .data = (uintptr_t)code };
	const int error = ask(calls, VC4_CREATE_SHADER_BO, &create);

	*handle = create.handle;
	return error;
}

int
drm_submit(const struct drm_calls *calls, struct vc4_submit_cl *submit)
{
	enum { ATTEMPTS = 4 };
	int error = EINVAL;

	/* A signal while the kernel waits for one of its 32 slots of the binner
	 * comes back as EINVAL, as any error of a packet does
	 * (validate_bin_packet in vc4_validate.c). */
	for (unsigned i = 0; i < ATTEMPTS && error == EINVAL; i++)
		error = ask(calls, VC4_SUBMIT_CL, submit);
	return error;
}

int
drm_wait(const struct drm_calls *calls, uint64_t seqno, uint64_t timeout_ns)
{
	const uint64_t start = clock_ns();
	uint64_t passed = 0;
	int answer;

	/* The kernel writes back how much of the time is left, counted in its
	 * own ticks (vc4_wait_for_seqno_ioctl_helper in vc4_gem.c): signals in
	 * every tick would make the wait endless. */
	do {
		struct vc4_wait_seqno wait = {
			.seqno = seqno,
			.timeout_ns =
				timeout_ns > passed ? timeout_ns - passed : 0
		};

		answer = calls->request(calls->context, VC4_WAIT_SEQNO, &wait);
		passed = clock_ns() - start;
	} while (answer == -EINTR || answer == -EAGAIN);
	return -answer;
}

void
drm_forget(const struct drm_calls *calls, uint32_t handle)
{
	struct drm_gem_close close = { .handle = handle };

	ask(calls, DRM_GEM_CLOSE, &close);
}
