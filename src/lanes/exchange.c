/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/exchange.h"

#include <stddef.h>

void
exchange_init(struct exchange *exchange, unsigned max_workers)
{
	*exchange = (struct exchange){ .max_workers = max_workers };
	if (max_workers > EXCHANGE_WORKERS)
		exchange->max_workers = EXCHANGE_WORKERS;
}

int
exchange_add_worker(struct exchange *exchange)
{
	if (exchange->workers == exchange->max_workers)
		return -1;
	return (int)exchange->workers++;
}

bool
exchange_set_busy(struct exchange *exchange, unsigned worker, unsigned busy)
{
	const bool ends = busy == 0 && exchange->busy[worker] > 0;

	exchange->busy[worker] = busy;
	exchange->closings += ends;
	return ends;
}

bool
exchange_others_are_busy(const struct exchange *exchange, unsigned worker)
{
	for (unsigned other = 0; other < exchange->workers; other++)
		if (other != worker && exchange->busy[other] > 0)
			return true;
	return false;
}

bool
exchange_wants_lanes(const struct exchange *exchange)
{
	return exchange->idle > exchange->noffers;
}

bool
exchange_offer(struct exchange *exchange, unsigned worker, void **lanes,
	       unsigned n)
{
	if (!exchange_wants_lanes(exchange) ||
	    exchange->noffers + n > EXCHANGE_OFFERS)
		return false;
	for (unsigned i = 0; i < n; i++)
		exchange->offers[exchange->noffers++] = lanes[i];
	exchange->busy[worker] -= n;
	return true;
}

void *
exchange_accept(struct exchange *exchange, unsigned worker)
{
	if (exchange->noffers == 0)
		return NULL;
	exchange->busy[worker]++;
	return exchange->offers[--exchange->noffers];
}

bool
exchange_starve(struct exchange *exchange, unsigned worker, uint64_t closings)
{
	exchange->starving = exchange_others_are_busy(exchange, worker) ||
			     exchange->noffers > 0 ||
			     exchange->closings != closings;
	return exchange->starving;
}

bool
exchange_end_starving(struct exchange *exchange)
{
	const bool wake = exchange->starving;

	exchange->starving = false;
	exchange->closings++;
	return wake;
}
