/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/walkers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "src/base/descriptor.h"
#include "src/base/thread.h"

enum { STACK_BYTES = 128 << 10 };

struct walk_node {
	struct walk_node *next;
	enum { WAITS, BEING_READ, READ } state;
	struct walk_place place;
	struct walk_result result;
	char below[]; /* its path */
};

bool
walkers_init(struct walkers *walkers, walk_read *read)
{
	*walkers = (struct walkers){ .read = read,
				     .most = descriptor_share(8, WALKERS) };
	walkers->wake_fd = walkers->most < 2 ?
				   -1 :
				   descriptor_raise(eventfd(
					   0, EFD_CLOEXEC | EFD_NONBLOCK));
	if (walkers->wake_fd < 0)
		return false;
	pthread_mutex_init(&walkers->lock, NULL);
	pthread_cond_init(&walkers->changed, NULL);
	return true;
}

/* The list; lock held ------------------------------------------------------- */

static struct walk_node *
take_first(struct walkers *walkers)
{
	struct walk_node *node = walkers->first;

	walkers->first = node->next;
	return node;
}

/* Insert the directories among these entries, as far as memory allows.  Their
 * paths begin with the prefix. */
static void
insert(struct walk_node **at, const struct walk_place *place,
       const char *prefix, size_t prefix_len, const char *const *entries,
       size_t n)
{
	for (; n > 0; n--, entries++) {
		const char *const name = *entries + 1;
		const size_t len = strlen(name);
		struct walk_node *node;

		if (**entries != DIRECTORY_BELOW)
			continue;
		node = calloc(1, sizeof(*node) + prefix_len + len);
		if (!node)
			return;
		node->place = *place;
		memcpy(node->below, prefix, prefix_len);
		/* All of the name but its slash. */
		memcpy(node->below + prefix_len, name, len - 1);
		node->next = *at;
		*at = node;
		at = &node->next;
	}
}

/* The next directory to read, or NULL. */
static struct walk_node *
find_next(const struct walkers *walkers)
{
	struct walk_node *node = walkers->first;
	unsigned before = 0;

	for (; node && node->state != WAITS; node = node->next)
		before++;
	if ((before >= WALKERS && walkers->ahead >= WALKERS_AHEAD) ||
	    (before > 0 && walkers->name_bytes >= WALKERS_NAME_BYTES))
		return NULL;
	return node;
}

/* Threads --------------------------------------------------------------------- */

/* Wake or start a thread, if there is something for it and there is one. */
static void
call_next(struct walkers *walkers, void *(*run)(void *))
{
	if ((walkers->idle == 0 && walkers->nthreads == walkers->most) ||
	    !find_next(walkers))
		return;
	if (walkers->idle > 0)
		pthread_cond_signal(&walkers->changed);
	else if (thread_start(&walkers->threads[walkers->nthreads], STACK_BYTES,
			      run, walkers))
		walkers->nthreads++;
	else
		walkers->most = walkers->nthreads;
}

/* The directory has been read: those below it follow it. */
static void
note_read(struct walkers *walkers, struct walk_node *node)
{
	const struct directory *directory = &node->result.directory;
	const size_t len = strlen(node->below);
	struct walk_place place = node->place;
	const uint64_t one = 1;

	node->state = READ;
	walkers->name_bytes += directory->names.capacity;
	if (walkers->is_awaited && node == walkers->first)
		walkers->has_told = write(walkers->wake_fd, &one, 8) == 8;
	place.above = node->result.device;
	/* The slash stands there as long as the names are put together. */
	node->below[len] = '/';
	insert(&node->next, &place, node->below, len + 1, directory->entries,
	       directory->nentries);
	node->below[len] = '\0';
}

static void *
run_walker(void *arg)
{
	struct walkers *walkers = arg;

	pthread_mutex_lock(&walkers->lock);
	while (!walkers->ends) {
		struct walk_node *node = find_next(walkers);

		if (!node) {
			walkers->idle++;
			pthread_cond_wait(&walkers->changed, &walkers->lock);
			walkers->idle--;
			continue;
		}
		node->state = BEING_READ;
		walkers->ahead++;
		call_next(walkers, run_walker);
		pthread_mutex_unlock(&walkers->lock);
		walkers->read(&node->place, node->below, &node->result);
		pthread_mutex_lock(&walkers->lock);
		note_read(walkers, node);
	}
	pthread_mutex_unlock(&walkers->lock);
	return NULL;
}

/* The walk's ------------------------------------------------------------------ */

void
walkers_list(struct walkers *walkers, const struct walk_place *place,
	     const char *prefix, size_t prefix_len,
	     const struct directory *directory)
{
	pthread_mutex_lock(&walkers->lock);
	insert(&walkers->first, place, prefix, prefix_len,
	       directory->entries + directory->next,
	       directory->nentries - directory->next);
	pthread_mutex_unlock(&walkers->lock);
}

/* What to do about the directory, if it is not read yet.  Lock held. */
static enum walk_answer
await(struct walkers *walkers, const char *below)
{
	const struct walk_node *first = walkers->first;
	uint64_t count;

	/* wake_fd may still tell of an earlier directory. */
	if (walkers->has_told && read(walkers->wake_fd, &count, 8) == 8)
		walkers->has_told = false;
	walkers->is_awaited = false;
	if (!first || strcmp(first->below, below) != 0)
		return WALK_ITSELF;
	if (first->state == READ)
		return WALK_TAKEN;
	call_next(walkers, run_walker);
	if (walkers->nthreads == 0) {
		free(take_first(walkers));
		return WALK_ITSELF;
	}
	walkers->is_awaited = true;
	return WALK_LATER;
}

enum walk_answer
walkers_take(struct walkers *walkers, const char *below,
	     struct walk_result *result)
{
	enum walk_answer answer;

	pthread_mutex_lock(&walkers->lock);
	answer = await(walkers, below);
	if (answer == WALK_TAKEN) {
		struct walk_node *node = take_first(walkers);

		*result = node->result;
		walkers->name_bytes -= result->directory.names.capacity;
		free(node);
		/* When there is room for many they are woken. */
		if (--walkers->ahead < WALKERS_AHEAD / 2)
			call_next(walkers, run_walker);
	}
	pthread_mutex_unlock(&walkers->lock);
	return answer;
}

void
walkers_close(struct walkers *walkers)
{
	pthread_mutex_lock(&walkers->lock);
	walkers->ends = true;
	pthread_cond_broadcast(&walkers->changed);
	pthread_mutex_unlock(&walkers->lock);
	for (unsigned i = 0; i < walkers->nthreads; i++)
		pthread_join(walkers->threads[i], NULL);
	while (walkers->first) {
		struct walk_node *node = take_first(walkers);

		if (node->state == READ)
			directory_close(&node->result.directory);
		free(node);
	}
	pthread_cond_destroy(&walkers->changed);
	pthread_mutex_destroy(&walkers->lock);
	close(walkers->wake_fd);
}
