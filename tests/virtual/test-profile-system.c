/* SPDX-License-Identifier: MIT */
/*
 * Promise: the boards and systems that can be chosen are those of the documents
 * of Raspberry Pi: chip, memory, clocks, nodes, and who may open them.
 */
#include "config.h"

#include "qpu/virtual/board/profile.h"
#include "qpu/virtual/board/system.h"

#include <string.h>

#include "tests/support/tap.h"

/* Memory of the GPU is 64 MiB here: where it begins. */
static const struct board_row {
	const char *name, *model, *soc;
	uint32_t revision, base;
	unsigned most_mib, arm_mhz, core_mhz, v3d_mhz;
} boards[] = {
	/* clang-format off */
	{ "pi1", "Raspberry Pi Model B Rev 2", "BCM2835",
	  0xe, 0x1c000000, 496, 700, 250, 250 },
	{ "pi1b+", "Raspberry Pi Model B Plus Rev 1.2", "BCM2835",
	  0x900032, 0x1c000000, 496, 700, 250, 250 },
	{ "zero", "Raspberry Pi Zero Rev 1.3", "BCM2835",
	  0x900093, 0x1c000000, 496, 1000, 400, 300 },
	{ "zerow", "Raspberry Pi Zero W Rev 1.1", "BCM2835",
	  0x9000c1, 0x1c000000, 496, 1000, 400, 300 },
	{ "pi2", "Raspberry Pi 2 Model B Rev 1.1", "BCM2836",
	  0xa01041, 0x3b000000, 992, 900, 250, 250 },
	{ "pi2v1.2", "Raspberry Pi 2 Model B Rev 1.2", "BCM2837",
	  0xa02042, 0x3b000000, 992, 900, 400, 400 },
	{ "pi3", "Raspberry Pi 3 Model B Rev 1.2", "BCM2837",
	  0xa02082, 0x3b000000, 992, 1200, 400, 400 },
	{ "pi3b+", "Raspberry Pi 3 Model B Plus Rev 1.3", "BCM2837",
	  0xa020d3, 0x3b000000, 992, 1400, 400, 400 },
	{ "pi3a+", "Raspberry Pi 3 Model A Plus Rev 1.0", "BCM2837",
	  0x9020e0, 0x1c000000, 496, 1400, 400, 400 },
	{ "zero2", "Raspberry Pi Zero 2 W Rev 1.0", "BCM2837",
	  0x902120, 0x1c000000, 496, 1000, 400, 300 },
	{ "pi4", "Raspberry Pi 4 Model B Rev 1.1", "BCM2711",
	  0xa03111, 0x3c000000, 1008, 1500, 500, 500 },
	{ "pi5", "Raspberry Pi 5 Model B Rev 1.0", "BCM2712",
	  0xc04170, 0x3c000000, 1008, 2400, 910, 960 },
	{ "pc", "", "",
	  0, 0x3c000000, 1008, 0, 0, 0 },
	/* clang-format on */
};

enum { BOARDS = sizeof(boards) / sizeof(*boards) };

static bool
is_board(const struct profile *profile, const struct board_row *row)
{
	const struct soc *soc = profile_soc(profile);

	return strcmp(profile->name, row->name) == 0 &&
	       strcmp(profile->model, row->model) == 0 &&
	       strcmp(soc ? soc->name : "", row->soc) == 0 &&
	       profile->revision == row->revision &&
	       profile_memory_base(profile, 64) == row->base &&
	       profile_most_mib(profile) == row->most_mib &&
	       profile->arm_mhz == row->arm_mhz &&
	       profile->core_mhz == row->core_mhz &&
	       profile->v3d_mhz == row->v3d_mhz;
}

static void
test_boards(void)
{
	for (unsigned i = 0; i < BOARDS; i++)
		ok(profile_of_name(boards[i].name) == &profile_rows[i] &&
			   is_board(&profile_rows[i], &boards[i]),
		   "%s is the board of that name", boards[i].name);
	ok(!profile_rows[BOARDS].name && !profile_of_name("pi") &&
		   !profile_of_name("pi33"),
	   "a board of another name is unknown");
	ok(profile_memory_base(profile_of_name("pi1"), 0) == 0x20000000,
	   "no memory of the GPU begins where all memory ends");
}

/* 0: no such node.  Groups by letter: root and video. */
static const struct system_row {
	const char *name;
	const char *vcio, *vcsm, *heap;
	bool gencmd, misc, mainline, blacklist;
	unsigned kernel, kernel_ms, cma_mib;
	const char *machine[3]; /* of a pi1, pi2 and pi3; "" as here */
	bool on_pi2;
} systems[] = {
	/* clang-format off */
	{ "plain", "660v", "660v", "0r", 0, 0, 0, 0, 601, 1000, 256,
	  { "", "", "" }, 1 },
	{ "buster", "660v", "660v", "0r", 0, 0, 0, 0, 510, 1000, 256,
	  { "armv6l", "armv7l", "armv7l" }, 1 },
	{ "bullseye", "660v", "660v", "660v", 0, 1, 0, 0, 601, 1000, 256,
	  { "armv6l", "armv7l", "armv7l" }, 1 },
	{ "bookworm32", "660v", "660v", "660v", 0, 1, 0, 0, 612, 3000, 256,
	  { "armv6l", "armv7l", "armv7l" }, 1 },
	{ "bookworm64", "660v", "660v", "660v", 0, 1, 0, 0, 612, 3000, 256,
	  { "armv6l", "armv7l", "aarch64" }, 0 },
	{ "trixie", "600r", "660v", "660v", 1, 1, 0, 0, 618, 3000, 256,
	  { "armv6l", "armv7l", "aarch64" }, 1 },
	{ "dietpi", "600r", "0r", "600r", 0, 1, 0, 1, 612, 3000, 256,
	  { "armv6l", "armv7l", "aarch64" }, 1 },
	{ "mainline", "0r", "0r", "0r", 0, 0, 1, 0, 612, 3000, 64,
	  { "armv6l", "armv7l", "aarch64" }, 1 },
	{ "debian", "0r", "0r", "0r", 0, 0, 1, 0, 612, 3000, 64,
	  { "armv6l", "armv7l", "aarch64" }, 1 },
	{ "fedora", "0r", "0r", "0r", 0, 0, 1, 0, 617, 3000, 64,
	  { "armv6l", "armv7l", "aarch64" }, 1 },
	{ "ubuntu", "0r", "0r", "0r", 0, 0, 1, 0, 608, 3000, 256,
	  { "armv6l", "armv7l", "aarch64" }, 1 },
	/* clang-format on */
};

enum { SYSTEMS = sizeof(systems) / sizeof(*systems) };

static bool
is_node(const struct system_node *node, const char *text)
{
	char letter = node->group == 44 ? 'v' : node->group == 0 ? 'r' : '?';
	char shown[16];

	snprintf(shown, sizeof(shown), "%o%c", node->mode, letter);
	return strcmp(shown, text) == 0;
}

static const struct soc *
soc_named(const char *board)
{
	return profile_soc(profile_of_name(board));
}

static bool
has_machines(const struct system *system, const char *const names[3])
{
	static const char *const of[] = { "pi1", "pi2", "pi3" };
	bool same = true;

	for (unsigned i = 0; i < 3; i++) {
		const char *name = system_machine(system, soc_named(of[i]));

		same &= strcmp(name ? name : "", names[i]) == 0;
	}
	return same && !system_machine(system, NULL);
}

static bool
is_system(const struct system *system, const struct system_row *row)
{
	return strcmp(system->name, row->name) == 0 &&
	       is_node(&system->vcio, row->vcio) &&
	       is_node(&system->vcsm, row->vcsm) &&
	       is_node(&system->heap, row->heap) &&
	       system->gencmd == row->gencmd && system->misc == row->misc &&
	       system->mainline == row->mainline &&
	       system->blacklist == row->blacklist &&
	       system->kernel == row->kernel &&
	       system->kernel_ms == row->kernel_ms &&
	       system->cma_mib == row->cma_mib &&
	       has_machines(system, row->machine) &&
	       system_runs_on(system, soc_named("pi2")) == row->on_pi2 &&
	       system_runs_on(system, soc_named("pi1")) == row->on_pi2 &&
	       system_runs_on(system, NULL) == row->on_pi2 &&
	       system_runs_on(system, soc_named("pi3"));
}

static void
test_systems(void)
{
	for (unsigned i = 0; i < SYSTEMS; i++)
		ok(system_of_name(systems[i].name) == &system_rows[i] &&
			   is_system(&system_rows[i], &systems[i]),
		   "%s is the system of that name", systems[i].name);
	ok(!system_rows[SYSTEMS].name && !system_of_name("debia"),
	   "a system of another name is unknown");
}

/* Kernels of 64 bits are those that uname() calls so, and plain ones here. */
static void
test_bits(void)
{
	const bool here = sizeof(void *) == 8;

	for (unsigned i = 0; i < SYSTEMS; i++) {
		const struct system *system = &system_rows[i];
		const bool wide =
			i == 0 ? here :
				 strcmp(systems[i].machine[2], "aarch64") == 0;

		ok(system_has_64_bits(system, soc_named("pi3")) == wide &&
			   !system_has_64_bits(system, soc_named("pi2")) &&
			   !system_has_64_bits(system, soc_named("pi1")) &&
			   !system_has_64_bits(system, NULL),
		   "%s has %s bits on a Pi 3", system->name,
		   wide ? "64" : "32");
	}
}

static bool
may_open(const char *system, const struct system_node *node,
	 enum system_user user)
{
	return system_may_open(system_of_name(system), node, user);
}

static void
test_users(void)
{
	static const struct {
		struct system_node node;
		bool root, video, nobody;
	} rows[] = {
		{ { 0600, SYSTEM_GROUP_ROOT }, 1, 0, 0 },
		{ { 0660, SYSTEM_GROUP_ROOT }, 1, 0, 0 },
		{ { 0660, SYSTEM_GROUP_VIDEO }, 1, 1, 0 },
		{ { 0640, SYSTEM_GROUP_VIDEO }, 1, 0, 0 },
		{ { 0620, SYSTEM_GROUP_VIDEO }, 1, 0, 0 },
		{ { 0640, SYSTEM_GROUP_KMEM }, 1, 0, 0 },
		{ { 0666, SYSTEM_GROUP_ROOT }, 1, 1, 1 },
		{ { 0664, SYSTEM_GROUP_ROOT }, 1, 0, 0 },
		{ { 0662, SYSTEM_GROUP_ROOT }, 1, 0, 0 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		ok(may_open("trixie", &rows[i].node, SYSTEM_ROOT) ==
				   rows[i].root &&
			   may_open("trixie", &rows[i].node, SYSTEM_VIDEO) ==
				   rows[i].video &&
			   may_open("trixie", &rows[i].node, SYSTEM_NOBODY) ==
				   rows[i].nobody,
		   "root, video and nobody may open a node of mode %o and group %u as Linux says",
		   rows[i].node.mode, rows[i].node.group);
}

/* Stock systems: does the kernel's driver have the V3D, and who may use it? */
static void
test_render(void)
{
	static const struct {
		const char *system;
		bool kms, first, video, nobody;
	} rows[] = {
		{ "plain", 0, 1, 0, 0 },      { "buster", 0, 1, 0, 0 },
		{ "bullseye", 1, 1, 0, 0 },   { "bookworm32", 1, 1, 0, 0 },
		{ "bookworm64", 1, 1, 0, 0 }, { "trixie", 1, 1, 0, 0 },
		{ "dietpi", 0, 1, 0, 0 },     { "mainline", 1, 0, 0, 0 },
		{ "debian", 1, 0, 0, 0 },     { "fedora", 1, 1, 1, 1 },
		{ "ubuntu", 1, 0, 0, 0 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct system *system = system_of_name(rows[i].system);
		const struct system_node *node = &system->render;

		ok(system->kms == rows[i].kms &&
			   may_open(system->name, node, SYSTEM_ROOT) &&
			   may_open(system->name, node, SYSTEM_FIRST) ==
				   rows[i].first &&
			   may_open(system->name, node, SYSTEM_VIDEO) ==
				   rows[i].video &&
			   may_open(system->name, node, SYSTEM_NOBODY) ==
				   rows[i].nobody,
		   "the render node of %s is for whom its installation says",
		   system->name);
	}
}

int
main(void)
{
	test_boards();
	test_systems();
	test_bits();
	test_users();
	test_render();
	return tap_done();
}
