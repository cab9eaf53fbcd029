/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/feed/offers.h"

void
offers_add(struct offers *offers, struct message *message, bool for_lane)
{
	message->for_lane = for_lane;
	message->next = offers->first;
	offers->first = message;
}

void
offers_sum(const struct offers *offers, struct amount *sum)
{
	for (const struct message *at = offers->first; at; at = at->next)
		amount_add(sum, message_blocks_left(at));
}

/* Does it wait for an idle lane, which can still finish it in time? */
static bool
is_for_lane(const struct offers *offers, const struct message *message)
{
	return message->for_lane &&
	       message_blocks_left(message) <= offers->lane_capacity;
}

bool
offers_want_worker(const struct offers *offers)
{
	const struct message *at = offers->first;

	while (at && is_for_lane(offers, at))
		at = at->next;
	return at;
}

static struct message *
take(struct message **at)
{
	struct message *message = *at;

	if (message)
		*at = message->next;
	return message;
}

struct message *
offers_take_for_worker(struct offers *offers, enum job_supply_need need,
		       uint64_t head, bool has_enough)
{
	struct message *none = NULL, **best = &none;

	for (struct message **at = &offers->first; *at; at = &(*at)->next) {
		const struct message *message = *at;
		bool fits = need == SUPPLY_NO_DESCRIPTOR ||
			    (!has_enough && !is_for_lane(offers, message));

		if (message->reader.must_be_oldest)
			fits = message->job->seq == head;
		if (fits && (!*best || message_blocks_left(message) >
					       message_blocks_left(*best)))
			best = at;
	}
	return take(best);
}

bool
offers_want_lane(const struct offers *offers)
{
	const struct message *at = offers->first;

	while (at && !is_for_lane(offers, at))
		at = at->next;
	return at;
}

struct message *
offers_take_for_lane(struct offers *offers)
{
	struct message **at = &offers->first;

	while (*at && !is_for_lane(offers, *at))
		at = &(*at)->next;
	return take(at);
}
