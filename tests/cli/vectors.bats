#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# vectors: the program prints the digests that others have published.

load ../support/common

# vectors FILE: write its messages to files 0, 1, ..., the lines the program
# has to print to `right`
vectors()
{
	local key _ value len=0 n=0
	tr -d '\r' <"$TOP/test-data/$1" | sed '/^Msg/s/[0-9a-f][0-9a-f]/\\x&/g' \
		>escaped
	while read -r key _ value; do
		case $key in
		Len) len=$value ;;
		Msg)
			[ "$len" != 0 ] || value=
			# shellcheck disable=SC2059 # made of \x escapes
			printf "$value" >"$n"
			;;
		MD)
			printf '%s  %d\n' "$value" "$n"
			n=$((n + 1))
			;;
		esac
	done <escaped >right
	mapfile -t names < <(seq 0 $((n - 1)))
}

@test "NIST CAVP, short messages, hashed and checked" {
	vectors SHA256ShortMsg.rsp
	[ ${#names[@]} = 65 ]
	sum "${names[@]}" >out
	same right out
	sum -c --strict --quiet right
}

@test "NIST CAVP, long messages" {
	vectors SHA256LongMsg.rsp
	[ ${#names[@]} = 64 ]
	sum "${names[@]}" >out
	same right out
}

@test "FIPS 180-4's examples: abc, two blocks, a million times a" {
	printf abc >a
	printf abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq >b
	head -c 1000000 /dev/zero | tr '\0' a >c
	cat >right <<-'END'
	ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a
	248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1  b
	cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0  c
	END
	sum a b c >out
	same right out
}

@test "every length from 0 to 300, and around larger powers of two" {
	local len
	head -c 202500 /dev/urandom | base64 -w 0 >noise
	names=()
	for len in {0..300} {510..514} {1022..1026} {4031..4040} {4094..4098} \
		{8191..8193} {16383..16385} {32767..32769} {65534..65538} \
		{131071..131073} {262143..262145}; do
		names+=("$len")
	done
	awk -v names="${names[*]}" '{
		n = split(names, name, " ")
		for (i = 1; i <= n; i++) {
			printf "%s", substr($0, 1, name[i]) >name[i]
			close(name[i])
		}
	}' noise
	oracle "${names[@]}" >right
	sum "${names[@]}" >out
	same right out
}
