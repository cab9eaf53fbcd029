/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "tests/support/golden.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "tests/support/tap.h"

struct golden_output {
	struct {
		const char *name;
		struct text text;
	} sections[GOLDEN_SECTIONS];
	unsigned n;
};

static void
give_up(const char *path, unsigned line, const char *why)
{
	printf("Bail out! %s:%u: %s\n", path, line, why);
	exit(99);
}

const char *
golden_section(const struct golden_case *c, const char *name)
{
	if (!*name)
		return c->input.text;
	for (unsigned i = 0; i < c->n_sections; i++)
		if (strcmp(c->sections[i].name, name) == 0)
			return c->sections[i].text;
	return NULL;
}

void
golden_write(struct golden_output *out, const char *section, const char *text,
	     size_t len)
{
	unsigned i = 0;

	while (i < out->n && strcmp(out->sections[i].name, section) != 0)
		i++;
	if (i == GOLDEN_SECTIONS)
		give_up(section, 0, "too many sections");
	if (i == out->n) {
		out->sections[i].name = section;
		out->n++;
	}
	if (!text_add(&out->sections[i].text, text, len))
		give_up(section, 0, "out of memory");
}

void
golden_printf(struct golden_output *out, const char *section,
	      const char *format, ...)
{
	char *line;
	va_list args;
	int len;

	va_start(args, format);
	len = vasprintf(&line, format, args);
	va_end(args);
	if (len < 0)
		give_up(section, 0, "out of memory");
	golden_write(out, section, line, (size_t)len);
	free(line);
}

void
golden_each_line(const char *text,
		 void (*fn)(char *line, struct golden_output *out),
		 struct golden_output *out)
{
	char *copy = strdup(text), *rest = copy, *line;

	while ((line = strsep(&rest, "\n")) != NULL)
		if (*line)
			fn(line, out);
	free(copy);
}

/* --- Sessions -------------------------------------------------------------- */

/* It takes no memory, which a driver may count. */
static char told[64 << 10];
static size_t ntold;
static bool is_answered; /* the command of this line */
bool golden_is_quiet;

static void
tell(const char *format, va_list args)
{
	ntold += (size_t)vsnprintf(told + ntold, sizeof(told) - ntold, format,
				   args);
	if (ntold >= sizeof(told))
		give_up("a session", 0, "too much is told");
}

void
golden_tell(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tell(format, args);
	va_end(args);
}

void
golden_answer(const char *format, ...)
{
	va_list args;

	if (golden_is_quiet)
		return;
	golden_tell("%s", is_answered ? ", " : " -> ");
	is_answered = true;
	va_start(args, format);
	tell(format, args);
	va_end(args);
}

bool
golden_command(const struct golden_command *row, char *line)
{
	const size_t len = strcspn(line, " ");

	while (row->name &&
	       (strlen(row->name) != len || strncmp(row->name, line, len) != 0))
		row++;
	if (row->name)
		row->run(line + len + (line[len] == ' '));
	return row->name != NULL;
}

static void
take_line(char *line, void (*command)(char *line))
{
	char words[2048], *end = strstr(line, " -> ");
	unsigned long times;

	if (end)
		*end = '\0';
	if (!*line || *line == ' ' || strlen(line) >= sizeof(words))
		return;
	golden_tell("%s", strcpy(words, line));
	times = strtoul(line, &end, 10);
	times = strncmp(end, "x ", 2) == 0 ? times : 0;
	line = times ? end + 2 : line;
	is_answered = false;
	do {
		golden_is_quiet = times > 1;
		command(strcpy(words, line));
	} while (times && --times);
	golden_tell("\n");
}

static void
take_lines(const struct golden_case *c, void (*command)(char *line))
{
	char *text = strdup(c->input.text), *rest = text, *line;

	ntold = 0;
	told[0] = '\0';
	while ((line = strsep(&rest, "\n")) != NULL)
		take_line(line, command);
	free(text);
}

static struct {
	const char *script, *parts; /* parts: the line of the input */
	void (*begin)(void), (*command)(char *line);
} rows;

static void
do_commands(char *line)
{
	for (char *end; line; line = end ? end + 3 : NULL) {
		end = strstr(line, " & ");
		if (end)
			*end = '\0';
		rows.command(line);
	}
}

static void
do_line_of_script(char *line, struct golden_output *out)
{
	char text[2048], *to = text, *const end = text + sizeof(text) - 1;

	(void)out;
	for (; *line && to < end; line++) {
		const char *part = rows.parts;

		if (*line != '$') {
			*to++ = *line;
			continue;
		}
		for (unsigned n = (unsigned)(*++line - '0'); n > 1; n--)
			part = strstr(part, " / ") + 3;
		while (*part && strncmp(part, " / ", 3) != 0 && to < end)
			*to++ = *part++;
	}
	*to = '\0';
	do_commands(text);
}

static void
do_script(char *line)
{
	rows.parts = line;
	rows.begin();
	golden_each_line(rows.script, do_line_of_script, NULL);
}

void
golden_session(const struct golden_case *c, void (*command)(char *line))
{
	rows.command = command;
	take_lines(c, do_commands);
}

void
golden_rows(const struct golden_case *c, void (*begin)(void),
	    void (*command)(char *line))
{
	rows.script = golden_section(c, "@script");
	rows.begin = begin;
	rows.command = command;
	if (!rows.script)
		begin();
	take_lines(c, rows.script ? do_script : do_commands);
}

const char *
golden_told(void)
{
	return told;
}

void
golden_session_end(struct golden_output *out)
{
	golden_write(out, "", told, ntold);
}

/* --- The file -------------------------------------------------------------- */

struct reader {
	const char *path; /* as the test names it */
	char *bytes, *at; /* the whole file; the next line */
	unsigned line;	  /* its number */
};

static bool
begins(const char *line, const char *mark)
{
	return strncmp(line, mark, strlen(mark)) == 0;
}

static bool
is_marked(const char *line)
{
	return begins(line, "===") || begins(line, "---") || *line == '#';
}

/* The end of a line, after its newline. */
static char *
line_end(const char *line)
{
	const char *newline = strchr(line, '\n');

	return (char *)(newline ? newline + 1 : line + strlen(line));
}

/* Comments and empty lines before a case, or at the end of the file. */
static bool
is_between(const char *line)
{
	while (*line == '#' || *line == '\n')
		line = line_end(line);
	return *line == '\0' || begins(line, "===");
}

static char *
read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *bytes = NULL;
	size_t capacity = 0;

	if (!file || getdelim(&bytes, &capacity, '\0', file) < 0)
		give_up(path, 0, "cannot be read");
	fclose(file);
	return bytes;
}

static char *
next_line(struct reader *reader)
{
	char *const line = reader->at;

	reader->at = line_end(line);
	reader->line++;
	return line;
}

/* The text stays a string, also without any bytes. */
static void
add_bytes(struct text *text, const char *bytes, size_t len)
{
	if (!text_add(text, bytes, len))
		give_up(bytes, 0, "out of memory");
}

/* The name after a mark, which begins a line. */
static char *
read_mark(struct reader *reader)
{
	char *const name = next_line(reader) + 3;

	if (reader->at[-1] != '\n')
		give_up(reader->path, reader->line, "the line has no end");
	reader->at[-1] = '\0';
	return name + strspn(name, " ");
}

/* The lines up to the next mark, without their backslashes. */
static struct golden_section
read_text(struct reader *reader, const char *name)
{
	struct text text = { 0 };

	add_bytes(&text, "", 0);
	while (*reader->at && !begins(reader->at, "===") &&
	       !begins(reader->at, "---") && !is_between(reader->at)) {
		const char *line = next_line(reader);

		if (*line == '\\' && (is_marked(line + 1) || line[1] == '\\'))
			line++;
		add_bytes(&text, line, (size_t)(reader->at - line));
	}
	return (struct golden_section){ name, text.bytes, text.len };
}

/* A section: the lines after its mark, or the only one, beside the name. */
static struct golden_section
read_section(struct reader *reader)
{
	char *name = read_mark(reader), *end_of_name = strstr(name, ": ");
	struct text text = { 0 };

	if (!end_of_name)
		return read_text(reader, name);
	*end_of_name = '\0';
	add_bytes(&text, end_of_name + 2, strlen(end_of_name + 2));
	add_bytes(&text, "\n", 1);
	return (struct golden_section){ name, text.bytes, text.len };
}

static void
skip_between(struct reader *reader)
{
	while (*reader->at == '#' || *reader->at == '\n')
		next_line(reader);
}

/* --- One case -------------------------------------------------------------- */

/* Texts end with a zero byte; a comment at the end of one needs a backslash. */
static void
add_lines(struct text *file, const char *text, size_t len)
{
	for (const char *end = text + len; text < end;) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const size_t n = newline ? (size_t)(newline - text) :
					   (size_t)(end - text);

		if (*text == '#' ? is_between(text) :
				   is_marked(text) || *text == '\\')
			text_add_string(file, "\\");
		text_add(file, text, n);
		text_add_string(file, "\n");
		text += n + (newline != NULL);
	}
}

static void
add_section(struct text *file, const char *name, const char *text, size_t len)
{
	text_add_string(file, "--- ");
	text_add_string(file, name);
	if (len > 1 && memchr(text, '\n', len) == text + len - 1) {
		text_add_string(file, ": ");
		text_add(file, text, len);
		return;
	}
	text_add_string(file, "\n");
	add_lines(file, text, len);
}

/* Return the section that a driver has written, without empty lines at its
 * end. */
static struct text
written(struct golden_output *out, const char *name)
{
	static struct text nothing;

	for (unsigned i = 0; i < out->n; i++) {
		struct text *text = &out->sections[i].text;

		if (strcmp(out->sections[i].name, name) != 0)
			continue;
		while (text->len && text->bytes[text->len - 1] == '\n')
			text_cut(text, text->len - 1);
		if (text->len)
			text_add_string(text, "\n");
		return *text;
	}
	return nothing;
}

static bool
is_compared(const char *name)
{
	return name[0] != '@';
}

/* Return true if the driver has written the input again, with results of its
 * lines. */
static bool
is_listed(const struct golden_output *out)
{
	for (unsigned i = 0; i < out->n; i++)
		if (!*out->sections[i].name)
			return true;
	return false;
}

static bool
is_same(const struct golden_section *section, struct golden_output *out)
{
	const struct text got = written(out, section->name);

	return got.len == section->len &&
	       (!got.len || memcmp(got.bytes, section->text, got.len) == 0);
}

static void
note_lines(const char *title, const char *text, size_t len)
{
	tap_note("%s", title);
	for (const char *end = text + len; text < end;) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const size_t n = newline ? (size_t)(newline - text) :
					   (size_t)(end - text);

		tap_note("    %.*s", (int)n, text);
		text += n + (newline != NULL);
	}
}

static void
compare(const struct golden_case *c, struct golden_output *out)
{
	bool same = !is_listed(out) || is_same(&c->input, out);

	for (unsigned i = 0; i < out->n; i++)
		same &= golden_section(c, out->sections[i].name) != NULL ||
			written(out, out->sections[i].name).len == 0;
	for (unsigned i = 0; i < c->n_sections; i++) {
		const struct golden_section *s = &c->sections[i];

		same &= !is_compared(s->name) || is_same(s, out);
	}
	if (tap_ok(same, c->file, (int)c->line, "%s", c->name))
		return;
	for (unsigned i = 0; i < out->n; i++) {
		const char *name = out->sections[i].name;
		const struct text got = written(out, name);
		const char *expected = golden_section(c, name);

		tap_note("--- %s", name);
		note_lines("got:", got.bytes, got.len);
		note_lines("expected:", expected ? expected : "",
			   expected ? strlen(expected) : 0);
	}
}

/* The case as it is to stand in the file: its own inputs, the sections that it
 * has, and those that only the driver has. */
static void
rewrite(const struct golden_case *c, struct golden_output *out,
	struct text *file)
{
	const struct text listing = written(out, "");

	text_add_string(file, "=== ");
	text_add_string(file, c->name);
	text_add_string(file, "\n");
	if (is_listed(out))
		add_lines(file, listing.bytes, listing.len);
	else
		add_lines(file, c->input.text, c->input.len);
	for (unsigned i = 0; i < c->n_sections; i++) {
		const struct golden_section *s = &c->sections[i];
		const struct text got = written(out, s->name);

		if (is_compared(s->name))
			add_section(file, s->name, got.bytes, got.len);
		else
			add_section(file, s->name, s->text, s->len);
	}
	for (unsigned i = 0; i < out->n; i++) {
		const char *name = out->sections[i].name;
		const struct text got = written(out, name);

		if (!golden_section(c, name) && got.len)
			add_section(file, name, got.bytes, got.len);
	}
}

/* --- All cases ------------------------------------------------------------- */

static void
read_case(struct reader *reader, struct golden_case *c)
{
	memset(c, 0, sizeof(*c));
	c->file = reader->path;
	c->line = reader->line;
	c->name = read_mark(reader);
	c->input = read_text(reader, "");
	while (begins(reader->at, "---")) {
		if (c->n_sections == GOLDEN_SECTIONS)
			give_up(c->file, c->line, "too many sections");
		c->sections[c->n_sections++] = read_section(reader);
	}
}

static void
run_case(struct golden_case *c, golden_driver *driver, struct text *file)
{
	struct golden_output out = { 0 };

	driver(c, &out);
	compare(c, &out);
	rewrite(c, &out, file);
	for (unsigned i = 0; i < out.n; i++)
		text_free(&out.sections[i].text);
	for (unsigned i = 0; i < c->n_sections; i++)
		free((char *)c->sections[i].text);
	free((char *)c->input.text);
}

void
golden_run(const char *path, golden_driver *driver)
{
	const char *source = getenv("srcdir"), *filter = getenv("FILTER");
	struct text file = { 0 };
	struct reader reader = { path, NULL, NULL, 1 };
	char *name;
	unsigned n = 0;

	if (asprintf(&name, "%s/%s", source ? source : ".", path) < 0)
		give_up(path, 0, "out of memory");
	reader.bytes = reader.at = read_file(name);
	for (;;) {
		char *between = reader.at;
		struct golden_case c;

		skip_between(&reader);
		text_add(&file, between, (size_t)(reader.at - between));
		if (!*reader.at)
			break;
		if (!begins(reader.at, "==="))
			give_up(path, reader.line, "a case begins with ===");
		read_case(&reader, &c);
		if (filter && !strstr(c.name, filter))
			continue;
		run_case(&c, driver, &file);
		n++;
	}
	if (n == 0 && !filter)
		give_up(path, reader.line, "there are no cases");
	if (getenv("UPDATE_GOLDEN") && !filter) {
		FILE *to = fopen(name, "w");

		if (!to || fwrite(file.bytes, 1, file.len, to) != file.len ||
		    fclose(to) != 0)
			give_up(path, 0, "cannot be written");
	}
	text_free(&file);
	free(reader.bytes);
	free(name);
}
