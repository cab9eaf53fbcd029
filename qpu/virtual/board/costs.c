/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/virtual/board/costs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qpu/isa/pack.h"
#include "qpu/trace/trace.h"
#include "qpu/virtual/board/shared.h"

enum { COSTS_MOST = COSTS_ENTRIES / 4 * 3 };

/* The table, and the rows of this process when they were collected last. */
static struct {
	struct cost_table *table;
	struct machine_profile_row *rows;
	size_t nrows;
} collected;

struct cost_table *
costs_map(const char *dir, bool create)
{
	struct cost_table *table = MAP_FAILED;
	char path[BOARD_PATH];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, BOARD_COSTS);
	fd = open(path, O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0), 0600);
	if (fd < 0)
		return NULL;
	if (!create || ftruncate(fd, sizeof(*table)) == 0)
		table = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE,
			     MAP_SHARED, fd, 0);
	close(fd);
	return table == MAP_FAILED ? NULL : table;
}

/* The entry of an instruction, made if need be; null if the table is full. */
static struct cost_entry *
find_entry(struct cost_table *table, uint32_t pc, uint64_t word)
{
	uint64_t hash =
		(word ^ (uint64_t)pc << 29) * UINT64_C(0x9e3779b97f4a7c15);

	for (hash >>= 40;; hash++) {
		struct cost_entry *entry =
			&table->entries[hash % COSTS_ENTRIES];

		if (entry->cost.executions && entry->cost.pc == pc &&
		    entry->word == word)
			return entry;
		if (entry->cost.executions)
			continue;
		if (table->n == COSTS_MOST) {
			errno = ENOSPC;
			return NULL;
		}
		table->n++;
		entry->cost.pc = pc;
		entry->word = word;
		return entry;
	}
}

/* Add what a row has more than before, where null stands for nothing. */
static bool
add_row(struct machine *machine, const struct trace_lines *lines,
	const struct machine_profile_row *row,
	const struct machine_profile_row *before)
{
	const struct qpu_linemap_row *line = trace_find_line(lines, row->pc);
	const void *code = machine_memory(machine, row->pc, QPU_INST_BYTES);
	struct cost_entry *entry;

	if (!code || (before && before->executions == row->executions))
		return true;
	entry = find_entry(collected.table, row->pc, qpu_word_load(code));
	if (!entry)
		return false;
	entry->cost.executions +=
		row->executions - (before ? before->executions : 0);
	for (unsigned i = 0; i < MACHINE_STALLS; i++)
		entry->cost.stall[i] +=
			row->stall[i] - (before ? before->stall[i] : 0);
	if (line)
		entry->row = (uint32_t)(line - lines->map.rows) + 1;
	return true;
}

static bool
add_rows(struct machine *machine, const struct trace_lines *lines,
	 const struct machine_profile_row *rows, size_t n)
{
	bool good = true;
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		while (k < collected.nrows && collected.rows[k].pc < rows[i].pc)
			k++;
		good &= add_row(machine, lines, &rows[i],
				k < collected.nrows && collected.rows[k].pc ==
							       rows[i].pc ?
					&collected.rows[k] :
					NULL);
	}
	return good;
}

bool
costs_collect(struct machine *machine, const char *dir,
	      const struct trace_lines *lines)
{
	const size_t n = machine_profile(machine, NULL, 0);
	struct machine_profile_row *rows = calloc(n + 1, sizeof(*rows));
	bool good = false;

	if (!collected.table)
		collected.table = costs_map(dir, false);
	if (rows && collected.table) {
		machine_profile(machine, rows, n);
		good = add_rows(machine, lines, rows, n);
		free(collected.rows);
		collected.rows = rows;
		collected.nrows = n;
	} else {
		free(rows);
	}
	return good;
}
