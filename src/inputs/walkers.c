/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/walkers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct walk_node {
	struct walk_node *next;
	enum { WAITS, BEING_READ, READ } state;
	struct walk_position position;
	struct walk_result result;
	char below[]; /* its path */
};

bool
walkers_init(struct walkers *walkers, struct pool *pool, walk_read *read)
{
	*walkers = (struct walkers){ .pool = pool, .read = read };
	walkers->wake_fd = pool_has_thread(pool) ?
				   eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) :
				   -1;
	if (walkers->wake_fd < 0)
		return false;
	pthread_mutex_init(&walkers->lock, NULL);
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
insert(struct walk_node **at, const struct walk_position *position,
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
		node->position = *position;
		memcpy(node->below, prefix, prefix_len);
		/* All of the name but its slash. */
		memcpy(node->below + prefix_len, name, len - 1);
		node->next = *at;
		*at = node;
		at = &node->next;
	}
}

/* Return the next directory to read, or NULL. */
static struct walk_node *
find_next(const struct walkers *walkers)
{
	struct walk_node *node = walkers->first;
	unsigned before = 0;

	for (; node && node->state != WAITS; node = node->next)
		before++;
	if ((before >= WALKERS && walkers->started >= WALKERS_MAX_STARTED) ||
	    (before > 0 && walkers->name_bytes >= WALKERS_NAME_BYTES))
		return NULL;
	return node;
}

/* Tasks ----------------------------------------------------------------------- */

/* Post a free walker, if there is a directory for it.  Return false without
 * a thread. */
static bool
call_next(struct walkers *walkers, void (*run)(struct task *))
{
	struct walker *walker = walkers->walkers;

	while (walker < walkers->walkers + WALKERS && walker->is_posted)
		walker++;
	if (walker == walkers->walkers + WALKERS || walkers->ends ||
	    !find_next(walkers))
		return true;
	walker->walkers = walkers;
	walker->task.run = run;
	walker->is_posted = pool_post(walkers->pool, &walker->task);
	return walker->is_posted;
}

/* Note that the directory has been read: the ones below follow it. */
static void
note_read(struct walkers *walkers, struct walk_node *node)
{
	const struct directory *directory = &node->result.directory;
	const size_t len = strlen(node->below);
	struct walk_position position = node->position;
	const uint64_t one = 1;

	node->state = READ;
	walkers->name_bytes += directory->names.capacity;
	if (walkers->is_awaited && node == walkers->first)
		walkers->has_told = write(walkers->wake_fd, &one, 8) == 8;
	position.above = node->result.device;
	/* The slash stands there as long as the names are put together. */
	node->below[len] = '/';
	insert(&node->next, &position, node->below, len + 1, directory->entries,
	       directory->nentries);
	node->below[len] = '\0';
}

/* Read the next directory, and go on with another task while there is one. */
static void
run_walker(struct task *task)
{
	struct walker *walker = (struct walker *)task;
	struct walkers *walkers = walker->walkers;
	struct walk_node *node;

	pthread_mutex_lock(&walkers->lock);
	node = walkers->ends ? NULL : find_next(walkers);
	if (node) {
		node->state = BEING_READ;
		walkers->started++;
		call_next(walkers, run_walker);
		pthread_mutex_unlock(&walkers->lock);
		walkers->read(&node->position, node->below, &node->result);
		pthread_mutex_lock(&walkers->lock);
		note_read(walkers, node);
	}
	walker->is_posted = false;
	call_next(walkers, run_walker);
	pthread_mutex_unlock(&walkers->lock);
}

/* The walk's ------------------------------------------------------------------ */

void
walkers_list(struct walkers *walkers, const struct walk_position *position,
	     const char *prefix, size_t prefix_len,
	     const struct directory *directory)
{
	pthread_mutex_lock(&walkers->lock);
	insert(&walkers->first, position, prefix, prefix_len,
	       directory->entries + directory->next,
	       directory->nentries - directory->next);
	pthread_mutex_unlock(&walkers->lock);
}

/* Decide what to do about the directory, if it is not read yet.  Lock held. */
static enum walkers_result
await(struct walkers *walkers, const char *below)
{
	const struct walk_node *first = walkers->first;
	uint64_t count;

	/* wake_fd may still be readable for an earlier directory. */
	if (walkers->has_told && read(walkers->wake_fd, &count, 8) == 8)
		walkers->has_told = false;
	walkers->is_awaited = false;
	if (!first || strcmp(first->below, below) != 0)
		return WALK_ITSELF;
	if (first->state == READ)
		return WALK_TAKEN;
	if (!call_next(walkers, run_walker)) {
		free(take_first(walkers));
		return WALK_ITSELF;
	}
	walkers->is_awaited = true;
	return WALK_LATER;
}

enum walkers_result
walkers_take(struct walkers *walkers, const char *below,
	     struct walk_result *result)
{
	enum walkers_result answer;

	pthread_mutex_lock(&walkers->lock);
	answer = await(walkers, below);
	if (answer == WALK_TAKEN) {
		struct walk_node *node = take_first(walkers);

		*result = node->result;
		walkers->name_bytes -= result->directory.names.capacity;
		free(node);
		/* When there is room for many they are woken. */
		if (--walkers->started < WALKERS_MAX_STARTED / 2)
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
	pthread_mutex_unlock(&walkers->lock);
	for (unsigned i = 0; i < WALKERS; i++)
		pool_recall(walkers->pool, &walkers->walkers[i].task);
	while (walkers->first) {
		struct walk_node *node = take_first(walkers);

		if (node->state == READ)
			directory_close(&node->result.directory);
		free(node);
	}
	pthread_mutex_destroy(&walkers->lock);
	close(walkers->wake_fd);
}
