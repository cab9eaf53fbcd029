/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "qpu/virtual/world.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* An interposed call brings nothing along but its arguments, so what it is
 * about has to be found from here. */
static struct world the_world;
static atomic_uint progress;	/* 0 before, 1 during, 2 none, 3 found */
static _Atomic(uint8_t *) mapped_memory;

static bool
find_world(struct world *world)
{
	const char *dir = getenv(STATE_VARIABLE);

	if (!dir || strlen(dir) >= sizeof(world->dir))
		return false;
	strcpy(world->dir, dir);
	world->state = state_map(dir);
	if (!world->state)
		return false;

	const struct state_options *options = &world->state->options;
	world->profile = &profile_rows[options->profile];
	world->soc = profile_soc(world->profile);
	world->memory_bytes = (uint32_t)options->words.mem_mib << 20;
	world->memory_base = profile_memory_base(world->profile,
						 options->words.mem_mib);
	return true;
}

/* What is called while the world is being found is not about it. */
const struct world *
world_get(void)
{
	unsigned expected = 0;

	if (atomic_load_explicit(&progress, memory_order_acquire) == 3)
		return &the_world;
	if (atomic_compare_exchange_strong(&progress, &expected, 1)) {
		const int error = errno;

		expected = find_world(&the_world) ? 3 : 2;
		atomic_store_explicit(&progress, expected,
				      memory_order_release);
		errno = error;
	}
	return expected == 3 ? &the_world : NULL;
}

/* Before there are threads. */
__attribute__((constructor))
static void
find_early(void)
{
	world_get();
}

int
world_open(const struct world *world, const char *name, int flags)
{
	char path[STATE_PATH];

	snprintf(path, sizeof(path), "%s/%s", world->dir, name);
	return open(path, flags | O_CLOEXEC, 0600);
}

uint8_t *
world_memory(const struct world *world)
{
	uint8_t *memory = atomic_load(&mapped_memory);

	if (memory)
		return memory;

	const int fd = world_open(world, STATE_MEMORY, O_RDWR);
	if (fd < 0)
		return NULL;
	memory = mmap(NULL, world->memory_bytes, PROT_READ | PROT_WRITE,
		      MAP_SHARED, fd, 0);
	close(fd);
	if (memory == MAP_FAILED)
		return NULL;
	atomic_store(&mapped_memory, memory);
	return memory;
}

void
world_say(const char *format, ...)
{
	const int error = errno;
	char line[1024] = "qpuemu: ";
	const size_t prefix = strlen(line);
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(line + prefix, sizeof(line) - prefix - 1, format,
			args);
	va_end(args);
	if (len > 0) {
		size_t end = prefix + (size_t)len;

		if (end > sizeof(line) - 2)
			end = sizeof(line) - 2;
		line[end] = '\n';
		/* Where it goes is the program's choice, and if it cannot be
		 * written there is nobody else to tell. */
		if (write(STDERR_FILENO, line, end + 1) < 0)
			errno = error;
	}
	errno = error;
}
