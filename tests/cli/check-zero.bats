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

@test "status, verdicts and messages are those of -c, with each of its modifiers" {
	local option list status
	local -A mode=([plain]=-c [zero]=--check-zero)
	odd_files
	{ sum -z -- "${odd[@]}"; printf 'junk\0%064d  gone\0' 0; } >../zero
	{ sum -- "${odd[@]}"; printf 'junk\n%064d  gone\n' 0; } >../plain
	printf 'other' >"${odd[0]}"
	rm "./${odd[1]}"
	for option in --check -w --quiet --status --strict --ignore-missing; do
		for list in plain zero; do
			status=0
			sum "${mode[$list]}" $option <../$list \
				>../$list.out 2>../$list.err || status=$?
			echo $status >>../$list.out
		done
		same ../plain.out ../zero.out
		same ../plain.err ../zero.err
	done
}
