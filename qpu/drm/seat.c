/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/drm/seat.h"

#include <stdio.h>
#include <string.h>

enum { VALUE_BYTES = 64, PATH_BYTES = 1024 };

/* The value of a line "NAME=value" of a file.  False: it has none. */
static bool
read_value(const char *path, const char *name, char value[VALUE_BYTES])
{
	const size_t len = strlen(name);
	FILE *file = fopen(path, "re");
	char line[256];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		found = strncmp(line, name, len) == 0 && line[len] == '=' &&
			strlen(line + len + 1) < VALUE_BYTES;
	}
	if (found)
		strcpy(value, line + len + 1);
	if (file)
		fclose(file);
	return found;
}

bool
seat_has_desktop(const char *root)
{
	char path[PATH_BYTES], session[VALUE_BYTES], value[VALUE_BYTES];

	snprintf(path, sizeof(path), "%s/run/systemd/seats/seat0", root);
	if (!read_value(path, "ACTIVE", session) || strchr(session, '/'))
		return false;
	snprintf(path, sizeof(path), "%s/run/systemd/sessions/%s", root,
		 session);
	return read_value(path, "CLASS", value) && strcmp(value, "user") == 0 &&
	       read_value(path, "TYPE", value) &&
	       (strcmp(value, "wayland") == 0 || strcmp(value, "x11") == 0);
}
