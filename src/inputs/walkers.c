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

enum node_state { LISTS, BEING_READ, READ };

struct walk_node {
	struct walk_node *next;
	enum node_state state;
	struct walk_place place;
	union {
		struct walk_result result;
		/* It lists these entries of a directory; the first one is a
		 * directory. */
		struct {
			const char *const *entries;
			size_t n;
		} list;
	};
	char below[]; /* its path; of a list with a '/', or "" */
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
	return true;
}

/* The list; lock held ------------------------------------------------------- */

static struct walk_node *
new_node(enum node_state state, const struct walk_place *place,
	 const char *prefix, size_t prefix_len, const char *name,
	 size_t name_len)
{
	struct walk_node *node =
		malloc(sizeof(*node) + prefix_len + name_len + 1);

	if (!node)
		return NULL;
	*node = (struct walk_node){ .state = state, .place = *place };
	memcpy(node->below, prefix, prefix_len);
	memcpy(node->below + prefix_len, name, name_len);
	node->below[prefix_len + name_len] = '\0';
	return node;
}

static void
insert(struct walk_node **at, struct walk_node *node)
{
	node->next = *at;
	*at = node;
}

static struct walk_node *
take_out(struct walk_node **at)
{
	struct walk_node *node = *at;

	*at = node->next;
	return node;
}

/* Insert a list of the directories among these entries, if there are any. */
static void
insert_list(struct walk_node **at, const struct walk_place *place,
	    const char *prefix, size_t prefix_len, const char *slash,
	    const char *const *entries, size_t n)
{
	struct walk_node *list;

	for (; n > 0 && entries[0][0] != DIRECTORY_BELOW; n--)
		entries++;
	if (n == 0)
		return;
	list = new_node(LISTS, place, prefix, prefix_len, slash, strlen(slash));
	if (!list)
		return;
	list->list.entries = entries;
	list->list.n = n;
	insert(at, list);
}

/* The name of the first directory of a list, and its length without the '/'. */
static const char *
first_name(const struct walk_node *list, size_t *len)
{
	const char *name = list->list.entries[0] + 1;

	*len = strlen(name) - 1;
	return name;
}

/* Take the first directory out of a list, which goes away with its last. */
static void
shorten(struct walk_node **at)
{
	struct walk_node *list = *at;

	do {
		list->list.entries++;
		list->list.n--;
	} while (list->list.n > 0 &&
		 list->list.entries[0][0] != DIRECTORY_BELOW);
	if (list->list.n == 0)
		free(take_out(at));
}

/* The first list, if there is room for what is in it; else NULL. */
static struct walk_node **
find_list(struct walkers *walkers)
{
	struct walk_node **at = &walkers->first;
	unsigned before = 0;

	for (; *at && (*at)->state != LISTS; at = &(*at)->next)
		before++;
	if (!*at || (before >= WALKERS && walkers->ahead >= WALKERS_AHEAD) ||
	    (before > 0 && walkers->name_bytes >= WALKERS_NAME_BYTES))
		return NULL;
	return at;
}

/* Take the next directory to read out of its list; NULL: there is none. */
static struct walk_node *
begin_next(struct walkers *walkers)
{
	struct walk_node *node = NULL, **at;

	while (!node && (at = find_list(walkers)) != NULL) {
		const struct walk_node *list = *at;
		size_t len;
		const char *name = first_name(list, &len);

		node = new_node(BEING_READ, &list->place, list->below,
				strlen(list->below), name, len);
		shorten(at);
		if (node)
			insert(at, node);
	}
	walkers->ahead += node != NULL;
	return node;
}

/* Threads --------------------------------------------------------------------- */

/* Wake or start a thread, if there is something for it and there is one. */
static void
call_next(struct walkers *walkers, void *(*run)(void *))
{
	if ((walkers->idle == 0 && walkers->nthreads == walkers->most) ||
	    !find_list(walkers))
		return;
	if (walkers->idle > 0)
		pthread_cond_signal(&walkers->changed);
	else if (thread_start(&walkers->threads[walkers->nthreads], STACK_BYTES,
			      run, walkers))
		walkers->nthreads++;
	else
		walkers->most = walkers->nthreads;
}

static void
note_read(struct walkers *walkers, struct walk_node *node)
{
	const struct directory *directory = &node->result.directory;
	struct walk_place place = node->place;
	const uint64_t one = 1;

	node->state = READ;
	walkers->name_bytes += directory->names.capacity;
	if (walkers->is_awaited && node == walkers->first)
		walkers->has_told = write(walkers->wake_fd, &one, 8) == 8;
	place.above = node->result.device;
	insert_list(&node->next, &place, node->below, strlen(node->below), "/",
		    directory->entries, directory->nentries);
}

static void *
run_walker(void *arg)
{
	struct walkers *walkers = arg;

	pthread_mutex_lock(&walkers->lock);
	while (!walkers->ends) {
		struct walk_node *node = begin_next(walkers);

		if (!node) {
			walkers->idle++;
			pthread_cond_wait(&walkers->changed, &walkers->lock);
			walkers->idle--;
			continue;
		}
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
	insert_list(&walkers->first, place, prefix, prefix_len, "",
		    directory->entries + directory->next,
		    directory->nentries - directory->next);
	pthread_mutex_unlock(&walkers->lock);
}

/* Is this the first directory of a list? */
static bool
is_first_of(const struct walk_node *list, const char *below)
{
	const size_t prefix_len = strlen(list->below);
	size_t len;
	const char *name = first_name(list, &len);

	return strncmp(below, list->below, prefix_len) == 0 &&
	       strncmp(below + prefix_len, name, len) == 0 &&
	       below[prefix_len + len] == '\0';
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
	if (!first || (first->state == LISTS ? !is_first_of(first, below) :
					       strcmp(first->below, below)))
		return WALK_ITSELF;
	if (first->state == READ)
		return WALK_TAKEN;
	call_next(walkers, run_walker);
	if (walkers->nthreads == 0) {
		shorten(&walkers->first);
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
		struct walk_node *node = take_out(&walkers->first);

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
		struct walk_node *node = take_out(&walkers->first);

		if (node->state == READ)
			directory_close(&node->result.directory);
		free(node);
	}
	pthread_cond_destroy(&walkers->changed);
	pthread_mutex_destroy(&walkers->lock);
	close(walkers->wake_fd);
}
