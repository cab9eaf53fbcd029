/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/finished.h"

#include "src/lanes/sequencer.h"

void
finished_init(struct finished *finished, struct sequencer *sequencer)
{
	finished->sequencer = sequencer;
	finished->n = 0;
	finished->ended = 0;
	pthread_mutex_init(&finished->lock, NULL);
}

void
finished_destroy(struct finished *finished)
{
	pthread_mutex_destroy(&finished->lock);
}

void
finished_publish(struct finished *finished)
{
	if (finished->n > 0)
		sequencer_publish(finished->sequencer, finished->jobs,
				  finished->n);
	finished->n = 0;
}

void
finished_add(struct finished *finished, struct job *job)
{
	pthread_mutex_lock(&finished->lock);
	finished->jobs[finished->n++] = job;
	finished->ended++;
	if (finished->n == FINISHED_JOBS)
		finished_publish(finished);
	pthread_mutex_unlock(&finished->lock);
}
