#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# man: the manual pages describe the options of --help, and no others.

load ../support/common

page=$TOP/man/qpu-sha256sum.1

# Options as the page defines them: the first line after each .TP
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

@test "each page has the date of its last change in its head" {
	for name in "${page%/*}"/*.[137]; do
		grep -qE '^\.TH [A-Z0-9-]+ [137] "20[0-9]{2}-[01][0-9]-[0-3][0-9]" ' \
			"$name" || fail "$name has none"
	done
	[ "$(wc -l <"$page")" -le 700 ]
}

@test "NEWS opens with the version that --version prints, released or not" {
	local first version
	first=$(head -n 1 "$TOP/NEWS")
	version=$(sed -n 's/^#define PACKAGE_VERSION "\(.*\)"$/\1/p' \
		"$BUILD/config.h")
	[ -n "$version" ] || skip "no config.h beside the program"
	case $version in
	*~dev)	[ "$first" = "qpu-sha256sum ${version%~dev}, not released yet" ] ;;
	*)	[[ $first =~ ^"qpu-sha256sum $version, "20[0-9-]{8}$ ]] ;;
	esac || fail "$version, but NEWS has: $first"
	grep -qx "Version: $version" "$TOP/src/packaging/qpu-sha256sum.spec"
}

names_in()	# names_in FILE...: the environment variables that they read
{
	grep -rhoE 'getenv\("[A-Z_0-9]+"\)' --include='*.c' "$@" |
		grep -oE '[A-Z_0-9]{3,}' | sort -u
}

@test "the page names every environment variable that sources read" {
	names_in --exclude-dir=tools "$TOP"/{src,cpu} >names
	[ -s names ]
	while read -r name; do
		grep -q "$name" "$page" || fail "no $name"
	done <names
	names_in "$TOP/src/tools/qpuemu" >names
	[ -s names ]
	while read -r name; do
		grep -q "$name" "${page%/*}/qpuemu.1" || fail "no $name"
	done <names
}

@test "the udev rule is the same wherever it is told" {
	local rule='KERNEL=="vcio|vcsm-cma", GROUP="video", MODE="0660"'
	grep -qxF "$rule" "$TOP/src/packaging/90-vcio.rules"
	sed 's/\\-/-/g' "$TOP/man/qpu-sha256sum-pi.7" | grep -qF "$rule"
	grep -q 'doc/qpu-sha256sum/examples/90-vcio.rules' \
		"$TOP/src/packaging/debian/qpu-sha256sum.install"
	grep -q '/doc/qpu-sha256sum/examples/90-vcio.rules' \
		"$TOP/src/packaging/debian/README.Debian"
}

@test "the pages of the tools have each option of --help, and no other" {
	local tool page
	needs tools
	for tool in $(programs_built | grep -v sha256sum); do
		page=$TOP/man/$tool.1
		options_of_page >page
		options_of_help "$BUILD/$tool" >help
		[ -s help ]
		same help page
	done
}

@test "the pages are clean for groff, and for man where there is one" {
	command -v groff >/dev/null || skip "groff is not installed"
	for name in "${page%/*}"/*.[137]; do
		groff -man -Tutf8 -ww -z "$name" >out 2>&1
		[ ! -s out ] || fail "$name: $(head -n 5 out)"
		command -v man >/dev/null || continue
		man --warnings -l "$name" 2>out >/dev/null
		[ ! -s out ] || fail "$name: $(head -n 5 out)"
	done
}

@test "the pages in Markdown are those that 'make man-markdown' makes" {
	local name
	cd "$TOP/man"
	for name in *.[1-9]; do
		LC_ALL=C awk -v PAGES="$(echo *.[1-9])" -f markdown.awk "$name" \
			>"$BATS_TEST_TMPDIR/page"
		cmp "$BATS_TEST_TMPDIR/page" "markdown/$name.md" ||
			fail "$name: run 'make man-markdown'"
	done
	[ "$(printf '%s\n' markdown/* | wc -l)" = \
		"$(printf '%s\n' *.[1-9] | wc -l)" ]
}
