/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/base/thread.h"

enum { TEAM_STACK_BYTES = 256 << 10 };

void
thread_block_signals(sigset_t *before)
{
	static const int crashes[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL,
				       SIGSEGV, SIGSYS, SIGTRAP };
	sigset_t blocked;

	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		sigdelset(&blocked, crashes[i]);
	pthread_sigmask(SIG_BLOCK, &blocked, before);
}

bool
thread_start(pthread_t *thread, size_t stack_bytes, void *(*run)(void *),
	     void *data)
{
	pthread_attr_t attr;
	bool started;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, stack_bytes);
	started = pthread_create(thread, &attr, run, data) == 0;
	pthread_attr_destroy(&attr);
	return started;
}

struct member {
	thread_part *part;
	void *task;
	unsigned index, n;
	pthread_t thread;
	bool has_thread;
};

static void *
run_member(void *arg)
{
	const struct member *member = arg;

	member->part(member->task, member->index, member->n);
	return NULL;
}

void
thread_team(unsigned n, thread_part *part, void *task)
{
	struct member members[THREAD_TEAM];

	for (unsigned i = 0; i < n; i++) {
		struct member *member = &members[i];

		*member = (struct member){
			.part = part, .task = task, .index = i, .n = n
		};
		member->has_thread = i > 0 && thread_start(&member->thread,
							   TEAM_STACK_BYTES,
							   run_member, member);
	}
	for (unsigned i = 0; i < n; i++)
		if (!members[i].has_thread)
			run_member(&members[i]);
	for (unsigned i = 0; i < n; i++)
		if (members[i].has_thread)
			pthread_join(members[i].thread, NULL);
}
