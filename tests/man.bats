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
		grep '^-' | grep -oE -- '--?[a-z0-9-]+=?' | tr -d = | sort -u
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

@test "the page names every environment variable that sources read" {
	for name in $(grep -rhoE 'getenv\("[A-Z_0-9]+"\)' \
		"$BATS_TEST_DIRNAME"/../{src,cpu} --include='*.c' |
		grep -oE '[A-Z_0-9]{3,}' | sort -u); do
		grep -q "$name" "$page" || fail "no $name"
	done
}

@test "the page is clean for groff" {
	command -v groff >/dev/null || skip "groff is not installed"
	groff -man -Tutf8 -ww -z "$page" >out 2>&1
	[ ! -s out ]
}
