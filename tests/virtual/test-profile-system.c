/* SPDX-License-Identifier: MIT */
/*
 * Promise: the boards and systems that can be chosen are those of the documents
 * of Raspberry Pi: chip, memory, clocks, nodes, and who may open them.
 * profile-system.golden has a line for each; the input of a case is the name of
 * its table.
 */
#include "config.h"

#include "qpu/virtual/board/profile.h"
#include "qpu/virtual/board/system.h"

#include <string.h>

#include "tests/support/golden.h"
#include "tests/support/tap.h"

static const char *const users[] = { [SYSTEM_ROOT] = "root",
				     [SYSTEM_FIRST] = "first",
				     [SYSTEM_VIDEO] = "video",
				     [SYSTEM_NOBODY] = "nobody" };

static void
show_boards(struct golden_output *out)
{
	for (const struct profile *row = profile_rows; row->name; row++) {
		const struct soc *soc = profile_soc(row);

		golden_printf(
			out, "rows",
			"%s: '%s', '%s', %s, revision %x, 64 MiB at %x, "
			"at most %u MiB, %u %u %u MHz%s\n",
			row->name, row->model, row->compatible,
			soc ? soc->name : "no chip", row->revision,
			profile_memory_base(row, 64), profile_most_mib(row),
			row->arm_mhz, row->core_mhz, row->v3d_mhz,
			profile_of_name(row->name) == row ? "" : ", not found");
	}
}

/* Nodes that a system has, with their permissions. */
static void
show_node(struct golden_output *out, const char *name,
	  const struct system_node *node)
{
	const char *group = node->group == SYSTEM_GROUP_ROOT   ? "root" :
			    node->group == SYSTEM_GROUP_VIDEO  ? "video" :
			    node->group == SYSTEM_GROUP_KMEM   ? "kmem" :
			    node->group == SYSTEM_GROUP_RENDER ? "render" :
								 "?";

	if (node->mode || node->group)
		golden_printf(out, "rows", "%s %o %s", name, node->mode, group);
}

static void
show_users(struct golden_output *out, const struct system *system,
	   const struct system_node *node)
{
	golden_printf(out, "rows", " for");
	for (unsigned i = 0; i < sizeof(users) / sizeof(*users); i++)
		if (system_may_open(system, node, (enum system_user)i))
			golden_printf(out, "rows", " %s", users[i]);
}

/* The name of the CPU; a kernel of 64 bits is one that uname() calls so, or one
 * as here. */
static void
show_machine(struct golden_output *out, const struct system *system,
	     const char *board)
{
	const struct soc *soc = profile_soc(profile_of_name(board));
	const char *machine = system_machine(system, soc);
	const bool wide = soc && strcmp(soc->name, "BCM2837") == 0 &&
			  (machine ? strcmp(machine, "aarch64") == 0 :
				     sizeof(void *) == 8);

	if (system_runs_on(system, soc))
		golden_printf(out, "rows", ", %s %s%s", board,
			      machine ? machine : "as here",
			      system_has_64_bits(system, soc) == wide ?
				      "" :
				      ", of another size");
}

static void
show_systems(struct golden_output *out)
{
	for (const struct system *row = system_rows; row->name; row++) {
		golden_printf(out, "rows", "%s: Linux %u, %u ms, CMA %u MiB",
			      row->name, row->kernel, row->kernel_ms,
			      row->cma_mib);
		golden_printf(out, "rows", "%s%s%s%s%s",
			      row->kms ? ", KMS" : "",
			      row->mainline ? ", mainline" : "",
			      row->misc ? ", misc" : "",
			      row->gencmd ? ", gencmd" : "",
			      row->blacklist ? ", blacklist" : "");
		show_node(out, ", vcio", &row->vcio);
		show_node(out, ", vcsm-cma", &row->vcsm);
		show_node(out, ", heap", &row->heap);
		show_node(out, ", render", &row->render);
		show_users(out, row, &row->render);
		show_machine(out, row, "pi1");
		show_machine(out, row, "pi2");
		show_machine(out, row, "pi3");
		show_machine(out, row, "pc");
		golden_printf(out, "rows",
			      system_of_name(row->name) == row ?
				      "\n" :
				      ", not found\n");
	}
}

static void
show_nodes(struct golden_output *out)
{
	static const struct system_node nodes[] = {
		{ 0600, SYSTEM_GROUP_ROOT },   { 0660, SYSTEM_GROUP_ROOT },
		{ 0660, SYSTEM_GROUP_VIDEO },  { 0640, SYSTEM_GROUP_VIDEO },
		{ 0620, SYSTEM_GROUP_VIDEO },  { 0640, SYSTEM_GROUP_KMEM },
		{ 0660, SYSTEM_GROUP_RENDER }, { 0666, SYSTEM_GROUP_ROOT },
		{ 0664, SYSTEM_GROUP_ROOT },   { 0662, SYSTEM_GROUP_ROOT },
	};

	for (unsigned i = 0; i < sizeof(nodes) / sizeof(*nodes); i++) {
		show_node(out, "a node", &nodes[i]);
		show_users(out, system_of_name("trixie"), &nodes[i]);
		golden_printf(out, "rows", "\n");
	}
}

static void
drive(const struct golden_case *c, struct golden_output *out)
{
	if (strcmp(c->input.text, "boards\n") == 0)
		show_boards(out);
	else if (strcmp(c->input.text, "systems\n") == 0)
		show_systems(out);
	else
		show_nodes(out);
}

int
main(void)
{
	golden_run("tests/virtual/profile-system.golden", drive);
	ok(!profile_of_name("pi") && !profile_of_name("pi33"),
	   "a board of another name is unknown");
	ok(!system_of_name("debia"), "a system of another name is unknown");
	ok(profile_memory_base(profile_of_name("pi1"), 0) == 0x20000000,
	   "no memory of the GPU begins where all memory ends");
	return tap_done();
}
