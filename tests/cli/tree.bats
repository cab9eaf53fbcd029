#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# tree: -r hashes what find and sort would name, in their order; it follows no
# link, waits for no FIFO, and goes on after whatever cannot be read.

load ../support/common

only_ours

# A tree t whose names sort otherwise than a walk would meet them.
plant()
{
	local directory name n=0
	for directory in . a a/a a.d 'a b' a- b/c/d é; do
		mkdir -p "t/$directory"
		for name in a.txt a0 'a!' A - z $'new\nline' $'\377' 'b\c'; do
			printf '%d' $((n++)) >"t/$directory/$name"
		done
	done
	mkdir -p t/empty/empty
}

# listing NAME...: what find and sort name below them, hashed by GNU
listing()
{
	local name
	for name; do
		find -H "$name" -type f -print0 | LC_ALL=C sort -z
	done | xargs -0 sha256sum --
}

# --- Names and their order ----------------------------------------------------

@test "the order is that of find | LC_ALL=C sort" {
	plant
	listing t >expected
	sum -r t >out 2>err
	same expected out
	[ ! -s err ]
	LC_ALL=C.UTF-8 sum -r t >out
	same expected out
	sum --recursive --threads=3 t >out
	same expected out
}

@test "names are the operand and the path below it" {
	plant
	for name in t t/ t// ./t "$PWD/t" t/. t/../t; do
		listing "$name" >expected
		sum -r "$name" >out
		same expected out
	done
	cd t
	listing . >../expected
	sum -r . >../out
	same ../expected ../out
}

@test "without an operand it is the working directory" {
	mkdir -p t/d
	printf 'x' >t/d/f
	cd t
	printf 'in' | sum -r >../out
	digest_line ./d/f <d/f >../expected
	same ../expected ../out
}

@test "operands keep their order, files and - among them" {
	plant
	listing t/b t/a t/z t/a >expected
	printf 'in' | digest_line - >>expected
	printf 'in' | sum -r t/b t/a t/z t/a - >out
	same expected out
}

# --- Links and special files --------------------------------------------------

@test "symbolic links are counted, not followed" {
	mkdir -p t/d out.side
	printf 'x' >t/d/f
	ln -s f t/d/link
	ln -s .. t/d/loop
	ln -s nowhere t/dangling
	ln -s ../out.side t/side
	sum -r t >out 2>err
	digest_line t/d/f <t/d/f >expected
	same expected out
	said 't: skipped: 4 symbolic links'
	sum -r t/d >out 2>err
	said 't/d: skipped: 2 symbolic links'
	rm t/d/loop
	sum -r t/d >out 2>err
	said 't/d: skipped: 1 symbolic link'
}

@test "a link that is an operand is followed" {
	mkdir t
	printf 'x' >t/f
	ln -s t link
	ln -s t/f flink
	sum -r link link/ flink >out 2>err
	for name in link/f link/f flink; do digest_line $name <t/f; done \
		>expected
	same expected out
	[ ! -s err ]
}

@test "a device that is an operand is hashed" {
	sum -r /dev/null >out 2>err
	oracle /dev/null >expected
	same expected out
	[ ! -s err ]
}

@test "special files are not opened; their notes stand where their lines would" {
	mkdir t
	printf 'x' >t/a
	mkfifo t/b
	printf 'x' >t/c
	sum -r t >out 2>&1
	{
		oracle t/a
		echo 'sha256sum: t/b: skipped: not a regular file'
		oracle t/c
	} >expected
	same expected out
}

@test "a list may be written into the tree" {
	plant
	cd t
	listing . >../expected
	sum -r >SHA256SUMS 2>../err
	same ../expected SHA256SUMS
	echo 'sha256sum: ./SHA256SUMS: skipped: standard output goes there' \
		>../note
	same ../note ../err
	ln SHA256SUMS linked
	sum -r >>SHA256SUMS 2>../err
	cat ../expected ../expected | cmp - SHA256SUMS
	[ "$(wc -l <../err)" = 2 ]
	rm linked
	sum -c --quiet SHA256SUMS
	# Only what is really written to is left out.
	listing . >../expected
	sum -r | cmp - ../expected
}

# --- With other options -------------------------------------------------------

@test "--files0-from: names that are directories" {
	plant
	listing t/b t/z t/a >expected
	printf 't/b\0t/z\0t/a' >names
	sum -r --files0-from=names >out
	same expected out
	sum -r --files0-from=- <names >out
	same expected out
	cat names | sum -r --files0-from=- >out
	same expected out
	: >names
	sum -r --files0-from=names >out
	[ ! -s out ]
}

# --- What goes wrong ----------------------------------------------------------

@test "a directory that may not be read: a message, the rest goes on" {
	public_place
	mkdir -p t/a t/closed t/z
	printf 'a' | tee t/a/f t/z/f >/dev/null
	printf 's' >t/a/secret
	chmod 0 t/closed t/a/secret
	exits 1 as_user_sum -r t
	oracle t/a/f t/z/f >expected
	same expected out
	said {t/a/secret,t/closed}': Permission denied'
	exits 1 as_user_sum -r t/closed t/z
	said 't/closed: Permission denied'
	oracle t/z/f >expected
	same expected out
}

@test "paths longer than the system takes in one call" {
	local i deep path=t digest descriptors
	deep=$(printf '%0200d' 0)
	mkdir t
	digest=$(printf 'x' | oracle | head -c 64)
	(
		cd t
		for ((i = 0; i < 50; i++)); do
			printf 'x' | tee f >z
			mkdir "$deep"
			cd "$deep"
		done
		ln -s f link
		mkfifo fifo
	)
	for ((i = 0; i < 50; i++)); do
		printf '%s  %s\n' "$digest" "$path/f" "$digest" "$path/z"
		path+=/$deep
	done >lines
	LC_ALL=C sort -k 2 lines >expected
	for descriptors in "$(ulimit -n)" 9; do
		(ulimit -n "$descriptors" && sum -r t) >out 2>err
		same expected out
		said "$path/fifo: skipped: not a regular file" \
			't: skipped: 1 symbolic link'
	done
	rm -r t
}

@test "1,000 levels, with few descriptors and a small stack" {
	local below
	below=t$(printf '/d%.0s' {1..1000})
	mkdir -p "$below"
	printf 'x' >"$below/f"
	printf 'x' >"$below/g"
	(ulimit -n 9 && ulimit -s 256 && sum -r t) >out
	[ "$(wc -l <out)" = 2 ]
	[ "$(head -c 64 out)" = "$(printf 'x' | oracle | head -c 64)" ]
	rm -r t
}

# --- Other file systems -------------------------------------------------------

@test "--quiet silences notes, not errors" {
	plant
	mkfifo t/fifo
	ln -s a t/link
	listing t >expected
	sum -r --quiet t >out 2>err
	same expected out
	[ ! -s err ]
	exits 1 sum -r --quiet t nothere
	said 'nothere: No such file or directory'
	refused 'the --quiet option is meaningful only when verifying' \
		--quiet t
}

@test "a pseudo file system is skipped, not its files that are operands" {
	[ -e /proc/version ] || skip "no /proc"
	sum -r /proc >out 2>err
	[ ! -s out ]
	said '/proc: skipped: on a pseudo file system'
	oracle /proc/version >expected
	sum -r /proc/version /proc --quiet >out 2>err
	same expected out
	[ ! -s err ]
}

@test "-x stays on one file system" {
	command -v unshare >/dev/null || skip "no unshare"
	mkdir -p t/mounted t/z
	printf 'x' | tee t/a t/z/f >/dev/null
	export -f sum
	export PROGRAM LIMIT
	unshare -rm bash -ec '
		mount -t tmpfs tmpfs t/mounted
		echo >t/mounted/file
		sum -r t >with
		sum -rx t >without 2>note
		sum -x -r t/mounted >itself
		sum -c --quiet -x --unlisted=t without' >out 2>err ||
		[ -s with ] || skip "cannot mount here: $(cat err)"
	[ "$(cut -c 67- with)" = $'t/a\nt/mounted/file\nt/z/f' ]
	[ "$(cut -c 67- without)" = $'t/a\nt/z/f' ]
	[ "$(cat note)" = 'sha256sum: t/mounted: skipped: on another file system' ]
	[ "$(cut -c 67- itself)" = t/mounted/file ]
	[ ! -s out ]
}
