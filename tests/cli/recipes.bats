#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# recipes: what the manual page recommends does what it promises.  Each recipe
# is taken from its page and run as it stands there.

load ../support/common

pages=("$TOP/man/qpu-sha256sum.1" "$TOP/man/qpu-sha256sum-lists.7")

setup()
{
	is_ours || skip "GNU has no such options"
	enter_scratch
	mkdir bin tree
	ln -s "$(realpath "$PROGRAM")" bin/qpu-sha256sum
	PATH=$PWD/bin:$PATH
	mkdir -p tree/.git tree/d
	for name in a b c.tmp d/e d/f.tmp .git/x; do
		printf '%s' "$name" >"tree/$name"
	done
}

# recipe WORDS: the commands of the recipe whose title begins with the words
recipe()
{
	awk -v title="$1" '
		/^\.SH/ { recipes = /RECIPES/ }
		recipes && index($0, title) == 1 { wanted = 1 }
		/^\.EE/ { wanted = shown = 0 }
		shown { print }
		wanted && /^\.EX/ { shown = 1 }' "${pages[@]}" |
		sed 's/\\-/-/g; s/\\(aq/'"'"'/g; s/\\e/\\/g' >commands
	[ -s commands ] || fail "no recipe: $1"
}

run_in()	# run_in DIRECTORY: the recipe
{
	local commands=$PWD/commands
	(cd "$1" && bash -eo pipefail "$commands")
}

@test "leave out names that match patterns" {
	recipe 'Leave out names'
	run_in tree
	(cd tree && oracle ./a ./b ./d/e) >expected
	same expected SHA256SUMS
}

@test "links of git-annex are followed" {
	mkdir tree/.git/annex
	mv tree/a tree/.git/annex/key
	ln -s .git/annex/key tree/a
	recipe 'Follow the links'
	run_in tree
	(cd tree && oracle ./a ./b ./c.tmp ./d/e ./d/f.tmp) >expected
	same expected SHA256SUMS
}

@test "a list in the tree that it describes" {
	recipe 'Write a list into the tree'
	run_in tree
	run_in tree
	(
		cd tree
		oracle ./.git/x ./a ./b ./c.tmp ./d/e ./d/f.tmp
	) >expected
	same expected tree/SHA256SUMS
	recipe 'Check that the tree matches'
	run_in tree
	printf 'x' >tree/new
	exits 1 run_in tree
	printed './new: NOT LISTED'
}

@test "go on after an interruption" {
	recipe 'Go on after an interruption'
	(cd tree && sum -r . >../all)
	for bytes in 0 100 200 $(($(wc -c <all) - 1)); do
		head -c "$bytes" all >list
		run_in tree
		same all list
	done
}

@test "one digest for a tree, wherever it is" {
	recipe 'One digest for a whole tree'
	run_in . >before
	mkdir elsewhere
	cp -r tree elsewhere/tree
	cp commands elsewhere
	(cd elsewhere && run_in . >../after)
	same before after
	printf 'x' >elsewhere/tree/a
	(cd elsewhere && run_in . >../after)
	if cmp -s before after; then fail "the digest is the same"; fi
}

@test "check a file against a bare digest" {
	printf 'one' >image.iso
	oracle image.iso | cut -d ' ' -f 1 >image.iso.sha256
	recipe 'Check a file against a bare digest'
	run_in . >out
	printed 'image.iso: OK'
	printf 'two' >image.iso
	exits 1 run_in .
	printed 'image.iso: FAILED'
}

@test "check a list that OpenSSL has made" {
	command -v openssl >/dev/null || skip "openssl is not installed"
	recipe 'Check a list that OpenSSL'
	printf 'one' >one.iso
	printf 'two' >'two words.iso'
	run_in . >out
	printed 'one.iso: OK' "'two words.iso': OK"
}

@test "the session of the README prints what it shows" {
	sed -n '/^    \$ /,/^$/{s/^    //;/./p;}' "$TOP/README.md" | sed '/^[^ ]*#/d' >session
	sed -n '/^\$ qpu-sha256sum -r --quiet/,/NOT match$/p' session >shown
	grep -c '^\$ ' shown | grep -qx 3
	mkdir -p photos/2024
	for name in img_0001 2024/img_0815 2024/img_0817 2024/img_0818; do
		printf '%s' $name >photos/$name.jpg
	done
	touch -d 2001-01-01 photos/*.jpg photos/2024/*.jpg
	touch -d 2001-01-02 photos/2024/img_0815.jpg photos/img_0001.jpg
	sed -n 's/^\$ //p' shown >commands
	n=0
	while read -r command; do
		n=$((n + 1))
		printf '$ %s\n' "$command"
		eval "$command" 2>&1 </dev/null || :
		[ $n = 1 ] || continue
		printf 'new' >photos/2024/img_0816.jpg
		printf 'edited' >photos/2024/img_0817.jpg
		mkdir photos/new
		mv photos/img_0001.jpg photos/new
		printf 'X' | dd of=photos/2024/img_0815.jpg conv=notrunc status=none
		touch -d 2001-01-02 photos/2024/img_0815.jpg
	done <commands >got
	same shown got
}

@test "a list that is kept: made, after a disk was off, renamed, accepted" {
	touch -d 2001-01-01 tree/a
	touch -d 2001-01-02 tree/b
	recipe 'Make the first list'
	run_in tree
	run_in tree >out
	printed
	mv tree/d off
	run_in tree
	exits 0 run_in tree
	grep -q '2 of its names are missing' err
	mv off tree/d
	exits 0 run_in tree
	said
	rm tree/c.tmp
	recipe 'After a disk was off'
	exits 0 run_in tree
	printed './c.tmp: DROPPED'
	printf 'X' >tree/a
	touch -d 2001-01-01 tree/a
	recipe 'Accept a file that DIFFERS'
	exits 0 run_in tree
	printed './a: EDITED'
	mkdir -p top/old
	printf '1' | tee top/old/1 >top/old/2
	(cd top && qpu-sha256sum -r --quiet --update=SHA256SUMS old)
	mv top/old top/new
	recipe 'After a tree was renamed'
	exits 0 run_in top
	printed 'new: MOVED from old'
}

@test "lists of hashdeep and rhash are taken over" {
	recipe 'Import lists of hashdeep'
	digest=$(oracle <tree/a | cut -c -64)
	printf '%s\n' '%%%% HASHDEEP-1.0' '%%%% size,md5,sha256,filename' \
		'## Invoked from: /' "1,0cc175b9c0f1b6a831c399e269772661,$digest,./a" >tree/known.txt
	{ printf '; Generated by RHash\n;\n'; (cd tree && oracle b); } >tree/rhash.txt
	exits 0 run_in tree
	grep -qxF "$digest  ./a" tree/SHA256SUMS
	grep -qx './d/e: NEW' out
	[ "$(grep -c '  \(./\)\?[ab]$' tree/SHA256SUMS)" = 2 ]
}
