#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# dist: the tarball is reproducible, and holds what the documents link to.

load ../support/common

# make_dist TARBALL: makes it, and takes it out of the build directory, where
# there may be others
make_dist()
{
	local version
	[ -f "$BUILD/Makefile" ] || skip "no Makefile beside the program"
	version=$(sed -n 's/^VERSION = //p' "$BUILD/Makefile")
	make -s -C "$BUILD" dist-gzip >log 2>&1 ||
		fail "make dist: $(tail -n 5 log)"
	mv "$BUILD/qpu-sha256sum-$version.tar.gz" "$1"
}

# the_dist: made once for all cases, as "$tarball"
the_dist()
{
	tarball=${BATS_FILE_TMPDIR:-$PWD}/tarball
	[ -e "$tarball" ] || make_dist "$tarball"
}

@test "make dist: the same bytes for any user at any time" {
	local umask
	the_dist
	umask=$(umask)
	umask 077
	TZ=Asia/Tokyo LC_ALL=C.UTF-8 make_dist second
	umask "$umask"
	same "$tarball" second
}

# source_date: the date that make dist gives to all files
source_date()
{
	printf 'show:\n\t@echo $(source_date)\n' |
		make -s -C "$BUILD" -f Makefile -f - show
}

@test "make dist: no owner, one date, readable for everybody" {
	local date
	the_dist
	date=$(date -u -d "@$(source_date)" '+%Y-%m-%d %H:%M:%S')
	tar -tvzf "$tarball" --numeric-owner --full-time --utc >list
	[ "$(wc -l <list)" -gt 500 ]
	no_line_but "^(d|-)rw(x|-)r-(x|-)r-(x|-) 0/0 +[0-9]+ $date " list
	# gzip has kept no time
	[ "$(head -c 8 "$tarball" | tail -c 4 | tr -d '\0' | wc -c)" = 0 ]
	[ "$(SOURCE_DATE_EPOCH=1000000000 source_date)" = 1000000000 ]
}

# links FILE: the relative links of a document, as paths from the top
links()
{
	local target folder
	folder=$(dirname "$1")
	sed '/^```/,/^```/d' "$TOP/$1" |
		grep -oE '\]\([^) ]+\)' | sed -E 's/^\]\(//; s/[)#].*//' |
		grep -vE '^([a-z]+:|$)' |
		while read -r target; do
			realpath -ms --relative-to=. "$folder/$target"
		done
}

# Every document that is under version control or distributed; what is built or
# unpacked beside them may hold others, and make install's README is made.
documents()
{
	(cd "$TOP" && find ./*.md .github cpu man qpu src test-data tests \
		-name '*.md' ! -path src/packaging/README.md 2>/dev/null) |
		sed 's|^\./||'
}

@test "documents: every link leads to a file, in the tree and the tarball" {
	local document target
	the_dist
	tar -tzf "$tarball" | sed 's|^[^/]*/||; s|/$||' | sort >distributed
	documents | sort >documents
	[ "$(wc -l <documents)" -ge 5 ]
	while read -r document; do
		links "$document" >targets
		while read -r target; do
			[ -e "$TOP/$target" ] ||
				fail "$document links to $target: not here"
			grep -qxF "$target" distributed ||
				fail "$document links to $target: not in the tarball"
		done <targets
	done <documents
}

@test "documents: all are in the tarball, except templates of GitHub" {
	the_dist
	tar -tzf "$tarball" | sed 's|^[^/]*/||' | sort >distributed
	documents | grep -v '^\.github/' | sort >documents
	comm -23 documents distributed >missing
	[ ! -s missing ] || fail "not distributed: $(cat missing)"
}

@test "documents: every file that they name exists" {
	local document name
	documents | while read -r document; do
		grep -oE '`(src|cpu|qpu|man|tests)/[A-Za-z0-9_./-]+`' \
			"$TOP/$document" | tr -d '`' | sed "s|^|$document |"
	done >names
	[ "$(wc -l <names)" -ge 20 ]
	while read -r document name; do
		case $name in *ROOM*|*NAME*) continue ;; esac
		[ -e "$TOP/$name" ] || [ -e "$TOP/$name.c" ] ||
			fail "$document names $name"
	done <names
}
