#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# check-zero: what was written with -z can be checked with --check-zero,
# whatever the names are.

load ../support/common

setup()
{
	is_ours || skip "GNU has no such option"
	enter_scratch
}

# Files with every byte that a name may have, and some of ill repute.
odd_files()
{
	local code
	odd=('two  blanks' ' *x' '#x' '\\n' $'\r' $'cr\r' $'nl\n' $'\nnl'
		$'a\nb' 'x)' 'SHA256 (x) = y' 'a = b')
	for ((code = 1; code < 256; code++)); do
		printf -v name '\\%03o' "$code"
		printf -v name %b "$name"
		case $name in
		/ | .) ;;
		*) odd+=("$name") ;;
		esac
	done
	for name in "${odd[@]}"; do
		printf '%s' "$name." >"./$name"
	done
}

@test "all names there are, in all styles" {
	local style
	odd_files
	for style in '' -b --tag; do
		# shellcheck disable=SC2086 # no style is no word
		oracle -z $style -- "${odd[@]}" >../list
		sum --check-zero --strict -w ../list >../out 2>../err
		[ ! -s ../err ]
		[ "$(grep -c ': OK$' ../out)" = ${#odd[@]} ]
		sum --check-zero --quiet <../list >../out
		[ ! -s ../out ]
	done
}

@test "verdicts are those of -c" {
	local status=0
	odd_files
	sum -z -- "${odd[@]}" >../zero
	sum -- "${odd[@]}" >../plain
	sum --check-zero ../zero >../out
	sum -c ../plain >../expected
	same ../expected ../out
	printf 'other' >"${odd[0]}"
	rm "./${odd[1]}"
	sum --check-zero ../zero >../out 2>../err || status=$?
	[ $status = 1 ]
	sum -c ../plain >../expected 2>../expected.err || :
	same ../expected ../out
	same ../expected.err ../err
}

@test "the modifiers of -c apply" {
	local status=0
	printf 'x' >a
	oracle -z a >good
	{ cat good; printf 'junk\0'; oracle -z a | tr x y; } >list
	sum --check-zero list >out 2>err
	printf 'a: OK\na: OK\n' >expected
	same expected out
	echo 'sha256sum: WARNING: 1 line is improperly formatted' >expected
	same expected err

	sum --check-zero -w list >out 2>err
	grep -qx 'sha256sum: list: 2: improperly formatted SHA256 checksum line' err
	sum --check-zero --strict list >out 2>err || status=$?
	[ $status = 1 ]

	printf '%064d  a\0' 0 >wrong
	status=0
	sum --check-zero --status wrong >out 2>err || status=$?
	[ $status = 1 ]
	[ ! -s out ]
	[ ! -s err ]

	{ cat good; printf '%064d  gone\0' 0; } >list
	sum --check-zero --ignore-missing --quiet list >out 2>err
	[ ! -s out ]
	[ ! -s err ]
	status=0
	sum --check-zero list >out 2>err || status=$?
	[ $status = 1 ]
	grep -qx 'gone: FAILED open or read' out
}

@test "the number of a malformed record counts records, not lines" {
	printf 'x' >$'a\nb'
	{ oracle -z $'a\nb'; printf 'ju\nnk\0'; oracle -z $'a\nb'; } >list
	sum --check-zero -w list >out 2>err
	[ "$(grep -c ': OK$' out)" = 2 ]
	grep -q '^sha256sum: list: 2: improperly formatted' err
}

@test "an escaped line is malformed: names stand there as they are" {
	local status=0
	printf 'x' >'a\b'
	oracle 'a\b' | tr '\n' '\0' >list
	sum --check-zero list >out 2>err || status=$?
	[ $status = 1 ]
	[ ! -s out ]
	echo 'sha256sum: list: no properly formatted checksum lines found' \
		>expected
	same expected err
}

@test "- in a list on standard input is malformed" {
	local status=0
	printf 'x' | oracle -z >list
	sum --check-zero <list >out 2>err || status=$?
	[ $status = 1 ]
	[ ! -s out ]
	printf 'x' | sum --check-zero list >out
	[ "$(cat out)" = '-: OK' ]
}

@test "-c beside --check-zero changes nothing" {
	printf 'x' >a
	oracle -z a >list
	sum -c --check-zero list >out
	[ "$(cat out)" = 'a: OK' ]
}
