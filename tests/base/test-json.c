/* SPDX-License-Identifier: MIT */
/*
 * Promise: any bytes become valid JSON, from which they can be restored.
 */
#include "config.h"

#include "src/base/json.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/support/fault.h"
#include "tests/support/tap.h"

static const struct {
	const char *bytes;
	const char *expected; /* the member whose key is k */
} rows[] = {
	{ "", "\"k\":\"\"" },
	{ "plain", "\"k\":\"plain\"" },
	{ "a\"b\\c/d", "\"k\":\"a\\\"b\\\\c/d\"" },
	{ "\b\f\n\r\t", "\"k\":\"\\b\\f\\n\\r\\t\"" },
	{ "\001\033\037\177", "\"k\":\"\\u0001\\u001b\\u001f\\u007f\"" },
	/* The edges of each length, and of what is escaped. */
	{ "\302\200\302\205\302\237", "\"k\":\"\\u0080\\u0085\\u009f\"" },
	{ "\302\240\337\277", "\"k\":\"\302\240\337\277\"" },
	{ "\340\240\200\355\237\277", "\"k\":\"\340\240\200\355\237\277\"" },
	{ "\356\200\200\357\277\277", "\"k\":\"\356\200\200\357\277\277\"" },
	{ "\360\220\200\200", "\"k\":\"\360\220\200\200\"" },
	{ "\364\217\277\277", "\"k\":\"\364\217\277\277\"" },
	{ "\342\200\247\342\200\250\342\200\251\342\200\252",
	  "\"k\":\"\342\200\247\\u2028\\u2029\342\200\252\"" },
	/* No UTF-8: RFC 4648, 10 has these three as examples of lengths. */
	{ "\377", "\"k_base64\":\"/w==\"" },
	{ "\377\376", "\"k_base64\":\"//4=\"" },
	{ "\377\376\375", "\"k_base64\":\"//79\"" },
	{ "a\200", "\"k_base64\":\"YYA=\"" },
	{ "\300\200", "\"k_base64\":\"wIA=\"" },
	{ "\301\277", "\"k_base64\":\"wb8=\"" },
	{ "\340\237\277", "\"k_base64\":\"4J+/\"" },
	{ "\360\217\277\277", "\"k_base64\":\"8I+/vw==\"" },
	{ "\355\240\200", "\"k_base64\":\"7aCA\"" },
	{ "\355\277\277", "\"k_base64\":\"7b+/\"" },
	{ "\364\220\200\200", "\"k_base64\":\"9JCAgA==\"" },
	{ "\370\210\200\200\200", "\"k_base64\":\"+IiAgIA=\"" },
	{ "\370\220\200\200", "\"k_base64\":\"+JCAgA==\"" },
	/* Cut off by the end. */
	{ "\303", "\"k_base64\":\"ww==\"" },
	{ "\342\202", "\"k_base64\":\"4oI=\"" },
	{ "\360\237\230", "\"k_base64\":\"8J+Y\"" },
	{ "\342\202a", "\"k_base64\":\"4oJh\"" },
};

/* Return true if this stands between the object's braces. */
static bool
holds(const struct json *json, const char *expected)
{
	char line[256];

	snprintf(line, sizeof(line), "{%s}\n", expected);
	if (strcmp(json->text.bytes, line) == 0)
		return true;
	tap_note("got %s", json->text.bytes);
	return false;
}

static void
check_strings(struct json *json)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		json_open(json);
		json_string(json, "k", rows[i].bytes);
		ok(json_close(json) && holds(json, rows[i].expected), "%s",
		   rows[i].expected);
	}
}

static void
check_others(struct json *json)
{
	static const uint8_t bytes[] = { 0x00, 0x9f, 0xff, 0x1a };

	json_open(json);
	ok(json_close(json) && holds(json, ""), "an object may be empty");
	json_open(json);
	json_number(json, "zero", 0);
	json_number(json, "most", UINTMAX_MAX);
	ok(json_close(json) &&
		   holds(json, "\"zero\":0,\"most\":18446744073709551615"),
	   "numbers are whole, and members are separated");
	json_open(json);
	json_real(json, "a", 0);
	json_real(json, "b", 12.00005);
	json_real(json, "c", 0.99996);
	json_real(json, "d", 0.5);
	ok(json_close(json) &&
		   holds(json, "\"a\":0.0000,\"b\":12.0001,\"c\":1.0000,"
			       "\"d\":0.5000"),
	   "reals have a point and four decimals, rounded");
	json_open(json);
	json_flag(json, "yes", true);
	json_flag(json, "no", false);
	json_hex(json, "hex", bytes, sizeof(bytes));
	ok(json_close(json) &&
		   holds(json,
			 "\"yes\":true,\"no\":false,\"hex\":\"009fff1a\""),
	   "flags are words, bytes are digits");
	json_open(json);
	json_list(json, "list");
	json_item(json);
	json_number(json, "c", 3);
	json_object_end(json);
	json_item(json);
	json_object_end(json);
	json_list_end(json);
	json_number(json, "d", 4);
	ok(json_close(json) && holds(json, "\"list\":[{\"c\":3},{}],\"d\":4"),
	   "lists of objects are members");
}

static void
check_long(struct json *json)
{
	enum { LEN = 100000 };
	char *name = malloc(LEN + 1);

	if (!name)
		exit(99);
	memset(name, 'x', LEN);
	name[LEN] = '\0';
	json_open(json);
	json_string(json, "k", name);
	ok(json_close(json) && json->text.len == LEN + 9,
	   "a string may be long");
	json_open(json);
	json_string(json, "k", "y");
	ok(json_close(json) && holds(json, "\"k\":\"y\""),
	   "a new object knows nothing of the one before");
	free(name);
}

/* Every member, with names longer than the first piece of memory; and after a
 * shortage the next object is complete. */
static enum fault_outcome
write_all(void)
{
	static const uint8_t bytes[100] = { 1 };
	static const char end[] = ",\"flag\":true}\n";
	struct json json = { .failed = false };
	char name[300];
	bool whole;

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	json_open(&json);
	json_string(&json, name, name);
	json_hex(&json, "hex", bytes, sizeof(bytes));
	name[0] = '\377';
	json_string(&json, "k", name);
	json_number(&json, "number", 1);
	json_real(&json, "real", 1.0);
	json_flag(&json, "flag", true);
	whole = json_close(&json);
	if (whole &&
	    (json.text.len != 1266 ||
	     strcmp(json.text.bytes + json.text.len - strlen(end), end) != 0))
		return FAULT_WRONG;
	json_open(&json);
	json_flag(&json, "flag", true);
	if (!json_close(&json) || !holds(&json, "\"flag\":true"))
		return FAULT_WRONG;
	json_free(&json);
	return whole ? FAULT_WHOLE : FAULT_TOLD;
}

/* Only the last bytes do not fit. */
static void
check_end(void)
{
	struct json json = { .failed = false };
	char name[128];

	memset(name, 'x', sizeof(name));
	name[127 - strlen("{\"k\":\"\"")] = '\0';
	fault_from(FAULT_realloc, 2, ENOMEM);
	json_open(&json);
	json_string(&json, "k", name);
	ok(!json.failed && !json_close(&json),
	   "an object without its end is reported as incomplete");
	fault_clear();
	json_free(&json);
}

int
main(void)
{
	struct json json = { .failed = false };

	check_strings(&json);
	check_others(&json);
	check_long(&json);
	fault_each(FAULT_MEMORY, ENOMEM, write_all, "an object");
	check_end();
	json_free(&json);
	return tap_done();
}
