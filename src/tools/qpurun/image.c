/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/tools/qpurun/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "qpu/debugger/operand.h"
#include "qpu/isa/isa.h"
#include "src/base/quote.h"

enum { IMAGE_MAX = 1 << 30 }; /* all that a bus address can name */

__attribute__((format(printf, 3, 4))) static bool
fail(struct diag *why, const char *file, const char *format, ...)
{
	va_list args;

	*why = (struct diag){ .line = 0 };
	va_start(args, format);
	vsnprintf(why->text, sizeof(why->text), format, args);
	va_end(args);
	snprintf(why->file, sizeof(why->file), "%s", file);
	return false;
}

/* The file of an image is at fault. */
static bool
fail_file(struct diag *why, const struct run_image *image, const char *text)
{
	struct text name = { 0 };

	fail(why, quote_name(&name, image->path), "%s", text);
	text_free(&name);
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

static bool
is_standard_input(const struct run_image *image)
{
	return image->path && strcmp(image->path, "-") == 0;
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
		return fail(why, text, "out of memory");
	at = strrchr(image->spec, '@');
	if (!at || at == image->spec)
		return fail(
			why, text,
			code ? "code is written as FILE@ADDR" :
			       "memory is written as FILE@ADDR, FILE@ADDR:rw or "
			       "ZERO:SIZE@ADDR");
	*at++ = '\0';
	if (!bus_address_parse(at, &end, &image->addr) ||
	    (*end && (strcmp(end, ":rw") || code)))
		return fail(why, text, "'%s' is not a hexadecimal bus address",
			    at);
	if (code && image->addr % QPU_INST_BYTES)
		return fail(why, text,
			    "the address of code is not a multiple of 8");
	image->writable = *end;
	image->path = image->spec;
	if (image->writable && is_standard_input(image))
		return fail(why, text, "standard input cannot be written back");
	if (code || strncmp(image->spec, "ZERO:", 5))
		return true;
	image->path = NULL;
	if (!parse_zeros(image->spec + 5, image) || image->writable)
		return fail(why, text, "zeros are written as ZERO:SIZE@ADDR");
	return true;
}

/* Why a file of this length cannot be memory, or null. */
static const char *
what_is_wrong(const struct run_image *image, uint64_t len)
{
	if (!len)
		return "empty";
	if (len > IMAGE_MAX)
		return "larger than the bus";
	if (image->code && len % QPU_INST_BYTES)
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
		fail_file(why, image, strerror(errno));
		if (stream)
			fclose(stream);
		return NULL;
	}
	wrong = S_ISREG(stat.st_mode) ?
			what_is_wrong(image, (uint64_t)stat.st_size) :
			"not a regular file";
	if (wrong) {
		fail_file(why, image, wrong);
		fclose(stream);
		return NULL;
	}
	image->len = stat.st_size;
	return stream;
}

/* All of standard input, with zeros up to a whole word. */
static bool
read_standard_input(struct run_image *image, struct diag *why)
{
	const char *wrong;
	size_t size = 0, got;

	do {
		uint8_t *bytes = realloc(image->bytes, size += 64 << 10);

		if (!bytes)
			return fail(why, image->spec, "out of memory");
		image->bytes = bytes;
		memset(bytes + image->len, 0, size - image->len);
		got = fread(bytes + image->len, 1, size - image->len - 4,
			    stdin);
		image->len += got;
	} while (got > 0 && image->len <= IMAGE_MAX);
	image->room = (image->len + 3) & ~(size_t)3;
	wrong = ferror(stdin) ? "cannot be read" :
				what_is_wrong(image, image->len);
	return !wrong || fail(why, "standard input", "%s", wrong);
}

bool
run_image_read(struct run_image *image, struct diag *why)
{
	FILE *stream = NULL;
	bool good = true;

	if (is_standard_input(image))
		return read_standard_input(image, why);
	if (image->path && !(stream = open_image(image, why)))
		return false;
	image->room = (image->len + 3) & ~(size_t)3;
	image->bytes = calloc(1, image->room);
	if (!image->bytes)
		good = fail(why, image->spec, "out of memory");
	else if (stream &&
		 fread(image->bytes, 1, image->len, stream) != image->len)
		good = fail_file(why, image, "cannot be read");
	if (stream)
		fclose(stream);
	return good;
}

size_t
run_image_stored(const struct run_image *image)
{
	size_t differ = 0;
	FILE *stream;
	int byte;

	if (!image->path || image->code || is_standard_input(image))
		return 0;
	stream = fopen(image->path, "rb");
	if (!stream)
		return 0;
	for (size_t i = 0; i < image->len && (byte = getc(stream)) != EOF; i++)
		differ += image->bytes[i] != byte;
	fclose(stream);
	return differ;
}

bool
run_image_write(const struct run_image *image, struct diag *why)
{
	FILE *stream = fopen(image->path, "r+b");
	bool good;

	if (!stream)
		return fail_file(why, image, strerror(errno));
	good = fwrite(image->bytes, 1, image->len, stream) == image->len;
	if (fclose(stream) || !good)
		return fail_file(why, image, strerror(errno));
	return true;
}

void
run_image_free(struct run_image *image)
{
	free(image->bytes);
	free(image->spec);
	memset(image, 0, sizeof(*image));
}
