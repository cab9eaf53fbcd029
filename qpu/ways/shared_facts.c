/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/shared_facts.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

long
contiguous_kib(const char *name)
{
	const int fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
	char text[8192] = "";
	const char *at;
	ssize_t len = 0;

	if (fd >= 0) {
		len = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[len > 0 ? len : 0] = '\0';
	at = strstr(text, name);
	return at ? strtol(at + strlen(name), NULL, 10) : -1;
}

void
facts_add_contiguous(struct facts *facts)
{
	const long total = contiguous_kib("CmaTotal:");
	const long free = contiguous_kib("CmaFree:");

	if (total >= 0)
		facts_add_number(facts, "cma_bytes",
				 "memory of the kernel for devices (CMA)",
				 (double)total * 1024, 1 << 20, "MiB");
	if (free >= 0)
		facts_add_number(facts, "cma_free_bytes", "free of it",
				 (double)free * 1024, 1 << 20, "MiB");
}

/* "0660 root:video", or nothing. */
static void
describe_node(const char *path, char *text, size_t room)
{
	const struct passwd *user;
	const struct group *group;
	struct stat status;
	char uid[16], gid[16];

	*text = '\0';
	if (stat(path, &status) != 0)
		return;
	user = getpwuid(status.st_uid);
	group = getgrgid(status.st_gid);
	snprintf(uid, sizeof(uid), "%u", (unsigned)status.st_uid);
	snprintf(gid, sizeof(gid), "%u", (unsigned)status.st_gid);
	snprintf(text, room, "%04o %s:%s", status.st_mode & 07777,
		 user ? user->pw_name : uid, group ? group->gr_name : gid);
}

void
facts_add_device_node(struct facts *facts, const char *path)
{
	char text[128];

	describe_node(path, text, sizeof(text));
	facts_add_node(facts, path, text, access(path, R_OK | W_OK) == 0);
}

/* Nothing of uname but these: it also has the machine's name. */
void
facts_add_kernel(struct facts *facts)
{
	struct utsname kernel;
	char text[sizeof(kernel)];

	if (uname(&kernel) != 0)
		return;
	snprintf(text, sizeof(text), "%s %s %s", kernel.sysname, kernel.release,
		 kernel.machine);
	facts_add_text(facts, "kernel", "kernel", text);
}
