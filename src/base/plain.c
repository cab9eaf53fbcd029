/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/base/plain.h"

enum { PART_BYTES = 256 };

/* Bytes of the control character at the start of a text; 0: it is none. */
static unsigned
control_length(const char *text)
{
	const unsigned char *byte = (const unsigned char *)text;

	if ((byte[0] < ' ' && byte[0] != '\t') || byte[0] == 0x7f)
		return 1;
	return byte[0] == 0xc2 && byte[1] >= 0x80 && byte[1] < 0xa0 ? 2 : 0;
}

void
plain_put(const char *text, FILE *stream)
{
	/* Standard error has no buffer. */
	char part[PART_BYTES];
	size_t len = 0;

	while (*text) {
		const unsigned control = control_length(text);

		part[len++] = control ? '?' : *text;
		text += control ? control : 1;
		if (len == sizeof(part) || !*text) {
			fwrite(part, 1, len, stream);
			len = 0;
		}
	}
}

void
plain_clean(char *text)
{
	char *to = text;

	while (*text) {
		const unsigned control = control_length(text);

		*to++ = control ? '?' : *text;
		text += control ? control : 1;
	}
	*to = '\0';
}

void
plain_put_place(const char *file, unsigned line, FILE *stream)
{
	plain_put(file, stream);
	fprintf(stream, ":%u", line);
}
