/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/team.h"

#include <stdbool.h>

#include "src/base/thread.h"

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

	for (unsigned i = 0; i < n; i++) {
		struct member *member = &members[i];

		*member = (struct member){
			.part = part, .task = task, .index = i, .n = n
		};
		member->runs = i > 0 &&
			       thread_start(&member->thread, STACK_BYTES,
					    run_member, member);
	}
	for (unsigned i = 0; i < n; i++)
		if (!members[i].runs)
			run_member(&members[i]);
	for (unsigned i = 0; i < n; i++)
		if (members[i].runs)
			pthread_join(members[i].thread, NULL);
}
