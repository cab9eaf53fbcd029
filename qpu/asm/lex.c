/* SPDX-License-Identifier: MIT */
/*
 * lex: cuts a line into names, numbers, strings and operators.
 */
#include "config.h"

#include "qpu/asm/source.h"

#include <ctype.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/asm/arena.h"
#include "qpu/asm/message.h"

struct lexer {
	struct asm_messages *messages;
	const struct asm_line *line;
	const char *at;
	struct asm_token *tokens;
	size_t ntokens;
};

/* Longest first: the first match is taken. A binary operator binds as it does
 * in C, and ** above all others; `binds` is 0 for others. */
static const struct {
	char text[4];
	uint8_t binds;
} operators[] = {
	{ "!^^", 2 }, { "!==", 7 }, { "===", 7 }, { "<=>", 8 }, { "<<<", 9 },
	{ ">>>", 9 }, { "><<", 9 }, { ">><", 9 }, { "<<", 9 },	{ ">>", 9 },
	{ "<=", 8 },  { ">=", 8 },  { "==", 7 },  { "!=", 7 },	{ "&&", 3 },
	{ "||", 1 },  { "^^", 2 },  { "!^", 5 },  { "**", 12 }, { "::", 0 },
	{ "(", 0 },   { ")", 0 },   { "[", 0 },	  { "]", 0 },	{ ",", 0 },
	{ ";", 0 },   { ":", 0 },   { "+", 10 },  { "-", 10 },	{ "*", 11 },
	{ "/", 11 },  { "%", 11 },  { "~", 0 },	  { "!", 0 },	{ "<", 8 },
	{ ">", 8 },   { "&", 6 },   { "^", 5 },	  { "|", 4 },	{ "=", 0 },
};

static bool
is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool
complain(struct lexer *lexer, unsigned number, const char *what)
{
	asm_message_add(lexer->messages, QPU_SEVERITY_ERROR, number,
			lexer->line, lexer->at - lexer->line->text + 1, "%s",
			what);
	return false;
}

/* Add a token of the next len characters and step over them. */
static struct asm_token *
add_token(struct lexer *lexer, enum asm_token_type type, size_t len)
{
	ASM_ARENA_GROW(lexer->messages->arena, lexer->tokens, lexer->ntokens);
	struct asm_token *token = &lexer->tokens[lexer->ntokens++];
	const char *start = lexer->line->text;

	*token = (struct asm_token){
		.type = type,
		.column = lexer->at - start + 1,
		.touches = lexer->at > start &&
			   !isspace((unsigned char)lexer->at[-1]),
	};
	lexer->at += len;
	return token;
}

static void
add_word(struct lexer *lexer, enum asm_token_type type, size_t skip)
{
	const char *text = lexer->at + skip;
	size_t len = 0;

	while (is_name(text[len]))
		len++;
	struct asm_token *token = add_token(lexer, type, skip + len);
	token->text = asm_arena_strndup(lexer->messages->arena, text, len);
}

/* strtod with the point of C, whatever the locale of the process has. */
static double
read_float(const char *text, char **end)
{
	const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	const double real = c ? strtod_l(text, end, c) : strtod(text, end);

	if (c)
		freelocale(c);
	return real;
}

static bool
add_float(struct lexer *lexer)
{
	char *end;
	const double real = read_float(lexer->at, &end);

	if (is_name(*end))
		return complain(lexer, ASM_E_NUMBER, "malformed number");
	struct asm_token *token =
		add_token(lexer, ASM_TOK_FLOAT, end - lexer->at);
	token->real = real;
	return true;
}

static unsigned
digit_value(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	if (isalpha((unsigned char)c))
		return tolower((unsigned char)c) - 'a' + 10;
	return 99;
}

/* The digits at text in a base; false when the value needs over 64 bits. */
static bool
scan_digits(const char *text, unsigned base, size_t *len, uint64_t *value)
{
	*value = 0;
	for (*len = 0; digit_value(text[*len]) < base; (*len)++) {
		const unsigned digit = digit_value(text[*len]);

		if (*value > (UINT64_MAX - digit) / base)
			return false;
		*value = *value * base + digit;
	}
	return true;
}

static bool
add_number(struct lexer *lexer)
{
	const char *text = lexer->at;
	const char letter = *text == '0' ? tolower((unsigned char)text[1]) : 0;
	unsigned base = letter == 'x' ? 16 : letter == 'o' ? 8 : 10;
	size_t skip = base == 10 ? 0 : 2;

	if (letter == 'b' && (text[2] == '0' || text[2] == '1')) {
		base = 2;
		skip = 2;
	} else if (!skip) {
		const size_t digits = strspn(text, "0123456789");

		if (text[digits] == '.' ||
		    tolower((unsigned char)text[digits]) == 'e')
			return add_float(lexer);
		if (text[0] == '0' && digits > 1)
			base = 8;
	}

	size_t len;
	uint64_t value;
	if (!scan_digits(text + skip, base, &len, &value))
		return complain(lexer, ASM_E_NUMBER,
				"number needs more than 64 bits");
	if (!len)
		return complain(lexer, ASM_E_NUMBER, "malformed number");
	len += skip;
	const bool local = base == 10 && (text[len] == 'f' || text[len] == 'b');
	if (is_name(text[len + local]))
		return complain(lexer, ASM_E_NUMBER, "malformed number");
	struct asm_token *token = add_token(
		lexer, local ? ASM_TOK_LOCAL : ASM_TOK_INT, len + local);
	token->integer = value;
	token->op = local ? (unsigned char)text[len] : 0;
	token->base = base;
	token->prefixed = skip;
	return true;
}

static bool
add_string(struct lexer *lexer, char end)
{
	const char *text = lexer->at + 1;
	const char *close = strchr(text, end);

	if (!close)
		return complain(lexer, ASM_E_SYNTAX, "string is not closed");
	const size_t len = close - text;
	struct asm_token *token = add_token(lexer, ASM_TOK_STRING, len + 2);
	token->text = asm_arena_strndup(lexer->messages->arena, text, len);
	token->op = end;
	return true;
}

/* After .include a name may stand in angle brackets as in quotes. */
static bool
begins_file_name(const struct lexer *lexer)
{
	const struct asm_token *last =
		lexer->ntokens ? &lexer->tokens[lexer->ntokens - 1] : NULL;

	return *lexer->at == '<' && strchr(lexer->at, '>') && last &&
	       last->type == ASM_TOK_DIRECTIVE &&
	       strcmp(last->text, "include") == 0;
}

static bool
add_operator(struct lexer *lexer)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		const char *op = operators[i].text;
		const size_t len = strlen(op);

		if (strncmp(lexer->at, op, len) != 0)
			continue;
		struct asm_token *token = add_token(lexer, ASM_TOK_OP, len);

		token->binds = operators[i].binds;
		for (size_t j = 0; j < len; j++)
			token->op = token->op << 8 | (unsigned char)op[j];
		return true;
	}
	return complain(lexer, ASM_E_CHARACTER, "unexpected character");
}

/* A dot: a suffix, a directive, a fraction or the name of a local label. */
static bool
add_dotted(struct lexer *lexer)
{
	const char *at = lexer->at;
	const char *start = lexer->line->text;
	const char before = at > start ? at[-1] : ' ';

	if (is_name(before) || before == ')') {
		if (!is_name(at[1]))
			return complain(lexer, ASM_E_SYNTAX,
					"a suffix is missing after the dot");
		add_word(lexer, ASM_TOK_SUFFIX, 1);
		return true;
	}
	if (isdigit((unsigned char)at[1]) && before != ':')
		return add_float(lexer);
	if (!is_name(at[1]))
		return complain(lexer, ASM_E_CHARACTER, "unexpected character");
	add_word(lexer, before == ':' ? ASM_TOK_NAME : ASM_TOK_DIRECTIVE, 1);
	return true;
}

/*
 * After a colon a name may begin with a digit, unless it is a number, or a
 * number with the direction f or b.
 */
static bool
is_label_with_digit(const struct lexer *lexer)
{
	const char *text = lexer->at;
	const size_t digits = strspn(text, "0123456789");

	if (text == lexer->line->text || text[-1] != ':')
		return false;
	if ((text[digits] == 'f' || text[digits] == 'b') &&
	    !is_name(text[digits + 1]))
		return false;
	return is_name(text[digits]);
}

static bool
add_next(struct lexer *lexer)
{
	const char c = *lexer->at;

	if (isdigit((unsigned char)c) && !is_label_with_digit(lexer))
		return add_number(lexer);
	if (is_name(c)) {
		add_word(lexer, ASM_TOK_NAME, 0);
		return true;
	}
	if (c == '.')
		return add_dotted(lexer);
	if (c == '"')
		return add_string(lexer, '"');
	if (begins_file_name(lexer))
		return add_string(lexer, '>');
	return add_operator(lexer);
}

const struct asm_token *
asm_lex(struct asm_messages *messages, const struct asm_line *line)
{
	struct lexer lexer = {
		.messages = messages,
		.line = line,
		.at = line->text,
	};

	for (;;) {
		while (isspace((unsigned char)*lexer.at))
			lexer.at++;
		if (!*lexer.at || *lexer.at == '#' ||
		    strncmp(lexer.at, "//", 2) == 0)
			break;
		if (!add_next(&lexer))
			return NULL;
	}
	add_token(&lexer, ASM_TOK_END, 0);
	return lexer.tokens;
}
