/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/vc4_node.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/abi/vc4.h"
#include "src/base/rows.h"

/* Offsets for mmap begin here (drm_vma_manager.h). */
#define FIRST_OFFSET                                                           \
	(sizeof(long) == 8 ? UINT64_C(0x100000000) : UINT64_C(0x10000000))

struct vc4_bo *
bo_of_handle(const struct vc4 *vc4, uint32_t handle)
{
	return handle && handle <= vc4->nhandles ? vc4->handles[handle - 1] :
						   NULL;
}

int
bo_take_pages(struct vc4 *vc4, uint32_t bytes, struct vc4_pages *pages)
{
	const struct vc4_host *host = &vc4->host;
	const int error = host->take(host->context, bytes, pages);

	if (error)
		return -error;
	if (!machine_add_memory(vc4->machine, pages->bus, pages->host,
				pages->bytes, NULL)) {
		host->give(host->context, pages);
		pages->bytes = 0;
		return -ENOMEM;
	}
	return 0;
}

void
bo_give_pages(struct vc4 *vc4, struct vc4_pages *pages)
{
	if (!pages->bytes)
		return;
	machine_remove_memory(vc4->machine, pages->bus);
	vc4->host.give(vc4->host.context, pages);
	pages->bytes = 0;
}

void
bo_put(struct vc4 *vc4, struct vc4_bo *buffer)
{
	struct vc4_bo **link = &vc4->buffers;

	if (--buffer->references)
		return;
	while (*link != buffer)
		link = &(*link)->next;
	*link = buffer->next;
	bo_give_pages(vc4, &buffer->pages);
	qpu_drm_free(&buffer->program);
	free(buffer);
}

static int
new_buffer(struct vc4 *vc4, uint32_t size, struct vc4_bo **made)
{
	const uint32_t bytes = (size + VC4_PAGE - 1) &
			       ~(uint32_t)(VC4_PAGE - 1);
	struct vc4_bo *buffer;
	int error = 0;

	/* An open node's first buffer brings the binner's memory along
	 * (vc4_grab_bin_bo). */
	if (vc4->bin.bytes == 0)
		error = bo_take_pages(vc4, VC4_BIN_BYTES, &vc4->bin);
	if (error)
		return error;
	vc4->allocations++;
	/* Sizes that round up beyond 4 GiB are 0 on 32 bits, and more than there
	 * is on 64. */
	if (bytes == 0)
		return size && sizeof(long) == 8 ? -ENOMEM : -EINVAL;
	if (vc4_suffers(vc4, PI_NO_MEMORY, vc4->allocations))
		return -ENOMEM;
	buffer = calloc(1, sizeof(*buffer));
	if (!buffer)
		return -ENOMEM;
	error = bo_take_pages(vc4, bytes, &buffer->pages);
	if (error) {
		free(buffer);
		return error;
	}
	buffer->offset = FIRST_OFFSET + buffer->pages.bus;
	buffer->references = 1;
	buffer->next = vc4->buffers;
	vc4->buffers = buffer;
	*made = buffer;
	return 0;
}

/* The lowest free handle gets the reference.  0 or -errno. */
static int
add_handle(struct vc4 *vc4, struct vc4_bo *buffer, uint32_t *handle)
{
	uint32_t i = 0;

	while (i < vc4->nhandles && vc4->handles[i])
		i++;
	if (i == vc4->nhandles) {
		if (!rows_grow(&vc4->handles, &vc4->handles_room, i,
			       sizeof(*vc4->handles)))
			return -ENOMEM;
		vc4->nhandles++;
	}
	vc4->handles[i] = buffer;
	*handle = i + 1;
	return 0;
}

int
bo_create(struct vc4 *vc4, void *request)
{
	struct vc4_create_bo *create = request;
	struct vc4_bo *buffer;
	int error = new_buffer(vc4, create->size, &buffer);

	if (error)
		return error;
	error = add_handle(vc4, buffer, &create->handle);
	if (error)
		bo_put(vc4, buffer);
	return error;
}

static int
check_program(struct vc4_bo *buffer, size_t n)
{
	enum qpu_drm_rule_number rule;
	size_t index;

	switch (qpu_drm_check(buffer->pages.host, n, &buffer->program, &rule,
			      &index)) {
	case QPU_DRM_ACCEPTED: buffer->is_program = true; return 0;
	case QPU_DRM_NO_MEMORY: return -ENOMEM;
	case QPU_DRM_REFUSED: break;
	}
	return -EINVAL;
}

int
bo_create_program(struct vc4 *vc4, void *request)
{
	struct vc4_create_shader_bo *create = request;
	struct vc4_bo *buffer;
	int error;

	if (create->size == 0 || create->size % 8 || create->flags ||
	    create->pad)
		return -EINVAL;
	error = new_buffer(vc4, create->size, &buffer);
	if (error)
		return error;
	memcpy(buffer->pages.host, (const void *)(uintptr_t)create->data,
	       create->size);
	error = check_program(buffer, create->size / 8);
	if (!error)
		error = add_handle(vc4, buffer, &create->handle);
	if (error)
		bo_put(vc4, buffer);
	return error;
}

int
bo_mmap(struct vc4 *vc4, void *request)
{
	struct vc4_mmap_bo *map = request;
	const struct vc4_bo *buffer = bo_of_handle(vc4, map->handle);

	if (!buffer)
		return -EINVAL;
	map->offset = buffer->offset;
	return 0;
}

int
bo_close(struct vc4 *vc4, void *request)
{
	const struct drm_gem_close *close = request;
	struct vc4_bo *buffer = bo_of_handle(vc4, close->handle);

	if (!buffer)
		return -EINVAL;
	vc4->handles[close->handle - 1] = NULL;
	bo_put(vc4, buffer);
	return 0;
}

void
bo_close_all(struct vc4 *vc4)
{
	while (vc4->buffers)
		bo_put(vc4, vc4->buffers);
	free(vc4->handles);
	bo_give_pages(vc4, &vc4->bin);
}

int
vc4_pages_at(struct vc4 *vc4, uint64_t offset, uint64_t bytes, bool writing,
	     struct vc4_pages *pages)
{
	const struct vc4_bo *buffer = NULL;

	for (uint32_t i = 0; i < vc4->nhandles && !buffer; i++)
		if (vc4->handles[i] && vc4->handles[i]->offset == offset)
			buffer = vc4->handles[i];
	if (!buffer || bytes == 0 || bytes > buffer->pages.bytes ||
	    (buffer->is_program && writing))
		return -EINVAL;
	*pages = buffer->pages;
	return 0;
}
