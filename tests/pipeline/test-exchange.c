/* SPDX-License-Identifier: MIT */
/*
 * Promise: the exchange offers lanes to idle workers only, each lane to one of
 * them, and says when a waiting worker has to look again.
 */
#include "config.h"

#include "src/lanes/exchange.h"

#include "tests/support/tap.h"

static struct exchange exchange;

static void
test_workers(void)
{
	exchange_init(&exchange, 2);
	ok(exchange_add_worker(&exchange) == 0 &&
		   exchange_add_worker(&exchange) == 1 &&
		   exchange_add_worker(&exchange) == -1,
	   "there are as many workers as allowed");
	exchange_init(&exchange, EXCHANGE_WORKERS + 1);
	for (int i = 0; i < EXCHANGE_WORKERS; i++)
		exchange_add_worker(&exchange);
	ok(exchange_add_worker(&exchange) == -1,
	   "and never more than there is room for");
}

static void
test_busy(void)
{
	exchange_init(&exchange, 2);
	exchange_add_worker(&exchange);
	exchange_add_worker(&exchange);
	exchange_set_busy(&exchange, 0, 3);
	ok(exchange_others_are_busy(&exchange, 1) &&
		   !exchange_others_are_busy(&exchange, 0),
	   "a worker's own jobs do not count as those of others");
	ok(!exchange_set_busy(&exchange, 0, 2) &&
		   exchange_set_busy(&exchange, 0, 0) &&
		   !exchange_set_busy(&exchange, 0, 0),
	   "the end of the last of its jobs is told, once");
}

static void
test_lanes(void)
{
	int places[EXCHANGE_OFFERS + 1] = { 0 }; /* how often accepted */
	void *lanes[EXCHANGE_OFFERS + 1];
	bool all = true;

	for (int i = 0; i <= EXCHANGE_OFFERS; i++)
		lanes[i] = &places[i];
	exchange_init(&exchange, 3);
	for (int i = 0; i < 3; i++)
		exchange_add_worker(&exchange);
	exchange_set_busy(&exchange, 0, 100);
	ok(!exchange_wants_lanes(&exchange) &&
		   !exchange_offer(&exchange, 0, lanes, 1) &&
		   exchange.busy[0] == 100,
	   "without an idle worker the lanes stay where they are");
	exchange.idle = 1;
	ok(!exchange_offer(&exchange, 0, lanes, EXCHANGE_OFFERS + 1),
	   "more lanes than there is room for are not accepted");
	ok(exchange_offer(&exchange, 0, lanes, EXCHANGE_OFFERS) &&
		   exchange.busy[0] == 100 - EXCHANGE_OFFERS,
	   "lanes on offer are no longer those of the worker");
	ok(!exchange_wants_lanes(&exchange) &&
		   !exchange_offer(&exchange, 0, lanes, 1),
	   "one idle worker wants lanes once");
	for (int i = 0; i < EXCHANGE_OFFERS; i++) {
		int *place = exchange_accept(&exchange, 1 + i % 2);

		all = all && place && ++*place == 1;
	}
	ok(all && !exchange_accept(&exchange, 1),
	   "each lane is accepted by one worker");
	ok(exchange.busy[1] == EXCHANGE_OFFERS / 2 &&
		   exchange.busy[2] == EXCHANGE_OFFERS / 2,
	   "and is then one of its own");
}

static void
test_starving(void)
{
	int place;
	void *lane = &place;

	exchange_init(&exchange, 2);
	exchange_add_worker(&exchange);
	exchange_add_worker(&exchange);
	exchange_set_busy(&exchange, 0, 1);
	ok(!exchange_starve(&exchange, 0, 0) &&
		   !exchange_end_starving(&exchange),
	   "a worker does not wait for descriptors of its own");
	ok(exchange_starve(&exchange, 0, 0),
	   "it tries again if one has been closed since it tried");
	ok(!exchange_starve(&exchange, 0, exchange.closings),
	   "and then it gives up");
	exchange_set_busy(&exchange, 1, 1);
	ok(exchange_starve(&exchange, 0, exchange.closings),
	   "it waits for those of others");
	ok(exchange_end_starving(&exchange) &&
		   !exchange_end_starving(&exchange),
	   "a job that ends wakes it, once");
	exchange_starve(&exchange, 0, exchange.closings);
	exchange_set_busy(&exchange, 1, 0);
	ok(exchange_starve(&exchange, 0, exchange.closings - 1) &&
		   !exchange_starve(&exchange, 0, exchange.closings),
	   "which has closed its last descriptor");
	exchange.idle = 1;
	exchange_offer(&exchange, 0, &lane, 1);
	ok(exchange_starve(&exchange, 0, exchange.closings),
	   "a lane on offer holds a descriptor, too");
}

int
main(void)
{
	test_workers();
	test_busy();
	test_lanes();
	test_starving();
	return tap_done();
}
