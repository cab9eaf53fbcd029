/* SPDX-License-Identifier: MIT */
/*
 * Promise: what is in a directory is known also where the file system does not
 * tell the types of its entries.  File systems that only show the kernel's state
 * are known by their numbers, those of Linux's own list, and no others are.
 */
#include "config.h"

#include "src/inputs/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

static bool tells_types = true;

/* The file system may tell no types; "gone" goes as soon as it has been seen. */
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
	const char *const told = tells_types ? "told" : "not told";
	unsigned right = 0;

	if (fd < 0)
		exit(99);
	ok(directory_read(&directory, fd) == 0 && directory.nentries == n,
	   "all entries are read where types are %s", told);
	while (right < n && directory_next(&directory, &entry) &&
	       strcmp(entry.name, rows[right].name) == 0 &&
	       entry.kind == rows[right].kind)
		right++;
	ok(right == n, "entries are in order, with their types, which are %s",
	   told);
	directory_close(&directory);
}

/* File systems that only show the kernel's state ----------------------------- */

static uint32_t number;
static bool fails;

static int
fake_fstatfs(int fd, struct statfs *system)
{
	(void)fd;
	memset(system, 0, sizeof(*system));
	system->f_type = (__typeof__(system->f_type))number;
	return fails ? -1 : 0;
}

/* include/uapi/linux/magic.h, fs/nfsd/nfsctl.c, net/sunrpc/rpc_pipe.c,
 * fs/configfs/mount.c, fs/fuse/control.c, ipc/mqueue.c */
static const struct {
	const char *name;
	uint32_t number;
	bool pseudo;
} systems[] = {
	{ "binfmt_misc", 0x42494e4d, true }, { "bpf", 0xcafe4a11, true },
	{ "cgroup", 0x0027e0eb, true },	     { "cgroup2", 0x63677270, true },
	{ "configfs", 0x62656570, true },    { "debugfs", 0x64626720, true },
	{ "devpts", 0x00001cd1, true },	     { "efivarfs", 0xde5e81e4, true },
	{ "fusectl", 0x65735543, true },     { "mqueue", 0x19800202, true },
	{ "nfsd", 0x6e667364, true },	     { "nsfs", 0x6e736673, true },
	{ "proc", 0x00009fa0, true },	     { "pstore", 0x6165676c, true },
	{ "resctrl", 0x07655821, true },     { "rpc_pipefs", 0x67596969, true },
	{ "securityfs", 0x73636673, true },  { "selinuxfs", 0xf97cff8c, true },
	{ "smackfs", 0x43415d53, true },     { "sysfs", 0x62656572, true },
	{ "tracefs", 0x74726163, true },     { "ext4", 0x0000ef53, false },
	{ "tmpfs", 0x01021994, false },	     { "nfs", 0x00006969, false },
	{ "no number", 0x00000000, false },
};

static void
test_systems(void)
{
	fault_hooks.fstatfs = fake_fstatfs;
	for (size_t i = 0; i < sizeof(systems) / sizeof(*systems); i++) {
		number = systems[i].number;
		ok(directory_is_pseudo(0) == systems[i].pseudo, "%s is %s",
		   systems[i].name, systems[i].pseudo ? "left out" : "walked");
	}
	number = 0x9fa0;
	fails = true;
	ok(!directory_is_pseudo(0), "what cannot be told is walked");
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
	test_systems();
	return tap_done();
}
