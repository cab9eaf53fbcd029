/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/team.h"

#include <pthread.h>
#include <stdbool.h>

enum { STACK_BYTES = 256 << 10 };

struct member {
	team_part *part;
	void *task;
	unsigned index, n;
	pthread_t thread;
	bool runs; /* on its own thread */
};

static void *
run_member(void *arg)
{
	const struct member *member = arg;

	member->part(member->task, member->index, member->n);
	return NULL;
}

void
team_run(unsigned n, team_part *part, void *task)
{
	struct member members[TEAM_MOST];
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	for (unsigned i = 0; i < n; i++) {
		struct member *member = &members[i];

		*member = (struct member){
			.part = part, .task = task, .index = i, .n = n
		};
		member->runs = i > 0 && pthread_create(&member->thread, &attr,
						       run_member, member) == 0;
	}
	pthread_attr_destroy(&attr);
	for (unsigned i = 0; i < n; i++)
		if (!members[i].runs)
			run_member(&members[i]);
	for (unsigned i = 0; i < n; i++)
		if (members[i].runs)
			pthread_join(members[i].thread, NULL);
}
