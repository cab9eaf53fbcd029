#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# json: what --json prints, an object to a line.  Every output is read by
# tests/support/check-json.py, which refuses what is no such object and gives
# values back.  (All words of objects are in tests/output/test-results.c.)

load ../support/common

empty=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
of_a=ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb
of_b=3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d

# Most of the time of a start goes into finding the interpreter and its packages.
: "${PYTHON=$(python3 -c 'import sys; print(sys.executable)' || :)}"
export PYTHON

setup()
{
	is_ours || skip "GNU has no such option"
	command -v python3 >/dev/null || skip "python3 is not installed"
	enter_scratch
	printf 'a' >a
	printf 'b' >b
}

read_lines()	# read_lines [KEY]: what check-json.py says of out
{
	"$PYTHON" -IS "$TOP/tests/support/check-json.py" "$@" <out
}

# json STATUS ARGUMENT...: valid lines in out, messages in err
json()
{
	local expected=$1
	shift
	exits "$expected" sum --json "$@"
	read_lines || fail "in: $(head -c 1000 out)"
	case " $* " in
	*' --status '*) ;;
	*) complete "$expected" ;;
	esac
}

# complete STATUS: out ends with a summary, in $summary, which is taken away
complete()
{
	summary=$(tail -n 1 out)
	[[ $summary =~ ^\{\"summary\":\"(hash|check)\",.*,\"status\":$1\}$ ]] ||
		fail "no summary: $summary"
	sed -i '$d' out
}

# values KEY: print the values of a member in out, each with a newline after it
values()
{
	read_lines "$1" | tr '\0' '\n'
}

# --- Hashing -----------------------------------------------------------------

@test "standard input is -" {
	json 0 --device=cpu </dev/null
	printed '{"name":"-","sha256":"'$empty'","size":0,"device":"cpu"}'
	json 0 --device=cpu - <a
	printed '{"name":"-","sha256":"'$of_a'","size":1,"device":"cpu"}'
}

@test "many files: the digests and sizes of each, in their order" {
	local i n
	mkdir tree
	for ((i = 0; i < 40; i++)); do
		head -c $(((i * 7919 + i * i * 31) % 60000)) /dev/urandom \
			>"tree/$i"
	done
	head -c 5000001 /dev/urandom >tree/big
	oracle tree/* | cut -c 1-64 >digests
	stat -c %s tree/* >sizes
	printf '%s\n' tree/* >names
	for n in 1 4; do
		json 0 --threads=$n tree/*
		values sha256 >got && same digests got
		values size >got && same sizes got
		values name >got && same names got
	done
	cat tree/big | sum --json >out
	complete 0
	[ "$(values size)" = 5000001 ]
	[ "$(values sha256)" = "$(oracle <tree/big | cut -c 1-64)" ]
}

@test "what cannot be read is an object, too" {
	mkdir dir
	json 1 --device=cpu a nothere dir b
	printed '{"name":"a","sha256":"'$of_a'","size":1,"device":"cpu"}' \
		'{"name":"nothere","error":"No such file or directory"}' \
		'{"name":"dir","error":"Is a directory"}' \
		'{"name":"b","sha256":"'$of_b'","size":1,"device":"cpu"}'
	said 'nothere: No such file or directory' 'dir: Is a directory'
}

@test "--recursive: what cannot be read is an object, what is skipped is none" {
	public_place
	mkdir -p t/closed
	printf 'a' >t/a
	ln -s a t/link
	mkfifo t/fifo
	chmod 0 t/closed
	as_user_sum --json --device=cpu -r t nothere >out 2>err || :
	read_lines
	complete 1
	[ "$summary" = '{"summary":"hash","files":1,"failed":2,"bytes":1,"status":1}' ]
	printed '{"name":"t/a","sha256":"'$of_a'","size":1,"device":"cpu"}' \
		'{"name":"t/closed","error":"Permission denied"}' \
		'{"name":"nothere","error":"No such file or directory"}'
}

# --- Names -------------------------------------------------------------------

# Files with these names, in the order of the locale; names is the list.
round_trip()
{
	printf '%s\0' * >names
	json 0 --files0-from=names
	read_lines name >got
	same names got
}

@test "names with every byte there may be come back" {
	local i byte
	mkdir d && cd d
	for ((i = 1; i < 256; i++)); do
		printf -v byte '\\x%x' "$i"
		printf -v byte %b "$byte"
		[ "$byte" = / ] || : >"x${byte}y"
	done
	round_trip
	[ "$(tr -dc '\0' <names | wc -c)" = 254 ]
	# Names that are not UTF-8, and only these, are in base64.
	[ "$(grep -c '^{"name_base64":' out)" = 128 ]
	[ "$(grep -c '^{"name":' out)" = 126 ]
}

@test "the manual's way to get names back with jq" {
	command -v jq >/dev/null && command -v base64 >/dev/null ||
		skip "jq is not installed"
	: >$'\xff\n"'
	: >$'\xc3\xa9 \n'
	printf '%s\0' a $'\xff\n"' $'\xc3\xa9 \n' >names
	sed -n 's/\\(aq/'"'"'/g; s/\\-/-/g; s/^jq -r .\(.*@base64)\).*/\1/p' \
		"$TOP/man/qpu-sha256sum-json.7" >filter
	[ -s filter ]
	# shellcheck disable=SC2162
	sum --json --files0-from=names | jq -r -f filter |
		while read -r name; do
			printf %s "$name" | base64 -d; printf '\0'
		done >got
	same names got
}

# --- Check mode --------------------------------------------------------------

make_list()
{
	printf '%s  a\n# comment\n%s  b\njunk\n%s  nothere\nSHA256 (b) = %s\n' \
		$of_a $of_a $of_b $of_b >l
}

@test "-c: each line has its verdict, with the digests that were expected and found" {
	make_list
	json 1 -c l
	[ "$(values line)" = $'1\n3\n5\n6' ]
	[ "$(values name)" = $'a\nb\nnothere\nb' ]
	[ "$(values verdict)" = $'OK\nFAILED\nMISSING\nOK' ]
	[ "$(values expected)" = $of_a$'\n'$of_a$'\n'$of_b$'\n'$of_b ]
	[ "$(values sha256)" = $of_a$'\n'$of_b$'\n'$of_b ]
}

@test "-c: standard error and status are those without --json" {
	local option status json_status
	make_list
	for option in -c -cw '-c --quiet' '-c --status' '-c --strict' \
		'-c --ignore-missing' '-cw --strict --ignore-missing'; do
		status=0 json_status=0
		# shellcheck disable=SC2086
		sum $option l gone a >out 2>expected || status=$?
		# shellcheck disable=SC2086
		sum --json $option l gone a >out 2>err || json_status=$?
		same expected err
		[ $status = $json_status ]
	done
}

@test "-c with --warn or --strict: a malformed line is an object" {
	local option
	make_list
	for option in --warn --strict; do
		json 1 -c $option l
		[ "$(sed -n 3p out)" = '{"list":"l","line":4,"error":"improperly formatted SHA256 checksum line"}' ]
		[ "$(values line)" = $'1\n3\n4\n5\n6' ]
	done
}

@test "-c --quiet and --status: no object where all is well, or at all" {
	make_list
	json 1 -c --status l gone a
	printed
	json 1 -c --quiet l
	[ "$summary" = '{"summary":"check","entries":4,"ok":2,"failed":1,"missing":1,"unreadable":0,"ignored":0,"malformed":1,"unlisted":0,"moved":0,"status":1}' ]
	[ "$(values verdict)" = $'FAILED\nMISSING' ]
	printf '%s  a\n' $of_a >l
	json 0 -c --quiet l
	printed
}

@test "-c --ignore-missing: what is not there is no object" {
	make_list
	json 1 -c --ignore-missing l
	[ "$(values name)" = $'a\nb\nb' ]
	printf '%s  nothere\n' $of_a >l
	json 1 -c --ignore-missing l
	[[ $summary == *',"ignored":1,'* ]]
	printed '{"list":"l","error":"no file was verified"}'
}

@test "-c: a list that is none" {
	json 1 -c gone a .
	printed '{"list":"gone","error":"No such file or directory"}' \
		'{"list":"a","error":"no properly formatted checksum lines found"}' \
		'{"list":".","error":"read error"}'
}

@test "-c: each entry tells its list, and names of files are unescaped" {
	local odd=$'l\xff"' name=$'new\nline\\'
	printf 'a' >"$name"
	oracle "$name" >l
	printf '%s  b\n%s  a\n' $of_b $of_a >"$odd"
	sum --json -c l "$odd" gone - l <l >out 2>err || :
	complete 1
	read_lines
	read_lines list >got
	printf '%s\0' l "$odd" "$odd" gone - l >expected
	same expected got
	[ "$(values line)" = $'1\n1\n2\n1\n1' ]
	read_lines name >got
	printf '%s\0' "$name" b a "$name" "$name" >expected
	same expected got
}

# --- Devices -----------------------------------------------------------------

@test "device: the emulator, and the CPU where it failed" {
	needs qpu
	sum --list-devices | grep '^emulator' | grep -q 'not usable' &&
		skip "no emulator"
	json 0 --device=emulator:qpus=1 a
	printed '{"name":"a","sha256":"'$of_a'","size":1,"device":"emulator"}'
	json 0 --device=emulator:qpus=1,fault=lane@6 a
	printed '{"name":"a","sha256":"'$of_a'","size":1,"device":"cpu"}'
}

# --- Other options -----------------------------------------------------------

@test "--benchmark: one object, with a row for each measurement; no place to keep figures is needed" {
	: >file
	# One sample of each is enough if it seems to take long.
	LIMIT=300 XDG_CACHE_HOME=$PWD/file faulty clock:100 --benchmark --json \
		>out 2>err
	[ ! -s err ]
	python3 -c '
import json, sys
results = json.load(sys.stdin)["results"]
assert all(r["correct"] and r["gb_per_s"] >= 0 for r in results)
print(*sorted({r["kind"] for r in results}))
' <out >got
	[[ $(cat got) = "engine kernel"* ]]
}
