/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/bench/rates.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "src/base/outfile.h"

#define FOLDER "/qpu-sha256sum"
#define LINE "%s %s %s %s %.0f\n"

enum {
	/* Lines after these are not read. */
	MOST_LINES = 1000,
	/* No engine hashes 10 TB a second. */
	MOST_DIGITS = 13,
	/* Writing the file takes much less than this. */
	LEFT_SECONDS = 60
};

/* A line of the file, of any machine and version. */
struct line {
	char node[66];
	char version[32];
	struct rate rate;
};

/* The path of the file; with `make` its folders are created.  False: there is
 * no place for it. */
static bool
find_file(char path[PATH_MAX], bool make)
{
	const char *base = getenv("XDG_CACHE_HOME");
	const char *below = "";
	int len;

	/* The XDG specification says to ignore relative paths. */
	if (!base || *base != '/') {
		base = getenv("HOME");
		below = "/.cache";
	}
	if (!base || *base != '/')
		return false;
	len = snprintf(path, PATH_MAX, "%s%s", base, below);
	if (len < 0 || (size_t)len + sizeof(FOLDER "/rates.XXXXXX") > PATH_MAX)
		return false;
	if (make)
		mkdir(path, 0700);
	strcat(path, FOLDER);
	if (make)
		mkdir(path, 0700);
	strcat(path, "/rates");
	return true;
}

/* Take a word of visible ASCII characters, and the byte `end` after it. */
static bool
take_word(const char **text, char end, char *word, size_t size)
{
	const char *from = *text;
	size_t len = 0;

	while (from[len] > ' ' && from[len] <= '~')
		len++;
	if (len == 0 || len >= size || from[len] != end)
		return false;
	memcpy(word, from, len);
	word[len] = '\0';
	*text = from + len + 1;
	return true;
}

/* Is it a date of the form YYYY-MM-DD? */
static bool
is_date(const char *word)
{
	static const char form[] = "0000-00-00";

	if (strlen(word) != strlen(form))
		return false;
	for (size_t i = 0; form[i]; i++)
		if (form[i] == '0' ? word[i] < '0' || word[i] > '9' :
				     word[i] != form[i])
			return false;
	return true;
}

/* A whole number of bytes per second, or 0. */
static double
parse_rate(const char *word)
{
	const size_t len = strlen(word);
	uint64_t number = 0;

	if (len > MOST_DIGITS || word[strspn(word, "0123456789")])
		return 0;
	for (size_t i = 0; i < len; i++)
		number = number * 10 + (uint64_t)(word[i] - '0');
	return (double)number;
}

/* False: it is not a line of this file. */
static bool
parse_line(const char *text, struct line *line)
{
	struct rate *rate = &line->rate;
	char number[MOST_DIGITS + 2];

	if (!take_word(&text, ' ', line->node, sizeof(line->node)) ||
	    !take_word(&text, ' ', line->version, sizeof(line->version)) ||
	    !take_word(&text, ' ', rate->date, sizeof(rate->date)) ||
	    !take_word(&text, ' ', rate->engine, sizeof(rate->engine)) ||
	    !take_word(&text, '\n', number, sizeof(number)))
		return false;
	rate->bytes_per_second = parse_rate(number);
	return is_date(rate->date) && rate->bytes_per_second > 0;
}

static bool
is_of_node(const struct line *line, const struct utsname *here)
{
	return strcmp(line->node, here->nodename) == 0;
}

static bool
is_of_version(const struct line *line)
{
	return strcmp(line->version, PACKAGE_VERSION) == 0;
}

const struct rate *
rates_find(const struct rates *rates, const char *engine)
{
	for (unsigned i = 0; i < rates->n; i++)
		if (strcmp(rates->rows[i].engine, engine) == 0)
			return &rates->rows[i];
	return NULL;
}

static void
add(struct rates *rates, const struct rate *rate)
{
	struct rate *row = (struct rate *)rates_find(rates, rate->engine);

	if (!row && rates->n < RATES_MOST) {
		row = &rates->rows[rates->n++];
		row->bytes_per_second = 0;
	}
	if (row && row->bytes_per_second < rate->bytes_per_second)
		*row = *rate;
}

void
rates_note(struct rates *rates, const char *engine, double bytes_per_second)
{
	struct rate rate = { .bytes_per_second = bytes_per_second };
	struct timespec now;
	struct tm today;

	snprintf(rate.engine, sizeof(rate.engine), "%s", engine);
	clock_gettime(CLOCK_REALTIME, &now);
	if (localtime_r(&now.tv_sec, &today))
		strftime(rate.date, sizeof(rate.date), "%Y-%m-%d", &today);
	add(rates, &rate);
}

/* The file, if it is a regular one; NULL. */
static FILE *
open_file(const char *path)
{
	/* A FIFO is not waited for. */
	const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
					  O_NOCTTY | O_CLOEXEC);
	struct stat st;
	FILE *file;

	if (fd < 0)
		return NULL;
	file = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? fdopen(fd, "r") :
							    NULL;
	if (!file)
		close(fd);
	return file;
}

/* The next line of the right form, parsed, and as it is in the file. */
static bool
next_line(FILE *file, unsigned *nlines, char text[256], struct line *line)
{
	while (++*nlines <= MOST_LINES && fgets(text, 256, file))
		if (parse_line(text, line))
			return true;
	return false;
}

void
rates_load(struct rates *rates)
{
	char path[PATH_MAX], text[256];
	struct utsname here;
	struct line line;
	unsigned nlines = 0;
	FILE *file = NULL;

	*rates = (struct rates){ .n = 0 };
	if (uname(&here) == 0 && find_file(path, false))
		file = open_file(path);
	if (!file)
		return;
	while (next_line(file, &nlines, text, &line))
		if (is_of_node(&line, &here) && is_of_version(&line))
			add(rates, &line.rate);
	fclose(file);
}

/* Copy the lines of other machines, and of engines not measured now. */
static void
copy_rest(const char *path, FILE *to, const struct rates *rates,
	  const struct utsname *here)
{
	FILE *file = open_file(path);
	struct line line;
	unsigned nlines = 0;
	char text[256];

	if (!file)
		return;
	while (next_line(file, &nlines, text, &line))
		if (!is_of_node(&line, here) ||
		    (is_of_version(&line) &&
		     !rates_find(rates, line.rate.engine)))
			fputs(text, to);
	fclose(file);
}

/* Remove new files that killed writers have left beside the file of rates. */
static void
remove_left(const char *path)
{
	const size_t folder = strlen(path) - strlen("rates");
	const time_t now = time(NULL);
	char name[PATH_MAX + 1];
	struct dirent *entry;
	struct stat st;
	DIR *directory;

	snprintf(name, sizeof(name), "%.*s", (int)folder, path);
	directory = opendir(name);
	while (directory && (entry = readdir(directory)))
		if (strncmp(entry->d_name, "rates.", 6) == 0 &&
		    strlen(entry->d_name) == strlen("rates.XXXXXX") &&
		    fstatat(dirfd(directory), entry->d_name, &st,
			    AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) && st.st_mtime < now - LEFT_SECONDS)
			unlinkat(dirfd(directory), entry->d_name, 0);
	if (directory)
		closedir(directory);
}

/* A file of its own for each writer, beside the one that it will replace. */
static FILE *
make_file(char *path)
{
	const int fd = mkostemp(path, O_CLOEXEC);
	FILE *file;

	if (fd < 0)
		return NULL;
	file = fdopen(fd, "w");
	if (!file) {
		close(fd);
		unlink(path);
	}
	return file;
}

bool
rates_save(const struct rates *rates)
{
	char path[PATH_MAX], new_path[PATH_MAX + sizeof(".XXXXXX")];
	struct utsname here;
	bool saved;
	FILE *file;

	if (rates->n == 0 || uname(&here) != 0 || !find_file(path, true))
		return false;
	remove_left(path);
	snprintf(new_path, sizeof(new_path), "%s.XXXXXX", path);
	file = make_file(new_path);
	if (!file)
		return false;
	/* New lines come first, and so among those that are read. */
	for (unsigned i = 0; i < rates->n; i++)
		fprintf(file, LINE, here.nodename, PACKAGE_VERSION,
			rates->rows[i].date, rates->rows[i].engine,
			rates->rows[i].bytes_per_second);
	copy_rest(path, file, rates, &here);
	saved = outfile_close(file) && rename(new_path, path) == 0;
	if (!saved)
		unlink(new_path);
	return saved;
}
