/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/mount.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *
open_below(const char *root, const char *format, int number)
{
	char name[64], path[PATH_MAX];
	int len;

	snprintf(name, sizeof(name), format, number);
	len = snprintf(path, sizeof(path), "%s/proc/self/%s", root, name);
	if (len < 0 || (size_t)len >= sizeof(path))
		return NULL;
	return fopen(path, "re");
}

/* The number of the mount that the file is on, or -1. */
static long
find_number(const char *root, int fd)
{
	FILE *info = open_below(root, "fdinfo/%d", fd);
	char line[128];
	long number = -1;

	if (!info)
		return -1;
	while (number < 0 && fgets(line, sizeof(line), info))
		if (sscanf(line, "mnt_id: %ld", &number) != 1)
			number = -1;
	fclose(info);
	return number;
}

static bool
is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* Blanks, newlines and backslashes are written as \040, \012 and so on. */
static void
unescape(char *string)
{
	char *to = string;

	for (const char *from = string; *from;) {
		if (from[0] == '\\' && is_octal(from[1]) && is_octal(from[2]) &&
		    is_octal(from[3])) {
			*to++ = (char)((from[1] - '0') << 6 |
				       (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

/* Cut off the next word of a line; "" at its end. */
static char *
take_word(char **rest)
{
	char *word = *rest;
	const size_t len = strcspn(word, " \n");

	*rest = word + len + (word[len] != '\0');
	word[len] = '\0';
	unescape(word);
	return word;
}

/*
 * "NUMBER PARENT MAJOR:MINOR ROOT POINT OPTIONS [TAG...] - TYPE SOURCE
 * OPTIONS": no word has a blank.
 */
static bool
parse(struct mount *mount, long number)
{
	char *rest = strstr(mount->line, " - ");

	if (!rest || strtol(mount->line, NULL, 10) != number)
		return false;
	rest += 3;
	mount->type = take_word(&rest);
	mount->source = take_word(&rest);
	mount->options = take_word(&rest);
	return true;
}

bool
mount_find(const char *root, int fd, struct mount *mount)
{
	const long number = find_number(root, fd);
	FILE *mounts = NULL;
	bool found = false;
	size_t size = 0;

	*mount = (struct mount){ .line = NULL };
	if (number >= 0)
		mounts = open_below(root, "mountinfo", 0);
	if (!mounts)
		return false;
	while (!found && getline(&mount->line, &size, mounts) > 0)
		found = parse(mount, number);
	fclose(mounts);
	if (!found)
		mount_free(mount);
	return found;
}

void
mount_free(struct mount *mount)
{
	free(mount->line);
	*mount = (struct mount){ .line = NULL };
}
