/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "qpu/virtual/buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

static void
buffer_name(char name[32], unsigned number)
{
	snprintf(name, 32, STATE_BUFFER, number);
}

static bool
is_gone(const struct world *world, unsigned number)
{
	char name[32];
	bool gone;
	int fd;

	buffer_name(name, number);
	fd = world_open(world, name, O_RDWR);
	if (fd < 0)
		return errno == ENOENT;
	gone = fcntl(fd, F_SETLEASE, F_WRLCK) == 0;
	close(fd);
	return gone;
}

bool
buffer_collect(const struct world *world)
{
	struct state_buffer *buffers = world->state->buffers;
	unsigned left = 0;

	for (unsigned i = 0; i < STATE_BUFFERS; i++) {
		if (buffers[i].bytes && is_gone(world, i))
			buffers[i].bytes = 0;
		left += buffers[i].bytes != 0;
	}
	return left > 0;
}

/* The lowest gap among the buffers. */
static bool
find_gap(const struct world *world, uint32_t bytes, uint32_t *physical)
{
	const struct state_buffer *buffers = world->state->buffers;
	uint32_t at = world->memory_base - PROFILE_KERNEL_BYTES;
	unsigned i = 0;

	while (i < STATE_BUFFERS) {
		const struct state_buffer *buffer = &buffers[i++];

		if (buffer->bytes && buffer->physical < at + bytes + PAGE &&
		    at < buffer->physical + buffer->bytes + PAGE) {
			at = buffer->physical + buffer->bytes + PAGE;
			i = 0;
		}
		if (at + bytes > world->memory_base)
			return false;
	}
	*physical = at;
	return true;
}

/* A new file each time: the one before may still have been seen. */
static int
create_file(const struct world *world, unsigned number, uint32_t bytes)
{
	char name[32], path[STATE_PATH];
	int fd;

	buffer_name(name, number);
	snprintf(path, sizeof(path), "%s/%s", world->dir, name);
	unlink(path);
	fd = world_open(world, name, O_RDWR | O_CREAT | O_EXCL);
	if (fd < 0 || ftruncate(fd, bytes) == 0)
		return fd;
	close(fd);
	return -1;
}

int
buffer_allocate(const struct world *world, struct vcsm_allocate *request)
{
	struct state *state = world->state;
	struct state_buffer *buffers = state->buffers;
	const struct device_words *words = &state->options.words;
	const uint64_t wanted = (uint64_t)request->size * request->num;
	const uint32_t bytes = (uint32_t)(wanted + PAGE - 1) / PAGE * PAGE;
	unsigned slot = 0;
	uint32_t physical;

	if (++state->nallocations >= words->fault_at &&
	    words->fault == DEVICE_NO_MEMORY)
		return ENOMEM;
	if (!wanted || request->cached > VCSM_CACHED_BOTH)
		return EINVAL;
	buffer_collect(world);
	while (slot < STATE_BUFFERS && buffers[slot].bytes)
		slot++;
	if (slot == STATE_BUFFERS || wanted > PROFILE_KERNEL_BYTES ||
	    !find_gap(world, bytes, &physical))
		return ENOMEM;
	request->handle = create_file(world, slot, bytes);
	if (request->handle < 0)
		return ENOMEM;
	buffers[slot] = (struct state_buffer){
		.physical = physical, .bytes = bytes
	};
	request->vc_handle = state->next_handle++;
	/* UNSURE: with which alias; programs choose that of their SoC. */
	request->dma_addr = physical | world->soc->bus_alias;
	return 0;
}

void *
buffer_map(const struct world *world, unsigned number)
{
	void *mapping = MAP_FAILED;
	char name[32];
	int fd;

	buffer_name(name, number);
	fd = world_open(world, name, O_RDWR);
	if (fd < 0)
		return NULL;
	mapping = mmap(NULL, world->state->buffers[number].bytes,
		       PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return mapping == MAP_FAILED ? NULL : mapping;
}
