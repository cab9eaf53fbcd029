/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/tools/qpurun/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "qpu/debugger/operand.h"
#include "qpu/isa/isa.h"

enum { IMAGE_MAX = 1 << 30 }; /* all that a bus address can name */

__attribute__((format(printf, 4, 5))) static bool
fail(struct diag *why, const char *file, unsigned number, const char *format,
     ...)
{
	va_list args;

	*why = (struct diag){ .rule = number };
	va_start(args, format);
	vsnprintf(why->text, sizeof(why->text), format, args);
	va_end(args);
	snprintf(why->file, sizeof(why->file), "%s", file);
	return false;
}

static bool
parse_zeros(const char *text, struct run_image *image)
{
	char *stop;
	unsigned long long bytes;

	if (*text < '0' || *text > '9')
		return false;
	bytes = strtoull(text, &stop, 0);
	image->len = bytes;
	return !*stop && bytes && bytes <= IMAGE_MAX;
}

bool
run_image_parse(const char *text, bool code, struct run_image *image,
		struct diag *why)
{
	char *at;
	const char *end;

	memset(image, 0, sizeof(*image));
	image->code = code;
	image->spec = strdup(text);
	if (!image->spec)
		return fail(why, text, RUN_IMAGE_MEMORY, "out of memory");
	at = strrchr(image->spec, '@');
	if (!at || at == image->spec)
		return fail(
			why, text, RUN_IMAGE_SYNTAX,
			code ? "code is written as FILE@ADDR" :
			       "memory is written as FILE@ADDR, FILE@ADDR:rw or "
			       "ZERO:SIZE@ADDR");
	*at++ = '\0';
	if (!bus_address_parse(at, &end, &image->addr) ||
	    (*end && (strcmp(end, ":rw") || code)))
		return fail(why, text, RUN_IMAGE_ADDRESS,
			    "'%s' is not a hexadecimal bus address", at);
	image->writable = *end;
	image->path = image->spec;
	if (code || strncmp(image->spec, "ZERO:", 5))
		return true;
	image->path = NULL;
	if (!parse_zeros(image->spec + 5, image) || image->writable)
		return fail(why, text, RUN_IMAGE_SYNTAX,
			    "zeros are written as ZERO:SIZE@ADDR");
	return true;
}

/* Why a file cannot be memory, or null. */
static const char *
what_is_wrong(const struct run_image *image, const struct stat *stat)
{
	if (!S_ISREG(stat->st_mode))
		return "not a regular file";
	if (!stat->st_size)
		return "empty";
	if (stat->st_size > IMAGE_MAX)
		return "larger than the bus";
	if (image->code && stat->st_size % QPU_INST_BYTES)
		return "not a whole number of 8-byte instructions";
	return NULL;
}

/* Open the file, for writing too if it will be written, and find its length. */
static FILE *
open_image(struct run_image *image, struct diag *why)
{
	FILE *stream = fopen(image->path, image->writable ? "r+b" : "rb");
	const char *wrong;
	struct stat stat;

	if (!stream || fstat(fileno(stream), &stat) ||
	    (S_ISDIR(stat.st_mode) && (errno = EISDIR))) {
		fail(why, image->path, RUN_IMAGE_FILE, "%s", strerror(errno));
		if (stream)
			fclose(stream);
		return NULL;
	}
	wrong = what_is_wrong(image, &stat);
	if (wrong) {
		fail(why, image->path, RUN_IMAGE_LENGTH, "%s", wrong);
		fclose(stream);
		return NULL;
	}
	image->len = stat.st_size;
	return stream;
}

bool
run_image_read(struct run_image *image, struct diag *why)
{
	FILE *stream = NULL;
	bool good = true;

	if (image->path && !(stream = open_image(image, why)))
		return false;
	image->room = (image->len + 3) & ~(size_t)3;
	image->bytes = calloc(1, image->room);
	if (!image->bytes)
		good = fail(why, image->spec, RUN_IMAGE_MEMORY,
			    "out of memory");
	else if (stream &&
		 fread(image->bytes, 1, image->len, stream) != image->len)
		good = fail(why, image->path, RUN_IMAGE_FILE, "cannot be read");
	if (stream)
		fclose(stream);
	return good;
}

bool
run_image_write(const struct run_image *image, struct diag *why)
{
	FILE *stream = fopen(image->path, "r+b");
	bool good;

	if (!stream)
		return fail(why, image->path, RUN_IMAGE_FILE, "%s",
			    strerror(errno));
	good = fwrite(image->bytes, 1, image->len, stream) == image->len;
	if (fclose(stream) || !good)
		return fail(why, image->path, RUN_IMAGE_FILE, "%s",
			    strerror(errno));
	return true;
}

void
run_image_free(struct run_image *image)
{
	free(image->bytes);
	free(image->spec);
	memset(image, 0, sizeof(*image));
}
