/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/base/completion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
completion_offer(const struct completion *completion, size_t len,
		 const char *text, const char *doc)
{
	const char *typed = completion->word + len;

	if (strncmp(text, typed, strlen(typed)) != 0)
		return;
	printf("%.*s%s", (int)len, completion->word, text);
	/* A description has several lines in --help. */
	for (const char *at = doc; at && *at; at++) {
		if (at == doc)
			putchar('\t');
		putchar(*at == '\n' ? ' ' : *at);
	}
	putchar('\n');
}

/* Offer the values of an option, which begin after `len` bytes of the word. */
static void
offer_values(const struct completion *completion, size_t len,
	     const struct option_row *option)
{
	const char *word, *place = NULL;

	if (option->offer) {
		option->offer(completion, len);
		return;
	}
	if (option->words) {
		for (size_t i = 0; (word = option_word(option, i)) != NULL; i++)
			if (*word)
				completion_offer(completion, len, word, NULL);
		return;
	}
	if (strncmp(option->argument, "FILE", 4) == 0)
		place = "file";
	else if (strncmp(option->argument, "DIR", 3) == 0)
		place = "directory";
	if (place)
		printf(":%s %.*s\n", place, (int)len, completion->word);
}

void
completion_offer_words(const struct completion *completion, size_t len,
		       const struct option_row *table)
{
	const char *comma = strrchr(completion->word + len, ',');
	const char *at = comma ? comma + 1 : completion->word + len;
	const size_t name_len = strcspn(at, "=");
	const struct option_row *named = option_find(table, at, name_len);
	char text[64];

	len = (size_t)(at - completion->word);
	if (at[name_len] && named && named->argument) {
		offer_values(completion, len + name_len + 1, named);
		return;
	}
	for (const struct option_row *row = table; row->name; row++) {
		snprintf(text, sizeof(text), "%s%s", row->name,
			 row->argument ? "=" : "");
		completion_offer(completion, len, text, row->doc);
	}
}

/* Offer all options, for a word that begins with a dash. */
static void
offer_options(const struct completion *completion,
	      const struct option_row *const *tables)
{
	char text[64];

	for (; *tables; tables++)
		for (const struct option_row *row = *tables; row->name; row++) {
			if (!row->doc)
				continue;
			snprintf(text, sizeof(text), "--%s%s", row->name,
				 row->argument && !row->alone ? "=" : "");
			completion_offer(completion, 0, text, row->doc);
			snprintf(text, sizeof(text), "-%c", row->letter);
			if (row->letter)
				completion_offer(completion, 0, text, row->doc);
		}
}

/* Find the option that a word names, long or short.  Return NULL if there is none. */
static const struct option_row *
find_option(const struct option_row *const *tables, const char *word)
{
	const struct option_row *found = NULL;

	for (; *tables && !found; tables++)
		if (word[0] == '-' && word[1] == '-')
			found = option_find(*tables, word + 2,
					    strcspn(word + 2, "="));
		else
			for (const struct option_row *row = *tables; row->name;
			     row++)
				if (row->letter && word[1] == row->letter &&
				    !word[2])
					found = row;
	return found;
}

bool
completion_is_asked(int argc, char **argv)
{
	return argc > 2 && strcmp(argv[1], "--completion") == 0;
}

int
completion_answer(const struct option_row *const *tables, bool in_order,
		  int argc, char **argv)
{
	const struct completion completion = { .word = argv[argc - 1] };
	const struct option_row *option = NULL;
	const char *word = completion.word;
	bool options_ended = false;
	int i;

	for (i = 2; i < argc - 1; i++) {
		if (option) {
			option = NULL; /* this is its value */
		} else if (options_ended || argv[i][0] != '-' || !argv[i][1]) {
			if (in_order)
				break;
		} else if (strcmp(argv[i], "--") == 0) {
			options_ended = true;
		} else {
			option = find_option(tables, argv[i]);
			/* Keep it if its value follows in the next word. */
			if (option && (!option->argument || option->alone ||
				       strchr(argv[i], '=')))
				option = NULL;
		}
	}
	if (option) {
		offer_values(&completion, 0, option);
	} else if (i < argc - 1 || options_ended || *word != '-') {
		if (in_order)
			printf(":words %d\n", i - 2);
		else
			puts(":file ");
	} else if (strchr(word, '=')) {
		option = find_option(tables, word);
		if (option && option->argument)
			offer_values(&completion, strcspn(word, "=") + 1,
				     option);
	} else {
		offer_options(&completion, tables);
	}
	return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
