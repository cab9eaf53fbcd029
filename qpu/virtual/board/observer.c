/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/virtual/board/observer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qpu/isa/pack.h"
#include "qpu/trace/trace.h"
#include "src/base/quote.h"

/* --- Costs --------------------------------------------------------------------- */

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

/* Add what the machine has executed since the last call to the file in dir; its
 * code is still in memory.  False if not all could be added. */
static bool
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

/* --- The session --------------------------------------------------------------- */

static void
say(void *context, const char *text)
{
	(void)context;
	board_say("%s", text);
}

/* "NAME: what is wrong there". */
static void
complain(const char *path, const char *text)
{
	struct text quoted = { 0 };

	board_say("%s: %s", quote_name(&quoted, path), text);
	text_free(&quoted);
}

/* A line map was read by qpuemu before, which refuses one that is wrong. */
static void
open_files(struct observer *observer, const struct board_options *options)
{
	struct session *session = &observer->session;
	struct diag why;

	session_init(session, say, NULL);
	if (*options->lines &&
	    !session_read_lines(session, options->lines, &why))
		complain(options->lines, "no line map can be read there");
	if (*options->trace &&
	    !session_open_trace(session, options->trace, true, &why))
		complain(why.file, why.text);
	if (*options->timeline &&
	    !session_open_timeline(session, options->timeline, true, &why))
		complain(why.file, why.text);
	observer->opened = true;
}

void
observer_attach(struct observer *observer, struct machine *machine,
		const struct board *board)
{
	const struct board_options *options = &board->shared->options;
	char name[64];
	const struct timeline_process process = {
		.number = (unsigned)getpid(),
		.name = name,
		.clock_mhz = board->profile->v3d_mhz,
		.first = !board->shared->timeline_begun,
	};

	if (!observer->opened)
		open_files(observer, options);
	snprintf(name, sizeof(name), "VideoCore IV of process %u (modelled)",
		 process.number);
	session_attach(&observer->session, machine, &process);
	board->shared->timeline_begun |= *options->timeline != '\0';
}

/*
 * The debugger talks to the terminal, since streams belong to the program; what
 * a script asks for goes to where all messages go.
 */
static void
open_debugger(struct observer *observer, const char *script)
{
	const char *path = *script ? script : "/dev/tty";
	struct text quoted = { 0 };
	struct diag why = { .text = "" };
	FILE *commands = session_open_file(path, "re", &why);
	FILE *out = *script ? stderr : session_open_file(path, "we", &why);

	if (commands && out) {
		session_open_debugger(&observer->session, commands, out, NULL,
				      true);
		observer->debugged = getpid();
		return;
	}
	board_say("no debugger: %s: %s%s", quote_name(&quoted, path), why.text,
		  *script ? "" : "; --debug-script needs no terminal");
	text_free(&quoted);
	if (commands)
		fclose(commands);
}

void
observer_launch(struct observer *observer, const struct board *board)
{
	struct board_shared *shared = board->shared;
	const uint64_t from = shared->options.debug_launch;

	if (from > 0 && !shared->debugged && shared->totals.launches >= from) {
		shared->debugged = (uint64_t)getpid();
		open_debugger(observer, shared->options.debug_script);
	}
	session_launch(&observer->session, observer->debugged == getpid());
}

void
observer_count(struct observer *observer, const struct board *board)
{
	const struct machine *machine = observer->session.machine;
	struct board_totals *totals = &board->shared->totals;
	struct board_totals *counted = &observer->counted;
	struct board_totals now = {
		.instructions = machine_instructions(machine),
		.clocks = machine_clocks(machine),
		.launch_clocks = machine_launch_clocks(machine),
		.findings = observer->session.hazards
	};

	totals->instructions += now.instructions - counted->instructions;
	totals->clocks += now.clocks - counted->clocks;
	totals->launch_clocks += now.launch_clocks - counted->launch_clocks;
	totals->findings += now.findings - counted->findings;
	for (unsigned i = 0; i < MACHINE_COUNTERS; i++) {
		now.counters[i] = machine_counter(machine, i);
		totals->counters[i] += now.counters[i] - counted->counters[i];
	}
	*counted = now;
}

void
observer_flush(struct observer *observer, const struct board *board)
{
	struct session *session = &observer->session;
	bool good = session_flush(session);

	if (board->shared->options.costs)
		good = costs_collect(session->machine, board->dir,
				     &session->lines) &&
		       good;
	if (!good && !observer->failed)
		board_say("trace, timeline or profile is not whole: %s",
			  strerror(errno));
	observer->failed = observer->failed || !good;
}
