/* SPDX-License-Identifier: MIT */
/*
 * Promise: what is in a directory is known also where the file system does not
 * tell the types of its entries.
 */
#include "config.h"

#include "src/inputs/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

static bool tells_types = true;

/* As such a file system; and "gone" goes as soon as it has been seen. */
static struct dirent *
fake_readdir(DIR *stream)
{
	struct dirent *dirent = fault_real_readdir(stream);

	if (dirent && !tells_types) {
		dirent->d_type = DT_UNKNOWN;
		if (strcmp(dirent->d_name, "gone") == 0)
			unlink("gone");
	}
	return dirent;
}

static void
test_types(void)
{
	static const struct {
		const char *name;
		enum directory_kind kind;
	} rows[] = {
		{ "directory/", DIRECTORY_BELOW },
		{ "fifo", DIRECTORY_SPECIAL },
		{ "file", DIRECTORY_FILE },
		{ "gone", DIRECTORY_FILE },
		{ "link", DIRECTORY_LINK },
	};
	const unsigned n = sizeof(rows) / sizeof(*rows);
	const int fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct directory directory;
	struct directory_entry entry;
	unsigned right = 0;

	if (fd < 0)
		exit(99);
	ok(directory_read(&directory, fd) == 0 && directory.nentries == n,
	   "types are %s: all entries are read",
	   tells_types ? "told" : "not told");
	while (right < n && directory_next(&directory, &entry) &&
	       strcmp(entry.name, rows[right].name) == 0 &&
	       entry.kind == rows[right].kind)
		right++;
	ok(right == n, "in order, each with its type");
	directory_close(&directory);
}

int
main(void)
{
	fault_hooks.readdir = fake_readdir;
	scratch_enter();
	scratch_folder("directory");
	scratch_fifo("fifo");
	scratch_link("link", "directory");
	scratch_text("file", "");
	scratch_text("gone", "");
	test_types();
	tells_types = false;
	test_types();
	ok(access("gone", F_OK) != 0, "a file went while its type was asked");
	return tap_done();
}
