#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# man: the manual page and --help tell of the same options.

load common

page=$BATS_TEST_DIRNAME/../man/qpu-sha256sum.1

setup()
{
	enter_scratch
}

# Options as the page defines them: the first line behind each .TP
options_of_page()
{
	awk '/^\.TP/ { getline; print }' "$page" |
		sed 's/\\-/-/g; s/\\f.//g; s/^\.[A-Z]* *//' |
		grep '^-' | grep -oE -- '--?[A-Za-z0-9-]+=?' | tr -d = | sort -u
}

@test "the page has each option of --help, and no other" {
	is_ours || skip "GNU's options are another set"
	options_of_page >page
	options_of_help "$PROGRAM" >help
	[ "$(wc -l <page)" -ge 20 ]
	same help page
}

@test "the page has the options of GNU's sha256sum" {
	options_of_page >page
	for option in -b --binary -c --check --tag -t --text -z --zero -w --warn \
		--ignore-missing --quiet --status --strict --help --version; do
		grep -qxe "$option" page || fail "no $option"
	done
}

names_in()	# names_in FILE...: the environment variables that they read
{
	grep -rhoE 'getenv\("[A-Z_0-9]+"\)' --include='*.c' "$@" |
		grep -oE '[A-Z_0-9]{3,}' | sort -u
}

@test "the page names every environment variable that sources read" {
	names_in --exclude='qpuemu*' "$BATS_TEST_DIRNAME"/../{src,cpu} >names
	[ -s names ]
	while read -r name; do
		grep -q "$name" "$page" || fail "no $name"
	done <names
	names_in "$BATS_TEST_DIRNAME"/../src/qpuemu*.c >names
	[ -s names ]
	while read -r name; do
		grep -q "$name" "${page%/*}/qpuemu.1" || fail "no $name"
	done <names
}

without_those_of_all()
{
	grep -vx -e --help -e --usage -e --version -e -V -e '-?'
}

@test "the pages of the tools have each option of --help, and no other" {
	local tool page
	for tool in qpuasm qpudis qpurun qpuemu; do
		page=$BATS_TEST_DIRNAME/../man/$tool.1
		options_of_page | without_those_of_all >page
		options_of_help "$(dirname "$PROGRAM")/$tool" |
			without_those_of_all >help
		[ -s help ]
		same help page
	done
}

@test "the pages are clean for groff, and for man where there is one" {
	command -v groff >/dev/null || skip "groff is not installed"
	for name in qpu-sha256sum qpuasm qpudis qpuemu qpurun; do
		groff -man -Tutf8 -ww -z "${page%/*}/$name.1" >out 2>&1
		[ ! -s out ] || fail "$name: $(head -n 5 out)"
		command -v man >/dev/null || continue
		man --warnings -l "${page%/*}/$name.1" 2>out >/dev/null
		[ ! -s out ] || fail "$name: $(head -n 5 out)"
	done
}
