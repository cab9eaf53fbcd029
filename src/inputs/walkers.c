/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/walkers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "src/base/descriptor.h"
#include "src/base/thread.h"

enum { STACK_BYTES = 128 << 10 };

enum node_state { TO_READ, BEING_READ, READ, FORGOTTEN };

struct walk_node {
	struct walk_node *next;
	enum node_state state;
	bool is_awaited; /* by the walk */
	struct walk_place place;
	struct walk_result result;
	char below[]; /* its path, without a '/' at its end */
};

bool
walkers_init(struct walkers *walkers, walk_read *read)
{
	enum { SHARE = 8 };
	struct rlimit limit = { .rlim_cur = 0 };

	*walkers = (struct walkers){ .read = read, .most = WALKERS };
	getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur / SHARE < WALKERS)
		walkers->most = (unsigned)limit.rlim_cur / SHARE;
	walkers->wake_fd = walkers->most < 2 ?
				   -1 :
				   descriptor_raise(eventfd(
					   0, EFD_CLOEXEC | EFD_NONBLOCK));
	if (walkers->wake_fd < 0)
		return false;
	pthread_mutex_init(&walkers->lock, NULL);
	pthread_cond_init(&walkers->changed, NULL);
	pthread_cond_init(&walkers->read_all, NULL);
	return true;
}

/* The list; lock held ------------------------------------------------------- */

static struct walk_node *
new_node(const struct walk_place *place, const char *prefix, const char *name)
{
	const size_t prefix_len = strlen(prefix);
	/* Without the '/' at its end. */
	const size_t len = strlen(name) - 1;
	struct walk_node *node = malloc(sizeof(*node) + prefix_len + len + 1);

	if (!node)
		return NULL;
	*node = (struct walk_node){ .place = *place };
	memcpy(node->below, prefix, prefix_len);
	memcpy(node->below + prefix_len, name, len);
	node->below[prefix_len + len] = '\0';
	return node;
}

static void
free_node(struct walk_node *node)
{
	directory_close(&node->result.directory);
	free(node);
}

/* Insert the directories of `directory` at *at: at most n. */
static bool
insert(struct walkers *walkers, struct walk_node **at,
       const struct walk_place *place, const char *prefix,
       const struct directory *directory, size_t from, unsigned n)
{
	for (size_t i = from; i < directory->nentries && n > 0; i++) {
		struct walk_node *node;

		if (directory->entries[i][0] != DIRECTORY_BELOW)
			continue;
		node = new_node(place, prefix, directory->entries[i] + 1);
		if (!node)
			return false;
		node->next = *at;
		*at = node;
		at = &node->next;
		walkers->listed++;
		n--;
	}
	return true;
}

/* Wake as many threads as there is something more for. */
static void
wake(struct walkers *walkers, unsigned n)
{
	if (n > walkers->idle)
		n = walkers->idle;
	while (n-- > 0)
		pthread_cond_signal(&walkers->changed);
}

/* The first one that is to be read, if there is room for its names. */
static struct walk_node *
find_unread(const struct walkers *walkers)
{
	struct walk_node *node = walkers->first;

	if (node && node->state != TO_READ &&
	    walkers->name_bytes >= WALKERS_NAME_BYTES)
		return NULL;
	while (node && node->state != TO_READ)
		node = node->next;
	return node;
}

/* Threads --------------------------------------------------------------------- */

/* It was read; those below it follow it, if there is room for all. */
static void
note_read(struct walkers *walkers, struct walk_node *node)
{
	const struct directory *directory = &node->result.directory;
	struct walk_place place = node->place;
	const uint64_t one = 1;
	unsigned n = 0;
	char *prefix;

	node->state = READ;
	walkers->name_bytes += directory->names.capacity;
	if (node->is_awaited && write(walkers->wake_fd, &one, 8) != 8)
		node->is_awaited = false;
	for (size_t i = 0; i < directory->nentries; i++)
		n += directory->entries[i][0] == DIRECTORY_BELOW;
	if (node->result.error || n == 0 ||
	    n + walkers->listed > WALKERS_LISTED)
		return;
	prefix = malloc(strlen(node->below) + 2);
	if (!prefix)
		return;
	strcat(strcpy(prefix, node->below), "/");
	place.above = node->result.device;
	insert(walkers, &node->next, &place, prefix, directory, 0, n);
	free(prefix);
	wake(walkers, n);
}

static void *
run_walker(void *arg)
{
	struct walkers *walkers = arg;

	pthread_mutex_lock(&walkers->lock);
	while (!walkers->ends) {
		struct walk_node *node = find_unread(walkers);

		if (!node) {
			walkers->idle++;
			pthread_cond_wait(&walkers->changed, &walkers->lock);
			walkers->idle--;
			continue;
		}
		node->state = BEING_READ;
		walkers->reading++;
		pthread_mutex_unlock(&walkers->lock);
		walkers->read(&node->place, node->below, &node->result);
		pthread_mutex_lock(&walkers->lock);
		walkers->reading--;
		if (node->state == BEING_READ)
			note_read(walkers, node);
		else
			free_node(node);
		if (walkers->reading == 0)
			pthread_cond_signal(&walkers->read_all);
	}
	pthread_mutex_unlock(&walkers->lock);
	return NULL;
}

/* A thread for each directory in the list, as far as there are any. */
static bool
start_threads(struct walkers *walkers)
{
	while (walkers->nthreads < walkers->most &&
	       walkers->nthreads < walkers->listed) {
		if (!thread_start(&walkers->threads[walkers->nthreads],
				  STACK_BYTES, run_walker, walkers)) {
			walkers->most = walkers->nthreads;
			break;
		}
		walkers->nthreads++;
	}
	return walkers->nthreads > 0;
}

/* The walk's ------------------------------------------------------------------ */

bool
walkers_insert(struct walkers *walkers, const struct walk_place *place,
	       const char *prefix, const struct directory *directory,
	       size_t from)
{
	unsigned room = 0;
	bool good;

	pthread_mutex_lock(&walkers->lock);
	/* The other half is for those below them. */
	if (walkers->listed < WALKERS_LISTED)
		room = (WALKERS_LISTED - walkers->listed) / 2;
	good = insert(walkers, &walkers->first, place, prefix, directory, from,
		      room < WALKERS ? WALKERS : room) &&
	       start_threads(walkers);
	wake(walkers, walkers->listed);
	pthread_mutex_unlock(&walkers->lock);
	return good;
}

enum walk_answer
walkers_take(struct walkers *walkers, const char *below,
	     struct walk_result *result)
{
	enum walk_answer answer = WALK_UNKNOWN;
	struct walk_node *node;
	uint64_t count;

	pthread_mutex_lock(&walkers->lock);
	node = walkers->first;
	if (node && strcmp(node->below, below) == 0) {
		answer = node->state == READ ? WALK_TAKEN : WALK_LATER;
		/* Whatever it tells is about an earlier one. */
		if (read(walkers->wake_fd, &count, 8) != 8)
			count = 0;
		node->is_awaited = true;
	}
	if (answer == WALK_TAKEN) {
		*result = node->result;
		walkers->first = node->next;
		walkers->listed--;
		if (walkers->name_bytes >= WALKERS_NAME_BYTES)
			wake(walkers, walkers->listed);
		walkers->name_bytes -= result->directory.names.capacity;
		free(node);
	}
	start_threads(walkers);
	pthread_mutex_unlock(&walkers->lock);
	return answer;
}

void
walkers_forget(struct walkers *walkers)
{
	struct walk_node *node;

	pthread_mutex_lock(&walkers->lock);
	while ((node = walkers->first) != NULL) {
		walkers->first = node->next;
		if (node->state == BEING_READ)
			node->state = FORGOTTEN;
		else
			free_node(node);
	}
	walkers->listed = 0;
	walkers->name_bytes = 0;
	while (walkers->reading > 0)
		pthread_cond_wait(&walkers->read_all, &walkers->lock);
	pthread_mutex_unlock(&walkers->lock);
}

void
walkers_close(struct walkers *walkers)
{
	walkers_forget(walkers);
	pthread_mutex_lock(&walkers->lock);
	walkers->ends = true;
	pthread_cond_broadcast(&walkers->changed);
	pthread_mutex_unlock(&walkers->lock);
	for (unsigned i = 0; i < walkers->nthreads; i++)
		pthread_join(walkers->threads[i], NULL);
	pthread_cond_destroy(&walkers->read_all);
	pthread_cond_destroy(&walkers->changed);
	pthread_mutex_destroy(&walkers->lock);
	close(walkers->wake_fd);
}
