/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/descriptor.h"

static enum directory_kind
kind_of_mode(mode_t mode)
{
	return S_ISREG(mode) ? DIRECTORY_FILE :
	       S_ISDIR(mode) ? DIRECTORY_BELOW :
	       S_ISLNK(mode) ? DIRECTORY_LINK :
			       DIRECTORY_SPECIAL;
}

static enum directory_kind
kind_of(int directory, const struct dirent *dirent)
{
	struct stat st;

	if (dirent->d_type != DT_UNKNOWN)
		return kind_of_mode(DTTOIF(dirent->d_type));
	/* A name that has vanished is reported when it cannot be opened. */
	if (fstatat(directory, dirent->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return DIRECTORY_FILE;
	return kind_of_mode(st.st_mode);
}

static bool
add(struct directory *directory, enum directory_kind kind, const char *name)
{
	const char byte = (char)kind;
	struct text *names = &directory->names;

	directory->nentries++;
	return text_add(names, &byte, 1) && text_add_string(names, name) &&
	       text_add(names, "/", kind == DIRECTORY_BELOW) &&
	       text_add(names, "", 1);
}

/* Add all names.  Return 0 or an errno value. */
static int
add_all(struct directory *directory, DIR *stream)
{
	for (;;) {
		const struct dirent *dirent;

		errno = 0;
		dirent = readdir(stream);
		if (!dirent)
			return errno;
		if (strcmp(dirent->d_name, ".") == 0 ||
		    strcmp(dirent->d_name, "..") == 0)
			continue;
		if (!add(directory, kind_of(dirfd(stream), dirent),
			 dirent->d_name))
			return ENOMEM;
	}
}

/* strcmp compares bytes as unsigned ones. */
static int
compare(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left + 1,
		      *(const char *const *)right + 1);
}

/* Called when all names are read and `names` no longer moves. */
static int
sort(struct directory *directory)
{
	const size_t n = directory->nentries;
	const char *name = directory->names.bytes;

	if (n == 0)
		return 0;
	directory->entries = calloc(n, sizeof(*directory->entries));
	if (!directory->entries)
		return ENOMEM;
	for (size_t i = 0; i < n; i++) {
		directory->entries[i] = name;
		name += 1 + strlen(name + 1) + 1;
	}
	qsort(directory->entries, n, sizeof(*directory->entries), compare);
	return 0;
}

int
directory_read(struct directory *directory, int fd)
{
	DIR *stream = fdopendir(fd);
	int error;

	*directory = (struct directory){ .nentries = 0 };
	if (!stream) {
		error = errno;
		close(fd);
		return error;
	}
	error = add_all(directory, stream);
	closedir(stream);
	if (error == 0)
		error = sort(directory);
	if (error)
		directory_close(directory);
	return error;
}

bool
directory_next(struct directory *directory, struct directory_entry *entry)
{
	const char *bytes;

	if (directory->next == directory->nentries)
		return false;
	bytes = directory->entries[directory->next++];
	entry->kind = (enum directory_kind)bytes[0];
	entry->name = bytes + 1;
	return true;
}

void
directory_again(struct directory *directory)
{
	directory->next--;
}

void
directory_close(struct directory *directory)
{
	text_free(&directory->names);
	free(directory->entries);
	*directory = (struct directory){ .nentries = 0 };
}

/* statfs(2); in the order of their names. */
static const uint32_t magic_numbers[] = {
	0x42494e4d, /* binfmt_misc */
	0xcafe4a11, /* bpf */
	0x0027e0eb, /* cgroup */
	0x63677270, /* cgroup2 */
	0x62656570, /* configfs */
	0x64626720, /* debugfs */
	0x00001cd1, /* devpts */
	0xde5e81e4, /* efivarfs */
	0x65735543, /* fusectl */
	0x19800202, /* mqueue */
	0x6e667364, /* nfsd */
	0x6e736673, /* nsfs */
	0x00009fa0, /* proc */
	0x6165676c, /* pstore */
	0x07655821, /* resctrl */
	0x67596969, /* rpc_pipefs */
	0x73636673, /* securityfs */
	0xf97cff8c, /* selinuxfs */
	0x43415d53, /* smackfs */
	0x62656572, /* sysfs */
	0x74726163, /* tracefs */
};

bool
directory_is_pseudo(int fd)
{
	return descriptor_is_on(fd, magic_numbers,
				sizeof(magic_numbers) / sizeof(*magic_numbers));
}
